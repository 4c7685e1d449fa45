#include "listener.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAITING_MAX = 64, LISTEN_AGAIN_MS = 1000 };

int listener_open(int folder) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  // Through the open folder: its own path may be longer than the 107 bytes of an address.
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/socket", folder);
  unlinkat(folder, "socket", 0);
  mode_t mask = umask(0177);
  int result = bind(fd, (struct sockaddr *)&address, sizeof address);
  umask(mask);
  if (result == 0 && listen(fd, WAITING_MAX) == 0) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static void add_client(struct holder *h, int fd) {
  struct client *c = h->client_count < CLIENTS_MAX ? calloc(1, sizeof *c) : NULL;
  if (!c) {
    close(fd);
    return;
  }
  c->fd = fd;
  c->id = ++h->last_client_id;
  h->clients[h->client_count++] = c;
}

void listener_accept(struct holder *h, int64_t now) {
  for (;;) {
    int fd = accept4(h->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      add_client(h, fd);
      continue;
    }
    // Without a free descriptor the one who knocks stays, and polling would spin.
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) h->listen_again = now + LISTEN_AGAIN_MS;
    return;
  }
}

void listener_close(struct holder *h) {
  if (h->listener < 0) return;
  close(h->listener);
  h->listener = -1;
  unlinkat(h->folder, "socket", 0);
}
