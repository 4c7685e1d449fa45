#ifndef FROM_KEYBOARD_H
#define FROM_KEYBOARD_H
#include "view.h"

/* Reads what the terminal sent: to the agent while this view types, else a key asks to. */
void from_keyboard_read(struct view *v);

/* What has begun and did not go on in time counts as it is. */
void from_keyboard_step(struct view *v, int64_t now);
#endif
