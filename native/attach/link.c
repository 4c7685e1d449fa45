#include "link.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../frame.h"

enum { CHUNK = 64 * 1024 };

int link_open(struct link *l, int folder) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  *l = (struct link){.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (l->fd < 0) return errno;
  // Through the open folder: its own path may be longer than the 107 bytes of an address.
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/socket", folder);
  if (connect(l->fd, (struct sockaddr *)&address, sizeof address) == 0) return 0;
  int error = errno;
  link_close(l);
  return error;
}

void link_close(struct link *l) {
  if (l->fd >= 0) close(l->fd);
  buffer_free(&l->in);
  buffer_free(&l->out);
  *l = (struct link){.fd = -1};
}

void link_flush(struct link *l) {
  while (l->out.length > 0) {
    ssize_t sent = send(l->fd, buffer_bytes(&l->out), l->out.length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    // That the holder has left is seen when reading: what it said before comes first.
    if (sent < 0 && errno != EAGAIN) buffer_free(&l->out);
    if (sent < 0) return;
    buffer_take(&l->out, (size_t)sent);
  }
}

void link_send(struct link *l, char type, const void *payload, size_t length) {
  uint8_t header[FRAME_HEADER];
  if (l->fd < 0) return;
  frame_write_header(header, type, length);
  buffer_add(&l->out, header, sizeof header);
  buffer_add(&l->out, payload, length);
  link_flush(l);
}

bool link_receive(struct link *l) {
  ssize_t got = read(l->fd, buffer_room(&l->in, CHUNK), CHUNK);
  if (got > 0) l->in.length += (size_t)got;
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

bool link_next(struct link *l, struct frame *out) {
  buffer_take(&l->in, l->read);
  l->read = 0;
  if (l->in.length < FRAME_HEADER) return false;
  const uint8_t *bytes = buffer_bytes(&l->in);
  *out = (struct frame){(char)bytes[0], bytes + FRAME_HEADER, frame_length(bytes)};
  if (l->in.length - FRAME_HEADER < out->length) return false;
  l->read = FRAME_HEADER + out->length;
  return true;
}
