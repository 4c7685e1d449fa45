#ifndef SNAPSHOT_H
#define SNAPSHOT_H
#include <stdint.h>

#include "../buffer.h"

/* Reads the newest `snapshot-OFFSET` of a session's folder: what the screen was when `out` had come to the offset.
   Returns the offset. Without a snapshot that is 0, and nothing is read. */
uint64_t snapshot_read(int folder, struct buffer *out);
#endif
