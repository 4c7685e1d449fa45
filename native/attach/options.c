#include "options.h"

#include <getopt.h>
#include <stdlib.h>

enum { CTRL_BACKSLASH = 0x1c, ESC = 0x1b, LAST_CONTROL = 0x1f };

/* Escape begins every other key. */
static bool read_key(const char *text, uint8_t *out) {
  char *end;
  long number = strtol(text, &end, 0);
  *out = (uint8_t)number;
  return end != text && *end == 0 && number >= 0 && number <= LAST_CONTROL && number != ESC;
}

bool attach_options_read(int argc, char **argv, struct attach_options *out, const char **complaint) {
  static const struct option LONG[] = {
      {"dir", required_argument, 0, 'd'},
      {"detach-key", required_argument, 0, 'k'},
      {"watch", no_argument, 0, 'w'},
      {"line", required_argument, 0, 'l'},
      {"watch-line", required_argument, 0, 't'},
      {0, 0, 0, 0},
  };
  *out = (struct attach_options){.detach_key = CTRL_BACKSLASH};
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, "", LONG, NULL)) != -1;) {
    if (option == 'd') out->dir = optarg;
    else if (option == 'w') out->is_watching = true;
    else if (option == 'l') out->line = optarg;
    else if (option == 't') out->watch_line = optarg;
    else if (option != 'k') return *complaint = "an option is unknown or lacks its value", false;
    else if (!read_key(optarg, &out->detach_key))
      return *complaint = "--detach-key is the number of a control character, 0 to 31 and not 27", false;
  }
  if (!out->dir || optind < argc) return *complaint = "--dir DIR is needed, and nothing else but options", false;
  return true;
}
