#include "from_keyboard.h"

#include <errno.h>
#include <unistd.h>

#include "../clock.h"

enum { CHUNK = 64 * 1024 };

/* What comes together with the key that takes over is not sent either, to the end of a paste: half of it is worse than
   nothing. */
static void pass_on(struct view *v, struct heard heard, struct buffer *bytes) {
  bool is_sent = view_types(v) && !v->is_dropping_paste;
  if (is_sent && bytes->length > 0) link_send(&v->link, 'I', buffer_bytes(bytes), bytes->length);
  v->is_dropping_paste = !is_sent && keys_in_paste(&v->keys);
  bool may_take_over = v->is_greeted && !view_types(v) && !v->options->is_watching;
  if (heard.has_key && !heard.is_detach && may_take_over) {
    link_send(&v->link, 'T', NULL, 0);
    // The holder reads this before the next keys: they need not wait for its word.
    v->typist = v->you;
  }
  if (heard.is_detach) view_leave(v, EXIT_DETACHED);
}

static void expect_more(struct view *v) {
  int patience = keys_patience(&v->keys);
  v->keys_due = patience < 0 ? INT64_MAX : clock_ms() + patience;
}

void from_keyboard_read(struct view *v) {
  static uint8_t chunk[CHUNK];
  struct buffer bytes = {0};
  ssize_t got = read(v->terminal->in, chunk, sizeof chunk);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return view_leave(v, EXIT_DETACHED);
  struct heard heard = keys_take(&v->keys, chunk, (size_t)got, &bytes);
  pass_on(v, heard, &bytes);
  buffer_free(&bytes);
  expect_more(v);
}

void from_keyboard_step(struct view *v, int64_t now) {
  struct buffer bytes = {0};
  if (now < v->keys_due) return;
  struct heard heard = keys_give_up(&v->keys, &bytes);
  pass_on(v, heard, &bytes);
  buffer_free(&bytes);
  expect_more(v);
}
