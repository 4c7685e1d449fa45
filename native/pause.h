#ifndef PAUSE_H
#define PAUSE_H
#include <stdbool.h>
#include <stdint.h>

enum pause_phase { PAUSE_NOT, PAUSE_STOPPING, PAUSE_HOLDS };

/* The tree below this process, stopped and kept so. A state, as `ending` is. All zero is "not paused". */
struct pause {
  enum pause_phase phase;
  int64_t since, next_round;
  unsigned clean_scans, deaths;
  // Those that the last scan did not find stopped.
  unsigned missed;
};

/* STOP to all. Again: they are looked at anew. `deaths` counts the children that were reaped so far. */
void pause_begin(struct pause *p, int64_t now, unsigned deaths);

/* Does what is due, right after reaping; true once, when all are stopped or the time for it is over. */
bool pause_step(struct pause *p, int64_t now, unsigned deaths);

/* When the next step is due; INT64_MAX for never. */
int64_t pause_due(const struct pause *p);

/* CONT to all, whether it was this pause that stopped them or not. */
void pause_continue(struct pause *p);
#endif
