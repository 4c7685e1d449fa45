#ifndef CLOCK_H
#define CLOCK_H
#include <stdint.h>

enum { ISO_TIME_SIZE = 32 };

/* Milliseconds that never jump: for every deadline. */
int64_t clock_ms(void);

/* The time of day for people and records: ISO-8601 UTC with milliseconds. */
void clock_iso(char out[ISO_TIME_SIZE]);
#endif
