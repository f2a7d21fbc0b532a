#ifndef PIPPIN_CZLIB_H
#define PIPPIN_CZLIB_H
#include <zlib.h>

// inflateInit2 is a macro over inflateInit2_, which Swift does not see.
static inline int pippin_inflateInit2(z_stream *stream, int windowBits) { return inflateInit2(stream, windowBits); }
#endif
