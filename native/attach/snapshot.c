#include "snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define PREFIX "snapshot-"
enum { DIGITS = 16, NAME_SIZE = sizeof PREFIX + DIGITS, CHUNK = 64 * 1024, TRIES = 10 };

static bool is_snapshot(const char *name) {
  size_t prefix = strlen(PREFIX);
  return strncmp(name, PREFIX, prefix) == 0 && strspn(name + prefix, "0123456789") == DIGITS && !name[prefix + DIGITS];
}

/* Offsets are padded, so that the order of names is theirs. */
static bool find_newest(int folder, char newest[NAME_SIZE]) {
  int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = fd < 0 ? NULL : fdopendir(fd);
  newest[0] = 0;
  if (!entries) return false;
  for (struct dirent *entry; (entry = readdir(entries));)
    if (is_snapshot(entry->d_name) && strcmp(entry->d_name, newest) > 0) memcpy(newest, entry->d_name, NAME_SIZE);
  closedir(entries);
  return newest[0] != 0;
}

static bool read_whole(int folder, const char *name, struct buffer *out) {
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  for (ssize_t got; (got = read(fd, buffer_room(out, CHUNK), CHUNK)) > 0;) out->length += (size_t)got;
  close(fd);
  return true;
}

uint64_t snapshot_read(int folder, struct buffer *out) {
  char name[NAME_SIZE];
  // It may be replaced by a newer one between the look and the opening.
  for (int i = 0; i < TRIES && find_newest(folder, name); i++)
    if (read_whole(folder, name, out)) return strtoull(name + strlen(PREFIX), NULL, 10);
  return 0;
}
