#include "buffer.h"

#include <stdlib.h>
#include <string.h>

/* A larger allocation goes back to the system once it is empty: a hundred quiet holders must stay small. */
enum { KEEP_CAPACITY = 8192 };

static void grow(struct buffer *b, size_t needed) {
  size_t capacity = b->capacity ? b->capacity : 256;
  while (capacity < needed) capacity *= 2;
  uint8_t *data = realloc(b->data, capacity);
  // Without memory nothing can be promised here any more: the guard takes over.
  if (!data) abort();
  b->data = data;
  b->capacity = capacity;
}

uint8_t *buffer_room(struct buffer *b, size_t more) {
  if (b->start + b->length + more > b->capacity && b->start > 0) {
    memmove(b->data, b->data + b->start, b->length);
    b->start = 0;
  }
  if (b->length + more > b->capacity) grow(b, b->length + more);
  return b->data + b->start + b->length;
}

void buffer_add(struct buffer *b, const void *bytes, size_t length) {
  if (length == 0) return;
  memcpy(buffer_room(b, length), bytes, length);
  b->length += length;
}

void buffer_add_text(struct buffer *b, const char *text) { buffer_add(b, text, strlen(text)); }

void buffer_take(struct buffer *b, size_t length) {
  b->start += length;
  b->length -= length;
  if (b->length > 0) return;
  b->start = 0;
  if (b->capacity > KEEP_CAPACITY) buffer_free(b);
}

void buffer_free(struct buffer *b) {
  free(b->data);
  *b = (struct buffer){0};
}
