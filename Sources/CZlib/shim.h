#ifndef PIPPIN_CZLIB_H
#define PIPPIN_CZLIB_H
#include <zlib.h>

// inflateInit2 and deflateInit2 are macros, which Swift does not see.
static inline int pippin_inflateInit2(z_stream *stream, int windowBits) { return inflateInit2(stream, windowBits); }
static inline int pippin_deflateInit2(z_stream *stream, int level, int windowBits) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
}
#endif
