#ifndef JSON_PATH_H
#define JSON_PATH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks into JSON of any depth, as holders send it. A path is keys with dots between: "out.high". */

/* A whole number; false where the path leads to none. */
bool json_path_number(const char *json, size_t length, const char *path, int64_t *out);
/* Whether the path leads to exactly this text, of plain characters. */
bool json_path_is(const char *json, size_t length, const char *path, const char *text);
/* Whether it leads to anything but null. */
bool json_path_exists(const char *json, size_t length, const char *path);
#endif
