// Lets calls of the system fail, for programs that load this library first.
//
// FAULT_UNDER  the folder whose files are concerned
// FAULT_CALLS  which calls: w (writing), t (cutting off), c (creating, renaming), d (deleting),
//              r (opening, reading)
// FAULT_AT     the number of the first call that fails, counted from 1; 0 for none
// FAULT_ERROR  the number of the error, or 0 to end the process as kill -9 does
// FAULT_FILE   a file that goes instead, at that call; the call itself succeeds
// FAULT_OTHER  the file that takes its place, if another one does
// FAULT_ONCE   set if only that call fails, and not all after it
// FAULT_HALF   set if the first call that fails writes half of its bytes instead
// FAULT_COUNT  a file that gets the number of calls when the process ends

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *under, *calls, *counted, *gone, *other;
static long at;
static int error, once, half;
static atomic_long count;

__attribute__((constructor)) static void begin(void) {
  under = getenv("FAULT_UNDER");
  calls = getenv("FAULT_CALLS");
  counted = getenv("FAULT_COUNT");
  gone = getenv("FAULT_FILE");
  other = getenv("FAULT_OTHER");
  at = atol(getenv("FAULT_AT") ?: "0");
  error = atoi(getenv("FAULT_ERROR") ?: "0");
  once = getenv("FAULT_ONCE") != NULL;
  half = getenv("FAULT_HALF") != NULL;
}

__attribute__((destructor)) static void end(void) {
  if (!counted) return;
  char text[24];
  int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
  long file = syscall(SYS_openat, AT_FDCWD, counted, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  syscall(SYS_write, file, text, length);
  syscall(SYS_close, file);
}

static int concerns(const char *path) {
  return under && strncmp(path, under, strlen(under)) == 0;
}

// Whether this call is one that fails; the error is set then.
static int fails(char kind) {
  if (!calls || !strchr(calls, kind)) return 0;
  long number = atomic_fetch_add(&count, 1) + 1;
  if (at == 0 || (once ? number != at : number < at)) return 0;
  if (gone) {
    if (number == at && other) syscall(SYS_renameat2, AT_FDCWD, other, AT_FDCWD, gone, 0);
    if (number == at && !other) syscall(SYS_unlinkat, AT_FDCWD, gone, 0);
    return 0;
  }
  if (error == 0) syscall(SYS_kill, getpid(), SIGKILL);
  errno = error;
  return 1;
}

static int path_fails(char kind, const char *path) {
  // Programs under test run in the folder.
  return path && (path[0] != '/' || concerns(path)) && fails(kind);
}

static int file_fails(char kind, int file) {
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return concerns(path) && fails(kind);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// How much of a write is carried out: all of it, half of it, or nothing.
static size_t part(int file, size_t size) {
  if (!file_fails('w', file)) return size;
  return half && size > 1 && atomic_load(&count) == at ? size / 2 : 0;
}

#define ON_WRITE(name, parameters, arguments)                                  \
  ssize_t name parameters {                                                    \
    size_t whole = size;                                                       \
    size = part(file, size);                                                   \
    return size == 0 && whole > 0 ? -1 : REAL(name) arguments;                 \
  }
#define ON_FILE(kind, result, name, parameters, arguments)                     \
  result name parameters {                                                     \
    if (file_fails(kind, file)) return -1;                                     \
    return REAL(name) arguments;                                               \
  }
#define ON_PATH(kind, name, parameters, path, arguments)                       \
  int name parameters {                                                        \
    if (path_fails(kind, path)) return -1;                                     \
    return REAL(name) arguments;                                               \
  }

ON_WRITE(write, (int file, const void *bytes, size_t size), (file, bytes, size))
ON_WRITE(pwrite, (int file, const void *bytes, size_t size, off_t place),
         (file, bytes, size, place))
ON_WRITE(pwrite64, (int file, const void *bytes, size_t size, off64_t place),
         (file, bytes, size, place))
ON_FILE('w', ssize_t, writev, (int file, const struct iovec *parts, int number),
        (file, parts, number))
ON_FILE('w', int, fsync, (int file), (file))
ON_FILE('w', int, fdatasync, (int file), (file))
ON_FILE('t', int, ftruncate, (int file, off_t size), (file, size))
ON_FILE('t', int, ftruncate64, (int file, off64_t size), (file, size))
ON_FILE('c', int, fchmod, (int file, mode_t mode), (file, mode))
ON_FILE('r', ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size))
ON_FILE('r', ssize_t, pread, (int file, void *bytes, size_t size, off_t place),
        (file, bytes, size, place))
ON_FILE('r', ssize_t, pread64, (int file, void *bytes, size_t size, off64_t place),
        (file, bytes, size, place))
ON_PATH('c', rename, (const char *from, const char *to), to, (from, to))
ON_PATH('c', renameat, (int one, const char *from, int two, const char *to), to,
        (one, from, two, to))
ON_PATH('c', link, (const char *from, const char *to), to, (from, to))
ON_PATH('c', linkat, (int one, const char *from, int two, const char *to, int flags), to,
        (one, from, two, to, flags))
ON_PATH('d', unlink, (const char *path), path, (path))
ON_PATH('d', rmdir, (const char *path), path, (path))
ON_PATH('c', mkdir, (const char *path, mode_t mode), path, (path, mode))
ON_PATH('c', chmod, (const char *path, mode_t mode), path, (path, mode))

static char kind_of(int flags) {
  return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? 'c' : 'r';
}

#define OPENING(name)                                                          \
  int name(const char *path, int flags, ...) {                                 \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    mode_t mode = kind_of(flags) == 'c' ? va_arg(rest, mode_t) : 0;    \
    va_end(rest);                                                              \
    if (path_fails(kind_of(flags), path)) return -1;                           \
    return REAL(name)(path, flags, mode);                                      \
  }
#define OPENING_AT(name)                                                       \
  int name(int folder, const char *path, int flags, ...) {                     \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    mode_t mode = kind_of(flags) == 'c' ? va_arg(rest, mode_t) : 0;    \
    va_end(rest);                                                              \
    if (path_fails(kind_of(flags), path)) return -1;                           \
    return REAL(name)(folder, path, flags, mode);                              \
  }

OPENING(open)
OPENING(open64)
OPENING_AT(openat)
OPENING_AT(openat64)
