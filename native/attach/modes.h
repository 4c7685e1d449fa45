#ifndef MODES_H
#define MODES_H
#include <stdbool.h>
#include <stdint.h>

#include "../buffer.h"
#include "csi.h"

/* The alternate screens that are on, a bit each. Leaving one that is not on would move the cursor. */
typedef uint8_t screens;

/* Takes notice of a sequence that the terminal gets. */
void modes_see(screens *on, const struct csi *csi);

/* Undoes whatever a program may have set in a terminal, wherever its output was cut. The screen's text stays. */
void modes_reset(screens on, struct buffer *out);

/* Goes to a line where the caller's prompt overwrites nothing. Follows the reset. */
void modes_fresh_line(screens on, struct buffer *out);
#endif
