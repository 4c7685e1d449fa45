#ifndef BUFFER_H
#define BUFFER_H
#include <stddef.h>
#include <stdint.h>

/* Bytes that are added at the end and taken from the front. All zero is an empty one. */
struct buffer {
  uint8_t *data;
  size_t start, length, capacity;
};

static inline uint8_t *buffer_bytes(const struct buffer *b) { return b->data + b->start; }

/* Makes room for `more` bytes behind the last and returns where they go. */
uint8_t *buffer_room(struct buffer *b, size_t more);
void buffer_add(struct buffer *b, const void *bytes, size_t length);
void buffer_add_text(struct buffer *b, const char *text);
void buffer_take(struct buffer *b, size_t length);
void buffer_free(struct buffer *b);
#endif
