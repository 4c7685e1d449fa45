/*
 * hopper MICROSECONDS [FILE]: a process that is never the same for long: it forks and leaves, again and again. Each has
 * the lock on FILE from the one before: whoever can take it knows that none is left, without looking for any.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
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
  if (argc > 2 && flock(open(argv[2], O_RDWR | O_CREAT, 0600), LOCK_EX) != 0) return 1;
  time_t last = seconds() + AT_MOST_SECONDS;
  while (seconds() < last) {
    pid_t next = fork();
    if (next > 0) _exit(0);
    if (next == 0 && pause_us > 0) usleep(pause_us);
  }
  return 0;
}
