#include "from_holder.h"

#include <stdio.h>

#include "../clock.h"
#include "../frame.h"
#include "json_path.h"

struct json {
  const char *text;
  size_t length;
};

static bool is_type(struct json json, const char *type) { return json_path_is(json.text, json.length, "type", type); }

static int64_t number_or(struct json json, const char *path, int64_t otherwise) {
  int64_t number;
  return json_path_number(json.text, json.length, path, &number) ? number : otherwise;
}

static void note_end(struct view *v) {
  if (v->ended_at == 0) v->ended_at = clock_ms();
  notice_remove(v);
}

/* The screen is made anew: on a fresh terminal, and when a connection was lost with an unknown part of the output. */
static void begin_screen(struct view *v) {
  if (!v->has_begun) terminal_enter(v->terminal);
  v->has_begun = true;
  buffer_free(&v->screen);
  modes_reset(v->terminal->traces->screens, &v->screen);
  buffer_add_text(&v->screen, "\033[H\033[2J");
  v->filter = (struct filter){0};
  filter_bytes(&v->filter, DROP_NOTHING, buffer_bytes(&v->snapshot), v->snapshot.length, &v->screen);
  buffer_free(&v->snapshot);
}

static void take_greeting(struct view *v, struct json json) {
  if (!json_path_is(json.text, json.length, "host", "pty")) {
    fprintf(stderr, "rollcall-attach: this session has no terminal\n");
    return view_leave(v, EXIT_BAD_USAGE);
  }
  v->is_greeted = true;
  v->failures = 0;
  link_close(&v->before);
  v->you = number_or(json, "you", -1);
  v->replay_until = (uint64_t)number_or(json, "out.high", 0);
  bool is_first = !v->has_begun;
  begin_screen(v);
  if (is_first) notice_show(v, v->options->line);
}

/* Someone else may have taken the typing over. */
static void take_typist(struct view *v, struct json json) {
  bool was_typing = view_types(v);
  v->typist = number_or(json, "typist", -1);
  if (was_typing && !view_types(v)) notice_show(v, v->options->watch_line);
}

static void take_status(struct view *v, struct json json) {
  v->typist = number_or(json, "typist", -1);
  if (!v->is_greeted) take_greeting(v, json);
  if (json_path_exists(json.text, json.length, "exit")) note_end(v);
}

static void take_event(struct view *v, struct json json) {
  if (is_type(json, "status")) take_status(v, json);
  if (is_type(json, "exit") || is_type(json, "tree")) note_end(v);
  if (is_type(json, "typist")) take_typist(v, json);
}

static void show(struct view *v, enum drop drop, const uint8_t *bytes, size_t length) {
  filter_bytes(&v->filter, drop, bytes, length, &v->screen);
}

static void take_output(struct view *v, uint64_t offset, const uint8_t *bytes, size_t length) {
  uint64_t old = offset < v->replay_until ? v->replay_until - offset : 0;
  if (old > length) old = length;
  notice_hide(v);
  show(v, DROP_QUERIES, bytes, (size_t)old);
  show(v, view_types(v) ? DROP_STATUS_QUERY : DROP_QUERIES, bytes + old, length - (size_t)old);
  v->last_output = clock_ms();
  v->shown_until = offset + length;
}

void from_holder_take(struct view *v) {
  for (struct frame frame; link_next(&v->link, &frame) && !v->is_over;) {
    if (frame.type == 'O' && frame.length >= FRAME_OFFSET && v->is_greeted)
      take_output(v, frame_offset(frame.payload), frame.payload + FRAME_OFFSET, frame.length - FRAME_OFFSET);
    if (frame.type == 'J') take_event(v, (struct json){(const char *)frame.payload, frame.length});
  }
}
