#ifndef ATTACH_OPTIONS_H
#define ATTACH_OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

struct attach_options {
  const char *dir;
  uint8_t detach_key;
  // Never types.
  bool is_watching;
  // Shown at first, and when another terminal begins to type; NULL for nothing.
  const char *line, *watch_line;
};

/* Fills the options from the command line; otherwise returns false and says what is wrong. */
bool attach_options_read(int argc, char **argv, struct attach_options *out, const char **complaint);
#endif
