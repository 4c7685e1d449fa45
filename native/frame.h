#ifndef FRAME_H
#define FRAME_H
#include <stddef.h>
#include <stdint.h>

enum { FRAME_HEADER = 5, FRAME_OFFSET = 8 };

/* A frame of the socket: one byte of type, four of length (little-endian), the payload. */
void frame_write_header(uint8_t out[FRAME_HEADER], char type, size_t length);
size_t frame_length(const uint8_t header[FRAME_HEADER]);

/* Output begins with its offset in the stream. */
void frame_write_offset(uint8_t out[FRAME_OFFSET], uint64_t offset);
uint64_t frame_offset(const uint8_t payload[FRAME_OFFSET]);
#endif
