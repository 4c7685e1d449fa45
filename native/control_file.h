#ifndef CONTROL_FILE_H
#define CONTROL_FILE_H
#include <stdint.h>

/* The file `end` in the holder's folder: how to end a session with nothing but a shell. */
struct control_file {
  int folder;
  int watch;
};

/* `watch` becomes -1 where the user has no inotify instance left (128 by default): then ask once a second. */
void control_file_open(struct control_file *c, int folder);

/* -1: nobody asks for an end; else the grace in ms, `otherwise` if the file names none. */
int64_t control_file_grace(struct control_file *c, int64_t otherwise);
#endif
