#include "word.h"

#include <unistd.h>

#include "exit_record.h"
#include "json.h"

static void send_line(int *fd, struct buffer *json) {
  json_end(json, '}');
  buffer_add(json, "\n", 1);
  // A caller that is gone does not want to know.
  if (write(*fd, buffer_bytes(json), json->length) >= 0) close(*fd);
  *fd = -1;
  buffer_free(json);
}

static void add_pid(struct buffer *json, const char *key, pid_t pid) {
  json_key(json, key);
  json_number(json, pid);
}

void word_ok(int *fd, pid_t guard, pid_t holder, pid_t agent) {
  struct buffer json = {0};
  if (*fd < 0) return;
  json_begin(&json, '{');
  json_key(&json, "ok");
  json_bool(&json, true);
  add_pid(&json, "guard", guard);
  add_pid(&json, "holder", holder);
  add_pid(&json, "agent", agent);
  send_line(fd, &json);
}

void word_failed(int *fd, const char *step, int error) {
  struct buffer json = {0};
  char name[24];
  if (*fd < 0) return;
  json_begin(&json, '{');
  json_key(&json, "ok");
  json_bool(&json, false);
  json_key(&json, "error");
  json_text(&json, error_name(error, name));
  json_key(&json, "step");
  json_text(&json, step);
  send_line(fd, &json);
}
