#include "key_code.h"

#include <stddef.h>

enum { SHIFT = 1, CONTROL = 4, LOCKS = 64 | 128, RELEASE = 3, FIRST_MODIFIER = 57441, LAST_MODIFIER = 57454 };

struct key {
  // The key's code, what it is with Shift, and where it lies on a US keyboard.
  int codes[3];
  int modifiers, event;
};

static bool read_key(const struct csi *csi, struct key *out) {
  if (csi->prefix || csi->intermediate) return false;
  bool is_kitty = csi->final == 'u', is_other = csi->final == '~' && csi_number(csi, 0, 0) == 27 && csi->count >= 3;
  if (!is_kitty && !is_other) return false;
  size_t code = is_kitty ? 0 : 2;
  for (int i = 0; i < 3; i++) out->codes[i] = csi->parameters[code][i];
  out->modifiers = csi_number(csi, 1, 1) - 1;
  out->event = csi->parameters[1][1];
  return true;
}

bool key_code_is_press(const struct csi *csi) {
  struct key key;
  if (!read_key(csi, &key) || key.event == RELEASE) return false;
  return key.codes[0] < FIRST_MODIFIER || key.codes[0] > LAST_MODIFIER;
}

/* The keys that make a control character with Ctrl; some only on some keyboards. */
static bool makes_control(int code, uint8_t control) {
  bool is_letter = control >= 1 && control <= 26;
  if (code == control + (is_letter ? 96 : 64)) return true;
  if (control == 0) return code == ' ' || code == '2';
  if (control == 0x1e) return code == '6';
  return control == 0x1f && (code == '-' || code == '/');
}

bool key_code_is_control(const struct csi *csi, uint8_t control) {
  struct key key;
  if (!read_key(csi, &key) || key.event == RELEASE) return false;
  int modifiers = key.modifiers & ~LOCKS;
  bool is_letter = control >= 1 && control <= 26;
  if (modifiers != CONTROL && (is_letter || modifiers != (CONTROL | SHIFT))) return false;
  for (int i = 0; i < 3; i++)
    if (makes_control(key.codes[i], control)) return true;
  return false;
}
