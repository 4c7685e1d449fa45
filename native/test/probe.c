/* probe WHAT [ARGUMENT]: an agent that shows what its holder made for it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void put(const void *bytes, size_t length) {
  const char *at = bytes;
  while (length > 0) {
    ssize_t written = write(1, at, length);
    if (written < 0) _exit(9);
    at += written;
    length -= (size_t)written;
  }
}

/* Or nearly: a failed test must leave nothing. */
static _Noreturn void wait_for_ever(void) {
  alarm(120);
  for (;;) pause();
}

static void say(const char *text) { put(text, strlen(text)); }

static void raw_mode(void) {
  struct termios modes;
  if (tcgetattr(0, &modes) != 0) return;
  cfmakeraw(&modes);
  tcsetattr(0, TCSANOW, &modes);
}

static size_t from_hex(const char *hex, unsigned char *out) {
  size_t length = strlen(hex) / 2;
  for (size_t i = 0; i < length; i++) sscanf(hex + 2 * i, "%2hhx", &out[i]);
  return length;
}

static void say_hex(const unsigned char *bytes, size_t length) {
  char hex[3];
  say("heard ");
  for (size_t i = 0; i < length; i++) {
    snprintf(hex, sizeof hex, "%02x", bytes[i]);
    say(hex);
  }
  say("\r\n");
}

/* What comes within a time, and all that follows it closely. */
static size_t hear(unsigned char *out, size_t size, int first_ms) {
  struct pollfd in = {.fd = 0, .events = POLLIN};
  size_t length = 0;
  while (length < size && poll(&in, 1, length ? 30 : first_ms) > 0) {
    ssize_t got = read(0, out + length, size - length);
    if (got <= 0) break;
    length += (size_t)got;
  }
  return length;
}

static int show_terminal(void) {
  char line[256];
  struct winsize size = {0};
  ioctl(0, TIOCGWINSZ, &size);
  int own = open("/dev/tty", O_RDWR);
  snprintf(line, sizeof line, "tty=%d%d%d own=%d leader=%d front=%d size=%dx%d term=%s\n", isatty(0), isatty(1),
           isatty(2), own >= 0, getsid(0) == getpid(), tcgetpgrp(0) == getpid(), size.ws_col, size.ws_row,
           getenv("TERM"));
  say(line);
  return 0;
}

static int show_signals(void) {
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, "SigBlk", 6) == 0 || strncmp(line, "SigIgn", 6) == 0) say(line);
  return 0;
}

static int show_descriptors(void) {
  DIR *folder = opendir("/proc/self/fd");
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(folder)) continue;
    say(entry->d_name);
    say(" ");
  }
  return 0;
}

static int ask(const char *hex) {
  unsigned char question[512], answer[512];
  raw_mode();
  put(question, from_hex(hex, question));
  say_hex(answer, hear(answer, sizeof answer, 500));
  return 0;
}

/* The same bytes again and again, each time cut at another place. */
static int ask_split(const char *hex) {
  unsigned char question[512], answer[512];
  size_t length = from_hex(hex, question);
  raw_mode();
  for (size_t cut = 1; cut < length; cut++) {
    put(question, cut);
    usleep(3000);
    put(question + cut, length - cut);
    say_hex(answer, hear(answer, sizeof answer, 2000));
  }
  return 0;
}

static int say_split(const char *hex) {
  unsigned char bytes[512];
  size_t length = from_hex(hex, bytes);
  raw_mode();
  for (size_t cut = 1; cut < length; cut++) {
    put(bytes, cut);
    usleep(3000);
    put(bytes + cut, length - cut);
  }
  return 0;
}

/* Takes so many bytes and shows them. */
static int take(const char *count) {
  size_t wanted = (size_t)atol(count), length = 0;
  unsigned char *bytes = malloc(wanted);
  raw_mode();
  say("ready\r\n");
  while (length < wanted) {
    ssize_t got = read(0, bytes + length, wanted - length);
    if (got <= 0) return 1;
    length += (size_t)got;
  }
  say_hex(bytes, length);
  return 0;
}

static void show_size(int number) {
  struct winsize size = {0};
  char line[32];
  (void)number;
  ioctl(0, TIOCGWINSZ, &size);
  snprintf(line, sizeof line, "%dx%d\n", size.ws_col, size.ws_row);
  say(line);
}

static int follow_size(void) {
  signal(SIGWINCH, show_size);
  show_size(0);
  wait_for_ever();
}

/* Bytes that the test can compute too: what is at an offset depends on nothing else. */
static int flood(const char *count, const char *where) {
  static unsigned char block[65536];
  size_t total = (size_t)atol(count);
  if (where) dup2(2, 1);
  raw_mode();
  for (size_t offset = 0; offset < total;) {
    size_t length = total - offset < sizeof block ? total - offset : sizeof block;
    for (size_t i = 0; i < length; i++) block[i] = (unsigned char)(32 + ((offset + i) * 7 + ((offset + i) >> 8)) % 95);
    put(block, length);
    offset += length;
  }
  return 0;
}

/* The same once somebody presses a key. */
static int flood_on_key(const char *count) {
  char key;
  raw_mode();
  return read(0, &key, 1) == 1 ? flood(count, NULL) : 1;
}

static int echo(void) {
  unsigned char bytes[65536];
  for (ssize_t got; (got = read(0, bytes, sizeof bytes)) > 0;) put(bytes, (size_t)got);
  say("eof\n");
  return 0;
}

static int raw_echo(void) {
  raw_mode();
  return echo();
}

static void speak_last(int number) {
  char line[64];
  for (int i = 0; i < 20000; i++) {
    snprintf(line, sizeof line, "last word %05d\n", i);
    say(line);
  }
  _exit(7);
  (void)number;
}

static int last_words(void) {
  signal(SIGTERM, speak_last);
  say("ready\n");
  wait_for_ever();
}

/* Leaves a child that has the terminal open. */
static int leave_child(void) {
  // The kernel hangs up on the group of a leader that leaves.
  signal(SIGHUP, SIG_IGN);
  if (fork() == 0) wait_for_ever();
  say("leaving\n");
  return 5;
}

static void come_back(int number) {
  (void)number;
  int terminal = open("/dev/tty", O_RDWR);
  if (write(terminal, "back\n", 5) < 0) _exit(1);
  close(terminal);
}

/* Closes the terminal and lives on. */
static int close_terminal(void) {
  signal(SIGUSR1, come_back);
  signal(SIGHUP, SIG_IGN);
  say("closing\n");
  for (int fd = 0; fd <= 2; fd++) close(fd);
  wait_for_ever();
}

/* Orphans without end: each is the holder's to reap. */
static int orphans(const char *count) {
  for (int i = 0; i < atoi(count); i++) {
    if (fork() == 0) {
      if (fork() == 0) _exit(0);
      _exit(0);
    }
    wait(NULL);
  }
  say("done\n");
  wait_for_ever();
}

static int leave(const char *code) {
  say("said before leaving\n");
  return atoi(code);
}

/* A set-uid program of another user: this is out of reach for who started it. */
static int become_root(void) {
  if (setuid(0) != 0) return 1;
  say("ready\n");
  wait_for_ever();
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "", *argument = argc > 2 ? argv[2] : "0";
  if (strcmp(what, "terminal") == 0) return show_terminal();
  if (strcmp(what, "signals") == 0) return show_signals();
  if (strcmp(what, "descriptors") == 0) return show_descriptors();
  if (strcmp(what, "ask") == 0) return ask(argument);
  if (strcmp(what, "ask-split") == 0) return ask_split(argument);
  if (strcmp(what, "say-split") == 0) return say_split(argument);
  if (strcmp(what, "take") == 0) return take(argument);
  if (strcmp(what, "size") == 0) return follow_size();
  if (strcmp(what, "flood") == 0) return flood(argument, argc > 3 ? argv[3] : NULL);
  if (strcmp(what, "flood-on-key") == 0) return flood_on_key(argument);
  if (strcmp(what, "echo") == 0) return echo();
  if (strcmp(what, "raw-echo") == 0) return raw_echo();
  if (strcmp(what, "last-words") == 0) return last_words();
  if (strcmp(what, "leave-child") == 0) return leave_child();
  if (strcmp(what, "close-terminal") == 0) return close_terminal();
  if (strcmp(what, "orphans") == 0) return orphans(argument);
  if (strcmp(what, "leave") == 0) return leave(argument);
  if (strcmp(what, "become-root") == 0) return become_root();
  return 2;
}
