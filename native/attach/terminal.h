#ifndef TERMINAL_H
#define TERMINAL_H
#include <stdbool.h>
#include <termios.h>

#include "../buffer.h"
#include "modes.h"

/* What both processes must know to leave the terminal as it was. */
struct traces {
  bool is_raw;
  screens screens;
};

/* The user's terminal. */
struct terminal {
  // Opened anew and not blocking; standard input and output themselves where that is not allowed.
  int in, out;
  int in_flags, out_flags;
  struct termios before;
  // In memory that both processes share: whoever is left undoes the traces.
  struct traces *traces;
};

/* False where standard input or output is no terminal. Waits until this process is in its foreground. */
bool terminal_open(struct terminal *t);

/* Raw mode: every key is a byte to read, and no signal. */
void terminal_enter(struct terminal *t);

/* Undoes the traces, if there are any: modes of the terminal and of its line. A terminal that takes nothing is not
   waited for long. */
void terminal_leave(struct terminal *t);

bool terminal_is_foreground(const struct terminal *t);

/* False where the terminal does not know its size. */
bool terminal_size(const struct terminal *t, unsigned short *cols, unsigned short *rows);

/* Writes what the terminal takes; false when it is gone. */
bool terminal_write(const struct terminal *t, struct buffer *bytes);
#endif
