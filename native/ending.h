#ifndef ENDING_H
#define ENDING_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum ending_phase { ENDING_NOT, ENDING_ASKING, ENDING_KILLING, ENDING_BLOCKED };

/* The end of the tree below this process, as a state: the owner's loop goes on meanwhile. All zero is "not ending". */
struct ending {
  enum ending_phase phase;
  int64_t kill_at, killing_since, next_round;
  unsigned round;
  int killed;
};

/* TERM and CONT to all, KILL after the grace. Again: only a shorter grace changes anything. */
void ending_begin(struct ending *e, int64_t now, int64_t grace_ms);

/* Does what is due. */
void ending_step(struct ending *e, int64_t now);

/* When the next step is due. */
int64_t ending_due(const struct ending *e);

/* Called for each reaped process except the agent's own reporting. */
void ending_count(struct ending *e, int status);
#endif
