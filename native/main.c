/* rollcall-holder: carries one agent's process, and outlives whoever started it. See README.md beside this file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guard.h"
#include "options.h"
#include "signal_marked.h"
#include "word.h"

enum { EXIT_BAD_USAGE = 2 };

static void fill_standard_streams(void) {
  int fd;
  do fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= 2);
  if (fd > 2) close(fd);
}

static void close_inherited(void) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return;
#endif
  long most = sysconf(_SC_OPEN_MAX);
  for (int fd = 3; fd < (most > 0 && most < 65536 ? most : 65536); fd++) close(fd);
}

/* An ignored SIGCHLD, as some callers leave behind, would make every exit status vanish. */
static void reset_signals(void) {
  sigset_t none;
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void leave_caller(void) {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  setsid();
  if (chdir("/") != 0) _exit(1);
  for (int fd = 0; fd <= 2; fd++) dup2(nothing, fd);
  close(nothing);
}

/* Passes on the word of those below; silence means that they died. */
static int pass_on_word(int fd) {
  char word[512];
  size_t length = 0;
  for (ssize_t got; length < sizeof word && (got = read(fd, word + length, sizeof word - length)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) length += (size_t)got;
  }
  static const char died[] = "{\"ok\":false,\"error\":\"DIED\",\"step\":\"holder\"}\n";
  if (length == 0) memcpy(word, died, length = sizeof died - 1);
  if (fwrite(word, 1, length, stdout) != length || fflush(stdout) != 0) return 1;
  return strncmp(word, "{\"ok\":true", 10) == 0 ? 0 : 1;
}

static int fail(const char *step) {
  int out = dup(1);
  word_failed(&out, step, errno);
  return 1;
}

int main(int argc, char **argv) {
  struct options options;
  const char *complaint;
  int word[2];
  fill_standard_streams();
  close_inherited();
  reset_signals();
  if (argc > 3 && strcmp(argv[1], "--signal") == 0) return signal_marked(argc, argv);
  if (!options_read(argc, argv, &options, &complaint)) {
    fprintf(stderr, "rollcall-holder: %s\n", complaint);
    return EXIT_BAD_USAGE;
  }
  struct start start = {.options = &options, .mask = umask(077)};
  if (options.umask >= 0) start.mask = (mode_t)options.umask;
  if ((start.folder = open(options.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) return fail("dir");
  if ((start.cwd = open(options.cwd, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) return fail("cwd");
  if (pipe2(word, O_CLOEXEC) != 0) return fail("pipe");
  pid_t guard = fork();
  if (guard < 0) return fail("fork");
  if (guard > 0) {
    close(word[1]);
    return pass_on_word(word[0]);
  }
  close(word[0]);
  leave_caller();
  start.word = word[1];
  return guard_run(&start);
}
