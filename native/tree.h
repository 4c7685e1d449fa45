#ifndef TREE_H
#define TREE_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
  pid_t pid, parent;
  unsigned long long start_time;
  char state;
  int threads;
  // How many steps it is below this process.
  unsigned depth;
  // The start time of the parent when it was listed; 0 for a direct child.
  unsigned long long parent_start;
};

struct process_list {
  struct process *items;
  size_t count, capacity;
};

/* False when there is no such process (a zombie is one). */
bool process_read(pid_t pid, struct process *out);

/* The living descendants of this process, parents before their children, as /proc shows them: one that forks meanwhile
   may be missed. */
void tree_list(struct process_list *out);
void process_list_free(struct process_list *list);

/* Sends a signal, but only while the process is the one listed and still descends from this one. */
void tree_signal(const struct process *process, int signal);

/* Whether it is a shell that someone works in: these ignore the request to end, and the stops of a terminal too. */
bool process_is_interactive_shell(pid_t pid);

/* Signals the direct children. Only this process reaps them, so none of their pids can have a new owner. */
void tree_signal_children(int signal);
#endif
