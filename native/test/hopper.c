/* hopper MICROSECONDS: a process that is never the same for long: it forks and leaves, again and again. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { AT_MOST_SECONDS = 60 };

static time_t seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

int main(int argc, char **argv) {
  unsigned pause_us = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
  time_t last = seconds() + AT_MOST_SECONDS;
  while (seconds() < last) {
    pid_t next = fork();
    if (next > 0) _exit(0);
    if (next == 0 && pause_us > 0) usleep(pause_us);
  }
  return 0;
}
