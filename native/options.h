#ifndef OPTIONS_H
#define OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

enum host { HOST_PTY, HOST_PIPE, HOST_ACP };

/* A terminal beyond this is taken for one of this size: what draws it keeps every cell in memory. */
enum { COLS_MOST = 1000, ROWS_MOST = 500 };

struct options {
  const char *dir, *cwd;
  enum host host;
  unsigned short cols, rows;
  int64_t grace_ms;
  uint64_t spool_bytes;
  bool keep_children;
  // -1: that of whoever started the holder.
  int64_t umask;
  char **command;
};

/* Fills the options from the command line; otherwise returns false and says what is wrong. */
bool options_read(int argc, char **argv, struct options *out, const char **complaint);
const char *host_name(enum host host);
#endif
