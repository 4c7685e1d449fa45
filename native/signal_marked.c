#include "signal_marked.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tree.h"

enum { EXIT_BAD_USAGE = 2 };

static const char NAME[] = "ROLLCALL_SESSION=";

/* The next variable of an environment: those in /proc end in a NUL each. */
static bool next_variable(FILE *environ, char **line, size_t *capacity) {
  return getdelim(line, capacity, 0, environ) > 0;
}

static bool has_variable(const char *path, const char *marker) {
  FILE *environ = fopen(path, "re");
  if (!environ) return false;
  char *line = NULL;
  size_t capacity = 0;
  bool found = false;
  while (!found && next_variable(environ, &line, &capacity))
    found = strncmp(line, NAME, sizeof NAME - 1) == 0 && strcmp(line + sizeof NAME - 1, marker) == 0;
  free(line);
  fclose(environ);
  return found;
}

/* A process whose first thread has left shows its environment by its other threads alone. */
static bool carries(pid_t pid, const char *marker) {
  char path[320];
  snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
  if (has_variable(path, marker)) return true;
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *threads = opendir(path);
  if (!threads) return false;
  bool found = false;
  for (struct dirent *entry; !found && (entry = readdir(threads));) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/environ", (int)pid, entry->d_name);
    found = has_variable(path, marker);
  }
  closedir(threads);
  return found;
}

/* By its real user: that of a program with more rights than its caller. */
static bool is_own(pid_t pid) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *status = fopen(path, "re");
  if (!status) return false;
  unsigned owner;
  bool found = false;
  while (!found && fgets(line, sizeof line, status)) found = sscanf(line, "Uid: %u", &owner) == 1;
  fclose(status);
  return found && owner == geteuid();
}

/* The descriptor is taken first: what is looked at then is what is signalled, or is gone. */
static void signal_one(pid_t pid, unsigned long long start, const char *marker, int number) {
  int fd = (int)syscall(SYS_pidfd_open, pid, 0U);
  if (fd < 0) return;
  struct process found;
  if (process_read(pid, &found) && found.start_time == start && is_own(pid) && carries(pid, marker))
    syscall(SYS_pidfd_send_signal, fd, number, NULL, 0U);
  close(fd);
}

static bool read_process(const char *text, int *pid, unsigned long long *start) {
  char rest;
  return sscanf(text, "%d:%llu%c", pid, start, &rest) == 2 && *pid > 1;
}

static int signal_named(const char *name) {
  if (strcmp(name, "TERM") == 0) return SIGTERM;
  if (strcmp(name, "KILL") == 0) return SIGKILL;
  return strcmp(name, "CONT") == 0 ? SIGCONT : 0;
}

int signal_marked(int argc, char **argv) {
  int pid, number = signal_named(argv[2]);
  unsigned long long start;
  if (number == 0) return EXIT_BAD_USAGE;
  for (int i = 4; i < argc; i++)
    if (!read_process(argv[i], &pid, &start)) return EXIT_BAD_USAGE;
  for (int i = 4; i < argc; i++)
    if (read_process(argv[i], &pid, &start)) signal_one(pid, start, argv[3], number);
  return 0;
}
