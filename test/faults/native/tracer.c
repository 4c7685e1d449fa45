/* tracer PID: attaches to a process as a debugger does, stops it, says `traced`, and keeps it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  pid_t pid = argc > 1 ? atoi(argv[1]) : 0;
  int status;
  if (ptrace(PTRACE_SEIZE, pid, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, pid, 0, 0) != 0) return 1;
  if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) return 1;
  if (write(1, "traced\n", 7) < 0) return 1;
  alarm(120);
  // Sees its death, as a debugger would.
  while (waitpid(pid, &status, __WALL) == pid)
    if (WIFEXITED(status) || WIFSIGNALED(status)) return 0;
  return 0;
}
