#ifndef KEYS_H
#define KEYS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../buffer.h"

enum { KEYS_HELD_MAX = 64 };

/* Reads what a terminal sends: keys, pastes, and its own answers and reports, which nobody pressed. `detach` is set by
   the owner, the rest is zero at first. */
struct keys {
  uint8_t detach;
  enum { KEYS_GROUND, KEYS_ESCAPE, KEYS_CSI, KEYS_CSI_REST, KEYS_STRING, KEYS_SHIFTED, KEYS_MOUSE, KEYS_PASTE } state;
  uint8_t held[KEYS_HELD_MAX];
  size_t length;
  // The kind of a string; bytes that a mouse report still has; bytes of a paste's end that were seen.
  uint8_t kind, mouse_left, end_seen;
};

struct heard {
  bool is_detach;
  // Somebody pressed a key or pasted.
  bool has_key;
};

/* Adds what is for the agent to `out`: all, byte for byte, but for the detach key and what follows it. */
struct heard keys_take(struct keys *k, const uint8_t *bytes, size_t length, struct buffer *out);

/* How long to wait for the rest of what has begun, in ms; -1 where nothing has. */
int keys_patience(const struct keys *k);

/* The rest did not come in time. */
struct heard keys_give_up(struct keys *k, struct buffer *out);

static inline bool keys_in_paste(const struct keys *k) { return k->state == KEYS_PASTE; }
#endif
