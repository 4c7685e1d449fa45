#include "modes.h"

#include <stdio.h>

static const int SCREENS[] = {47, 1047, 1049};
enum { SCREENS_COUNT = 3, RESTORES_CURSOR = 1 << 2 };

// Mouse, focus, paste, colour scheme and size reports, cursor keys, reverse, origin and margins.
static const int OFF[] = {2026, 9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016, 1004, 2004, 2031, 2048, 1, 5, 6, 69};

// Each screen has its own stack of kitty's keyboard modes.
#define KEYBOARD "\033[<99u\033[=0u\033[>4m"

void modes_see(screens *on, const struct csi *csi) {
  if (csi->prefix != '?' || csi->intermediate || (csi->final != 'h' && csi->final != 'l')) return;
  for (size_t i = 0; i < csi->count; i++)
    for (int s = 0; s < SCREENS_COUNT; s++) {
      if (csi->parameters[i][0] != SCREENS[s]) continue;
      // Any of them leads back to the one normal screen.
      *on = csi->final == 'h' ? *on | (screens)(1 << s) : 0;
    }
}

static void switch_off(int mode, struct buffer *out) {
  char text[16];
  snprintf(text, sizeof text, "\033[?%dl", mode);
  buffer_add_text(out, text);
}

void modes_reset(screens on, struct buffer *out) {
  // Ends a string or a sequence that was cut; by itself it does nothing.
  buffer_add_text(out, "\033\\");
  for (size_t i = 0; i < sizeof OFF / sizeof *OFF; i++) switch_off(OFF[i], out);
  // Numeric keypad, insert mode off, the whole screen scrolls, lines wrap, no link, cursor as usual and ASCII.
  buffer_add_text(out, KEYBOARD "\033>\033[4l\033[r\033[?7h\033]8;;\033\\\033[0 q\033(B\033)B\017\033[?25h");
  for (int s = 0; s < SCREENS_COUNT; s++)
    if (on & 1 << s) switch_off(SCREENS[s], out);
  if (on) buffer_add_text(out, KEYBOARD);
  // After the keyboard's: a terminal that does not know it takes it for an underline.
  buffer_add_text(out, "\033[0m");
}

void modes_fresh_line(screens on, struct buffer *out) {
  buffer_add_text(out, on & RESTORES_CURSOR ? "\r\n" : "\033[999;1H\r\n");
}
