#include "from_keyboard.h"

#include <errno.h>
#include <unistd.h>

#include "../clock.h"

enum { CHUNK = 64 * 1024 };

/* A key takes the typing over and is sent; the holder reads both in this order. Of a paste that began while someone else
   typed, the rest is not sent either: half of it is worse than nothing. */
static void take_over(struct view *v, struct heard heard) {
  bool may_take_over = v->is_greeted && !view_types(v) && !v->options->is_watching;
  if (!heard.has_key || heard.is_detach || !may_take_over) return;
  link_send(&v->link, 'T', NULL, 0);
  v->typist = v->you;
}

static void pass_on(struct view *v, struct heard heard, struct buffer *bytes) {
  take_over(v, heard);
  bool is_sent = view_types(v) && !v->is_dropping_paste;
  if (is_sent && bytes->length > 0) link_send(&v->link, 'I', buffer_bytes(bytes), bytes->length);
  v->is_dropping_paste = !is_sent && keys_in_paste(&v->keys);
  if (heard.is_detach) return view_leave(v, EXIT_DETACHED);
  if (heard.has_key && v->link.out.length == 0) notice_remove(v);
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
