#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char *const HOSTS[] = {"pty", "pipe", "acp"};

const char *host_name(enum host host) { return HOSTS[host]; }

static bool read_host(const char *name, enum host *out) {
  for (int i = 0; i < 3; i++)
    if (strcmp(name, HOSTS[i]) == 0) return *out = (enum host)i, true;
  return false;
}

static bool read_number(const char *text, int64_t least, int64_t most, int64_t *out) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return errno == 0 && end != text && *end == 0 && *out >= least && *out <= most;
}

static bool read_size(const char *text, unsigned short most, unsigned short *out) {
  int64_t number;
  if (!read_number(text, 1, 65535, &number)) return false;
  *out = number > most ? most : (unsigned short)number;
  return true;
}

static bool read_spool(const char *text, uint64_t *out) {
  int64_t number;
  if (!read_number(text, 1, INT64_C(1) << 40, &number)) return false;
  *out = (uint64_t)number;
  return true;
}

static bool read_option(int option, struct options *out) {
  switch (option) {
    case 'd': out->dir = optarg; return true;
    case 'w': out->cwd = optarg; return true;
    case 'k': out->keep_children = true; return true;
    case 'h': return read_host(optarg, &out->host);
    case 'c': return read_size(optarg, COLS_MOST, &out->cols);
    case 'r': return read_size(optarg, ROWS_MOST, &out->rows);
    case 'g': return read_number(optarg, 0, INT64_C(1) << 40, &out->grace_ms);
    case 'u': return read_number(optarg, 0, 0777, &out->umask);
    case 's': return read_spool(optarg, &out->spool_bytes);
    default: return false;
  }
}

bool options_read(int argc, char **argv, struct options *out, const char **complaint) {
  static const struct option LONG[] = {
      {"dir", required_argument, 0, 'd'},        {"cwd", required_argument, 0, 'w'},
      {"host", required_argument, 0, 'h'},       {"cols", required_argument, 0, 'c'},
      {"rows", required_argument, 0, 'r'},       {"grace-ms", required_argument, 0, 'g'},
      {"spool-bytes", required_argument, 0, 's'}, {"keep-children", no_argument, 0, 'k'},
      {"umask", required_argument, 0, 'u'},
      {0, 0, 0, 0},
  };
  *out = (struct options){.cwd = ".", .cols = 120, .rows = 40, .grace_ms = 10000, .spool_bytes = 16 << 20,
                          .umask = -1};
  opterr = 0;
  bool has_host = false;
  // "+": the first word that is no option begins the command.
  for (int option; (option = getopt_long(argc, argv, "+", LONG, NULL)) != -1;) {
    if (!read_option(option, out)) return *complaint = "an option is unknown or its value is wrong", false;
    has_host = has_host || option == 'h';
  }
  if (!out->dir || !has_host) return *complaint = "--dir DIR and --host pty|pipe|acp are needed", false;
  if (optind >= argc) return *complaint = "a command is needed after --", false;
  out->command = argv + optind;
  return true;
}
