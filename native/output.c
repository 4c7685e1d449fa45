#include "output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "events.h"

enum {
  CHUNK = 64 * 1024,
  // A terminal gives at most 4 KB at once: after that much there is more to come.
  WORTH_ANOTHER_READ = 2048,
  QUIET_MS = 100,
  SYNC_MS = 4000,
  RETRY_MS = 1000,
  HUNG_FIRST_MS = 100,
  HUNG_MOST_MS = 2000,
  DRAIN_MOST = 2 * 1024 * 1024,
};

static uint8_t chunk[CHUNK];

static void answer(struct holder *h, const char *bytes) {
  // An agent that asks and never reads is not answered without end.
  if (input_has_room(&h->input, strlen(bytes))) input_add(&h->input, bytes, strlen(bytes));
}

static void take_title(struct holder *h, const char *text, size_t length) {
  const struct reports *r = &h->reports;
  if (r->has_title && r->title_length == length && memcmp(r->title, text, length) == 0) return;
  reports_title(&h->reports, text, length);
  tell_title(h);
}

/* Only a typist's terminal could answer. Without one the holder does, as a plain VT100 whose cursor is at home. */
static void answer_for_terminal(struct holder *h, enum sighting query) {
  if (h->typist) return;
  if (query == SEEN_DEVICE_QUERY) answer(h, "\033[?1;2c");
  if (query == SEEN_SECOND_DEVICE_QUERY) answer(h, "\033[>0;0;0c");
  if (query == SEEN_HEALTH_QUERY) answer(h, "\033[0n");
  if (query == SEEN_CURSOR_QUERY) answer(h, "\033[1;1R");
}

static void see(void *context, enum sighting sighting, const char *text, size_t length) {
  struct holder *h = context;
  switch (sighting) {
    case SEEN_STATUS_QUERY: return answer(h, "\033]7501;?1\007");
    case SEEN_STATUS_REPORT:
      reports_take(&h->reports, text, length, h->watch.offset);
      return tell_report(h, text, length, h->watch.offset);
    case SEEN_TITLE: return take_title(h, text, length);
    case SEEN_BELL: h->bell_offset = h->watch.offset; return;
    default: return answer_for_terminal(h, sighting);
  }
}

static uint64_t held(const struct holder *h) {
  return spool_held(&h->streams[STREAM_OUT].spool) + spool_held(&h->streams[STREAM_ERR].spool);
}

static uint64_t limit(const struct holder *h) {
  uint64_t least = 2 * SEGMENT_BYTES;
  return h->options->spool_bytes < least ? least : h->options->spool_bytes;
}

/* A terminal never waits: its oldest bytes go, and on a full disk the newest too. */
static void save_terminal(struct holder *h, const uint8_t *bytes, size_t length) {
  struct spool *spool = &h->streams[STREAM_OUT].spool;
  uint64_t dropped = spool->dropped;
  while (spool_held(spool) + length > limit(h) && spool_drop_oldest(spool)) continue;
  size_t done = spool_append(spool, bytes, length);
  while (done < length && spool_drop_oldest(spool)) done += spool_append(spool, bytes + done, length - done);
  if (done < length) {
    spool_lose(spool, 0);
    done += spool_append(spool, bytes + done, length - done);
  }
  if (done < length) spool_lose(spool, length - done);
  if (spool->dropped != dropped) tell_dropped(h, STREAM_OUT);
}

static void save_pipe(struct stream *s, const uint8_t *bytes, size_t length) {
  size_t done = s->unsaved.length > 0 ? 0 : spool_append(&s->spool, bytes, length);
  buffer_add(&s->unsaved, bytes + done, length - done);
  if (done < length) s->retry_at = clock_ms() + RETRY_MS;
}

static void offer(struct holder *h, int stream, uint64_t offset, const uint8_t *bytes, size_t length) {
  for (size_t i = 0; i < h->client_count; i++) client_offer(h->clients[i], stream, offset, bytes, length);
}

static void take_from_pipe(struct holder *h, int stream, const uint8_t *bytes, size_t length) {
  struct stream *s = &h->streams[stream];
  uint64_t offset = s->spool.high;
  save_pipe(s, bytes, length);
  // Bytes that wait for room on the disk are given to clients once they are spooled.
  if (s->unsaved.length == 0) offer(h, stream, offset, bytes, length);
}

static void take_from_terminal(struct holder *h, const uint8_t *bytes, size_t length) {
  // Offered first: who looks on sees even what no disk takes.
  offer(h, STREAM_OUT, h->streams[STREAM_OUT].spool.high, bytes, length);
  save_terminal(h, bytes, length);
  h->bell_offset = 0;
  watch_bytes(&h->watch, bytes, length, see, h);
  if (h->bell_offset > 0) tell_bell(h, h->bell_offset);
}

static void take(struct holder *h, int stream, const uint8_t *bytes, size_t length) {
  h->last_output = clock_ms();
  if (h->next_sync == 0) h->next_sync = h->last_output + SYNC_MS;
  if (holder_has_terminal(h)) take_from_terminal(h, bytes, length);
  else take_from_pipe(h, stream, bytes, length);
}

static void close_stream(struct stream *s) {
  close(s->fd);
  s->fd = -1;
}

/* No process has the terminal open now. One may open it again by /dev/tty, so it is only looked at more rarely. */
static void hang(struct stream *s) {
  s->retry_ms = s->retry_ms == 0 ? HUNG_FIRST_MS : s->retry_ms < HUNG_MOST_MS ? s->retry_ms * 2 : s->retry_ms;
  s->is_hung = true;
  s->retry_at = clock_ms() + s->retry_ms;
}

static void unhang(struct stream *s) {
  s->is_hung = false;
  s->retry_ms = 0;
}

/* Fills the chunk; false at the end of the stream. */
static bool read_chunk(struct stream *s, size_t most, size_t *length) {
  *length = 0;
  while (*length < most) {
    ssize_t got = read(s->fd, chunk + *length, most - *length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) return false;
    *length += (size_t)got;
    if (got < WORTH_ANOTHER_READ) return true;
  }
  return true;
}

size_t output_read(struct holder *h, int stream) {
  struct stream *s = &h->streams[stream];
  size_t length, most = CHUNK;
  if (!holder_has_terminal(h) && limit(h) - held(h) < most) most = (size_t)(limit(h) - held(h));
  bool is_open = read_chunk(s, most, &length);
  if (length > 0) take(h, stream, chunk, length);
  if (is_open) unhang(s);
  else if (holder_has_terminal(h)) hang(s);
  else close_stream(s);
  return length;
}

/* Once its end has begun nobody waits: it may have something to say before it leaves. */
static bool is_held_back(const struct holder *h) {
  const struct spool *spools[STREAMS];
  if (h->life != LIFE_RUNNING && h->life != LIFE_KEEPING) return false;
  for (int i = 0; i < STREAMS; i++) spools[i] = &h->streams[i].spool;
  for (size_t i = 0; i < h->client_count; i++)
    if (client_holds_back(h->clients[i], spools, clock_ms())) return true;
  return false;
}

bool output_is_wanted(const struct holder *h, int stream) {
  const struct stream *s = &h->streams[stream];
  if (s->fd < 0 || s->is_hung || is_held_back(h)) return false;
  return holder_has_terminal(h) || (s->unsaved.length == 0 && held(h) < limit(h));
}

void output_read_now(struct holder *h) {
  for (int i = 0; i < STREAMS; i++)
    for (size_t length = 1, total = 0; length > 0 && total < DRAIN_MOST && output_is_wanted(h, i); total += length)
      length = output_read(h, i);
}

static void drain_pipe(struct holder *h, int stream) {
  struct stream *s = &h->streams[stream];
  for (size_t length = 1, total = 0; s->fd >= 0 && length > 0 && total < DRAIN_MOST; total += length) {
    bool is_open = read_chunk(s, CHUNK, &length);
    if (length > 0) take(h, stream, chunk, length);
    if (!is_open) close_stream(s);
  }
}

void output_read_rest(struct holder *h) {
  // A terminal that hung may have been opened and written to since: it is read once more, to its end.
  if (holder_has_terminal(h)) return unhang(&h->streams[STREAM_OUT]);
  for (int i = 0; i < STREAMS; i++) drain_pipe(h, i);
}

static bool are_closed(const struct holder *h) {
  if (holder_has_terminal(h)) return h->streams[STREAM_OUT].is_hung;
  return h->streams[STREAM_OUT].fd < 0 && h->streams[STREAM_ERR].fd < 0;
}

static int64_t quiet_at(const struct holder *h) {
  return (h->last_output > h->life_since ? h->last_output : h->life_since) + QUIET_MS;
}

bool output_is_over(const struct holder *h, int64_t now) {
  for (int i = 0; i < STREAMS; i++)
    if (h->streams[i].unsaved.length > 0) return false;
  // Pipes were emptied when the tree was: what somebody else may still hold of them does not count.
  bool is_drained = h->life == LIFE_DRAINING && !holder_has_terminal(h);
  return is_drained || are_closed(h) || now >= quiet_at(h);
}

static void save_unsaved(struct holder *h, struct stream *s, int64_t now) {
  size_t done = spool_append(&s->spool, buffer_bytes(&s->unsaved), s->unsaved.length);
  buffer_take(&s->unsaved, done);
  s->retry_at = now + RETRY_MS;
  if (s->unsaved.length > 0 && errno == ENOENT) {
    // Without its folder nothing can be saved ever again.
    spool_lose(&s->spool, s->unsaved.length);
    buffer_free(&s->unsaved);
  }
  if (h->next_sync == 0) h->next_sync = now + SYNC_MS;
}

void output_retry(struct holder *h, int64_t now) {
  for (int i = 0; i < STREAMS; i++) {
    struct stream *s = &h->streams[i];
    if (s->unsaved.length > 0 && now >= s->retry_at) save_unsaved(h, s, now);
    if (s->is_hung && now >= s->retry_at) output_read(h, i);
  }
  if (h->next_sync == 0 || now < h->next_sync) return;
  for (int i = 0; i < STREAMS; i++) spool_sync(&h->streams[i].spool);
  h->next_sync = 0;
}

int64_t output_due(const struct holder *h) {
  int64_t due = h->next_sync > 0 ? h->next_sync : INT64_MAX;
  for (int i = 0; i < STREAMS; i++) {
    const struct stream *s = &h->streams[i];
    if ((s->unsaved.length > 0 || s->is_hung) && s->retry_at < due) due = s->retry_at;
  }
  bool is_awaited = h->life == LIFE_QUIETING || h->life == LIFE_DRAINING;
  return is_awaited && quiet_at(h) < due ? quiet_at(h) : due;
}
