#ifndef KEEPER_H
#define KEEPER_H
#include "options.h"
#include "terminal.h"

/* Runs the view in a child and only waits, so that one of the two is left to restore the terminal when the other is
   killed. Returns the exit code. */
int keeper_run(const struct attach_options *options, struct terminal *terminal);
#endif
