#ifndef LIFE_H
#define LIFE_H
#include <stdbool.h>
#include <stdint.h>

#include "holder.h"

/* The way from the agent's start to an empty tree and the end of the holder. */

/* An end was asked for, by whatever way; again is harmless. */
void life_end(struct holder *h, int64_t grace_ms);
/* Stops the whole tree until it is continued or ended; false while there is none that runs. */
bool life_pause(struct holder *h);
void life_continue(struct holder *h);
/* The agent runs, or could not be started. */
void life_take_verdict(struct holder *h);
/* Waits for whoever has ended. */
void life_reap(struct holder *h);
/* Does what is due by the clock. */
void life_step(struct holder *h, int64_t now);
/* When `life_step` has to be called next; INT64_MAX for never. */
int64_t life_due(const struct holder *h);
bool life_is_over(const struct holder *h, int64_t now);
#endif
