/* tree_count N: lists and signals a chain of N processes as the holder does, and says how often it read about them in
   /proc: `listed N reads R`. The processes of others, which every list reads once, are not counted. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PIDS = 4 * 1024 * 1024 + 1 };
static unsigned short reads[MOST_PIDS];

static int counted_open(const char *path, int flags) {
  int pid;
  char rest;
  if (sscanf(path, "/proc/%d/sta%c", &pid, &rest) == 2 && pid > 0 && pid < MOST_PIDS) reads[pid]++;
  return open(path, flags);
}

#define open counted_open
#include "../tree.c"
#undef open

static void start_chain(int left) {
  int ready[2];
  char word;
  if (pipe(ready) < 0) exit(1);
  pid_t first = fork();
  if (first == 0) {
    for (alarm(120); --left > 0 && fork() == 0;) alarm(120);
    if (left == 0 && write(ready[1], "r", 1) < 0) _exit(1);
    for (;;) pause();
  }
  close(ready[1]);
  if (first < 0 || read(ready[0], &word, 1) != 1) exit(1);
}

static void end_all(const struct process_list *list) {
  for (size_t i = 0; i < list->count; i++) tree_signal(&list->items[i], SIGKILL);
  while (wait(NULL) > 0) continue;
}

int main(int argc, char **argv) {
  struct process_list list = {0};
  unsigned long total = 0;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  start_chain(argc > 1 ? atoi(argv[1]) : 1);
  tree_list(&list);
  // The signal 0 changes nothing: every process is still there when the next one is looked at.
  for (size_t i = 0; i < list.count; i++) tree_signal(&list.items[i], 0);
  for (size_t i = 0; i < list.count; i++) total += reads[list.items[i].pid];
  printf("listed %zu reads %lu\n", list.count, total);
  end_all(&list);
  process_list_free(&list);
  return 0;
}
