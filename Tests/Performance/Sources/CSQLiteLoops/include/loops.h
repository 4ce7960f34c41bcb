#include <stdint.h>

// What a program in C would do, with nothing between it and SQLite.
// Each returns 0, or what SQLite answered.

/// Runs a statement and keeps the first column of its rows.
int keep_keys(const char *path, const char *sql, int64_t **keys, int64_t *count);

/// Inserts rows with the numbers first ... last in one transaction, by a
/// statement that takes what rows() below gives: the columns
/// section, title, pages, price, date, Z_PK, Z_ENT, Z_OPT.
int insert_rows(const char *path, const char *sql, int64_t first, int64_t last, int64_t sections);

/// Runs statements that give no rows.
int run_statements(const char *path, const char *sql);
