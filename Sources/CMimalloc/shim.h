#ifndef PIPPIN_CMIMALLOC_H
#define PIPPIN_CMIMALLOC_H
#include <mimalloc.h>

// Lets mimalloc keep free memory for so long before it gives it back to the system. A variable of the environment wins
// (MIMALLOC_DECOMMIT_DELAY, later MIMALLOC_PURGE_DELAY).
static inline void pippin_keep_free_memory(long milliseconds) {
#if MI_MALLOC_VERSION >= 210
    mi_option_set_default(mi_option_purge_delay, milliseconds);
#elif MI_MALLOC_VERSION >= 200
    mi_option_set_default(mi_option_decommit_delay, milliseconds);
#endif
}
#endif
