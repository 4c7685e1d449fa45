#ifndef FILES_H
#define FILES_H
#include <stddef.h>

/* Replaces a file so that a reader, a crash or a power cut sees the old or the new one, whole. 0 or an errno. */
int file_replace(int folder, const char *name, const void *bytes, size_t length);

/* Sets room aside that `file_replace` gives up when the disk is full: the exit must be written even then. */
void file_reserve(int folder);
void file_unreserve(int folder);

/* Reads the start of a file into a text; -1 where it cannot. */
int file_read_text(int folder, const char *name, char *out, size_t size);
#endif
