#ifndef EXIT_RECORD_H
#define EXIT_RECORD_H
#include <stdbool.h>
#include <sys/types.h>

#include "buffer.h"
#include "clock.h"

enum exit_reason { REASON_EXITED, REASON_ASKED, REASON_EXEC_FAILED, REASON_HOLDER_LOST };
enum tree_state { TREE_RUNNING, TREE_ENDING, TREE_EMPTY, TREE_KEPT, TREE_BLOCKED };

// More are counted but not named: the record must fit into the reserve of a full disk.
enum { REMAINING_MAX = 256 };

/* How the agent and its tree ended. It lies in memory that the guard shares, so that it survives the holder. */
struct exit_record {
  pid_t agent;
  bool has_exited;
  int status;
  char exited_at[ISO_TIME_SIZE];
  enum exit_reason reason;
  int exec_error;
  enum tree_state tree;
  int killed;
  pid_t remaining[REMAINING_MAX];
  int remaining_count;
  char tree_at[ISO_TIME_SIZE];
};

void exit_record_agent(struct exit_record *r, int status, enum exit_reason reason);
/* Names who is left where that is said. */
void exit_record_tree(struct exit_record *r, enum tree_state tree, int killed);
void exit_record_json(const struct exit_record *r, struct buffer *out);
/* 0 or an errno. */
int exit_record_write(const struct exit_record *r, int folder);

const char *error_name(int error, char out[24]);
#endif
