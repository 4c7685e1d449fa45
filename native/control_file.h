#ifndef CONTROL_FILE_H
#define CONTROL_FILE_H
#include <stdbool.h>
#include <stdint.h>

/* The file `end` in the holder's folder: how to end a session with nothing but a shell. */
struct control_file {
  int folder;
  bool is_watched;
  int64_t look_again;
};

/* From now on a SIGIO, to be blocked, says that there may be one. Without dnotify only `look_again` does, every second. */
void control_file_open(struct control_file *c, int folder);

/* -1: nobody asks for an end; else the grace in ms, `otherwise` if the file names none. */
int64_t control_file_grace(struct control_file *c, int64_t otherwise);
#endif
