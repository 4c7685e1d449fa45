#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESERVE ".reserve"
enum { RESERVE_BYTES = 32768 };

static int write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes += written;
    length -= (size_t)written;
  }
  return 0;
}

static int write_new(int folder, const char *name, const void *bytes, size_t length) {
  int fd = openat(folder, name, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return errno;
  int error = write_all(fd, bytes, length);
  if (error == 0 && fsync(fd) != 0) error = errno;
  close(fd);
  if (error != 0) unlinkat(folder, name, 0);
  return error;
}

int file_replace(int folder, const char *name, const void *bytes, size_t length) {
  char temp[64];
  snprintf(temp, sizeof temp, ".%s.tmp", name);
  int error = write_new(folder, temp, bytes, length);
  if (error == ENOSPC || error == EDQUOT) {
    file_unreserve(folder);
    error = write_new(folder, temp, bytes, length);
  }
  if (error != 0) return error;
  if (renameat(folder, temp, folder, name) != 0) return errno;
  return fsync(folder) == 0 ? 0 : errno;
}

void file_reserve(int folder) {
  int fd = openat(folder, RESERVE, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  // On a disk that is full already it stays empty, and the caller's own files will fail.
  if (posix_fallocate(fd, 0, RESERVE_BYTES) != 0) unlinkat(folder, RESERVE, 0);
  close(fd);
}

void file_unreserve(int folder) { unlinkat(folder, RESERVE, 0); }

int file_read_text(int folder, const char *name, char *out, size_t size) {
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return -1;
  ssize_t length = read(fd, out, size - 1);
  close(fd);
  out[length > 0 ? length : 0] = 0;
  return length < 0 ? -1 : 0;
}
