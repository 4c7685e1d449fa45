#ifndef GUARD_H
#define GUARD_H
#include "holder.h"

/* Lives as the guard: starts the holder and only waits; ends what a lost holder held. Returns the exit code. */
int guard_run(struct start *start);
#endif
