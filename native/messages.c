#include "messages.h"

#include <string.h>

#include "clock.h"
#include "events.h"
#include "json_read.h"
#include "life.h"
#include "typing.h"

struct frame {
  char type;
  const uint8_t *payload;
  size_t length;
};

typedef bool (*handler)(struct holder *h, struct client *c, const struct frame *frame);

static bool read_json(const struct frame *frame, struct json_object *out) {
  // An empty payload is an empty object.
  if (frame->length == 0) return json_read("{}", 2, out);
  return json_read((const char *)frame->payload, frame->length, out);
}

static bool read_size(const struct json_object *object, unsigned short *cols, unsigned short *rows) {
  const struct json_field *c = json_find(object, "cols", JSON_NUMBER), *r = json_find(object, "rows", JSON_NUMBER);
  if (!c || !r || c->number < 1 || c->number > 65535 || r->number < 1 || r->number > 65535) return false;
  *cols = c->number > COLS_MOST ? COLS_MOST : (unsigned short)c->number;
  *rows = r->number > ROWS_MOST ? ROWS_MOST : (unsigned short)r->number;
  return true;
}

static void set_position(struct holder *h, struct client *c, int stream, const struct json_field *from) {
  const struct spool *spool = &h->streams[stream].spool;
  uint64_t offset = from ? (uint64_t)from->number : spool->high;
  if (offset < spool->low) offset = spool->low;
  if (offset > spool->high) offset = spool->high;
  c->positions[stream] = (struct position){.offset = offset, .is_wanted = true, .has_caught_up = offset == spool->high};
}

static bool greet(struct holder *h, struct client *c, const struct frame *frame) {
  struct json_object hello;
  if (c->role != ROLE_NONE || !read_json(frame, &hello)) return false;
  const struct json_field *role = json_find(&hello, "role", JSON_TEXT), *types = json_find(&hello, "types", JSON_BOOL);
  if (!role || (strcmp(role->text, "control") != 0 && strcmp(role->text, "view") != 0)) return false;
  c->role = role->text[0] == 'c' ? ROLE_CONTROL : ROLE_VIEW;
  read_size(&hello, &c->cols, &c->rows);
  set_position(h, c, STREAM_OUT, json_find(&hello, "from", JSON_NUMBER));
  set_position(h, c, STREAM_ERR, json_find(&hello, "err_from", JSON_NUMBER));
  if (c->role == ROLE_VIEW && types && types->truth) typing_take(h, c);
  tell_status(h, c);
  if (c->role == ROLE_VIEW) tell_attached(h, c, true);
  return true;
}

static bool type(struct holder *h, struct client *c, const struct frame *frame) {
  if (c->role == ROLE_VIEW && c != h->typist) return tell_refused(c, 'I', "not_typist"), true;
  if (h->input.is_closed || h->input.is_closing || h->exit->has_exited) return tell_refused(c, 'I', "closed"), true;
  input_add(&h->input, frame->payload, frame->length);
  h->last_input = clock_ms();
  return true;
}

static bool close_input(struct holder *h, struct client *c, const struct frame *frame) {
  (void)frame;
  if (c->role != ROLE_CONTROL || holder_has_terminal(h)) return tell_refused(c, 'C', "not_possible"), true;
  h->input.is_closing = true;
  return true;
}

static bool resize(struct holder *h, struct client *c, const struct frame *frame) {
  struct json_object size;
  unsigned short cols, rows;
  if (!read_json(frame, &size) || !read_size(&size, &cols, &rows)) return false;
  typing_resize(h, c, cols, rows);
  return true;
}

static bool take_over(struct holder *h, struct client *c, const struct frame *frame) {
  (void)frame;
  if (c->role == ROLE_VIEW) typing_take(h, c);
  else tell_refused(c, 'T', "not_a_view");
  return true;
}

static bool acknowledge(struct holder *h, struct client *c, const struct frame *frame) {
  struct json_object ack;
  if (!read_json(frame, &ack)) return false;
  const struct json_field *stream = json_find(&ack, "stream", JSON_TEXT);
  const struct json_field *offset = json_find(&ack, "offset", JSON_NUMBER);
  if (!stream || !offset) return false;
  bool is_err = strcmp(stream->text, "err") == 0;
  if (!is_err && strcmp(stream->text, "out") != 0) return false;
  if (c->role != ROLE_CONTROL) return tell_refused(c, 'A', "not_in_control"), true;
  spool_acknowledge(&h->streams[is_err ? STREAM_ERR : STREAM_OUT].spool, (uint64_t)offset->number);
  return true;
}

static bool end(struct holder *h, struct client *c, const struct frame *frame) {
  struct json_object wish;
  if (!read_json(frame, &wish)) return false;
  if (c->role != ROLE_CONTROL) return tell_refused(c, 'E', "not_in_control"), true;
  const struct json_field *grace = json_find(&wish, "grace_ms", JSON_NUMBER);
  life_end(h, grace ? grace->number : h->options->grace_ms);
  return true;
}

static bool pause_tree(struct holder *h, struct client *c, const struct frame *frame) {
  (void)frame;
  if (c->role != ROLE_CONTROL) tell_refused(c, 'P', "not_in_control");
  else if (!life_pause(h)) tell_refused(c, 'P', "not_running");
  return true;
}

static bool continue_tree(struct holder *h, struct client *c, const struct frame *frame) {
  (void)frame;
  if (c->role != ROLE_CONTROL) tell_refused(c, 'K', "not_in_control");
  else life_continue(h);
  return true;
}

static bool ask_status(struct holder *h, struct client *c, const struct frame *frame) {
  (void)frame;
  tell_status(h, c);
  return true;
}

static handler find_handler(char type_of_frame) {
  switch (type_of_frame) {
    case 'H': return greet;
    case 'I': return type;
    case 'C': return close_input;
    case 'R': return resize;
    case 'T': return take_over;
    case 'A': return acknowledge;
    case 'E': return end;
    case 'P': return pause_tree;
    case 'K': return continue_tree;
    case 'S': return ask_status;
    default: return NULL;
  }
}

void messages_handle(struct holder *h, struct client *c) {
  c->is_waiting_for_room = false;
  while (!c->is_gone && c->in.length >= FRAME_HEADER) {
    const uint8_t *bytes = buffer_bytes(&c->in);
    struct frame frame = {(char)bytes[0], bytes + FRAME_HEADER, frame_length(bytes)};
    handler handle = find_handler(frame.type);
    bool is_greeting_due = c->role == ROLE_NONE && frame.type != 'H';
    if (!handle || is_greeting_due || frame.length > FRAME_MAX) {
      c->is_gone = true;
      return;
    }
    if (c->in.length < FRAME_HEADER + frame.length) return;
    if (frame.type == 'I' && !input_has_room(&h->input, frame.length)) {
      c->is_waiting_for_room = true;
      return;
    }
    if (!handle(h, c, &frame)) c->is_gone = true;
    buffer_take(&c->in, FRAME_HEADER + frame.length);
  }
}
