#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void separate(struct buffer *b) {
  if (b->length == 0) return;
  char last = (char)buffer_bytes(b)[b->length - 1];
  if (last != '{' && last != '[' && last != ':') buffer_add(b, ",", 1);
}

void json_begin(struct buffer *b, char bracket) {
  separate(b);
  buffer_add(b, &bracket, 1);
}

void json_end(struct buffer *b, char bracket) { buffer_add(b, &bracket, 1); }

void json_key(struct buffer *b, const char *key) {
  json_text(b, key);
  buffer_add(b, ":", 1);
}

/* The length of the valid UTF-8 character at the start, 0 if there is none. */
static size_t character_length(const uint8_t *s, size_t left) {
  size_t length = 0;
  if (s[0] < 0x80) length = 1;
  else if (s[0] >= 0xc2 && s[0] < 0xe0) length = 2;
  else if (s[0] >= 0xe0 && s[0] < 0xf0) length = 3;
  else if (s[0] >= 0xf0 && s[0] < 0xf5) length = 4;
  if (length == 0 || length > left) return 0;
  for (size_t i = 1; i < length; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  bool is_overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  bool is_surrogate = s[0] == 0xed && s[1] >= 0xa0;
  bool is_beyond = s[0] == 0xf4 && s[1] >= 0x90;
  return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

void json_bytes(struct buffer *b, const void *text, size_t length) {
  const uint8_t *s = text;
  separate(b);
  buffer_add(b, "\"", 1);
  for (size_t i = 0; i < length;) {
    size_t step = character_length(s + i, length - i);
    char escaped[8];
    if (step == 0) {
      buffer_add_text(b, "\\ufffd");
    } else if (s[i] == '"' || s[i] == '\\') {
      snprintf(escaped, sizeof escaped, "\\%c", s[i]);
      buffer_add_text(b, escaped);
    } else if (s[i] < 0x20 || s[i] == 0x7f) {
      snprintf(escaped, sizeof escaped, "\\u%04x", s[i]);
      buffer_add_text(b, escaped);
    } else {
      buffer_add(b, s + i, step);
    }
    i += step ? step : 1;
  }
  buffer_add(b, "\"", 1);
}

void json_text(struct buffer *b, const char *text) {
  if (text) json_bytes(b, text, strlen(text));
  else json_null(b);
}

void json_number(struct buffer *b, int64_t number) {
  char digits[24];
  separate(b);
  snprintf(digits, sizeof digits, "%" PRId64, number);
  buffer_add_text(b, digits);
}

void json_bool(struct buffer *b, bool value) {
  separate(b);
  buffer_add_text(b, value ? "true" : "false");
}

void json_null(struct buffer *b) {
  separate(b);
  buffer_add_text(b, "null");
}
