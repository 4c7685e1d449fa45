#ifndef TYPING_H
#define TYPING_H
#include "holder.h"

/* Who types: the newest viewer that may. Its size is the terminal's. */
void typing_take(struct holder *h, struct client *c);
/* Finds the typist anew, after one came or left. */
void typing_update(struct holder *h);
void typing_resize(struct holder *h, struct client *c, unsigned short cols, unsigned short rows);
#endif
