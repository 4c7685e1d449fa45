#ifndef VIEW_H
#define VIEW_H
#include <stdbool.h>
#include <stdint.h>

#include "../buffer.h"
#include "filter.h"
#include "keys.h"
#include "link.h"
#include "notice.h"
#include "options.h"
#include "terminal.h"

enum { EXIT_DETACHED = 0, EXIT_BAD_USAGE = 2, EXIT_ENDED = 10, EXIT_NO_HOLDER = 12 };

/* A session's terminal, shown in the user's. */
struct view {
  const struct attach_options *options;
  struct terminal *terminal;
  int folder, signals;
  bool is_over;
  int result;

  struct link link;
  // The one that the screen was drawn from, until a new one that is to draw it again is greeted.
  struct link before;
  int64_t redraw_at;
  // The connection's first status has come.
  bool is_greeted;
  // Any ever has: the terminal is in use.
  bool has_begun;
  int64_t connect_at;
  int failures;

  int64_t you, typist;
  // Asked for at the next greeting.
  bool wants_to_type;
  bool is_dropping_paste;
  struct keys keys;
  int64_t keys_due;

  struct buffer snapshot;
  // Bytes of `out` before this offset are old: their queries had their answers or will never get one.
  uint64_t replay_until, shown_until;
  struct filter filter;
  struct buffer screen;
  int64_t last_output, ended_at;
  struct notice notice;
};

/* Shows the session until the user detaches, it ends, or the terminal goes. Returns the exit code. */
int view_run(const struct attach_options *options, struct terminal *terminal);

void view_leave(struct view *v, int result);

/* Draws the screen anew over a second connection, which takes the typing along: nobody else gets it in between. */
void view_redraw(struct view *v);

static inline bool view_types(const struct view *v) { return v->is_greeted && v->typist == v->you; }
#endif
