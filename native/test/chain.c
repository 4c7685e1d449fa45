/* chain N: a chain of N processes, each the child of the one before, that all ignore TERM; the last says `ready`. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int left = argc > 1 ? atoi(argv[1]) : 1;
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  alarm(120);
  while (--left > 0 && fork() == 0) alarm(120);
  if (left == 0 && write(1, "ready\n", 6) < 0) return 1;
  for (;;) pause();
}
