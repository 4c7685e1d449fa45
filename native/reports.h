#ifndef REPORTS_H
#define REPORTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "clock.h"

/* One OSC 7501 report, raw: `key=value:key=value`. */
struct report {
  char id[64];
  char *text;
  size_t length;
  char at[ISO_TIME_SIZE];
  uint64_t offset;
};

enum {
  REPORTS_MAX = 64,
  // All of them are in every status, six times as long if need be: no agent may make one that cuts off its reader.
  REPORTS_BYTES_MAX = 64 * 1024,
  TITLE_MAX = 1024,
};

/* The last report of the agent itself, and of each of its own helpers (those with `id=`). All zero is none. */
struct reports {
  struct report main;
  struct report by_id[REPORTS_MAX];
  size_t count;
  char title[TITLE_MAX];
  size_t title_length;
  bool has_title;
};

void reports_take(struct reports *r, const char *text, size_t length, uint64_t offset);
void reports_title(struct reports *r, const char *text, size_t length);

/* `{"main":…,"by_id":{…}}` */
void reports_json(const struct reports *r, struct buffer *out);
/* `{"state":"…",…}` of a raw report. */
void report_fields_json(const char *text, size_t length, struct buffer *out);
void reports_free(struct reports *r);
#endif
