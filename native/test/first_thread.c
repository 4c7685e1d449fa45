/* first_thread: its first thread leaves, so that it looks like a zombie. The other exits with 7 when asked to end. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void *wait_for_term(void *set) {
  int number;
  if (write(1, "ready\n", 6) < 0) _exit(1);
  sigwait(set, &number);
  _exit(7);
}

int main(void) {
  static sigset_t set;
  pthread_t other;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  alarm(120);
  if (pthread_create(&other, NULL, wait_for_term, &set) != 0) return 1;
  pthread_exit(NULL);
}
