#include "control_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "files.h"

static const int64_t LONGEST_GRACE_MS = INT64_C(1) << 40;

void control_file_open(struct control_file *c, int folder) {
  char path[32];
  c->folder = folder;
  c->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (c->watch < 0) return;
  snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
  // Closed or moved there, not created: a file just created has no content yet.
  if (inotify_add_watch(c->watch, path, IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR) >= 0) return;
  close(c->watch);
  c->watch = -1;
}

int64_t control_file_grace(struct control_file *c, int64_t otherwise) {
  char ignored[4096], content[32], *end;
  while (c->watch >= 0 && read(c->watch, ignored, sizeof ignored) > 0) continue;
  if (faccessat(c->folder, "end", F_OK, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  if (file_read_text(c->folder, "end", content, sizeof content) != 0) return otherwise;
  long long grace = strtoll(content, &end, 10);
  if (end == content || grace < 0) return otherwise;
  return grace < LONGEST_GRACE_MS ? grace : LONGEST_GRACE_MS;
}
