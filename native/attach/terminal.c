#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../clock.h"

enum { LEAVE_MOST_MS = 500 };

/* A description of its own: not to block must not become the mode of the shell's, which all its programs share. */
static int open_again(int fd) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int again = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (again >= 0) return again;
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

static void open_again_both(struct terminal *t) {
  t->in = open_again(STDIN_FILENO);
  t->out = open_again(STDOUT_FILENO);
}

bool terminal_open(struct terminal *t) {
  t->traces = mmap(NULL, sizeof *t->traces, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t->traces == MAP_FAILED || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &t->before) != 0) return false;
  // Changes nothing, but in the background it stops this process until it is brought to the front.
  while (tcsetattr(STDIN_FILENO, TCSANOW, &t->before) != 0 && errno == EINTR) continue;
  t->in_flags = fcntl(STDIN_FILENO, F_GETFL);
  t->out_flags = fcntl(STDOUT_FILENO, F_GETFL);
  open_again_both(t);
  return true;
}

void terminal_enter(struct terminal *t) {
  struct termios raw = t->before;
  cfmakeraw(&raw);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  t->traces->is_raw = true;
  tcsetattr(t->in, TCSANOW, &raw);
}

static void write_patiently(const struct terminal *t, struct buffer *bytes) {
  const int64_t last = clock_ms() + LEAVE_MOST_MS;
  while (terminal_write(t, bytes) && bytes->length > 0) {
    int64_t left = last - clock_ms();
    struct pollfd out = {.fd = t->out, .events = POLLOUT};
    if (left <= 0 || poll(&out, 1, (int)left) == 0) return;
  }
}

/* Whoever has the line now may have set it for himself: a shell does as soon as its job is gone. */
static bool is_still_ours(const struct terminal *t) {
  struct termios now;
  return tcgetattr(t->in, &now) == 0 && !(now.c_lflag & (ICANON | ECHO | ISIG));
}

void terminal_leave(struct terminal *t) {
  struct buffer reset = {0};
  if (t->traces->is_raw) {
    modes_reset(t->traces->screens, &reset);
    modes_fresh_line(t->traces->screens, &reset);
    write_patiently(t, &reset);
    buffer_free(&reset);
    if (is_still_ours(t)) {
      // Reports and answers that are on their way would be typed into the shell.
      tcflush(t->in, TCIFLUSH);
      tcsetattr(t->in, TCSANOW, &t->before);
    }
    t->traces->is_raw = false;
  }
  if (t->in == STDIN_FILENO) fcntl(STDIN_FILENO, F_SETFL, t->in_flags);
  if (t->out == STDOUT_FILENO) fcntl(STDOUT_FILENO, F_SETFL, t->out_flags);
}

bool terminal_is_foreground(const struct terminal *t) { return tcgetpgrp(t->in) == getpgrp(); }

bool terminal_size(const struct terminal *t, unsigned short *cols, unsigned short *rows) {
  struct winsize size = {0};
  if (ioctl(t->out, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return false;
  *cols = size.ws_col;
  *rows = size.ws_row;
  return true;
}

bool terminal_write(const struct terminal *t, struct buffer *bytes) {
  while (bytes->length > 0) {
    ssize_t written = write(t->out, buffer_bytes(bytes), bytes->length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno == EAGAIN;
    buffer_take(bytes, (size_t)written);
  }
  return true;
}
