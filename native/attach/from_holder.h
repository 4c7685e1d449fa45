#ifndef FROM_HOLDER_H
#define FROM_HOLDER_H
#include "view.h"

/* Shows what the holder sent so far and heeds what it said. */
void from_holder_take(struct view *v);
#endif
