#ifndef KILL_MARKED_H
#define KILL_MARKED_H
/* `--kill MARKER PID:START…`: kills those that still are the processes of that launch. Returns the exit code: 0, or 2
   for an argument that names no process. */
int kill_marked(int argc, char **argv);
#endif
