#include "client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "clock.h"

enum { CHUNK = 64 * 1024, CHUNKS_PER_TURN = 16 };

static const char STREAM_FRAMES[STREAMS] = {'O', 'X'};

void client_free(struct client *c) {
  close(c->fd);
  buffer_free(&c->in);
  buffer_free(&c->out);
  free(c);
}

bool client_receive(struct client *c) {
  ssize_t got = read(c->fd, buffer_room(&c->in, CHUNK), CHUNK);
  if (got > 0) c->in.length += (size_t)got;
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static void note_failure(struct client *c) {
  if (errno == EINTR) return;
  if (errno == EAGAIN) {
    if (!c->is_stuck) c->stuck_since = clock_ms();
    c->is_stuck = true;
    return;
  }
  c->is_deaf = true;
  buffer_free(&c->out);
}

void client_frame(struct client *c, char type, const void *payload, size_t length) {
  uint8_t header[FRAME_HEADER];
  if (c->is_deaf) return;
  frame_write_header(header, type, length);
  buffer_add(&c->out, header, sizeof header);
  buffer_add(&c->out, payload, length);
}

static void write_output_header(uint8_t out[FRAME_HEADER + FRAME_OFFSET], int stream, uint64_t offset, size_t length) {
  frame_write_header(out, STREAM_FRAMES[stream], FRAME_OFFSET + length);
  frame_write_offset(out + FRAME_HEADER, offset);
}

void client_offer(struct client *c, int stream, uint64_t offset, const uint8_t *bytes, size_t length) {
  struct position *position = &c->positions[stream];
  uint8_t header[FRAME_HEADER + FRAME_OFFSET];
  bool is_up_to_date = position->is_wanted && position->offset == offset && c->out.length == 0;
  if (!is_up_to_date || c->is_stuck || c->is_deaf) return;
  write_output_header(header, stream, offset, length);
  struct iovec parts[] = {{header, sizeof header}, {(void *)bytes, length}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  ssize_t sent = sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) return note_failure(c);
  size_t in_header = (size_t)sent < sizeof header ? (size_t)sent : sizeof header;
  buffer_add(&c->out, header + in_header, sizeof header - in_header);
  buffer_add(&c->out, bytes + ((size_t)sent - in_header), length - ((size_t)sent - in_header));
  position->offset = offset + length;
  position->has_caught_up = true;
}

static void fill_from_spool(struct client *c, int stream, const struct spool *spool) {
  struct position *position = &c->positions[stream];
  uint8_t header[FRAME_HEADER + FRAME_OFFSET];
  if (!position->is_wanted || position->offset >= spool->high) return;
  uint8_t *room = buffer_room(&c->out, sizeof header + CHUNK);
  size_t got = spool_read(spool, position->offset, room + sizeof header, CHUNK);
  // A segment that somebody removed by hand: the rest is lost to this client too.
  if (got == 0) position->offset = spool->high;
  if (got == 0) return;
  write_output_header(header, stream, position->offset, got);
  memcpy(room, header, sizeof header);
  c->out.length += sizeof header + got;
  position->offset += got;
  if (position->offset == spool->high) position->has_caught_up = true;
}

static void send_queued(struct client *c) {
  while (c->out.length > 0) {
    ssize_t sent = send(c->fd, buffer_bytes(&c->out), c->out.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return note_failure(c);
    buffer_take(&c->out, (size_t)sent);
  }
}

bool client_has_more(const struct client *c, const struct spool *const spools[STREAMS]) {
  if (c->is_deaf) return false;
  for (int i = 0; i < STREAMS; i++)
    if (c->positions[i].is_wanted && c->positions[i].offset < spools[i]->high) return true;
  return c->out.length > 0;
}

void client_pump(struct client *c, const struct spool *const spools[STREAMS]) {
  for (int turn = 0; turn < CHUNKS_PER_TURN && !c->is_stuck && !c->is_gone && client_has_more(c, spools); turn++) {
    if (c->out.length == 0)
      for (int i = 0; i < STREAMS; i++) fill_from_spool(c, i, spools[i]);
    send_queued(c);
  }
}

void client_part(struct client *c, int64_t now) {
  if (c->parting_since > 0) return;
  shutdown(c->fd, SHUT_WR);
  c->parting_since = now;
}

bool client_takes_nothing(const struct client *c, int64_t now) {
  return c->is_stuck && now - c->stuck_since >= CLIENT_STUCK_MAX_MS;
}

bool client_holds_back(const struct client *c, const struct spool *const spools[STREAMS], int64_t now) {
  if (c->role != ROLE_CONTROL || c->is_gone || c->is_deaf) return false;
  if (c->is_stuck && now - c->stuck_since >= CONTROL_STUCK_MAX_MS) return false;
  uint64_t behind = c->out.length;
  for (int i = 0; i < STREAMS; i++)
    if (c->positions[i].is_wanted) behind += spools[i]->high - c->positions[i].offset;
  return behind > CONTROL_BEHIND_MAX;
}

void client_check_behind(struct client *c, const struct spool *const spools[STREAMS], int64_t now) {
  for (int i = 0; i < STREAMS; i++) {
    struct position *position = &c->positions[i];
    if (!position->is_wanted) continue;
    uint64_t behind = spools[i]->high - position->offset + c->out.length;
    bool has_lost = position->offset < spools[i]->low;
    bool is_slow = position->has_caught_up && behind > CLIENT_BEHIND_MAX && client_takes_nothing(c, now);
    if (c->role == ROLE_VIEW && (is_slow || has_lost)) c->is_gone = true;
    if (has_lost) position->offset = spools[i]->low;
  }
  if (c->out.length > CLIENT_BEHIND_MAX + CHUNK) c->is_gone = true;
}
