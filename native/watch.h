#ifndef WATCH_H
#define WATCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sighting {
  SEEN_STATUS_QUERY,
  SEEN_STATUS_REPORT,
  SEEN_TITLE,
  SEEN_BELL,
  SEEN_DEVICE_QUERY,
  SEEN_SECOND_DEVICE_QUERY,
  SEEN_HEALTH_QUERY,
  SEEN_CURSOR_QUERY,
};

typedef void (*watch_sink)(void *context, enum sighting sighting, const char *text, size_t length);

enum { WATCH_TEXT_MAX = 8192 };

/* Finds what a program says to its terminal, without touching the bytes, however they are split. All zero at first. */
struct watch {
  enum { WATCH_GROUND, WATCH_ESCAPE, WATCH_CSI, WATCH_OSC, WATCH_OSC_ESCAPE, WATCH_STRING, WATCH_STRING_ESCAPE } state;
  // Bytes seen so far, the present one included: the stream's offset behind a sighting.
  uint64_t offset;
  bool is_too_long;
  size_t length;
  char text[WATCH_TEXT_MAX];
};

void watch_bytes(struct watch *w, const uint8_t *bytes, size_t length, watch_sink sink, void *context);
#endif
