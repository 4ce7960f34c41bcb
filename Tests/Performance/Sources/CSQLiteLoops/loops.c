#include "loops.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

int keep_keys(const char *path, const char *sql, int64_t **keys, int64_t *count) {
  sqlite3 *database;
  sqlite3_stmt *statement;
  int64_t capacity = 1024;
  *keys = malloc(capacity * sizeof(int64_t));
  *count = 0;
  int code = sqlite3_open(path, &database);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (*count == capacity) {
      capacity *= 2;
      *keys = realloc(*keys, capacity * sizeof(int64_t));
    }
    (*keys)[(*count)++] = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return code == SQLITE_DONE ? 0 : code;
}

int insert_rows(const char *path, const char *sql, int64_t first, int64_t last, int64_t sections) {
  sqlite3 *database;
  sqlite3_stmt *statement;
  int code = sqlite3_open(path, &database);
  if (code == SQLITE_OK) code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  char section[32], title[32];
  for (int64_t number = first; number <= last; number++) {
    // As Stores.swift computes them.
    int64_t mixed = (number * 2654435761) & 0xffffffff;
    int length = snprintf(section, sizeof section, "section %03d", (int)(mixed % sections));
    sqlite3_bind_text(statement, 1, section, length, SQLITE_TRANSIENT);
    length = snprintf(title, sizeof title, "title %08x", (unsigned)mixed);
    sqlite3_bind_text(statement, 2, title, length, SQLITE_TRANSIENT);
    sqlite3_bind_int64(statement, 3, mixed % 1000);
    sqlite3_bind_double(statement, 4, mixed % 5000 / 100.0);
    sqlite3_bind_double(statement, 5, (double)number);
    sqlite3_bind_int64(statement, 6, number);
    sqlite3_bind_int64(statement, 7, 1);
    sqlite3_bind_int64(statement, 8, 1);
    code = sqlite3_step(statement);
    if (code != SQLITE_DONE) return code;
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
  sqlite3_close(database);
  return code;
}

int run_statements(const char *path, const char *sql) {
  sqlite3 *database;
  int code = sqlite3_open(path, &database);
  if (code == SQLITE_OK) code = sqlite3_exec(database, sql, NULL, NULL, NULL);
  sqlite3_close(database);
  return code;
}
