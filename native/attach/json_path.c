#include "json_path.h"

#include <string.h>

struct reader {
  const char *at, *end;
};

static void skip_space(struct reader *r) {
  while (r->at < r->end && memchr(" \t\r\n", *r->at, 4)) r->at++;
}

static bool take(struct reader *r, char c) {
  skip_space(r);
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

/* The text between the quotes, its escapes as they are. */
static bool take_text(struct reader *r, struct reader *out) {
  if (!take(r, '"')) return false;
  out->at = r->at;
  for (; r->at < r->end && *r->at != '"'; r->at++)
    if (*r->at == '\\' && r->at + 1 < r->end) r->at++;
  out->end = r->at;
  return take(r, '"');
}

/* Brackets are only counted: what a holder sends is well-formed. */
static void skip_value(struct reader *r) {
  struct reader text;
  int depth = 0;
  do {
    skip_space(r);
    if (r->at == r->end) return;
    if (*r->at == '"') {
      take_text(r, &text);
      continue;
    }
    if (*r->at == '{' || *r->at == '[') depth++;
    if (*r->at == '}' || *r->at == ']') depth--;
    r->at++;
  } while (depth > 0 || (r->at < r->end && !memchr(",}]", *r->at, 3)));
}

static bool is_text(const struct reader *text, const char *wanted, size_t length) {
  return (size_t)(text->end - text->at) == length && memcmp(text->at, wanted, length) == 0;
}

/* Goes to the value of a key of the object that begins here. */
static bool enter(struct reader *r, const char *key, size_t length) {
  struct reader name;
  if (!take(r, '{')) return false;
  while (take_text(r, &name) && take(r, ':')) {
    skip_space(r);
    if (is_text(&name, key, length)) return true;
    skip_value(r);
    if (!take(r, ',')) return false;
  }
  return false;
}

static bool follow(struct reader *r, const char *path) {
  for (;;) {
    size_t length = strcspn(path, ".");
    if (!enter(r, path, length)) return false;
    if (!path[length]) return true;
    path += length + 1;
  }
}

bool json_path_number(const char *json, size_t length, const char *path, int64_t *out) {
  struct reader r = {json, json + length};
  if (!follow(&r, path)) return false;
  const char *first = r.at;
  *out = 0;
  for (; r.at < r.end && *r.at >= '0' && *r.at <= '9' && r.at - first < 18; r.at++) *out = *out * 10 + (*r.at - '0');
  return r.at > first;
}

bool json_path_is(const char *json, size_t length, const char *path, const char *text) {
  struct reader r = {json, json + length}, found;
  return follow(&r, path) && take_text(&r, &found) && is_text(&found, text, strlen(text));
}

bool json_path_exists(const char *json, size_t length, const char *path) {
  struct reader r = {json, json + length};
  return follow(&r, path) && r.at < r.end && *r.at != 'n';
}
