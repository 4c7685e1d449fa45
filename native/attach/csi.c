#include "csi.h"

#include <string.h>

enum { LARGEST = 9999999 };

static void add_digit(int *number, uint8_t digit) {
  int value = (*number < 0 ? 0 : *number) * 10 + (digit - '0');
  *number = value > LARGEST ? LARGEST : value;
}

/* The number of bytes that were parameters. */
static size_t read_parameters(const uint8_t *bytes, size_t length, struct csi *out) {
  size_t i = 0, parameter = 0, part = 0;
  memset(out->parameters, -1, sizeof out->parameters);
  for (; i < length && bytes[i] >= 0x30 && bytes[i] <= 0x3b; i++) {
    if (bytes[i] == ';') parameter++, part = 0;
    else if (bytes[i] == ':') part++;
    else if (parameter < CSI_PARAMETERS && part < CSI_PARTS) add_digit(&out->parameters[parameter][part], bytes[i]);
  }
  out->count = i == 0 ? 0 : parameter < CSI_PARAMETERS ? parameter + 1 : CSI_PARAMETERS;
  return i;
}

bool csi_read(const uint8_t *bytes, size_t length, struct csi *out) {
  size_t i = 0;
  out->prefix = length > 0 && memchr("<=>?", bytes[0], 4) ? (char)bytes[i++] : 0;
  i += read_parameters(bytes + i, length - i, out);
  out->intermediate = i < length && bytes[i] >= 0x20 && bytes[i] <= 0x2f ? (char)bytes[i++] : 0;
  out->final = i + 1 == length ? (char)bytes[i] : 0;
  return out->final >= 0x40 && out->final <= 0x7e;
}

int csi_number(const struct csi *csi, size_t index, int otherwise) {
  if (index >= csi->count || csi->parameters[index][0] < 0) return otherwise;
  return csi->parameters[index][0];
}
