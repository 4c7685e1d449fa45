/* oracle LEDGER MICROSECONDS [COUNT [CODE]]: says `n=1`, `n=2`, … on a line each, and after each line writes the number
   into its own ledger, with fdatasync. Leaves with CODE after COUNT lines; without COUNT it goes on. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A failed test must not leave one for ever. */
enum { AT_MOST_SECONDS = 3600 };

int main(int argc, char **argv) {
  char line[32];
  if (argc < 3) return 2;
  int ledger = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
  long count = argc > 3 ? atol(argv[3]) : 0;
  alarm(AT_MOST_SECONDS);
  for (long n = 1; count == 0 || n <= count; n++) {
    int length = snprintf(line, sizeof line, "n=%ld\n", n);
    if (write(1, line, (size_t)length) != length) return 9;
    if (write(ledger, line, (size_t)length) != length) return 9;
    fdatasync(ledger);
    usleep((useconds_t)atoi(argv[2]));
  }
  return argc > 4 ? atoi(argv[4]) : 0;
}
