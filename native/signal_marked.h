#ifndef SIGNAL_MARKED_H
#define SIGNAL_MARKED_H
/* `--signal TERM|KILL MARKER PID:START…`: signals those that still are the processes of that launch. Returns the exit
   code: 0, or 2 for wrong arguments, and then nothing was signalled. */
int signal_marked(int argc, char **argv);
#endif
