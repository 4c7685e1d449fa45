/* escapes FOLDER [leave]: starts nine shapes of children that try to outlive their session; each writes its pid to
   FOLDER/<shape>. Then waits for its end, or leaves. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;
static const char *program;

/* A failed test must not leave them for ever. */
enum { AT_MOST_SECONDS = 120 };

static void stay(const char *shape) {
  char path[512], temp[520];
  snprintf(path, sizeof path, "%s/%s", folder, shape);
  snprintf(temp, sizeof temp, "%s.tmp", path);
  FILE *file = fopen(temp, "w");
  if (!file) _exit(1);
  fprintf(file, "%d", (int)getpid());
  fclose(file);
  rename(temp, path);
  alarm(AT_MOST_SECONDS);
  for (;;) pause();
}

static void plain(void) { stay("plain"); }

/* As a shell with job control does: a process group of its own that the shell forgets. */
static void disowned(void) {
  setpgid(0, 0);
  stay("disown");
}

static void nohup(void) {
  signal(SIGHUP, SIG_IGN);
  stay("nohup");
}

static void ignoring(void) {
  signal(SIGHUP, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  stay("ignore");
}

static void own_session(void) {
  setsid();
  stay("setsid");
}

static void double_fork(void) {
  setsid();
  if (fork() > 0) _exit(0);
  stay("double-fork");
}

/* As Node's `detached: true` with `stdio: "ignore"` and unref: a new session, a new program, no streams. */
static void detached(void) {
  setsid();
  int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; fd++) dup2(nothing, fd);
  execl(program, program, folder, "as", "detached", (char *)NULL);
}

static void without_environment(void) {
  char *const arguments[] = {(char *)program, (char *)folder, "as", "env-i", NULL};
  char *const empty[] = {NULL};
  setsid();
  execve(program, arguments, empty);
}

static void full_daemon(void) {
  char *const arguments[] = {(char *)program, (char *)folder, "as", "daemon", NULL};
  char *const empty[] = {NULL};
  setsid();
  if (fork() > 0) _exit(0);
  if (chdir("/") != 0) _exit(1);
  for (int fd = 0; fd < 64; fd++) close(fd);
  execve(program, arguments, empty);
}

static void (*const SHAPES[])(void) = {plain,       disowned, nohup,               ignoring,   own_session,
                                       double_fork, detached, without_environment, full_daemon};
static const char *const NAMES[] = {"plain",       "disown",   "nohup", "ignore", "setsid",
                                    "double-fork", "detached", "env-i", "daemon"};

static void wait_for_all(void) {
  for (int i = 0; i < 9; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, NAMES[i]);
    while (access(path, F_OK) != 0) usleep(1000);
  }
}

int main(int argc, char **argv) {
  char self[512] = "";
  if (argc < 2) return 2;
  folder = argv[1];
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  program = self;
  if (argc == 4 && strcmp(argv[2], "as") == 0) stay(argv[3]);
  for (int i = 0; i < 9; i++)
    if (fork() == 0) {
      SHAPES[i]();
      _exit(1);
    }
  wait_for_all();
  if (write(1, "ready\n", 6) < 0) return 1;
  if (argc > 2 && strcmp(argv[2], "leave") == 0) return 0;
  alarm(AT_MOST_SECONDS);
  for (;;) pause();
}
