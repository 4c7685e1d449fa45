#include "frame.h"

enum { LENGTH_BYTES = FRAME_HEADER - 1 };

static void write_little_endian(uint8_t *out, uint64_t number, int bytes) {
  for (int i = 0; i < bytes; i++) out[i] = (uint8_t)(number >> (8 * i));
}

static uint64_t read_little_endian(const uint8_t *bytes, int count) {
  uint64_t number = 0;
  for (int i = 0; i < count; i++) number |= (uint64_t)bytes[i] << (8 * i);
  return number;
}

void frame_write_header(uint8_t out[FRAME_HEADER], char type, size_t length) {
  out[0] = (uint8_t)type;
  write_little_endian(out + 1, length, LENGTH_BYTES);
}

size_t frame_length(const uint8_t header[FRAME_HEADER]) { return (size_t)read_little_endian(header + 1, LENGTH_BYTES); }

void frame_write_offset(uint8_t out[FRAME_OFFSET], uint64_t offset) { write_little_endian(out, offset, FRAME_OFFSET); }

uint64_t frame_offset(const uint8_t payload[FRAME_OFFSET]) { return read_little_endian(payload, FRAME_OFFSET); }
