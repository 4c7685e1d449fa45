#ifndef QUERIES_H
#define QUERIES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csi.h"

/* What a terminal answers. Strings come as their kind, the byte of `ESC kind text ST`, and their text. */
bool csi_is_query(const struct csi *csi);
bool string_is_query(char kind, const uint8_t *text, size_t length);

/* Whether a string that begins so can still become a query. */
bool string_may_be_query(char kind, const uint8_t *text, size_t length);

/* OSC 7501: the one that the holder answers, always. */
bool string_is_status_query(char kind, const uint8_t *text, size_t length);
#endif
