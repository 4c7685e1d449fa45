#ifndef WORD_H
#define WORD_H
#include <sys/types.h>

/* The one line that the caller of the program waits for. Each closes `*fd`, so that only the first counts. */
void word_ok(int *fd, pid_t guard, pid_t holder, pid_t agent);
void word_failed(int *fd, const char *step, int error);
#endif
