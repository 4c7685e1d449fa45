#ifndef CSI_H
#define CSI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CSI_PARAMETERS = 16, CSI_PARTS = 4 };

/* A control sequence in pieces: `ESC [ prefix parameters intermediate final`. */
struct csi {
  // One of `<=>?`, or 0.
  char prefix;
  // The parts of a parameter stand between colons. One that is not given is -1.
  int parameters[CSI_PARAMETERS][CSI_PARTS];
  size_t count;
  // 0 where there is none.
  char intermediate;
  char final;
};

/* Reads a whole sequence without its two bytes of introducer. False where no terminal would know it. */
bool csi_read(const uint8_t *bytes, size_t length, struct csi *out);

/* The first part of a parameter, `otherwise` if it is not given. */
int csi_number(const struct csi *csi, size_t index, int otherwise);
#endif
