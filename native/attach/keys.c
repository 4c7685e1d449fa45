#include "keys.h"

#include <string.h>

#include "csi.h"
#include "key_code.h"

enum { BEL = 0x07, CAN = 0x18, ESC = 0x1b, INTRODUCER = 2, MOUSE_BYTES = 3 };

enum {
  // Escape alone is a key: it must not wait longer than anybody notices, nor be taken for one on a slow line.
  ESCAPE_MS = 30,
  // A paste that does not end so long after its last byte has lost its end: the detach key must work again.
  PASTE_MS = 3000,
};

static const uint8_t PASTE_END[] = {ESC, '[', '2', '0', '1', '~'};

struct run {
  struct buffer *out;
  struct heard heard;
};

static void release(struct keys *k, struct run *run, int next) {
  buffer_add(run->out, k->held, k->length);
  k->length = 0;
  k->state = next;
}

static void hold(struct keys *k, uint8_t byte) { k->held[k->length++] = byte; }

static void begin_paste(struct keys *k, struct run *run) {
  run->heard.has_key = true;
  k->end_seen = 0;
  release(k, run, KEYS_PASTE);
}

static void end_csi(struct keys *k, struct run *run) {
  struct csi csi;
  bool is_known = csi_read(k->held + INTRODUCER, k->length - INTRODUCER, &csi);
  bool is_plain = is_known && !csi.prefix && !csi.intermediate;
  if (is_known && key_code_is_control(&csi, k->detach)) {
    run->heard.is_detach = true;
    return;
  }
  if (is_known && key_code_is_press(&csi)) run->heard.has_key = true;
  if (is_plain && csi.final == '~' && csi_number(&csi, 0, 0) == 200) return begin_paste(k, run);
  k->mouse_left = MOUSE_BYTES;
  release(k, run, is_plain && csi.final == 'M' && csi.count == 0 ? KEYS_MOUSE : KEYS_GROUND);
}

static void step_ground(struct keys *k, uint8_t byte, struct run *run) {
  hold(k, byte);
  if (byte == ESC) {
    k->state = KEYS_ESCAPE;
    return;
  }
  run->heard.has_key = true;
  release(k, run, KEYS_GROUND);
}

static void step_escape(struct keys *k, uint8_t byte, struct run *run) {
  if (byte == ESC) {
    // The first of two is a key of its own, or the Meta of the second.
    release(k, run, KEYS_ESCAPE);
    return hold(k, byte);
  }
  hold(k, byte);
  k->kind = byte;
  if (byte == '[') k->state = KEYS_CSI;
  else if (byte == 'O') release(k, run, KEYS_SHIFTED);
  else if (memchr("]PX^_", byte, 5)) release(k, run, KEYS_STRING);
  else release(k, run, KEYS_GROUND);
}

static void step_csi(struct keys *k, uint8_t byte, struct run *run) {
  if (byte == ESC) {
    release(k, run, KEYS_ESCAPE);
    return hold(k, byte);
  }
  bool is_end = byte >= 0x40 && byte <= 0x7e;
  hold(k, byte);
  if (is_end) end_csi(k, run);
  else if (byte < 0x20 || byte > 0x7e) release(k, run, KEYS_GROUND);
  else if (k->length == KEYS_HELD_MAX) release(k, run, KEYS_CSI_REST);
}

static void step_string(struct keys *k, uint8_t byte, struct run *run) {
  hold(k, byte);
  if (byte == ESC) {
    k->state = KEYS_ESCAPE;
    return;
  }
  bool is_end = byte == CAN || (byte == BEL && k->kind == ']');
  release(k, run, is_end ? KEYS_GROUND : KEYS_STRING);
}

static void step_paste(struct keys *k, uint8_t byte, struct run *run) {
  buffer_add(run->out, &byte, 1);
  if (byte == PASTE_END[k->end_seen]) k->end_seen++;
  else k->end_seen = byte == ESC;
  if (k->end_seen == sizeof PASTE_END) k->state = KEYS_GROUND;
}

static bool ends_rest(struct keys *k, uint8_t byte) {
  if (k->state == KEYS_MOUSE) return --k->mouse_left == 0;
  return k->state == KEYS_SHIFTED || (byte >= 0x40 && byte <= 0x7e);
}

/* Bytes that are only counted or looked through until the sequence is over. */
static void step_rest(struct keys *k, uint8_t byte, struct run *run) {
  buffer_add(run->out, &byte, 1);
  if (ends_rest(k, byte)) k->state = KEYS_GROUND;
}

/* No report of a terminal has a control character inside, but for the BEL that ends a string. */
static bool is_detach(const struct keys *k, uint8_t byte) {
  if (byte != k->detach || k->state == KEYS_PASTE) return false;
  return byte != BEL || k->state != KEYS_STRING;
}

static void step(struct keys *k, uint8_t byte, struct run *run) {
  switch (k->state) {
    case KEYS_GROUND: return step_ground(k, byte, run);
    case KEYS_ESCAPE: return step_escape(k, byte, run);
    case KEYS_CSI: return step_csi(k, byte, run);
    case KEYS_STRING: return step_string(k, byte, run);
    case KEYS_PASTE: return step_paste(k, byte, run);
    case KEYS_CSI_REST: case KEYS_SHIFTED: case KEYS_MOUSE: return step_rest(k, byte, run);
  }
}

struct heard keys_take(struct keys *k, const uint8_t *bytes, size_t length, struct buffer *out) {
  struct run run = {.out = out};
  for (size_t i = 0; i < length && !run.heard.is_detach; i++) {
    if (is_detach(k, bytes[i])) run.heard.is_detach = true;
    else step(k, bytes[i], &run);
  }
  return run.heard;
}

int keys_patience(const struct keys *k) {
  if (k->state == KEYS_GROUND) return -1;
  return k->state == KEYS_PASTE ? PASTE_MS : ESCAPE_MS;
}

struct heard keys_give_up(struct keys *k, struct buffer *out) {
  struct run run = {.out = out, .heard = {.has_key = k->state == KEYS_ESCAPE}};
  release(k, &run, KEYS_GROUND);
  return run.heard;
}
