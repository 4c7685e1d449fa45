#ifndef KEY_CODE_H
#define KEY_CODE_H
#include <stdbool.h>
#include <stdint.h>

#include "csi.h"

/* Keys as kitty (`CSI code ; modifiers u`) and xterm's modifyOtherKeys (`CSI 27 ; modifiers ; code ~`) write them. */

/* Whether a key was pressed: not one that is only let go, nor Shift and its like alone. */
bool key_code_is_press(const struct csi *csi);

/* Whether it is the one that as a byte is this control character. */
bool key_code_is_control(const struct csi *csi, uint8_t control);
#endif
