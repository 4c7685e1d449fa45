#include "clock.h"

#include <stdio.h>
#include <time.h>

int64_t clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void clock_iso(char out[ISO_TIME_SIZE]) {
  struct timespec now;
  struct tm utc;
  char seconds[ISO_TIME_SIZE - 8];
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
  snprintf(out, ISO_TIME_SIZE, "%s.%03uZ", seconds, (unsigned)(now.tv_nsec / 1000000) % 1000);
}
