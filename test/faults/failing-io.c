/* Makes reads, writes and syncs of database files fail with EIO, from a call on that a file counts down to. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);

static void find_real(void) {
  if (real_pread) return;
  real_pwrite = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  real_pread = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
}

static int is_database(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, ".db") != NULL;
}

/* The file holds how many calls still succeed; with none left all fail. Without it nothing does. */
static int is_due(int fd) {
  const char *counter = getenv("FAIL_IO_AFTER");
  char text[16] = "";
  find_real();
  if (!counter || !is_database(fd)) return 0;
  int file = open(counter, O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = real_pread(file, text, sizeof text - 1, 0);
  int left = length > 0 ? atoi(text) : -1;
  if (left > 0) {
    snprintf(text, sizeof text, "%-8d", left - 1);
    if (real_pwrite(file, text, strlen(text), 0) < 0) left = -1;
  }
  close(file);
  return left == 0;
}

static int fails(int fd) {
  if (!is_due(fd)) return 0;
  errno = EIO;
  return 1;
}

ssize_t pread64(int fd, void *to, size_t size, off64_t at) { return fails(fd) ? -1 : real_pread(fd, to, size, at); }
ssize_t pread(int fd, void *to, size_t size, off_t at) { return fails(fd) ? -1 : real_pread(fd, to, size, at); }
ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
  return fails(fd) ? -1 : real_pwrite(fd, from, size, at);
}
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) {
  return fails(fd) ? -1 : real_pwrite(fd, from, size, at);
}

static int call(const char *name, int fd) { return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd); }
int fsync(int fd) { return fails(fd) ? -1 : call("fsync", fd); }
int fdatasync(int fd) { return fails(fd) ? -1 : call("fdatasync", fd); }
int ftruncate64(int fd, off64_t size) {
  return fails(fd) ? -1 : ((int (*)(int, off64_t))dlsym(RTLD_NEXT, "ftruncate64"))(fd, size);
}
