// zlib, the system's: https://www.zlib.net/manual.html
#ifndef AASA_CZLIB_H
#define AASA_CZLIB_H

#include <string.h>
#include <zlib.h>

// Begins a stream with gzip's header, which deflateInit2 writes for windows above 15. It is a macro, which Swift does not see.
static inline int aasa_gzip_begin(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    return deflateInit2(stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
