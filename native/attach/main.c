/* rollcall-attach: a terminal onto a session that a holder carries. See ../README.md. */
#include <stdio.h>

#include "keeper.h"
#include "view.h"

static int complain(const char *sentence) {
  fprintf(stderr, "rollcall-attach: %s\n", sentence);
  return EXIT_BAD_USAGE;
}

int main(int argc, char **argv) {
  struct attach_options options;
  struct terminal terminal;
  const char *complaint;
  if (!attach_options_read(argc, argv, &options, &complaint)) return complain(complaint);
  if (!terminal_open(&terminal)) return complain("standard input and output must be a terminal");
  return keeper_run(&options, &terminal);
}
