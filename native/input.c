#include "input.h"

#include <errno.h>
#include <unistd.h>

bool input_has_room(const struct input *i, size_t length) {
  return i->waiting.length == 0 || i->waiting.length + length <= INPUT_MAX;
}

void input_add(struct input *i, const void *bytes, size_t length) {
  if (!i->is_closed && !i->is_closing) buffer_add(&i->waiting, bytes, length);
}

bool input_flush(struct input *i, int fd) {
  while (i->waiting.length > 0) {
    ssize_t written = write(fd, buffer_bytes(&i->waiting), i->waiting.length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno == EAGAIN;
    buffer_take(&i->waiting, (size_t)written);
  }
  return true;
}
