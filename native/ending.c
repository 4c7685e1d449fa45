#include "ending.h"

#include <signal.h>
#include <sys/wait.h>

#include "tree.h"

enum {
  // With the default grace of 10 s the word "blocked" comes 15 s after the end was asked for.
  BLOCKED_AFTER_MS = 5000,
  BLOCKED_ROUND_MS = 5000,
  // A process that forks and leaves every 50 us is only hit by looking often.
  FAST_ROUNDS = 200,
  FAST_ROUND_MS = 2,
  SLOW_ROUND_MS = 50,
  SWEEP_EVERY = 8,
  TRIES_PER_ROUND = 16,
};

/* A shell takes a hang-up for what TERM is to others: its terminal is closed. */
static void ask(const struct process *process) {
  bool is_shell = process_is_interactive_shell(process->pid);
  tree_signal(process, SIGTERM);
  if (is_shell) tree_signal(process, SIGHUP);
  tree_signal(process, SIGCONT);
}

static void kill_one(const struct process *process) { tree_signal(process, SIGKILL); }

static void for_all(void (*act)(const struct process *process)) {
  struct process_list list = {0};
  tree_list(&list);
  for (size_t i = 0; i < list.count; i++) act(&list.items[i]);
  process_list_free(&list);
}

void ending_begin(struct ending *e, int64_t now, int64_t grace_ms) {
  if (e->phase == ENDING_NOT) {
    for_all(ask);
    e->phase = ENDING_ASKING;
    e->kill_at = now + grace_ms;
  } else if (e->phase == ENDING_ASKING && now + grace_ms < e->kill_at) {
    e->kill_at = now + grace_ms;
  }
}

/* Orphans become direct children, so killing those comes to an end; a sweep of all is quicker with wide trees. */
static void kill_round(struct ending *e, int64_t now) {
  // A single try after a pause of five seconds is a sweep too.
  if (e->phase == ENDING_BLOCKED || e->round % SWEEP_EVERY == 0) for_all(kill_one);
  for (int i = 0; i < TRIES_PER_ROUND; i++) tree_signal_children(SIGKILL);
  e->round++;
  if (now - e->killing_since >= BLOCKED_AFTER_MS) e->phase = ENDING_BLOCKED;
  int64_t pause = e->round < FAST_ROUNDS ? FAST_ROUND_MS : SLOW_ROUND_MS;
  e->next_round = now + (e->phase == ENDING_BLOCKED ? BLOCKED_ROUND_MS : pause);
}

void ending_step(struct ending *e, int64_t now) {
  if (e->phase == ENDING_ASKING && now >= e->kill_at) {
    e->phase = ENDING_KILLING;
    e->killing_since = e->next_round = now;
  }
  if (e->phase >= ENDING_KILLING && now >= e->next_round) kill_round(e, now);
}

int64_t ending_due(const struct ending *e) { return e->phase == ENDING_ASKING ? e->kill_at : e->next_round; }

void ending_count(struct ending *e, int status) {
  if (e->phase >= ENDING_KILLING && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) e->killed++;
}
