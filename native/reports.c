#include "reports.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

struct field {
  const char *key, *value;
  size_t key_length, value_length;
};

/* Takes the next `key=value` off a report; false at its end. */
static bool next_field(const char **at, const char *end, struct field *out) {
  while (*at < end && **at == ':') ++*at;
  if (*at >= end) return false;
  const char *stop = memchr(*at, ':', (size_t)(end - *at));
  if (!stop) stop = end;
  const char *equals = memchr(*at, '=', (size_t)(stop - *at));
  out->key = *at;
  out->key_length = (size_t)((equals ? equals : stop) - *at);
  out->value = equals ? equals + 1 : stop;
  out->value_length = (size_t)(stop - out->value);
  *at = stop;
  return true;
}

static bool find_field(const char *text, size_t length, const char *key, struct field *out) {
  const char *at = text;
  while (next_field(&at, text + length, out))
    if (out->key_length == strlen(key) && memcmp(out->key, key, out->key_length) == 0) return true;
  return false;
}

static void set(struct report *r, const char *text, size_t length, uint64_t offset) {
  free(r->text);
  r->text = malloc(length + 1);
  if (!r->text) abort();
  memcpy(r->text, text, length);
  r->text[length] = 0;
  r->length = length;
  r->offset = offset;
  clock_iso(r->at);
}

static void forget(struct reports *r, size_t index) {
  free(r->by_id[index].text);
  r->count--;
  memmove(&r->by_id[index], &r->by_id[index + 1], (r->count - index) * sizeof *r->by_id);
  r->by_id[r->count] = (struct report){0};
}

static struct report *find_or_add(struct reports *r, const char *id) {
  for (size_t i = 0; i < r->count; i++)
    if (strcmp(r->by_id[i].id, id) == 0) return &r->by_id[i];
  if (r->count == REPORTS_MAX) forget(r, 0);
  struct report *added = &r->by_id[r->count++];
  strcpy(added->id, id);
  return added;
}

static void keep_within_bounds(struct reports *r) {
  size_t bytes = 0;
  for (size_t i = 0; i < r->count; i++) bytes += r->by_id[i].length;
  for (; bytes > REPORTS_BYTES_MAX; forget(r, 0)) bytes -= r->by_id[0].length;
}

void reports_take(struct reports *r, const char *text, size_t length, uint64_t offset) {
  struct field id, state;
  if (!find_field(text, length, "id", &id)) return set(&r->main, text, length, offset);
  char name[sizeof r->main.id];
  size_t name_length = id.value_length < sizeof name - 1 ? id.value_length : sizeof name - 1;
  memcpy(name, id.value, name_length);
  name[name_length] = 0;
  struct report *report = find_or_add(r, name);
  set(report, text, length, offset);
  bool has_state = find_field(text, length, "state", &state);
  bool is_clear = has_state && state.value_length == 5 && memcmp(state.value, "clear", 5) == 0;
  if (is_clear) forget(r, (size_t)(report - r->by_id));
  keep_within_bounds(r);
}

void reports_title(struct reports *r, const char *text, size_t length) {
  r->has_title = true;
  r->title_length = length < sizeof r->title ? length : sizeof r->title;
  memcpy(r->title, text, r->title_length);
}

void report_fields_json(const char *text, size_t length, struct buffer *out) {
  struct field field;
  const char *at = text;
  json_begin(out, '{');
  while (next_field(&at, text + length, &field)) {
    json_bytes(out, field.key, field.key_length);
    buffer_add(out, ":", 1);
    json_bytes(out, field.value, field.value_length);
  }
  json_end(out, '}');
}

static void report_json(const struct report *r, struct buffer *out) {
  json_begin(out, '{');
  json_key(out, "fields");
  report_fields_json(r->text, r->length, out);
  json_key(out, "at");
  json_text(out, r->at);
  json_key(out, "offset");
  json_number(out, (int64_t)r->offset);
  json_end(out, '}');
}

void reports_json(const struct reports *r, struct buffer *out) {
  json_begin(out, '{');
  json_key(out, "main");
  if (r->main.text) report_json(&r->main, out);
  else json_null(out);
  json_key(out, "by_id");
  json_begin(out, '{');
  for (size_t i = 0; i < r->count; i++) {
    json_key(out, r->by_id[i].id);
    report_json(&r->by_id[i], out);
  }
  json_end(out, '}');
  json_end(out, '}');
}

void reports_free(struct reports *r) {
  free(r->main.text);
  for (size_t i = 0; i < r->count; i++) free(r->by_id[i].text);
  *r = (struct reports){0};
}
