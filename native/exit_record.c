#include "exit_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "files.h"
#include "json.h"
#include "tree.h"

static const char *const REASONS[] = {"exited", "asked", "exec_failed", "holder_lost"};
static const char *const TREES[] = {"running", "ending", "empty", "kept", "blocked"};
static const char *const SIGNALS[] = {
    0,         "SIGHUP",  "SIGINT",  "SIGQUIT",   "SIGILL",  "SIGTRAP", "SIGABRT", "SIGBUS",
    "SIGFPE",  "SIGKILL", "SIGUSR1", "SIGSEGV",   "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM",
    "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG",
    "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",  "SIGPWR",  "SIGSYS",
};

void exit_record_agent(struct exit_record *r, int status, enum exit_reason reason) {
  r->status = status;
  r->reason = reason;
  clock_iso(r->exited_at);
  // Last: a guard that takes over from a killed holder must not read half of it as an exit with 0.
  r->has_exited = true;
}

void exit_record_tree(struct exit_record *r, enum tree_state tree, int killed) {
  struct process_list list = {0};
  if (tree == TREE_KEPT || tree == TREE_BLOCKED) tree_list(&list);
  r->tree = tree;
  r->killed = killed;
  r->remaining_count = 0;
  for (size_t i = 0; i < list.count && r->remaining_count < REMAINING_MAX; i++)
    r->remaining[r->remaining_count++] = list.items[i].pid;
  process_list_free(&list);
  clock_iso(r->tree_at);
}

static void add_signal(struct buffer *out, int number) {
  char name[16];
  snprintf(name, sizeof name, "SIG%d", number);
  json_text(out, number < 32 ? SIGNALS[number] : name);
}

static void add_agent(const struct exit_record *r, struct buffer *out) {
  bool is_known = r->has_exited && r->reason != REASON_EXEC_FAILED;
  json_key(out, "agent");
  json_begin(out, '{');
  json_key(out, "code");
  if (is_known && WIFEXITED(r->status)) json_number(out, WEXITSTATUS(r->status));
  else json_null(out);
  json_key(out, "signal");
  if (is_known && WIFSIGNALED(r->status)) add_signal(out, WTERMSIG(r->status));
  else json_null(out);
  json_key(out, "at");
  json_text(out, r->has_exited ? r->exited_at : NULL);
  json_end(out, '}');
}

static void add_tree(const struct exit_record *r, struct buffer *out) {
  json_key(out, "tree");
  json_begin(out, '{');
  json_key(out, "state");
  json_text(out, TREES[r->tree]);
  json_key(out, "killed");
  json_number(out, r->killed);
  json_key(out, "remaining");
  json_begin(out, '[');
  for (int i = 0; i < r->remaining_count; i++) json_number(out, r->remaining[i]);
  json_end(out, ']');
  json_key(out, "at");
  json_text(out, r->tree_at);
  json_end(out, '}');
}

void exit_record_json(const struct exit_record *r, struct buffer *out) {
  char name[24];
  json_begin(out, '{');
  json_key(out, "version");
  json_number(out, 1);
  add_agent(r, out);
  json_key(out, "reason");
  json_text(out, REASONS[r->reason]);
  json_key(out, "error");
  json_text(out, r->exec_error ? error_name(r->exec_error, name) : NULL);
  add_tree(r, out);
  json_end(out, '}');
}

int exit_record_write(const struct exit_record *r, int folder) {
  struct buffer json = {0};
  exit_record_json(r, &json);
  buffer_add(&json, "\n", 1);
  int error = file_replace(folder, "exit.json", buffer_bytes(&json), json.length);
  buffer_free(&json);
  return error;
}

const char *error_name(int error, char out[24]) {
  static const struct { int number; const char *name; } NAMES[] = {
      {ENOENT, "ENOENT"}, {EACCES, "EACCES"}, {EPERM, "EPERM"}, {ENOEXEC, "ENOEXEC"}, {ENOTDIR, "ENOTDIR"},
      {E2BIG, "E2BIG"}, {EAGAIN, "EAGAIN"}, {ENOMEM, "ENOMEM"}, {ELOOP, "ELOOP"}, {EISDIR, "EISDIR"},
      {EMFILE, "EMFILE"}, {ENFILE, "ENFILE"}, {ENOSPC, "ENOSPC"}, {EDQUOT, "EDQUOT"}, {EROFS, "EROFS"},
      {EIO, "EIO"}, {ETXTBSY, "ETXTBSY"}, {ENAMETOOLONG, "ENAMETOOLONG"}, {EADDRINUSE, "EADDRINUSE"},
      {EINVAL, "EINVAL"}, {EEXIST, "EEXIST"}, {ENOTTY, "ENOTTY"}, {ENXIO, "ENXIO"},
  };
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (NAMES[i].number == error) return NAMES[i].name;
  snprintf(out, 24, "E%d", error);
  return out;
}
