#include "events.h"

#include "clock.h"
#include "json.h"

static const char *const STREAM_NAMES[STREAMS] = {"out", "err"};

static struct buffer begin(const char *type) {
  struct buffer json = {0};
  json_begin(&json, '{');
  json_key(&json, "type");
  json_text(&json, type);
  return json;
}

static void add_number(struct buffer *b, const char *key, int64_t number) {
  json_key(b, key);
  json_number(b, number);
}

static void send_to(struct client *c, struct buffer *json) {
  json_end(json, '}');
  client_frame(c, 'J', buffer_bytes(json), json->length);
  buffer_free(json);
}

static void send_to_all(struct holder *h, struct buffer *json) {
  json_end(json, '}');
  for (size_t i = 0; i < h->client_count; i++)
    if (h->clients[i]->role != ROLE_NONE) client_frame(h->clients[i], 'J', buffer_bytes(json), json->length);
  buffer_free(json);
}

static void add_typist(const struct holder *h, struct buffer *json) {
  json_key(json, "typist");
  if (h->typist) json_number(json, h->typist->id);
  else json_null(json);
  add_number(json, "cols", h->cols);
  add_number(json, "rows", h->rows);
}

static int count_viewers(const struct holder *h) {
  int count = 0;
  for (size_t i = 0; i < h->client_count; i++) count += h->clients[i]->role == ROLE_VIEW && !h->clients[i]->is_gone;
  return count;
}

void tell_report(struct holder *h, const char *text, size_t length, uint64_t offset) {
  struct buffer json = begin("report");
  json_key(&json, "fields");
  report_fields_json(text, length, &json);
  add_number(&json, "offset", (int64_t)offset);
  send_to_all(h, &json);
}

void tell_title(struct holder *h) {
  struct buffer json = begin("title");
  json_key(&json, "title");
  json_bytes(&json, h->reports.title, h->reports.title_length);
  send_to_all(h, &json);
}

void tell_bell(struct holder *h, uint64_t offset) {
  struct buffer json = begin("bell");
  add_number(&json, "offset", (int64_t)offset);
  send_to_all(h, &json);
}

void tell_attached(struct holder *h, const struct client *c, bool is_attached) {
  struct buffer json = begin(is_attached ? "attached" : "detached");
  add_number(&json, "client", c->id);
  json_key(&json, "types");
  json_bool(&json, c->may_type);
  add_number(&json, "viewers", count_viewers(h));
  send_to_all(h, &json);
}

void tell_typist(struct holder *h) {
  struct buffer json = begin("typist");
  add_typist(h, &json);
  send_to_all(h, &json);
}

void tell_resized(struct holder *h) {
  struct buffer json = begin("resized");
  add_number(&json, "cols", h->cols);
  add_number(&json, "rows", h->rows);
  send_to_all(h, &json);
}

static void add_stream(const struct holder *h, int stream, struct buffer *json) {
  const struct spool *spool = &h->streams[stream].spool;
  json_begin(json, '{');
  add_number(json, "low", (int64_t)spool->low);
  add_number(json, "high", (int64_t)spool->high);
  add_number(json, "dropped", (int64_t)spool->dropped);
  json_end(json, '}');
}

void tell_dropped(struct holder *h, int stream) {
  struct buffer json = begin("dropped");
  json_key(&json, "stream");
  json_text(&json, STREAM_NAMES[stream]);
  add_number(&json, "low", (int64_t)h->streams[stream].spool.low);
  add_number(&json, "dropped", (int64_t)h->streams[stream].spool.dropped);
  send_to_all(h, &json);
}

void tell_paused(struct holder *h) {
  struct buffer json = begin("paused");
  json_key(&json, "paused");
  json_bool(&json, h->pause.phase != PAUSE_NOT);
  add_number(&json, "missed", h->pause.missed);
  send_to_all(h, &json);
}

static struct buffer begin_with_exit(const struct holder *h, const char *type) {
  struct buffer json = begin(type);
  json_key(&json, "exit");
  exit_record_json(h->exit, &json);
  return json;
}

void tell_exit(struct holder *h) {
  struct buffer json = begin_with_exit(h, "exit");
  send_to_all(h, &json);
}

void tell_tree(struct holder *h) {
  struct buffer json = begin_with_exit(h, "tree");
  send_to_all(h, &json);
}

void tell_tree_to(struct holder *h, struct client *c) {
  struct buffer json = begin_with_exit(h, "tree");
  send_to(c, &json);
}

void tell_refused(struct client *c, char frame, const char *reason) {
  struct buffer json = begin("refused");
  json_key(&json, "frame");
  json_bytes(&json, &frame, 1);
  json_key(&json, "reason");
  json_text(&json, reason);
  send_to(c, &json);
}

static void add_age(struct buffer *json, const char *key, int64_t then, int64_t now) {
  json_key(json, key);
  if (then > 0) json_number(json, now - then);
  else json_null(json);
}

static void add_agent(const struct holder *h, struct buffer *json) {
  json_key(json, "host");
  json_text(json, host_name(h->options->host));
  json_key(json, "agent");
  json_begin(json, '{');
  json_key(json, "alive");
  json_bool(json, !h->exit->has_exited);
  add_number(json, "pid", h->agent.pid);
  json_end(json, '}');
}

void tell_status(struct holder *h, struct client *c) {
  int64_t now = clock_ms();
  struct buffer json = begin("status");
  add_number(&json, "you", c->id);
  add_agent(h, &json);
  add_typist(h, &json);
  add_number(&json, "viewers", count_viewers(h));
  add_age(&json, "last_input_ms_ago", h->last_input, now);
  add_age(&json, "last_output_ms_ago", h->last_output, now);
  add_number(&json, "input_pending", (int64_t)h->input.waiting.length);
  for (int i = 0; i < STREAMS; i++) {
    json_key(&json, STREAM_NAMES[i]);
    add_stream(h, i, &json);
  }
  json_key(&json, "reports");
  reports_json(&h->reports, &json);
  json_key(&json, "title");
  if (h->reports.has_title) json_bytes(&json, h->reports.title, h->reports.title_length);
  else json_null(&json);
  json_key(&json, "paused");
  json_bool(&json, h->pause.phase != PAUSE_NOT);
  json_key(&json, "ending");
  json_bool(&json, h->ending.phase != ENDING_NOT);
  json_key(&json, "exit");
  if (h->exit->has_exited || h->exit->tree != TREE_RUNNING) exit_record_json(h->exit, &json);
  else json_null(&json);
  send_to(c, &json);
}
