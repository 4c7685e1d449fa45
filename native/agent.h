#ifndef AGENT_H
#define AGENT_H
#include <stdbool.h>
#include <sys/types.h>

#include "options.h"

/* The agent's process and our ends of its streams. `in` and `out` are the same for a terminal; `err` is -1 then. */
struct agent {
  pid_t pid;
  int in, out, err;
  int gate;
  int verdict;
};

struct agent_place {
  int cwd;
  mode_t mask;
};

/* Forks the agent's process, which waits at the gate with the streams made. 0 or an errno. */
int agent_prepare(struct agent *agent, const struct options *options, struct agent_place place);

/* Opens the gate. `verdict` then closes (it runs) or gives the errno of its failure. */
void agent_release(struct agent *agent);

/* 0: the command runs; above: the errno why not; -1: not known yet. */
int agent_verdict(struct agent *agent);
#endif
