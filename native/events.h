#ifndef EVENTS_H
#define EVENTS_H
#include <stddef.h>
#include <stdint.h>

#include "holder.h"

/* What clients are told as it happens: one JSON object each, by its `type`. */
void tell_report(struct holder *h, const char *text, size_t length, uint64_t offset);
void tell_title(struct holder *h);
void tell_bell(struct holder *h, uint64_t offset);
void tell_attached(struct holder *h, const struct client *c, bool is_attached);
void tell_typist(struct holder *h);
void tell_resized(struct holder *h);
void tell_dropped(struct holder *h, int stream);
void tell_paused(struct holder *h);
void tell_exit(struct holder *h);
void tell_tree(struct holder *h);
void tell_tree_to(struct holder *h, struct client *c);
void tell_refused(struct client *c, char frame, const char *reason);

/* Everything that is known now, to one client. */
void tell_status(struct holder *h, struct client *c);
#endif
