#ifndef CLIENT_H
#define CLIENT_H
#include <stdbool.h>
#include <stdint.h>

#include "buffer.h"
#include "frame.h"
#include "spool.h"

enum role { ROLE_NONE, ROLE_CONTROL, ROLE_VIEW };

enum { STREAM_OUT, STREAM_ERR, STREAMS };

enum {
  FRAME_MAX = 1024 * 1024,
  // A viewer that saw all, is this far behind and takes nothing for so long is dropped.
  CLIENT_BEHIND_MAX = 1024 * 1024,
  CLIENT_STUCK_MAX_MS = 2000,
  // An agent is not read further ahead of who is in control: its last words would stand behind all that.
  CONTROL_BEHIND_MAX = 1024 * 1024,
  // A daemon with many such agents needs a while to come round to each; one that is stopped is not waited for.
  CONTROL_STUCK_MAX_MS = 10000,
  // One that was told everything hangs up in a moment, unless it is stopped.
  CLIENT_PARTING_MAX_MS = 2000,
};

/* How far a client has come in one stream. It reads from the spool's files, so a slow one costs no memory. */
struct position {
  uint64_t offset;
  bool is_wanted;
  bool has_caught_up;
};

struct client {
  int fd;
  unsigned id;
  enum role role;
  bool may_type;
  // The newest that may type is the typist.
  uint64_t typing_since;
  unsigned short cols, rows;
  struct buffer in, out;
  struct position positions[STREAMS];
  // Its socket is full, since when.
  bool is_stuck;
  int64_t stuck_since;
  // It hears nothing any more, but what it sent before is still to be read.
  bool is_deaf;
  bool is_gone, is_waiting_for_room, was_told_last;
  // Since when it hears that nothing more will come; 0 before that.
  int64_t parting_since;
};

void client_free(struct client *c);

/* Reads what came; false when the client has left. */
bool client_receive(struct client *c);

void client_frame(struct client *c, char type, const void *payload, size_t length);

/* Hands on bytes that were just spooled at `offset`, without a way through the files if the client is up to date. */
void client_offer(struct client *c, int stream, uint64_t offset, const uint8_t *bytes, size_t length);

/* Sends what is queued and what the spools have, as far as the socket takes it. */
void client_pump(struct client *c, const struct spool *const spools[STREAMS]);

bool client_has_more(const struct client *c, const struct spool *const spools[STREAMS]);

/* Nothing more will be said; what it says until it hangs up is still read. To close at once would take from it what it
   was told and has not read yet, if it speaks meanwhile. */
void client_part(struct client *c, int64_t now);

/* Marks a viewer that is too slow as gone. One in control only jumps to where the spool begins. */
bool client_takes_nothing(const struct client *c, int64_t now);
/* Whether the agent has to wait for this client, which is in control, reads, and is far behind. */
bool client_holds_back(const struct client *c, const struct spool *const spools[STREAMS], int64_t now);
void client_check_behind(struct client *c, const struct spool *const spools[STREAMS], int64_t now);
#endif
