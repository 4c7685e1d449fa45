#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../clock.h"
#include "../json.h"
#include "from_holder.h"
#include "from_keyboard.h"
#include "snapshot.h"

enum { SLOT_SIGNALS, SLOT_IN, SLOT_OUT, SLOT_LINK, SLOTS };

enum {
  // A terminal that is so far behind is given time; if it takes too long the holder hangs up, and we begin anew.
  SCREEN_MAX = 256 * 1024,
  INPUT_MAX = 8 * 1024 * 1024,
  ESCAPE_MS = 50,
  RECONNECT_MS = 200,
  FAILURES_MAX = 10,
  // So long keys wait for a redraw; then the detach key works again, whatever the holder does.
  REDRAW_MOST_MS = 300,
  // After the agent's end its output is shown until it is silent. What its children do then is no part of it.
  SILENCE_MS = 300,
  ENDED_MOST_MS = 5000,
};

void view_leave(struct view *v, int result) {
  if (v->is_over) return;
  v->is_over = true;
  v->result = result;
}

static int open_signals(void) {
  static const int WANTED[] = {SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCONT};
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof WANTED / sizeof *WANTED; i++) sigaddset(&set, WANTED[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void add_number(struct buffer *json, const char *key, uint64_t number) {
  json_key(json, key);
  json_number(json, (int64_t)number);
}

static void send_json(struct view *v, char type, struct buffer *json) {
  json_end(json, '}');
  link_send(&v->link, type, buffer_bytes(json), json->length);
  buffer_free(json);
}

static void add_size(const struct view *v, struct buffer *json) {
  unsigned short cols, rows;
  if (v->options->is_watching || !terminal_size(v->terminal, &cols, &rows)) return;
  add_number(json, "cols", cols);
  add_number(json, "rows", rows);
}

static void greet(struct view *v) {
  struct buffer json = {0};
  uint64_t from = snapshot_read(v->folder, &v->snapshot);
  v->shown_until = from;
  json_begin(&json, '{');
  json_key(&json, "role");
  json_text(&json, "view");
  // An offset that the spool does not have any more counts as its lowest.
  add_number(&json, "from", from);
  json_key(&json, "types");
  json_bool(&json, v->wants_to_type);
  add_size(v, &json);
  send_json(v, 'H', &json);
}

static void send_size(struct view *v) {
  struct buffer json = {0};
  json_begin(&json, '{');
  add_size(v, &json);
  if (json.length > 1) send_json(v, 'R', &json);
  else buffer_free(&json);
}

static void hang_up(struct view *v, int64_t now) {
  if (v->is_greeted) v->wants_to_type = view_types(v);
  else v->failures++;
  link_close(&v->link);
  link_close(&v->before);
  v->is_greeted = false;
  v->connect_at = v->failures > 0 ? now + RECONNECT_MS : now;
  buffer_free(&v->snapshot);
}

void view_redraw(struct view *v) {
  struct link link;
  if (!v->is_greeted || link_open(&link, v->folder) != 0) return;
  v->wants_to_type = view_types(v);
  v->before = v->link;
  v->link = link;
  v->is_greeted = false;
  v->redraw_at = clock_ms();
  greet(v);
}

static bool is_redrawing(const struct view *v, int64_t now) {
  return link_is_open(&v->before) && now < v->redraw_at + REDRAW_MOST_MS;
}

static void give_up(struct view *v, const char *reason) {
  bool has_ended = v->has_begun && faccessat(v->folder, "exit.json", F_OK, 0) == 0;
  if (!v->has_begun) fprintf(stderr, "rollcall-attach: no session runs in %s (%s)\n", v->options->dir, reason);
  view_leave(v, has_ended ? EXIT_ENDED : EXIT_NO_HOLDER);
}

static void connect_holder(struct view *v, int64_t now) {
  int error = link_open(&v->link, v->folder);
  if (error == 0) return greet(v);
  if (error != EAGAIN || ++v->failures >= FAILURES_MAX) return give_up(v, strerror(error));
  v->connect_at = now + RECONNECT_MS;
}

/* The connection is lost. As long as the session lives it is made anew, once the terminal takes bytes again. */
static void lose_connection(struct view *v, int64_t now) {
  hang_up(v, now);
  if (v->ended_at > 0) return;
  buffer_free(&v->screen);
  if (v->failures >= FAILURES_MAX) give_up(v, "it hangs up");
}

/* Stopped and continued: others had the terminal meanwhile. */
static void resume(struct view *v) {
  if (!v->has_begun || !terminal_is_foreground(v->terminal)) return;
  terminal_enter(v->terminal);
  lose_connection(v, clock_ms());
}

static void take_signals(struct view *v) {
  struct signalfd_siginfo signal;
  while (read(v->signals, &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo == SIGWINCH) send_size(v);
    else if (signal.ssi_signo == SIGCONT) resume(v);
    else view_leave(v, EXIT_DETACHED);
  }
}

static void take_from_holder(struct view *v) {
  bool is_open = link_receive(&v->link);
  from_holder_take(v);
  if (!is_open) lose_connection(v, clock_ms());
}

/* Whoever restores the terminal must know of every screen that it may be on. */
static void write_screen(struct view *v) {
  struct traces *traces = v->terminal->traces;
  traces->screens |= v->filter.screens;
  if (!terminal_write(v->terminal, &v->screen)) return view_leave(v, EXIT_DETACHED);
  if (v->screen.length == 0) traces->screens = v->filter.screens;
}

static bool is_reconnecting(const struct view *v) { return !link_is_open(&v->link) && v->ended_at == 0; }

static int64_t escape_due(const struct view *v) {
  return filter_holds_escape(&v->filter) ? v->last_output + ESCAPE_MS : INT64_MAX;
}

static int64_t silent_at(const struct view *v) {
  return (v->last_output > v->ended_at ? v->last_output : v->ended_at) + SILENCE_MS;
}

static void step_end(struct view *v, int64_t now) {
  if (v->ended_at == 0) return;
  bool is_silent = !link_is_open(&v->link) || now >= silent_at(v);
  bool is_shown = is_silent && v->screen.length == 0;
  if (is_shown || now >= v->ended_at + ENDED_MOST_MS) view_leave(v, EXIT_ENDED);
}

static void settle(struct view *v) {
  int64_t now = clock_ms();
  if (now >= escape_due(v)) filter_flush(&v->filter, &v->screen);
  from_keyboard_step(v, now);
  notice_step(v, now);
  if (v->has_begun) write_screen(v);
  step_end(v, now);
}

static int timeout_of(const struct view *v, int64_t now) {
  int64_t due = v->keys_due < escape_due(v) ? v->keys_due : escape_due(v);
  if (notice_due(v) < due) due = notice_due(v);
  if (is_redrawing(v, now) && v->redraw_at + REDRAW_MOST_MS < due) due = v->redraw_at + REDRAW_MOST_MS;
  if (is_reconnecting(v) && v->connect_at > now && v->connect_at < due) due = v->connect_at;
  if (v->ended_at > 0 && silent_at(v) < due) due = silent_at(v);
  if (v->ended_at > 0 && now >= due) due = now + ESCAPE_MS;
  if (due == INT64_MAX) return -1;
  return due <= now ? 0 : (int)(due - now);
}

static void collect(const struct view *v, int64_t now, struct pollfd out[SLOTS]) {
  bool may_connect = is_reconnecting(v) && now >= v->connect_at;
  short from_holder = v->screen.length < SCREEN_MAX ? POLLIN : 0;
  short to_holder = v->link.out.length > 0 ? POLLOUT : 0;
  out[SLOT_SIGNALS] = (struct pollfd){.fd = v->signals, .events = POLLIN};
  // Until there is something to see the line is as it was, and Ctrl-C works.
  bool may_read = v->has_begun && v->link.out.length < INPUT_MAX && !is_redrawing(v, now);
  out[SLOT_IN] = (struct pollfd){.fd = may_read ? v->terminal->in : -1, .events = POLLIN};
  out[SLOT_OUT] = (struct pollfd){.fd = v->screen.length > 0 || may_connect ? v->terminal->out : -1, .events = POLLOUT};
  out[SLOT_LINK] = (struct pollfd){.fd = from_holder || to_holder ? v->link.fd : -1, .events = from_holder | to_holder};
}

static void dispatch(struct view *v, const struct pollfd polled[SLOTS]) {
  if (polled[SLOT_SIGNALS].revents) take_signals(v);
  if (polled[SLOT_IN].revents) from_keyboard_read(v);
  if (polled[SLOT_LINK].revents & POLLOUT) link_flush(&v->link);
  if (polled[SLOT_LINK].revents & ~POLLOUT && link_is_open(&v->link)) take_from_holder(v);
  bool is_due = is_reconnecting(v) && clock_ms() >= v->connect_at;
  if (polled[SLOT_OUT].revents & POLLOUT && is_due) connect_holder(v, clock_ms());
}

static void live(struct view *v) {
  while (!v->is_over) {
    struct pollfd polled[SLOTS];
    int64_t now = clock_ms();
    collect(v, now, polled);
    if (poll(polled, SLOTS, timeout_of(v, now)) < 0) continue;
    dispatch(v, polled);
    if (!v->is_over) settle(v);
  }
}

int view_run(const struct attach_options *options, struct terminal *terminal) {
  struct view v = {.options = options, .terminal = terminal, .link.fd = -1, .before.fd = -1, .typist = -1, .keys_due = INT64_MAX,
                   .keys.detach = options->detach_key, .wants_to_type = !options->is_watching};
  v.folder = open(options->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  v.signals = open_signals();
  if (v.folder < 0) give_up(&v, strerror(errno));
  else connect_holder(&v, clock_ms());
  live(&v);
  link_close(&v.link);
  link_close(&v.before);
  buffer_free(&v.snapshot);
  buffer_free(&v.screen);
  return v.result;
}
