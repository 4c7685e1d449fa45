#ifndef OUTPUT_H
#define OUTPUT_H
#include <stdbool.h>
#include <stdint.h>

#include "holder.h"

/* Takes what the agent wrote on a stream: to the spool, to the clients, and past the watcher. Returns how much it was. */
size_t output_read(struct holder *h, int stream);
/* Takes all that was written before now; of one who never stops writing, no more than some megabytes. */
void output_read_now(struct holder *h);
/* Whether the stream should be polled: a pipe is not read while the spool is full, so its writer waits. */
bool output_is_wanted(const struct holder *h, int stream);
/* After the tree is empty: what is still on its way goes to the spool, and for pipes that is so even if it is full. */
void output_read_rest(struct holder *h);
/* Nothing more will come, as far as can be known. */
bool output_is_over(const struct holder *h, int64_t now);
void output_retry(struct holder *h, int64_t now);
int64_t output_due(const struct holder *h);
#endif
