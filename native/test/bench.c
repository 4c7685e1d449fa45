/* bench flood BYTES [SOCKET] | bench echo KEYS [SOCKET]: how long an agent's output takes, and a key's way there and
   back, through a bare terminal that is read and thrown away or, with a socket, through a holder as its one viewer.
   bench flood-attach BYTES ATTACH DIR | bench echo-attach KEYS ATTACH DIR: the same through a bare terminal in which
   the attach client shows the session of a folder.
   The agent at the other end has to be `probe flood-on-key BYTES` or `probe raw-echo`. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

struct line {
  int fd;
  bool is_holder;
};

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void send_frame(int fd, char type, const char *payload, uint32_t length) {
  char frame[256] = {type, (char)length, (char)(length >> 8), 0, 0};
  memcpy(frame + 5, payload, length);
  if (write(fd, frame, 5 + length) < 0) exit(1);
}

static struct line connect_holder(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  static const char hello[] = "{\"role\":\"view\",\"types\":true,\"from\":null}";
  struct line line = {socket(AF_UNIX, SOCK_STREAM, 0), true};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  if (connect(line.fd, (struct sockaddr *)&address, sizeof address) != 0) exit(1);
  send_frame(line.fd, 'H', hello, sizeof hello - 1);
  usleep(100000);
  return line;
}

static struct line start_bare(char *const command[]) {
  struct line line = {posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), false};
  if (line.fd < 0 || grantpt(line.fd) != 0 || unlockpt(line.fd) != 0) exit(1);
  if (fork() == 0) {
    setsid();
    int slave = open(ptsname(line.fd), O_RDWR);
    for (int fd = 0; fd <= 2; fd++) dup2(slave, fd);
    ioctl(0, TIOCSCTTY, 0);
    execv(command[0], command);
    _exit(127);
  }
  usleep(100000);
  return line;
}

static void press(const struct line *line) {
  if (line->is_holder) send_frame(line->fd, 'I', "k", 1);
  else if (write(line->fd, "k", 1) != 1) exit(1);
}

static void read_fully(int fd, uint8_t *out, size_t length) {
  while (length > 0) {
    ssize_t got = read(fd, out, length);
    if (got <= 0) exit(1);
    out += got;
    length -= (size_t)got;
  }
}

/* The number of the agent's bytes in the next frame or read. */
static size_t take(const struct line *line) {
  static uint8_t bytes[1 << 20];
  if (!line->is_holder) {
    ssize_t got = read(line->fd, bytes, sizeof bytes);
    return got > 0 ? (size_t)got : 0;
  }
  uint8_t header[5];
  read_fully(line->fd, header, sizeof header);
  size_t length = header[1] | (size_t)header[2] << 8 | (size_t)header[3] << 16;
  read_fully(line->fd, bytes, length);
  return header[0] == 'O' ? length - 8 : 0;
}

static void drain(const struct line *line) {
  struct pollfd in = {.fd = line->fd, .events = POLLIN};
  while (poll(&in, 1, 50) > 0) take(line);
}

static int by_size(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void bench_flood(const struct line *line, size_t total) {
  drain(line);
  double start = now_us();
  press(line);
  for (size_t seen = 0; seen < total;) seen += take(line);
  printf("%.1f ms\n", (now_us() - start) / 1e3);
}

static void bench_echo(const struct line *line, int keys) {
  double *times = calloc((size_t)keys, sizeof *times);
  drain(line);
  for (int i = 0; i < keys; i++) {
    double start = now_us();
    press(line);
    while (take(line) == 0) continue;
    times[i] = now_us() - start;
    usleep(200);
  }
  qsort(times, (size_t)keys, sizeof *times, by_size);
  printf("p50 %.0f us, p99 %.0f us\n", times[keys / 2], times[keys * 99 / 100]);
}

int main(int argc, char **argv) {
  char probe[512] = "";
  if (argc < 3 || readlink("/proc/self/exe", probe, sizeof probe - 8) < 0) return 2;
  strcpy(strrchr(probe, '/'), "/probe");
  bool is_flood = strncmp(argv[1], "flood", 5) == 0, is_attach = strstr(argv[1], "-attach") != NULL;
  if (is_attach && argc < 5) return 2;
  char *const alone[] = {probe, is_flood ? "flood-on-key" : "raw-echo", argv[2], NULL};
  char *const attached[] = {argv[3], "--dir", is_attach ? argv[4] : NULL, NULL};
  bool is_direct = argc > 3 && !is_attach;
  struct line line = is_direct ? connect_holder(argv[3]) : start_bare(is_attach ? attached : alone);
  if (is_flood) bench_flood(&line, (size_t)atol(argv[2]));
  else bench_echo(&line, atoi(argv[2]));
  return 0;
}
