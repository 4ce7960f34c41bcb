// libedit's variadic functions are not imported into Swift; each use of one
// has a typed inline function here. The standard streams stay on this side
// too, for Swift 6 takes them for shared mutable state.
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

extern int wcwidth(wchar_t);

// What libedit draws goes to `output`; the terminal itself is still standard
// input and output.
static inline EditLine *frc_el_init(const char *program, FILE *output) {
  return el_init_fd(program, stdin, output, output, 0, 1, 2);
}

// Messages about a user's settings, not about the terminal's type.
static inline int frc_el_set_error_stream(EditLine *editLine) {
  return el_set(editLine, EL_SETFP, 2, stderr);
}

// A null pointer represents standard input.
static inline int frc_el_set_input(EditLine *editLine, FILE *input) {
  return el_set(editLine, EL_SETFP, 0, input ? input : stdin);
}

static inline int frc_el_set_capability(
    EditLine *editLine, const char *name, const char *value) {
  return el_set(editLine, EL_SETTC, name, value, NULL);
}

// Whether the terminal's description has a capability.
static inline int frc_el_knows(EditLine *editLine, const char *name) {
  char *value = NULL;
  if (el_get(editLine, EL_GETTC, name, &value) != 0) return 0;
  return value != NULL && *value != 0;
}

static inline void frc_write_text(const char *text) {
  fputs(text, stdout);
  fflush(stdout);
}

static inline int frc_el_set_int(EditLine *editLine, int operation, int value) {
  return el_set(editLine, operation, value);
}

// Draws everything again.
static inline int frc_el_refresh(EditLine *editLine) {
  return el_set(editLine, EL_REFRESH);
}

static inline int frc_el_set_string(EditLine *editLine, int operation, const char *value) {
  return el_set(editLine, operation, value);
}

static inline const char *frc_el_editor(EditLine *editLine) {
  const char *name = NULL;
  el_get(editLine, EL_EDITOR, &name);
  return name;
}

// Whether lines are edited; `edit off` in a user's settings ends that.
static inline int frc_el_edits(EditLine *editLine) {
  int edits = 1;
  el_get(editLine, EL_EDITMODE, &edits);
  return edits;
}

static inline int frc_el_set_client_data(EditLine *editLine, void *data) {
  return el_set(editLine, EL_CLIENTDATA, data);
}

static inline void *frc_el_client_data(EditLine *editLine) {
  void *data = NULL;
  el_get(editLine, EL_CLIENTDATA, &data);
  return data;
}

static inline int frc_el_set_reader(
    EditLine *editLine, int (*read)(EditLine *, wchar_t *)) {
  return el_wset(editLine, EL_GETCFN, read);
}

static inline int frc_el_add_function(
    EditLine *editLine, const char *name, const char *help,
    unsigned char (*function)(EditLine *, int)) {
  return el_set(editLine, EL_ADDFN, name, help, function);
}

static inline int frc_el_bind(EditLine *editLine, const char *key, const char *function) {
  return el_set(editLine, EL_BIND, key, function, NULL);
}

static inline int frc_el_bind_alternative(
    EditLine *editLine, const char *key, const char *function) {
  return el_set(editLine, EL_BIND, "-a", key, function, NULL);
}

// Writes what every key does.
static inline int frc_el_list_bindings(EditLine *editLine) {
  return el_set(editLine, EL_BIND, NULL);
}

// Writes the names of all commands, each with a line about it.
static inline int frc_el_list_commands(EditLine *editLine) {
  return el_set(editLine, EL_BIND, "-l", NULL);
}

static inline int frc_el_set_history(EditLine *editLine, HistoryW *history) {
  return el_wset(editLine, EL_HIST, history_w, history);
}

static inline int frc_history_set_size(HistoryW *history, int size) {
  HistEventW event;
  return history_w(history, &event, H_SETSIZE, size);
}

static inline int frc_history_enter(HistoryW *history, const wchar_t *text) {
  HistEventW event;
  return history_w(history, &event, H_ENTER, text);
}
