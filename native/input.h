#ifndef INPUT_H
#define INPUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

// One pasted file fits; a sender beyond it waits until the agent has read.
enum { INPUT_MAX = 1024 * 1024 };

/* Bytes on their way to the agent, in the order in which whole frames came. */
struct input {
  struct buffer waiting;
  bool is_closing, is_closed;
};

bool input_has_room(const struct input *i, size_t length);
void input_add(struct input *i, const void *bytes, size_t length);

/* Writes what the agent takes. False when nobody will ever read the rest. */
bool input_flush(struct input *i, int fd);
#endif
