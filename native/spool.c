#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 40 };

static void segment_name(const struct spool *s, uint64_t start, char out[NAME_SIZE]) {
  snprintf(out, NAME_SIZE, "%s-%016" PRIu64, s->name, start);
}

void spool_open(struct spool *s, int folder, const char *name) {
  *s = (struct spool){.folder = folder, .name = name, .fd = -1};
}

static uint64_t newest_start(const struct spool *s) { return s->starts[s->count - 1]; }

static void close_current(struct spool *s) {
  if (s->fd >= 0) close(s->fd);
  s->fd = -1;
}

static bool begin_segment(struct spool *s) {
  char name[NAME_SIZE];
  close_current(s);
  segment_name(s, s->high, name);
  int fd = openat(s->folder, name, O_CREAT | O_WRONLY | O_APPEND | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? s->capacity * 2 : 16;
    s->starts = realloc(s->starts, s->capacity * sizeof *s->starts);
    if (!s->starts) abort();
  }
  s->starts[s->count++] = s->high;
  s->low = s->starts[0];
  s->fd = fd;
  return true;
}

size_t spool_append(struct spool *s, const uint8_t *bytes, size_t length) {
  size_t done = 0;
  while (done < length) {
    bool is_full = s->fd >= 0 && s->high - newest_start(s) >= SEGMENT_BYTES;
    if ((s->fd < 0 || is_full) && !begin_segment(s)) break;
    size_t room = SEGMENT_BYTES - (size_t)(s->high - newest_start(s));
    ssize_t written = write(s->fd, bytes + done, length - done < room ? length - done : room);
    if (written < 0 && errno == EINTR) continue;
    // The user's own limit for the size of a file is smaller than a segment.
    if (written < 0 && errno == EFBIG && s->high > newest_start(s) && begin_segment(s)) continue;
    if (written < 0) break;
    s->high += (uint64_t)written;
    done += (size_t)written;
    s->is_unsynced = true;
  }
  return done;
}

static size_t find_segment(const struct spool *s, uint64_t offset) {
  size_t found = 0;
  for (size_t i = 0; i < s->count && s->starts[i] <= offset; i++) found = i;
  return found;
}

size_t spool_read(const struct spool *s, uint64_t offset, uint8_t *out, size_t length) {
  char name[NAME_SIZE];
  if (s->count == 0 || offset < s->low || offset >= s->high) return 0;
  uint64_t start = s->starts[find_segment(s, offset)];
  segment_name(s, start, name);
  int fd = openat(s->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return 0;
  if (s->high - offset < length) length = (size_t)(s->high - offset);
  ssize_t got = pread(fd, out, length, (off_t)(offset - start));
  close(fd);
  return got > 0 ? (size_t)got : 0;
}

static void remove_oldest(struct spool *s) {
  char name[NAME_SIZE];
  segment_name(s, s->starts[0], name);
  unlinkat(s->folder, name, 0);
  s->count--;
  memmove(s->starts, s->starts + 1, s->count * sizeof *s->starts);
  s->low = s->count > 0 ? s->starts[0] : s->high;
  if (s->count == 0) close_current(s);
}

static uint64_t oldest_end(const struct spool *s) { return s->count > 1 ? s->starts[1] : s->high; }

void spool_acknowledge(struct spool *s, uint64_t offset) {
  while (s->count > 0 && oldest_end(s) <= offset) {
    bool is_growing = s->count == 1 && s->high - s->low < SEGMENT_BYTES;
    if (is_growing) return;
    remove_oldest(s);
  }
}

bool spool_drop_oldest(struct spool *s) {
  if (s->count < 2) return false;
  s->dropped += s->starts[1] - s->starts[0];
  remove_oldest(s);
  return true;
}

void spool_lose(struct spool *s, size_t lost) {
  s->dropped += spool_held(s) + lost;
  while (s->count > 0) remove_oldest(s);
  s->high += lost;
  s->low = s->high;
}

void spool_sync(struct spool *s) {
  char name[NAME_SIZE];
  for (size_t i = 0; i < s->count && s->is_unsynced; i++) {
    segment_name(s, s->starts[i], name);
    int fd = openat(s->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) continue;
    fdatasync(fd);
    close(fd);
  }
  s->is_unsynced = false;
}
