/* split: reads lines `all|status|none HEX` (the filter) or `keys HEX` (the keyboard, Ctrl-\ detaches) and answers each
   with every different result that its bytes have: cut in two at each place, byte by byte, and whole. With `late`
   before the first word the time for a lone ESC is over at the cut. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../buffer.h"
#include "../filter.h"
#include "../keys.h"

enum { LINE_MAX_BYTES = 16384, RESULTS_MAX = 8 };

static char results[RESULTS_MAX][2 * LINE_MAX_BYTES];
static int result_count;

struct job {
  bool is_keys, is_late;
  enum drop drop;
  uint8_t bytes[LINE_MAX_BYTES];
  size_t length;
};

static void note(const struct buffer *out, const char *suffix) {
  static char text[2 * LINE_MAX_BYTES];
  size_t at = 0;
  for (size_t i = 0; i < out->length; i++) at += (size_t)sprintf(text + at, "%02x", buffer_bytes(out)[i]);
  sprintf(text + at, "%s", suffix);
  for (int i = 0; i < result_count; i++)
    if (strcmp(results[i], text) == 0) return;
  if (result_count < RESULTS_MAX) strcpy(results[result_count++], text);
}

static size_t next_end(const struct job *job, size_t end, size_t step) {
  return end + step < job->length ? end + step : job->length;
}

static void filter_pieces(const struct job *job, size_t cut, size_t step) {
  struct filter filter = {0};
  struct buffer out = {0};
  for (size_t at = 0, end = cut; at < job->length; at = end, end = next_end(job, end, step)) {
    // A piece of its own on the heap: a byte read beyond it is found by a sanitizer.
    uint8_t *piece = malloc(end - at + (end == at));
    memcpy(piece, job->bytes + at, end - at);
    filter_bytes(&filter, job->drop, piece, end - at, &out);
    if (job->is_late) filter_flush(&filter, &out);
    free(piece);
  }
  note(&out, "");
  buffer_free(&out);
}

static void keys_pieces(const struct job *job, size_t cut, size_t step) {
  struct keys keys = {.detach = 0x1c};
  struct buffer out = {0};
  struct heard all = {0};
  for (size_t at = 0, end = cut; at < job->length && !all.is_detach; at = end, end = next_end(job, end, step)) {
    struct heard heard = keys_take(&keys, job->bytes + at, end - at, &out);
    all.is_detach |= heard.is_detach;
    all.has_key |= heard.has_key;
  }
  if (!all.is_detach && keys_patience(&keys) >= 0) all.has_key |= keys_give_up(&keys, &out).has_key;
  note(&out, all.is_detach ? ":detach" : all.has_key ? ":key" : ":");
  buffer_free(&out);
}

static void run(const struct job *job) {
  void (*pieces)(const struct job *, size_t, size_t) = job->is_keys ? keys_pieces : filter_pieces;
  result_count = 0;
  for (size_t cut = 0; cut < job->length; cut++) pieces(job, cut, job->length);
  pieces(job, 1, 1);
}

static bool read_job(char *line, struct job *job) {
  char *word = strtok(line, " \n"), *hex;
  job->is_late = word && strcmp(word, "late") == 0;
  if (job->is_late) word = strtok(NULL, " \n");
  if (!word || !(hex = strtok(NULL, " \n"))) return false;
  job->is_keys = strcmp(word, "keys") == 0;
  job->drop = strcmp(word, "all") == 0 ? DROP_QUERIES : strcmp(word, "status") == 0 ? DROP_STATUS_QUERY : DROP_NOTHING;
  job->length = strlen(hex) / 2;
  for (size_t i = 0; i < job->length; i++) sscanf(hex + 2 * i, "%2hhx", &job->bytes[i]);
  return true;
}

int main(void) {
  static char line[4 * LINE_MAX_BYTES];
  static struct job job;
  while (fgets(line, sizeof line, stdin)) {
    if (!read_job(line, &job)) return 2;
    run(&job);
    for (int i = 0; i < result_count; i++) printf("%s%s", i ? " " : "", results[i]);
    printf("\n");
  }
  return 0;
}
