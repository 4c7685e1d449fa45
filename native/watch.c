#include "watch.h"

#include <string.h>

enum { BEL = 0x07, CAN = 0x18, SUB = 0x1a, ESC = 0x1b };

struct outlet {
  watch_sink sink;
  void *context;
};

static void collect(struct watch *w, uint8_t byte) {
  if (w->length < sizeof w->text) w->text[w->length++] = (char)byte;
  else w->is_too_long = true;
}

static void begin(struct watch *w, int state) {
  w->state = state;
  w->length = 0;
  w->is_too_long = false;
}

static bool is_text(const struct watch *w, const char *text) {
  return w->length == strlen(text) && memcmp(w->text, text, w->length) == 0;
}

static bool starts_with(const struct watch *w, const char *text) {
  return w->length >= strlen(text) && memcmp(w->text, text, strlen(text)) == 0;
}

static void tell(const struct outlet *to, enum sighting sighting, const char *text, size_t length) {
  to->sink(to->context, sighting, text, length);
}

static void end_osc(struct watch *w, const struct outlet *to) {
  w->state = WATCH_GROUND;
  if (w->is_too_long) return;
  if (is_text(w, "7501;?")) tell(to, SEEN_STATUS_QUERY, NULL, 0);
  else if (starts_with(w, "7501;")) tell(to, SEEN_STATUS_REPORT, w->text + 5, w->length - 5);
  else if (starts_with(w, "0;") || starts_with(w, "2;")) tell(to, SEEN_TITLE, w->text + 2, w->length - 2);
}

static void end_csi(struct watch *w, uint8_t final, const struct outlet *to) {
  w->state = WATCH_GROUND;
  if (final == 'c' && (is_text(w, "") || is_text(w, "0"))) tell(to, SEEN_DEVICE_QUERY, NULL, 0);
  if (final == 'c' && (is_text(w, ">") || is_text(w, ">0"))) tell(to, SEEN_SECOND_DEVICE_QUERY, NULL, 0);
  if (final == 'n' && is_text(w, "5")) tell(to, SEEN_HEALTH_QUERY, NULL, 0);
  if (final == 'n' && is_text(w, "6")) tell(to, SEEN_CURSOR_QUERY, NULL, 0);
}

static void after_escape(struct watch *w, uint8_t byte) {
  if (byte == '[') begin(w, WATCH_CSI);
  else if (byte == ']') begin(w, WATCH_OSC);
  else if (byte == 'P' || byte == 'X' || byte == '^' || byte == '_') begin(w, WATCH_STRING);
  else w->state = byte == ESC ? WATCH_ESCAPE : WATCH_GROUND;
}

/* Only the 7-bit forms count: in UTF-8 the bytes of the 8-bit ones are parts of letters (0x9c of Claude's star). */
static void step(struct watch *w, uint8_t byte, const struct outlet *to) {
  bool is_cancel = byte == CAN || byte == SUB;
  switch (w->state) {
    case WATCH_GROUND:
      if (byte == ESC) w->state = WATCH_ESCAPE;
      else if (byte == BEL) tell(to, SEEN_BELL, NULL, 0);
      return;
    case WATCH_ESCAPE:
      return after_escape(w, byte);
    case WATCH_CSI:
      if (byte == ESC) w->state = WATCH_ESCAPE;
      else if (is_cancel) w->state = WATCH_GROUND;
      else if (byte >= 0x40 && byte <= 0x7e) end_csi(w, byte, to);
      else collect(w, byte);
      return;
    case WATCH_OSC:
      if (byte == BEL) end_osc(w, to);
      else if (byte == ESC) w->state = WATCH_OSC_ESCAPE;
      else if (is_cancel) w->state = WATCH_GROUND;
      else collect(w, byte);
      return;
    case WATCH_OSC_ESCAPE:
      if (byte == '\\') end_osc(w, to);
      else after_escape(w, byte);
      return;
    case WATCH_STRING:
      if (byte == ESC) w->state = WATCH_STRING_ESCAPE;
      else if (is_cancel) w->state = WATCH_GROUND;
      return;
    case WATCH_STRING_ESCAPE:
      if (byte == '\\') w->state = WATCH_GROUND;
      // tmux passthrough doubles each ESC inside.
      else w->state = byte == ESC ? WATCH_STRING_ESCAPE : WATCH_STRING;
      return;
  }
}

void watch_bytes(struct watch *w, const uint8_t *bytes, size_t length, watch_sink sink, void *context) {
  const struct outlet to = {sink, context};
  const uint64_t before = w->offset;
  for (size_t i = 0; i < length; i++) {
    if (w->state == WATCH_GROUND)
      while (i < length && bytes[i] != ESC && bytes[i] != BEL) i++;
    w->offset = before + i + 1;
    if (i < length) step(w, bytes[i], &to);
  }
  w->offset = before + length;
}
