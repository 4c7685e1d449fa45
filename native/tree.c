#include "tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEEPEST = 4096 };
static const unsigned STRANGER = UINT_MAX;

bool process_read(pid_t pid, struct process *out) {
  char path[64], stat[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t length = read(fd, stat, sizeof stat - 1);
  close(fd);
  if (length <= 0) return false;
  stat[length] = 0;
  // The command in parentheses may hold spaces and parentheses of its own: fields count from the last one.
  char *fields = strrchr(stat, ')');
  int parent;
  out->pid = pid;
  if (!fields || sscanf(fields + 1,
                        " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d %*d %llu",
                        &out->state, &parent, &out->threads, &out->start_time) != 4)
    return false;
  out->parent = parent;
  out->depth = 0;
  out->parent_start = 0;
  return true;
}

bool process_is_interactive_shell(pid_t pid) {
  static const unsigned long long ignored = 1ULL << (SIGTERM - 1) | 1ULL << (SIGTSTP - 1) | 1ULL << (SIGTTOU - 1);
  char path[64], line[256];
  unsigned long long mask = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *status = fopen(path, "re");
  if (!status) return false;
  while (fgets(line, sizeof line, status) && sscanf(line, "SigIgn: %llx", &mask) != 1) continue;
  fclose(status);
  return (mask & ignored) == ignored;
}

/* One whose first thread has left shows as a zombie while its others run. */
static bool is_gone(const struct process *p) { return p->state == 'X' || (p->state == 'Z' && p->threads < 2); }

static void add(struct process_list *list, const struct process *process) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? list->capacity * 2 : 256;
    list->items = realloc(list->items, list->capacity * sizeof *list->items);
    if (!list->items) abort();
  }
  list->items[list->count++] = *process;
}

void process_list_free(struct process_list *list) {
  free(list->items);
  *list = (struct process_list){0};
}

static int by_pid(const void *a, const void *b) {
  pid_t left = ((const struct process *)a)->pid, right = ((const struct process *)b)->pid;
  return (left > right) - (left < right);
}

static void list_all(struct process_list *out) {
  DIR *proc = opendir("/proc");
  if (!proc) return;
  for (struct dirent *entry; (entry = readdir(proc));) {
    struct process process;
    if (isdigit((unsigned char)entry->d_name[0]) && process_read(atoi(entry->d_name), &process)) add(out, &process);
  }
  closedir(proc);
  if (out->count > 0) qsort(out->items, out->count, sizeof *out->items, by_pid);
}

static int by_depth(const void *a, const void *b) {
  unsigned left = ((const struct process *)a)->depth, right = ((const struct process *)b)->depth;
  return (left > right) - (left < right);
}

/* Each is looked at once, however deep the tree is. What is being looked at counts as a stranger: two that name each other
   as parents, as a pid that is used again can make it seem, come to an end. */
static unsigned find_depth(const struct process_list *all, struct process *process) {
  if (process->depth > 0) return process->depth;
  process->depth = STRANGER;
  if (process->parent == getpid()) return process->depth = 1;
  struct process key = {.pid = process->parent};
  struct process *parent = bsearch(&key, all->items, all->count, sizeof key, by_pid);
  if (!parent || find_depth(all, parent) == STRANGER) return STRANGER;
  process->parent_start = parent->start_time;
  return process->depth = parent->depth + 1;
}

void tree_list(struct process_list *out) {
  struct process_list all = {0};
  out->count = 0;
  list_all(&all);
  for (size_t i = 0; i < all.count; i++)
    if (find_depth(&all, &all.items[i]) != STRANGER && !is_gone(&all.items[i])) add(out, &all.items[i]);
  if (out->count > 0) qsort(out->items, out->count, sizeof *out->items, by_depth);
  process_list_free(&all);
}

/* A parent that was listed as a descendant and is still the same one is one still: nobody leaves a subreaper. Otherwise
   all ancestors are looked at. */
static bool descends_from_us(const struct process *listed) {
  struct process now, parent;
  pid_t self = getpid();
  if (!process_read(listed->pid, &now) || now.start_time != listed->start_time) return false;
  bool has_same_parent = now.parent == listed->parent && now.parent != self;
  if (has_same_parent && process_read(now.parent, &parent) && parent.start_time == listed->parent_start) return true;
  for (int depth = 0; depth < DEEPEST && now.parent > 1; depth++) {
    if (now.parent == self) return true;
    if (!process_read(now.parent, &now)) return false;
  }
  return false;
}

void tree_signal(const struct process *process, int signal) {
  int handle = (int)syscall(SYS_pidfd_open, process->pid, 0);
  // Looked at after the handle was taken: what is seen is what the handle holds, or the signal finds nobody.
  if (handle < 0 && errno != ENOSYS) return;
  if (descends_from_us(process)) {
    if (handle >= 0) syscall(SYS_pidfd_send_signal, handle, signal, NULL, 0);
    else kill(process->pid, signal);
  }
  if (handle >= 0) close(handle);
}

static void signal_listed_children(int signal) {
  struct process_list list = {0};
  tree_list(&list);
  for (size_t i = 0; i < list.count; i++)
    if (list.items[i].parent == getpid()) kill(list.items[i].pid, signal);
  process_list_free(&list);
}

void tree_signal_children(int signal) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *children = fopen(path, "re");
  // Kernels without CONFIG_PROC_CHILDREN lack the file.
  if (!children) return signal_listed_children(signal);
  for (int pid; fscanf(children, "%d", &pid) == 1;) kill(pid, signal);
  fclose(children);
}
