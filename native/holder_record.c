#include "holder_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "files.h"
#include "json.h"
#include "tree.h"

static void add_process(struct buffer *out, const char *key, pid_t pid) {
  struct process process = {0};
  char start_time[24];
  process_read(pid, &process);
  // A text, as everywhere in Rollcall: in clock ticks since boot it may pass what a JSON number holds.
  snprintf(start_time, sizeof start_time, "%llu", process.start_time);
  json_key(out, key);
  json_begin(out, '{');
  json_key(out, "pid");
  json_number(out, pid);
  json_key(out, "start_time");
  json_text(out, start_time);
  json_end(out, '}');
}

int holder_record_write(int folder, enum host host, pid_t guard, pid_t agent) {
  struct buffer json = {0};
  char boot_id[64] = "", now[ISO_TIME_SIZE];
  file_read_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
  boot_id[strcspn(boot_id, "\n")] = 0;
  clock_iso(now);
  json_begin(&json, '{');
  json_key(&json, "version");
  json_number(&json, 1);
  json_key(&json, "host");
  json_text(&json, host_name(host));
  json_key(&json, "boot_id");
  json_text(&json, boot_id);
  json_key(&json, "started_at");
  json_text(&json, now);
  add_process(&json, "guard", guard);
  add_process(&json, "holder", getpid());
  add_process(&json, "agent", agent);
  json_end(&json, '}');
  buffer_add(&json, "\n", 1);
  int error = file_replace(folder, "holder.json", buffer_bytes(&json), json.length);
  buffer_free(&json);
  return error;
}
