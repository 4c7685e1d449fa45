#ifndef JSON_READ_H
#define JSON_READ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT };

struct json_field {
  char key[16];
  enum json_type type;
  bool truth;
  int64_t number;
  char text[32];
};

enum { JSON_FIELDS_MAX = 16 };

/* One flat object of short fields, as clients send. */
struct json_object {
  struct json_field fields[JSON_FIELDS_MAX];
  size_t count;
};

/* False for anything else than a flat object of texts, whole numbers from 0 to 2^53, booleans and nulls. */
bool json_read(const char *text, size_t length, struct json_object *out);
const struct json_field *json_find(const struct json_object *object, const char *key, enum json_type type);
#endif
