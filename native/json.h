#ifndef JSON_H
#define JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/* Writes JSON into a buffer; commas come by themselves. Text of any bytes becomes valid UTF-8. */
void json_begin(struct buffer *b, char bracket);
void json_end(struct buffer *b, char bracket);
void json_key(struct buffer *b, const char *key);
void json_bytes(struct buffer *b, const void *text, size_t length);
/* NULL becomes null. */
void json_text(struct buffer *b, const char *text);
void json_number(struct buffer *b, int64_t number);
void json_bool(struct buffer *b, bool value);
void json_null(struct buffer *b);
#endif
