#ifndef SPOOL_H
#define SPOOL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Small enough to drop little at once, large enough that a full spool is 64 files.
enum { SEGMENT_BYTES = 256 * 1024 };

/* The bytes of one stream, in files `<name>-<offset>`; the offset counts from the stream's first byte. */
struct spool {
  int folder;
  const char *name;
  int fd;
  uint64_t *starts;
  size_t count, capacity;
  uint64_t low, high, dropped;
  bool is_unsynced;
};

void spool_open(struct spool *s, int folder, const char *name);
static inline uint64_t spool_held(const struct spool *s) { return s->high - s->low; }

/* Appends; may write less than asked, then errno says why. */
size_t spool_append(struct spool *s, const uint8_t *bytes, size_t length);

/* Reads from the files, at most to the end of one segment. 0 where nothing is. */
size_t spool_read(const struct spool *s, uint64_t offset, uint8_t *out, size_t length);

/* Removes whole segments below an offset that somebody has kept elsewhere. */
void spool_acknowledge(struct spool *s, uint64_t offset);

/* Drops the oldest segment; false if only the one being written is left. */
bool spool_drop_oldest(struct spool *s);

/* Gives up all that is held and `lost` bytes that could not be written. */
void spool_lose(struct spool *s, size_t lost);

void spool_sync(struct spool *s);
#endif
