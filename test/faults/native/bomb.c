/* bomb COUNT: forks until COUNT processes of it live, each of which ignores TERM; then says `full` and waits. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { AT_MOST_SECONDS = 120 };

static void stay(void) {
  signal(SIGTERM, SIG_IGN);
  alarm(AT_MOST_SECONDS);
  for (;;) pause();
}

/* A tree that doubles at each level, so that parents are gone from under their children when it is ended. */
static void spread(int count) {
  while (count > 1) {
    int half = count / 2;
    pid_t child = fork();
    if (child < 0) break;
    if (child == 0) {
      count = half;
      continue;
    }
    count -= half;
  }
}

int main(int argc, char **argv) {
  pid_t first = getpid();
  spread(argc > 1 ? atoi(argv[1]) : 10);
  if (getpid() == first && write(1, "full\n", 5) < 0) return 1;
  stay();
}
