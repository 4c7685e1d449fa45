#include "json_read.h"

#include <string.h>

struct reader {
  const char *at, *end;
};

static const int64_t LARGEST_EXACT = INT64_C(1) << 53;

static void skip_space(struct reader *r) {
  while (r->at < r->end && memchr(" \t\r\n", *r->at, 4)) r->at++;
}

static bool take(struct reader *r, char c) {
  skip_space(r);
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static bool take_word(struct reader *r, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
  r->at += length;
  return true;
}

/* Keys and values of the protocol are plain words: an escape in one is an error. */
static bool read_text(struct reader *r, char *out, size_t size) {
  size_t length = 0;
  if (!take(r, '"')) return false;
  while (r->at < r->end && *r->at != '"') {
    if (*r->at == '\\' || (unsigned char)*r->at < 0x20 || length + 1 >= size) return false;
    out[length++] = *r->at++;
  }
  out[length] = 0;
  return take(r, '"');
}

static bool read_number(struct reader *r, int64_t *out) {
  const char *first = r->at;
  *out = 0;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
    *out = *out * 10 + (*r->at++ - '0');
    if (*out > LARGEST_EXACT) return false;
  }
  return r->at > first;
}

static bool read_value(struct reader *r, struct json_field *out) {
  skip_space(r);
  if (r->at == r->end) return false;
  if (*r->at == '"') {
    out->type = JSON_TEXT;
    return read_text(r, out->text, sizeof out->text);
  }
  if (take_word(r, "null")) return out->type = JSON_NULL, true;
  out->type = JSON_BOOL;
  if (take_word(r, "true")) return out->truth = true, true;
  if (take_word(r, "false")) return out->truth = false, true;
  out->type = JSON_NUMBER;
  return read_number(r, &out->number);
}

bool json_read(const char *text, size_t length, struct json_object *out) {
  struct reader r = {text, text + length};
  out->count = 0;
  if (!take(&r, '{')) return false;
  if (!take(&r, '}')) {
    do {
      if (out->count == JSON_FIELDS_MAX) return false;
      struct json_field *field = &out->fields[out->count];
      if (!read_text(&r, field->key, sizeof field->key) || !take(&r, ':') || !read_value(&r, field)) return false;
      out->count++;
    } while (take(&r, ','));
    if (!take(&r, '}')) return false;
  }
  skip_space(&r);
  return r.at == r.end;
}

const struct json_field *json_find(const struct json_object *object, const char *key, enum json_type type) {
  for (size_t i = 0; i < object->count; i++)
    if (object->fields[i].type == type && strcmp(object->fields[i].key, key) == 0) return &object->fields[i];
  return NULL;
}
