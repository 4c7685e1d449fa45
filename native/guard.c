#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "word.h"

struct guard {
  int folder;
  pid_t holder;
  bool has_holder;
  int holder_status;
  int64_t grace_ms;
  struct exit_record *exit;
  struct ending ending;
};

static void block_signals(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGCHLD);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGINT);
  sigprocmask(SIG_BLOCK, set, NULL);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

static void take_exit(struct guard *g, pid_t pid, int status) {
  if (pid == g->holder && g->has_holder) {
    g->has_holder = false;
    g->holder_status = status;
    return;
  }
  ending_count(&g->ending, status);
  if (pid != g->exit->agent || g->exit->has_exited) return;
  exit_record_agent(g->exit, status, REASON_HOLDER_LOST);
  exit_record_tree(g->exit, TREE_ENDING, g->ending.killed);
  exit_record_write(g->exit, g->folder);
}

/* False once no child is left. */
static bool reap(struct guard *g) {
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
    if (pid < 0) return errno != ECHILD;
    if (pid == 0) return true;
    take_exit(g, pid, status);
  }
}

static void wait_for_signal(const sigset_t *set, const struct guard *g, int64_t wait_ms) {
  struct timespec wait = {.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000};
  int number = wait_ms < 0 ? sigwaitinfo(set, NULL) : sigtimedwait(set, NULL, &wait);
  if ((number == SIGTERM || number == SIGINT) && g->has_holder) kill(g->holder, SIGTERM);
}

static void tell_blocked(struct guard *g) {
  exit_record_tree(g->exit, TREE_BLOCKED, g->ending.killed);
  exit_record_write(g->exit, g->folder);
}

static void end_tree(struct guard *g, const sigset_t *set) {
  if (!g->exit->has_exited) g->exit->reason = REASON_HOLDER_LOST;
  ending_begin(&g->ending, clock_ms(), g->grace_ms);
  while (reap(g)) {
    unsigned round = g->ending.round;
    ending_step(&g->ending, clock_ms());
    if (g->ending.phase == ENDING_BLOCKED && g->ending.round != round) tell_blocked(g);
    int64_t wait = ending_due(&g->ending) - clock_ms();
    wait_for_signal(set, g, wait < 0 ? 0 : wait);
  }
  exit_record_tree(g->exit, TREE_EMPTY, g->exit->killed > g->ending.killed ? g->exit->killed : g->ending.killed);
  // A full disk may get room again, and nobody else knows how it ended. A folder that is gone does not come back.
  for (int error; (error = exit_record_write(g->exit, g->folder)) != 0 && error != ENOENT;)
    wait_for_signal(set, g, 1000);
  unlinkat(g->folder, "socket", 0);
  unlinkat(g->folder, ".reserve", 0);
}

static int watch_over(struct guard *g, const sigset_t *set) {
  while (reap(g) && g->has_holder) wait_for_signal(set, g, -1);
  bool is_good = WIFEXITED(g->holder_status) && WEXITSTATUS(g->holder_status) == 0;
  // Without an agent the holder has told its caller why.
  if (is_good || g->exit->agent == 0) return is_good ? 0 : 1;
  end_tree(g, set);
  return 1;
}

int guard_run(struct start *start) {
  sigset_t set;
  block_signals(&set);
  prctl(PR_SET_NAME, "rollcall-guard");
  start->exit = mmap(NULL, sizeof *start->exit, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  bool is_ready = start->exit != MAP_FAILED && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
  pid_t holder = is_ready ? fork() : -1;
  if (holder == 0) return holder_run(start);
  if (holder < 0) return word_failed(&start->word, "guard", errno), 1;
  close(start->word);
  close(start->cwd);
  struct guard guard = {.folder = start->folder, .holder = holder, .has_holder = true,
                        .grace_ms = start->options->grace_ms, .exit = start->exit};
  return watch_over(&guard, &set);
}
