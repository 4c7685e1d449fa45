/* stubborn: ignores every signal that can be ignored. */
#include <signal.h>
#include <unistd.h>

int main(void) {
  for (int number = 1; number < 32; number++)
    if (number != SIGALRM) signal(number, SIG_IGN);
  alarm(120);
  if (write(1, "ready\n", 6) < 0) return 1;
  for (;;) pause();
}
