#include "notice.h"

#include "../clock.h"
#include "view.h"

enum {
  SHOWN_MS = 4000,
  // Output that may have been cut inside a character is given so long to go on.
  SETTLE_MS = 50,
  ASCII_LAST = 0x7f,
};

void notice_show(struct view *v, const char *text) {
  if (text) v->notice = (struct notice){.text = text, .until = clock_ms() + SHOWN_MS};
}

#define LOWEST_ROW "\0337\033[0m\033[?6l\033[999;1H"

void notice_hide(struct view *v) {
  if (v->notice.is_drawn) buffer_add_text(&v->screen, LOWEST_ROW "\033[2K\0338");
  v->notice.is_drawn = false;
}

void notice_remove(struct view *v) {
  if (!v->notice.text) return;
  notice_hide(v);
  v->notice.text = NULL;
  view_redraw(v);
}

static bool is_between_characters(const struct view *v, int64_t now) {
  if (v->filter.state != FILTER_GROUND) return false;
  return v->filter.previous <= ASCII_LAST || now >= v->last_output + SETTLE_MS;
}

static void draw(struct view *v) {
  buffer_add_text(&v->screen, LOWEST_ROW "\033[7m ");
  buffer_add_text(&v->screen, v->notice.text);
  buffer_add_text(&v->screen, " \033[0m\033[K\0338");
  v->notice.is_drawn = true;
}

void notice_step(struct view *v, int64_t now) {
  struct notice *n = &v->notice;
  if (!n->text || !v->is_greeted) return;
  if (now >= n->until && v->link.out.length > 0) n->until = now + SETTLE_MS;
  else if (now >= n->until) notice_remove(v);
  else if (!n->is_drawn && v->shown_until >= v->replay_until && is_between_characters(v, now)) draw(v);
}

int64_t notice_due(const struct view *v) {
  const struct notice *n = &v->notice;
  if (!n->text || !v->is_greeted) return INT64_MAX;
  int64_t settled = v->last_output + SETTLE_MS;
  return !n->is_drawn && v->shown_until >= v->replay_until && settled < n->until ? settled : n->until;
}
