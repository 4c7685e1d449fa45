#ifndef LISTENER_H
#define LISTENER_H
#include "holder.h"

/* The socket of the holder's folder. -1 and errno when it cannot be made. */
int listener_open(int folder);
/* Takes in all who knock. */
void listener_accept(struct holder *h, int64_t now);
/* Nobody can knock any more. */
void listener_close(struct holder *h);
#endif
