/* Makes fsync and fdatasync fail with EIO on files whose name ends as told, as often as a file says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static int is_due(int fd) {
  const char *counter = getenv("FAIL_FSYNC_COUNT"), *end = getenv("FAIL_FSYNC_ON");
  char link[64], path[4096], text[16];
  if (!counter || !end) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (!ends_with(path, end)) return 0;
  int file = open(counter, O_RDWR);
  if (file < 0) return 0;
  length = read(file, text, sizeof text - 1);
  text[length < 0 ? 0 : length] = 0;
  int left = atoi(text);
  if (left > 0) {
    snprintf(text, sizeof text, "%-8d", left - 1);
    if (pwrite(file, text, strlen(text), 0) < 0) left = 0;
  }
  close(file);
  return left > 0;
}

static int sync_or_fail(int fd, const char *name) {
  if (is_due(fd)) {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(fd);
}

int fsync(int fd) { return sync_or_fail(fd, "fsync"); }
int fdatasync(int fd) { return sync_or_fail(fd, "fdatasync"); }
