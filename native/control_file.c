#include "control_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"

enum { UNWATCHED_MS = 1000, UNFINISHED_MS = 50 };
static const int64_t LONGEST_GRACE_MS = INT64_C(1) << 40;
static const int64_t UNFINISHED = -2;

/* Its signal is SIGIO. */
static bool watch_folder(int folder, int also) {
  return fcntl(folder, F_NOTIFY, DN_CREATE | DN_RENAME | DN_MULTISHOT | also) == 0;
}

void control_file_open(struct control_file *c, int folder) {
  // Not for changes: the holder would wake itself with all output that it keeps.
  *c = (struct control_file){.folder = folder, .is_watched = watch_folder(folder, 0)};
}

static int64_t read_grace(int fd, int64_t otherwise) {
  char content[32], *end;
  // The kernel gives no such lease on a file that someone has open for writing. Closing the file gives it back.
  if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN) return UNFINISHED;
  ssize_t length = read(fd, content, sizeof content - 1);
  content[length > 0 ? length : 0] = 0;
  long long grace = strtoll(content, &end, 10);
  if (end == content || grace < 0) return otherwise;
  return grace < LONGEST_GRACE_MS ? grace : LONGEST_GRACE_MS;
}

int64_t control_file_grace(struct control_file *c, int64_t otherwise) {
  c->look_again = c->is_watched ? INT64_MAX : clock_ms() + UNWATCHED_MS;
  if (faccessat(c->folder, "end", F_OK, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  // A shorter grace may be written over this one.
  if (c->is_watched) watch_folder(c->folder, DN_MODIFY);
  int fd = openat(c->folder, "end", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return otherwise;
  int64_t grace = read_grace(fd, otherwise);
  close(fd);
  if (grace != UNFINISHED) return grace;
  c->look_again = clock_ms() + UNFINISHED_MS;
  return -1;
}
