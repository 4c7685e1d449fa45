#include "typing.h"

#include <sys/ioctl.h>

#include "events.h"

static void follow_size(struct holder *h) {
  const struct client *typist = h->typist;
  if (!typist || typist->cols == 0 || typist->rows == 0) return;
  if (typist->cols == h->cols && typist->rows == h->rows) return;
  struct winsize size = {.ws_col = typist->cols, .ws_row = typist->rows};
  if (!holder_has_terminal(h) || ioctl(h->agent.in, TIOCSWINSZ, &size) != 0) return;
  h->cols = typist->cols;
  h->rows = typist->rows;
  tell_resized(h);
}

void typing_take(struct holder *h, struct client *c) {
  c->may_type = true;
  c->typing_since = ++h->typing_count;
  typing_update(h);
}

void typing_update(struct holder *h) {
  struct client *newest = NULL;
  for (size_t i = 0; i < h->client_count; i++) {
    struct client *c = h->clients[i];
    if (c->role != ROLE_VIEW || !c->may_type || c->is_gone) continue;
    if (!newest || c->typing_since > newest->typing_since) newest = c;
  }
  if (newest == h->typist) return;
  h->typist = newest;
  follow_size(h);
  tell_typist(h);
}

void typing_resize(struct holder *h, struct client *c, unsigned short cols, unsigned short rows) {
  c->cols = cols;
  c->rows = rows;
  if (c == h->typist) follow_size(h);
  else tell_refused(c, 'R', "not_typist");
}
