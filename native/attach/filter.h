#ifndef FILTER_H
#define FILTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../buffer.h"
#include "modes.h"

enum drop {
  DROP_NOTHING,
  // The holder answers it, so the terminal must not.
  DROP_STATUS_QUERY,
  // Nobody waits for an answer, which would become the agent's input.
  DROP_QUERIES,
};

// A sequence that is longer is passed on before its end is known.
enum { FILTER_HELD_MAX = 512 };

/* Takes queries out of what a program writes to its terminal, however the bytes are cut. All zero at first. */
struct filter {
  enum { FILTER_GROUND, FILTER_C1, FILTER_ESCAPE, FILTER_CSI, FILTER_CSI_REST, FILTER_STRING, FILTER_STRING_REST,
         FILTER_STRING_SKIP } state;
  uint8_t held[FILTER_HELD_MAX];
  // `sent` of the held bytes are out already.
  size_t length, sent;
  char kind;
  uint8_t previous;
  // A string was dropped and its terminator is still to come.
  bool is_terminator_due;
  screens screens;
};

/* What is dropped is decided by the mode at the last byte of a sequence. */
void filter_bytes(struct filter *f, enum drop drop, const uint8_t *bytes, size_t length, struct buffer *out);

/* A lone ESC is held back: after a while without more it should go. */
bool filter_holds_escape(const struct filter *f);
void filter_flush(struct filter *f, struct buffer *out);
#endif
