#include "life.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "events.h"
#include "output.h"
#include "word.h"

enum {
  // A child that never stops writing does not put off the end of the rest for longer.
  QUIETING_MOST_MS = 1000,
  RETRY_WRITE_MS = 1000,
  // However slowly a client takes the rest: what it misses is in the files.
  LEAVING_MOST_MS = 30000,
};

static void write_exit(struct holder *h, int64_t now) {
  int error = exit_record_write(h->exit, h->folder);
  bool is_folder_gone = error == ENOENT;
  h->retry_write = error == 0 || is_folder_gone ? 0 : now + RETRY_WRITE_MS;
}

static void forget_pause(struct holder *h) {
  if (h->pause.phase == PAUSE_NOT) return;
  h->pause = (struct pause){0};
  tell_paused(h);
}

/* Whoever is stopped is continued by it. */
static void begin_end(struct holder *h, int64_t now, int64_t grace_ms) {
  forget_pause(h);
  ending_begin(&h->ending, now, grace_ms);
  if (h->life < LIFE_ENDING) holder_enter(h, LIFE_ENDING, now);
}

void life_end(struct holder *h, int64_t grace_ms) {
  if (h->life >= LIFE_DRAINING) return;
  if (!h->exit->has_exited) h->exit->reason = REASON_ASKED;
  begin_end(h, clock_ms(), grace_ms);
}

bool life_pause(struct holder *h) {
  if (h->life != LIFE_RUNNING && h->life != LIFE_KEEPING) return false;
  life_reap(h);
  pause_begin(&h->pause, clock_ms(), h->deaths);
  return true;
}

void life_continue(struct holder *h) {
  pause_continue(&h->pause);
  tell_paused(h);
}

void life_take_verdict(struct holder *h) {
  int error = agent_verdict(&h->agent);
  if (error < 0) return;
  h->exit->exec_error = error;
  // A failure is told when it is also written.
  if (error > 0) return;
  word_ok(&h->word, h->guard, getpid(), h->agent.pid);
  if (h->life == LIFE_STARTING) holder_enter(h, LIFE_RUNNING, clock_ms());
}

static void take_agent_exit(struct holder *h, int status) {
  int64_t now = clock_ms();
  // The process is gone, so the verdict is there: the exit of a short command may be seen first.
  if (h->agent.verdict >= 0) life_take_verdict(h);
  bool is_keeping = h->options->keep_children && h->life < LIFE_ENDING;
  exit_record_agent(h->exit, status, h->exit->exec_error ? REASON_EXEC_FAILED : h->exit->reason);
  exit_record_tree(h->exit, is_keeping ? TREE_KEPT : TREE_ENDING, h->ending.killed);
  write_exit(h, now);
  // Output that it wrote before it left goes first.
  output_read_now(h);
  tell_exit(h);
  buffer_free(&h->input.waiting);
  if (h->life < LIFE_ENDING) holder_enter(h, is_keeping ? LIFE_KEEPING : LIFE_QUIETING, now);
}

static void take_proof(struct holder *h) {
  if (h->life >= LIFE_DRAINING) return;
  forget_pause(h);
  exit_record_tree(h->exit, TREE_EMPTY, h->ending.killed);
  output_read_rest(h);
  holder_enter(h, LIFE_DRAINING, clock_ms());
}

void life_reap(struct holder *h) {
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
    if (pid < 0 && errno == ECHILD) return take_proof(h);
    if (pid <= 0) return;
    h->deaths++;
    ending_count(&h->ending, status);
    if (pid == h->agent.pid && !h->exit->has_exited) take_agent_exit(h, status);
  }
}

static void step_pause(struct holder *h, int64_t now) {
  if (h->pause.phase == PAUSE_STOPPING) life_reap(h);
  if (pause_step(&h->pause, now, h->deaths)) tell_paused(h);
}

static void step_ending(struct holder *h, int64_t now) {
  unsigned round = h->ending.round;
  ending_step(&h->ending, now);
  if (h->ending.round != round) life_reap(h);
  bool has_to_tell = h->life == LIFE_ENDING && h->ending.phase == ENDING_BLOCKED && h->ending.round != round;
  if (!has_to_tell) return;
  exit_record_tree(h->exit, TREE_BLOCKED, h->ending.killed);
  write_exit(h, now);
  tell_tree(h);
}

static void finish(struct holder *h, int64_t now) {
  if (h->retry_write > now) return;
  write_exit(h, now);
  if (h->exit->exec_error) word_failed(&h->word, "exec", h->exit->exec_error);
  if (h->retry_write == 0) holder_enter(h, LIFE_LEAVING, now);
}

void life_step(struct holder *h, int64_t now) {
  step_pause(h, now);
  switch (h->life) {
    case LIFE_QUIETING:
      if (!output_is_over(h, now) && now < h->life_since + QUIETING_MOST_MS) break;
      begin_end(h, now, h->options->grace_ms);
      break;
    case LIFE_ENDING:
      step_ending(h, now);
      break;
    case LIFE_DRAINING:
      if (output_is_over(h, now)) finish(h, now);
      break;
    default:
      break;
  }
  if (h->retry_write > 0 && now >= h->retry_write) write_exit(h, now);
}

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t life_due(const struct holder *h) {
  int64_t due = earlier(h->retry_write > 0 ? h->retry_write : INT64_MAX, pause_due(&h->pause));
  if (h->life == LIFE_QUIETING) due = earlier(due, h->life_since + QUIETING_MOST_MS);
  if (h->life == LIFE_ENDING) due = earlier(due, ending_due(&h->ending));
  if (h->life == LIFE_LEAVING) due = earlier(due, h->life_since + LEAVING_MOST_MS);
  return due;
}

bool life_is_over(const struct holder *h, int64_t now) {
  if (h->life < LIFE_LEAVING) return false;
  return h->client_count == 0 || now >= h->life_since + LEAVING_MOST_MS;
}
