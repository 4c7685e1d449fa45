#ifndef OPTIONS_H
#define OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

enum host { HOST_PTY, HOST_PIPE, HOST_ACP };

struct options {
  const char *dir, *cwd;
  enum host host;
  unsigned short cols, rows;
  int64_t grace_ms;
  uint64_t spool_bytes;
  bool keep_children;
  char **command;
};

/* Fills the options from the command line; otherwise returns false and says what is wrong. */
bool options_read(int argc, char **argv, struct options *out, const char **complaint);
const char *host_name(enum host host);
#endif
