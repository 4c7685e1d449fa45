#ifndef NOTICE_H
#define NOTICE_H
#include <stdbool.h>
#include <stdint.h>

struct view;

/* One line for the person, shown over the lowest row for a while or until a key. */
struct notice {
  // NULL: none is shown.
  const char *text;
  int64_t until;
  bool is_drawn;
};

/* NULL shows nothing. */
void notice_show(struct view *v, const char *text);

/* Makes way for output, which may scroll. */
void notice_hide(struct view *v);

/* Draws it where it is hidden, and takes it away when its time is over. */
void notice_step(struct view *v, int64_t now);

/* Takes it away and draws the screen anew. */
void notice_remove(struct view *v);

/* When `notice_step` is needed next; INT64_MAX for never. */
int64_t notice_due(const struct view *v);
#endif
