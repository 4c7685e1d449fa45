#ifndef HOLDER_H
#define HOLDER_H
#include <stdbool.h>
#include <stdint.h>

#include "agent.h"
#include "client.h"
#include "control_file.h"
#include "ending.h"
#include "exit_record.h"
#include "input.h"
#include "options.h"
#include "pause.h"
#include "reports.h"
#include "spool.h"
#include "watch.h"

enum { CLIENTS_MAX = 64 };

/* What the holder is about. Only forward, step by step, some left out. */
enum life {
  LIFE_STARTING,
  LIFE_RUNNING,
  // The agent is gone, its tree is not: its last output is awaited, then the rest is ended.
  LIFE_QUIETING,
  LIFE_KEEPING,
  LIFE_ENDING,
  // The tree is proven empty: its last output is awaited.
  LIFE_DRAINING,
  LIFE_LEAVING,
};

/* One of the agent's output streams. */
struct stream {
  int fd;
  // Nobody has the terminal open just now: asked again at `retry_at`, since polling would spin.
  bool is_hung;
  int64_t retry_at, retry_ms;
  // Read from a pipe but not yet spooled, because the disk is full.
  struct buffer unsaved;
  struct spool spool;
};

struct holder {
  const struct options *options;
  int folder, listener, signals, word;
  pid_t guard;
  enum life life;
  int64_t life_since, last_input, last_output, next_sync, retry_write, listen_again;
  unsigned short cols, rows;
  struct agent agent;
  struct stream streams[STREAMS];
  struct input input;
  struct control_file control;
  struct client *clients[CLIENTS_MAX];
  size_t client_count;
  unsigned last_client_id;
  uint64_t typing_count;
  struct client *typist;
  struct watch watch;
  uint64_t bell_offset;
  struct reports reports;
  struct ending ending;
  struct pause pause;
  unsigned deaths;
  struct exit_record *exit;
};

/* What the holder is given by those above it. */
struct start {
  const struct options *options;
  int folder, cwd, word;
  mode_t mask;
  struct exit_record *exit;
};

/* Lives as the holder and returns its exit code. */
int holder_run(const struct start *start);

static inline bool holder_has_terminal(const struct holder *h) { return h->options->host == HOST_PTY; }
static inline void holder_enter(struct holder *h, enum life life, int64_t now) {
  h->life = life;
  h->life_since = now;
}
#endif
