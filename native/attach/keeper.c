#include "keeper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "view.h"

enum { EXIT_FAILED = 1, KILLED_BY = 128 };

/* Both are in one group, in the foreground. Out of it they must still be able to restore the terminal, and not stop. */
static void set_signals(sigset_t *set) {
  static const int IGNORED[] = {SIGTTOU, SIGTTIN, SIGTSTP, SIGPIPE};
  static const int AWAITED[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof IGNORED / sizeof *IGNORED; i++) signal(IGNORED[i], SIG_IGN);
  sigemptyset(set);
  for (size_t i = 0; i < sizeof AWAITED / sizeof *AWAITED; i++) {
    // A signal that the caller ignores would never be awaited with success.
    signal(AWAITED[i], SIG_DFL);
    sigaddset(set, AWAITED[i]);
  }
  sigprocmask(SIG_BLOCK, set, NULL);
}

static int be_view(const struct attach_options *options, struct terminal *terminal, pid_t keeper) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != keeper) return EXIT_DETACHED;
  int result = view_run(options, terminal);
  terminal_leave(terminal);
  return result;
}

static int wait_for(pid_t view, const sigset_t *set) {
  for (;;) {
    int status, number = sigwaitinfo(set, NULL);
    if (number > 0 && number != SIGCHLD) kill(view, SIGTERM);
    if (waitpid(view, &status, WNOHANG) != view) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED_BY + WTERMSIG(status);
  }
}

int keeper_run(const struct attach_options *options, struct terminal *terminal) {
  sigset_t set;
  pid_t caller = getppid();
  set_signals(&set);
  // A killed parent has given the terminal back to its shell.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != caller) return EXIT_DETACHED;
  pid_t keeper = getpid(), view = fork();
  if (view == 0) return be_view(options, terminal, keeper);
  if (view < 0) {
    fprintf(stderr, "rollcall-attach: %s\n", strerror(errno));
    return EXIT_FAILED;
  }
  int result = wait_for(view, &set);
  terminal_leave(terminal);
  return result;
}
