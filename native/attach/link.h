#ifndef LINK_H
#define LINK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../buffer.h"

/* The connection to a holder. */
struct link {
  int fd;
  struct buffer in, out;
  // The length of the frame that was read last and is still at the front.
  size_t read;
};

struct frame {
  char type;
  const uint8_t *payload;
  size_t length;
};

/* Connects to the socket of a session's folder. 0 or an errno. */
int link_open(struct link *l, int folder);
void link_close(struct link *l);
static inline bool link_is_open(const struct link *l) { return l->fd >= 0; }

/* Queues a frame and sends what the holder takes. */
void link_send(struct link *l, char type, const void *payload, size_t length);
void link_flush(struct link *l);

/* Reads what came; false when the holder has left. */
bool link_receive(struct link *l);

/* The next whole frame, if there is one; `link_next` again ends its life. */
bool link_next(struct link *l, struct frame *out);
#endif
