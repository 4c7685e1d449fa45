#include "pause.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"

enum {
  ROUND_MS = 2,
  SLOW_ROUND_MS = 20,
  FAST_FOR_MS = 200,
  // Longer than any process needs that can be stopped at all.
  STOPPING_MOST_MS = 2000,
  CLEAN_SCANS = 2,
  TRIES_PER_ROUND = 16,
  CONTINUE_SCANS = 3,
};

static bool is_stopped(const struct process *p) { return p->state == 'T' || p->state == 't'; }

static bool has_stop_pending(pid_t pid) {
  char path[64], status[4096];
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, status, sizeof status - 1);
  if (fd >= 0) close(fd);
  status[length > 0 ? length : 0] = 0;
  const char *line = strstr(status, "\nShdPnd:");
  uint64_t pending = 0;
  return line && sscanf(line, "\nShdPnd: %" SCNx64, &pending) == 1 && (pending >> (SIGSTOP - 1) & 1);
}

/* One that waits in the kernel stops before it runs again. A parent in vfork waits so for a stopped child, for ever. */
static bool cannot_run(const struct process *p) {
  return is_stopped(p) || (p->state == 'D' && has_stop_pending(p->pid));
}

static bool has_running_parent(const struct process_list *list, const struct process *process) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].pid == process->parent) return !cannot_run(&list->items[i]);
  return false;
}

/* Parents first, and a child only when its parent was seen to be stopped: one that still ran would take notice of the
   child (a shell puts it into the background), or leave and make an orphaned group of it, to which the kernel sends
   HUP. One that cannot be stopped is not waited for without end. */
static unsigned stop_listed(bool is_patient) {
  struct process_list list = {0};
  unsigned running = 0;
  tree_list(&list);
  for (size_t i = 0; i < list.count; i++) {
    if (cannot_run(&list.items[i])) continue;
    running++;
    if (!is_patient || !has_running_parent(&list, &list.items[i])) tree_signal(&list.items[i], SIGSTOP);
  }
  process_list_free(&list);
  return running;
}

/* A process that forks and leaves faster than it is looked at is missed by every scan. Each hop makes an orphan, which
   becomes a direct child and is caught as such, and a death: two scans are a proof only if nobody died meanwhile. */
static void do_round(struct pause *p, int64_t now, unsigned deaths) {
  bool is_early = now - p->since < FAST_FOR_MS;
  p->missed = stop_listed(is_early);
  bool is_clean = p->missed == 0 && deaths == p->deaths;
  for (int i = 0; !is_clean && i < TRIES_PER_ROUND; i++) tree_signal_children(SIGSTOP);
  p->deaths = deaths;
  p->clean_scans = is_clean ? p->clean_scans + 1 : 0;
  p->next_round = now + (is_early ? ROUND_MS : SLOW_ROUND_MS);
}

void pause_begin(struct pause *p, int64_t now, unsigned deaths) {
  *p = (struct pause){.phase = PAUSE_STOPPING, .since = now, .deaths = deaths};
  do_round(p, now, deaths);
}

bool pause_step(struct pause *p, int64_t now, unsigned deaths) {
  if (p->phase != PAUSE_STOPPING || now < p->next_round) return false;
  do_round(p, now, deaths);
  if (p->clean_scans < CLEAN_SCANS && now - p->since < STOPPING_MOST_MS) return false;
  p->phase = PAUSE_HOLDS;
  return true;
}

int64_t pause_due(const struct pause *p) { return p->phase == PAUSE_STOPPING ? p->next_round : INT64_MAX; }

/* Children first: no parent sees a stopped child, which a shell would report and put into the background. */
static unsigned continue_round(bool is_first) {
  struct process_list list = {0};
  unsigned stopped = 0;
  tree_list(&list);
  for (size_t i = list.count; i-- > 0;) {
    if (is_stopped(&list.items[i])) stopped++;
    else if (!is_first) continue;
    tree_signal(&list.items[i], SIGCONT);
  }
  process_list_free(&list);
  return stopped;
}

void pause_continue(struct pause *p) {
  *p = (struct pause){0};
  for (int scan = 0; scan < CONTINUE_SCANS && continue_round(scan == 0) > 0; scan++) continue;
}
