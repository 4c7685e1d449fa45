#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* The agent's ends of its streams; for a terminal three times the same. */
struct ends {
  int in, out, err;
};

static int open_terminal(struct agent *a, const struct options *o, struct ends *theirs) {
  struct winsize size = {.ws_col = o->cols, .ws_row = o->rows};
  struct termios modes;
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return errno;
  a->in = a->out = master;
  if (grantpt(master) != 0 || unlockpt(master) != 0) return errno;
  // By the master and not by its path: /dev/pts may be another one here.
  int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) return errno;
  *theirs = (struct ends){slave, slave, slave};
  if (tcgetattr(slave, &modes) == 0) {
    modes.c_iflag |= IUTF8;
    tcsetattr(slave, TCSANOW, &modes);
  }
  ioctl(master, TIOCSWINSZ, &size);
  return fcntl(master, F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

static int open_pipes(struct agent *a, struct ends *theirs) {
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) != 0) return errno;
  theirs->in = in[0];
  a->in = in[1];
  if (pipe2(out, O_CLOEXEC) != 0) return errno;
  theirs->out = out[1];
  a->out = out[0];
  if (pipe2(err, O_CLOEXEC) != 0) return errno;
  theirs->err = err[1];
  a->err = err[0];
  fcntl(a->in, F_SETFL, O_NONBLOCK);
  fcntl(a->out, F_SETFL, O_NONBLOCK);
  fcntl(a->err, F_SETFL, O_NONBLOCK);
  return 0;
}

static void close_ends(const struct ends *ends) {
  if (ends->in >= 0) close(ends->in);
  if (ends->out >= 0 && ends->out != ends->in) close(ends->out);
  if (ends->err >= 0 && ends->err != ends->in) close(ends->err);
}

/* What our callers ignore or block is not the agent's business: `yes | head` must end quietly in it. */
static void reset_signals(void) {
  sigset_t none;
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become_agent(const struct options *o, struct agent_place place, struct ends ends, int verdict) {
  int error = 0;
  setsid();
  if (o->host == HOST_PTY && ioctl(ends.in, TIOCSCTTY, 0) != 0) error = errno;
  if (error == 0 && fchdir(place.cwd) != 0) error = errno;
  dup2(ends.in, 0);
  dup2(ends.out, 1);
  dup2(ends.err, 2);
  if (error == 0) {
    umask(place.mask);
    reset_signals();
    execvp(o->command[0], o->command);
    error = errno;
  }
  // If nobody reads it any more, the exit code says the rest.
  if (write(verdict, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

static void wait_at_gate(int gate) {
  char go;
  if (read(gate, &go, 1) != 1) _exit(126);
}

int agent_prepare(struct agent *a, const struct options *o, struct agent_place place) {
  struct ends theirs = {-1, -1, -1};
  int gate[2], verdict[2];
  *a = (struct agent){.pid = -1, .in = -1, .out = -1, .err = -1, .gate = -1, .verdict = -1};
  int error = o->host == HOST_PTY ? open_terminal(a, o, &theirs) : open_pipes(a, &theirs);
  if (error != 0) return error;
  if (pipe2(gate, O_CLOEXEC) != 0 || pipe2(verdict, O_CLOEXEC) != 0) return errno;
  a->pid = fork();
  if (a->pid == 0) {
    close(gate[1]);
    wait_at_gate(gate[0]);
    become_agent(o, place, theirs, verdict[1]);
  }
  error = a->pid < 0 ? errno : 0;
  close(gate[0]);
  close(verdict[1]);
  close_ends(&theirs);
  a->gate = gate[1];
  a->verdict = verdict[0];
  fcntl(a->verdict, F_SETFL, O_NONBLOCK);
  return error;
}

void agent_release(struct agent *a) {
  if (write(a->gate, "g", 1) == 1) close(a->gate);
  a->gate = -1;
}

int agent_verdict(struct agent *a) {
  int error = 0;
  ssize_t got = read(a->verdict, &error, sizeof error);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return -1;
  close(a->verdict);
  a->verdict = -1;
  return got == sizeof error ? error : 0;
}
