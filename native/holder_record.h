#ifndef HOLDER_RECORD_H
#define HOLDER_RECORD_H
#include <sys/types.h>

#include "options.h"

/* Writes holder.json, by which others know these processes again. Called in the holder. 0 or an errno. */
int holder_record_write(int folder, enum host host, pid_t guard, pid_t agent);
#endif
