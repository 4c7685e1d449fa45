#ifndef MESSAGES_H
#define MESSAGES_H
#include "holder.h"

/* Does what a client's frames say. A malformed one ends that client's connection and nothing else. */
void messages_handle(struct holder *h, struct client *c);
#endif
