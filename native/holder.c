#include "holder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "events.h"
#include "files.h"
#include "holder_record.h"
#include "life.h"
#include "listener.h"
#include "messages.h"
#include "output.h"
#include "typing.h"
#include "word.h"

enum { SLOT_SIGNALS, SLOT_LISTENER, SLOT_VERDICT, SLOT_OUT, SLOT_ERR, SLOT_IN, SLOT_CLIENTS };
enum { SLOT_MAX = SLOT_CLIENTS + CLIENTS_MAX };

static struct pollfd polled[SLOT_MAX];
static struct holder the_holder;

static void spools_of(const struct holder *h, const struct spool *out[STREAMS]) {
  for (int i = 0; i < STREAMS; i++) out[i] = &h->streams[i].spool;
}

static int open_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGIO);
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Everything is in place, and holder.json written, before the command may run. Names the step that failed. */
static const char *prepare(struct holder *h, const struct start *start) {
  prctl(PR_SET_NAME, "rollcall-holder");
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return "subreaper";
  if ((h->signals = open_signals()) < 0) return "signals";
  if ((h->listener = listener_open(h->folder)) < 0) return "socket";
  control_file_open(&h->control, h->folder);
  file_reserve(h->folder);
  struct agent_place place = {start->cwd, start->mask};
  if ((errno = agent_prepare(&h->agent, h->options, place)) != 0) return "agent";
  close(start->cwd);
  spool_open(&h->streams[STREAM_OUT].spool, h->folder, "out");
  spool_open(&h->streams[STREAM_ERR].spool, h->folder, "err");
  h->streams[STREAM_OUT].fd = h->agent.out;
  h->streams[STREAM_ERR].fd = h->agent.err;
  if ((errno = holder_record_write(h->folder, h->options->host, h->guard, h->agent.pid)) != 0) return "holder.json";
  h->exit->agent = h->agent.pid;
  return NULL;
}

static int give_up(struct holder *h, const char *step) {
  int error = errno;
  listener_close(h);
  file_unreserve(h->folder);
  if (h->agent.pid > 0) {
    // It waits at the gate and has run nothing.
    kill(h->agent.pid, SIGKILL);
    waitpid(h->agent.pid, NULL, 0);
  }
  word_failed(&h->word, step, error);
  return 1;
}

static void set_poll(int index, int fd, short events) {
  polled[index] = (struct pollfd){.fd = events ? fd : -1, .events = events};
}

static size_t collect(struct holder *h, int64_t now) {
  const struct spool *spools[STREAMS];
  spools_of(h, spools);
  bool is_writing = h->input.waiting.length > 0 && !h->streams[STREAM_OUT].is_hung;
  short write_event = is_writing ? POLLOUT : 0;
  short out_events = output_is_wanted(h, STREAM_OUT) ? POLLIN : 0;
  set_poll(SLOT_SIGNALS, h->signals, POLLIN);
  set_poll(SLOT_LISTENER, h->listener, now >= h->listen_again ? POLLIN : 0);
  set_poll(SLOT_VERDICT, h->agent.verdict, POLLIN);
  set_poll(SLOT_OUT, h->streams[STREAM_OUT].fd, holder_has_terminal(h) ? out_events | write_event : out_events);
  set_poll(SLOT_ERR, h->streams[STREAM_ERR].fd, output_is_wanted(h, STREAM_ERR) ? POLLIN : 0);
  set_poll(SLOT_IN, holder_has_terminal(h) ? -1 : h->agent.in, write_event);
  for (size_t i = 0; i < h->client_count; i++) {
    const struct client *c = h->clients[i];
    short events = client_has_more(c, spools) ? POLLIN | POLLOUT : POLLIN;
    if (c->is_waiting_for_room) events = client_has_more(c, spools) ? POLLOUT : 0;
    set_poll((int)(SLOT_CLIENTS + i), c->fd, events);
  }
  return SLOT_CLIENTS + h->client_count;
}

static int64_t clients_due(const struct holder *h, int64_t now) {
  int64_t due = INT64_MAX;
  for (size_t i = 0; i < h->client_count; i++) {
    const struct client *c = h->clients[i];
    int64_t patience = c->role == ROLE_CONTROL ? CONTROL_STUCK_MAX_MS : CLIENT_STUCK_MAX_MS;
    int64_t stuck = c->stuck_since + patience, parted = c->parting_since + CLIENT_PARTING_MAX_MS;
    if (c->is_stuck && stuck > now && stuck < due) due = stuck;
    if (c->parting_since > 0 && parted < due) due = parted;
  }
  return due;
}

static int timeout_of(const struct holder *h, int64_t now) {
  int64_t due = life_due(h), output = output_due(h), clients = clients_due(h, now);
  if (output < due) due = output;
  if (clients < due) due = clients;
  if (h->control.look_again < due) due = h->control.look_again;
  if (h->listen_again > now && h->listen_again < due) due = h->listen_again;
  if (due == INT64_MAX) return -1;
  int64_t wait = due - now;
  return wait < 0 ? 0 : wait > 3600000 ? 3600000 : (int)wait;
}

static void look_at_control_file(struct holder *h) {
  int64_t grace = control_file_grace(&h->control, h->options->grace_ms);
  if (grace >= 0) life_end(h, grace);
}

static void take_signal(struct holder *h, uint32_t number) {
  if (number == SIGIO) look_at_control_file(h);
  else if (number != SIGCHLD) life_end(h, h->options->grace_ms);
}

static void take_signals(struct holder *h) {
  struct signalfd_siginfo signals[16];
  ssize_t got;
  while ((got = read(h->signals, signals, sizeof signals)) > 0)
    for (size_t i = 0; i < (size_t)got / sizeof *signals; i++) take_signal(h, signals[i].ssi_signo);
  life_reap(h);
}

static void take_from_client(struct holder *h, struct client *c, short events) {
  if (events & POLLOUT) c->is_stuck = false;
  if (!(events & ~POLLOUT)) return;
  if (!client_receive(c)) c->is_gone = true;
  else messages_handle(h, c);
}

static void write_input(struct holder *h) {
  struct input *input = &h->input;
  if (input->is_closed) return;
  bool is_open = h->streams[STREAM_OUT].is_hung || input_flush(input, h->agent.in);
  if (is_open && !(input->is_closing && input->waiting.length == 0)) return;
  buffer_free(&input->waiting);
  // A terminal's one descriptor is for reading too.
  if (holder_has_terminal(h)) return;
  close(h->agent.in);
  h->agent.in = -1;
  input->is_closed = true;
}

/* The last word to a client follows all output that it has still to get. One that is stopped is not awaited. */
static void say_goodbye(struct holder *h, struct client *c, const struct spool *const spools[STREAMS], int64_t now) {
  bool has_parted = c->parting_since > 0 && now >= c->parting_since + CLIENT_PARTING_MAX_MS;
  if (c->role == ROLE_NONE || has_parted || client_takes_nothing(c, now)) c->is_gone = true;
  if (c->is_gone || client_has_more(c, spools)) return;
  if (!c->was_told_last) tell_tree_to(h, c);
  c->was_told_last = true;
  client_pump(c, spools);
  if (!client_has_more(c, spools)) client_part(c, now);
}

static void serve_clients(struct holder *h, int64_t now) {
  const struct spool *spools[STREAMS];
  spools_of(h, spools);
  for (size_t i = 0; i < h->client_count; i++) {
    struct client *c = h->clients[i];
    if (c->is_waiting_for_room) messages_handle(h, c);
    client_check_behind(c, spools, now);
    client_pump(c, spools);
    if (h->life == LIFE_LEAVING) say_goodbye(h, c, spools, now);
  }
}

static void let_go(struct holder *h, size_t index) {
  struct client *c = h->clients[index];
  h->clients[index] = h->clients[--h->client_count];
  if (c->role == ROLE_VIEW) tell_attached(h, c, false);
  if (c == h->typist) typing_update(h);
  client_free(c);
  // A connection that waits for a descriptor can have this one.
  h->listen_again = 0;
}

static void dispatch(struct holder *h, size_t count, int64_t now) {
  if (polled[SLOT_SIGNALS].revents) take_signals(h);
  if (now >= h->control.look_again) look_at_control_file(h);
  if (polled[SLOT_VERDICT].revents && h->agent.verdict >= 0) life_take_verdict(h);
  if (polled[SLOT_OUT].revents & ~POLLOUT && output_is_wanted(h, STREAM_OUT)) output_read(h, STREAM_OUT);
  if (polled[SLOT_ERR].revents && output_is_wanted(h, STREAM_ERR)) output_read(h, STREAM_ERR);
  for (size_t i = SLOT_CLIENTS; i < count; i++)
    if (polled[i].revents) take_from_client(h, h->clients[i - SLOT_CLIENTS], polled[i].revents);
  if (polled[SLOT_LISTENER].revents) listener_accept(h, now);
}

static void settle(struct holder *h) {
  write_input(h);
  int64_t now = clock_ms();
  output_retry(h, now);
  life_step(h, now);
  if (h->life == LIFE_LEAVING) listener_close(h);
  serve_clients(h, now);
  for (size_t i = h->client_count; i-- > 0;)
    if (h->clients[i]->is_gone) let_go(h, i);
}

static void live(struct holder *h) {
  look_at_control_file(h);
  while (!life_is_over(h, clock_ms())) {
    int64_t now = clock_ms();
    size_t count = collect(h, now);
    if (poll(polled, count, timeout_of(h, now)) < 0 && errno != EINTR) abort();
    dispatch(h, count, clock_ms());
    settle(h);
  }
}

static void clean_up(struct holder *h) {
  listener_close(h);
  file_unreserve(h->folder);
  while (h->client_count > 0) client_free(h->clients[--h->client_count]);
  reports_free(&h->reports);
  buffer_free(&h->input.waiting);
  for (int i = 0; i < STREAMS; i++) {
    spool_sync(&h->streams[i].spool);
    free(h->streams[i].spool.starts);
  }
}

int holder_run(const struct start *start) {
  struct holder *h = &the_holder;
  h->options = start->options;
  h->folder = start->folder;
  h->word = start->word;
  h->exit = start->exit;
  h->guard = getppid();
  h->listener = -1;
  h->cols = h->options->cols;
  h->rows = h->options->rows;
  h->life_since = clock_ms();
  const char *failed = prepare(h, start);
  if (failed) return give_up(h, failed);
  agent_release(&h->agent);
  live(h);
  clean_up(h);
  return 0;
}
