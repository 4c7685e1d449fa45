#include "filter.h"

#include <string.h>

#include "csi.h"
#include "queries.h"

enum { ENQ = 0x05, BEL = 0x07, CAN = 0x18, SUB = 0x1a, ESC = 0x1b, DEL = 0x7f, ST = 0x9c };
// In UTF-8 the 8-bit control characters, which some terminals know, are two bytes of which this is the first.
enum { C1_LEAD = 0xc2, C1_SHIFT = 0x40, INTRODUCER = 2 };

struct run {
  enum drop drop;
  struct buffer *out;
};

static void put(const struct run *run, uint8_t byte) { buffer_add(run->out, &byte, 1); }

/* A terminal does these at once, in the middle of a sequence. */
static bool is_immediate(uint8_t byte) {
  return (byte < 0x20 && byte != ESC && byte != CAN && byte != SUB) || byte == DEL;
}

static void put_immediate(const struct run *run, uint8_t byte) {
  if (byte != ENQ || run->drop != DROP_QUERIES) put(run, byte);
}

static void hold(struct filter *f, uint8_t byte) { f->held[f->length++] = byte; }

static void begin(struct filter *f, int state) {
  f->state = state;
  f->length = f->sent = 0;
}

static void release(struct filter *f, const struct run *run, int next) {
  buffer_add(run->out, f->held + f->sent, f->length - f->sent);
  begin(f, next);
}

static void discard(struct filter *f, const struct run *run, int next) {
  // The terminal has the beginning already: this makes it forget it.
  if (f->sent > 0) put(run, CAN);
  begin(f, next);
}

static void after_introducer(struct filter *f, uint8_t kind, const struct run *run) {
  bool is_query = kind == 'Z' && run->drop == DROP_QUERIES;
  f->kind = (char)kind;
  if (kind == '[') f->state = FILTER_CSI;
  else if (string_may_be_query(f->kind, NULL, 0)) f->state = FILTER_STRING;
  else if (kind == 'X' || kind == '^') release(f, run, FILTER_STRING_REST);
  else if (is_query) discard(f, run, FILTER_GROUND);
  else release(f, run, FILTER_GROUND);
  // A full reset leads back to the normal screen.
  if (kind == 'c') f->screens = 0;
}

static void end_csi(struct filter *f, const struct run *run) {
  struct csi csi;
  bool is_known = csi_read(f->held + INTRODUCER, f->length - INTRODUCER, &csi);
  if (is_known && run->drop == DROP_QUERIES && csi_is_query(&csi)) return discard(f, run, FILTER_GROUND);
  if (is_known) modes_see(&f->screens, &csi);
  release(f, run, FILTER_GROUND);
}

static bool is_dropped(const struct filter *f, enum drop drop, size_t end) {
  const uint8_t *text = f->held + INTRODUCER;
  if (drop == DROP_STATUS_QUERY) return string_is_status_query(f->kind, text, end - INTRODUCER);
  return drop == DROP_QUERIES && string_is_query(f->kind, text, end - INTRODUCER);
}

/* The string's text ends before `end`; what is held behind it is its terminator. */
static bool end_string(struct filter *f, const struct run *run, size_t end) {
  bool is_gone = is_dropped(f, run->drop, end);
  if (is_gone) discard(f, run, FILTER_GROUND);
  else release(f, run, FILTER_GROUND);
  return is_gone;
}

static void step_escape(struct filter *f, uint8_t byte, const struct run *run) {
  bool is_terminator = byte == '\\' && f->is_terminator_due && f->sent == 0;
  if (is_immediate(byte)) return put_immediate(run, byte);
  f->is_terminator_due = false;
  if (is_terminator) return begin(f, FILTER_GROUND);
  if (byte == ESC) release(f, run, FILTER_ESCAPE);
  hold(f, byte);
  if (byte != ESC) after_introducer(f, byte, run);
}

static void step_csi(struct filter *f, uint8_t byte, const struct run *run) {
  if (byte == ESC) {
    release(f, run, FILTER_ESCAPE);
    return hold(f, byte);
  }
  if (is_immediate(byte)) return put_immediate(run, byte);
  hold(f, byte);
  if (byte >= 0x40 && byte < DEL) end_csi(f, run);
  else if (byte < 0x20 || byte > DEL) release(f, run, FILTER_GROUND);
  else if (f->length == FILTER_HELD_MAX) release(f, run, FILTER_CSI_REST);
}

static void step_csi_rest(struct filter *f, uint8_t byte, const struct run *run) {
  if (byte == ESC) {
    begin(f, FILTER_ESCAPE);
    return hold(f, byte);
  }
  put(run, byte);
  if ((byte >= 0x40 && byte != DEL) || byte == CAN || byte == SUB) f->state = FILTER_GROUND;
}

static bool ends_string(const struct filter *f, uint8_t byte) {
  bool is_c1 = byte == ST && f->previous == C1_LEAD;
  return is_c1 || byte == CAN || byte == SUB || (byte == BEL && f->kind == ']');
}

static void step_string(struct filter *f, uint8_t byte, const struct run *run) {
  if (byte == ESC) {
    f->is_terminator_due = end_string(f, run, f->length);
    f->state = FILTER_ESCAPE;
    return hold(f, byte);
  }
  size_t end = byte == ST ? f->length - 1 : f->length;
  hold(f, byte);
  bool may_be_query = string_may_be_query(f->kind, f->held + INTRODUCER, f->length - INTRODUCER);
  if (ends_string(f, byte)) end_string(f, run, end);
  else if (!may_be_query) release(f, run, FILTER_STRING_REST);
  else if (f->length < FILTER_HELD_MAX) return;
  else if (is_dropped(f, run->drop, f->length)) discard(f, run, FILTER_STRING_SKIP);
  else release(f, run, FILTER_STRING_REST);
}

static void step_string_rest(struct filter *f, uint8_t byte, const struct run *run) {
  bool is_skipped = f->state == FILTER_STRING_SKIP;
  if (byte == ESC) {
    f->is_terminator_due = is_skipped;
    begin(f, FILTER_ESCAPE);
    return hold(f, byte);
  }
  if (!is_skipped) put(run, byte);
  if (ends_string(f, byte)) f->state = FILTER_GROUND;
}

static void step_c1(struct filter *f, uint8_t byte, const struct run *run) {
  hold(f, byte);
  if (byte >= 0x80 && byte < 0xa0) after_introducer(f, byte - C1_SHIFT, run);
  else release(f, run, FILTER_GROUND);
}

static void step_ground(struct filter *f, uint8_t byte, const struct run *run) {
  if (byte != ESC && byte != C1_LEAD) return put_immediate(run, byte);
  begin(f, byte == ESC ? FILTER_ESCAPE : FILTER_C1);
  hold(f, byte);
}

static void step(struct filter *f, uint8_t byte, const struct run *run) {
  // Bytes behind a cut character do not belong to it.
  if (f->state == FILTER_C1 && (byte < 0x80 || byte >= 0xc0)) release(f, run, FILTER_GROUND);
  switch (f->state) {
    case FILTER_GROUND: step_ground(f, byte, run); break;
    case FILTER_C1: step_c1(f, byte, run); break;
    case FILTER_ESCAPE: step_escape(f, byte, run); break;
    case FILTER_CSI: step_csi(f, byte, run); break;
    case FILTER_CSI_REST: step_csi_rest(f, byte, run); break;
    case FILTER_STRING: step_string(f, byte, run); break;
    case FILTER_STRING_REST: case FILTER_STRING_SKIP: step_string_rest(f, byte, run); break;
  }
  f->previous = byte;
}

static size_t plain_length(const uint8_t *bytes, size_t length) {
  size_t plain = 0;
  while (plain < length && bytes[plain] != ESC && bytes[plain] != C1_LEAD && bytes[plain] != ENQ) plain++;
  return plain;
}

void filter_bytes(struct filter *f, enum drop drop, const uint8_t *bytes, size_t length, struct buffer *out) {
  const struct run run = {drop, out};
  for (size_t i = 0; i < length;) {
    size_t plain = f->state == FILTER_GROUND ? plain_length(bytes + i, length - i) : 0;
    buffer_add(out, bytes + i, plain);
    i += plain;
    if (i < length) step(f, bytes[i++], &run);
  }
}

bool filter_holds_escape(const struct filter *f) { return f->state == FILTER_ESCAPE && f->sent == 0; }

void filter_flush(struct filter *f, struct buffer *out) {
  if (!filter_holds_escape(f)) return;
  buffer_add(out, f->held, f->length);
  f->sent = f->length;
}
