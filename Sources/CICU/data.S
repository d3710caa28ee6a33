// In place of ICU's data in Foundation's static library, the part of it that the program uses: `deploy/icu.py` writes it before a
// release is packed. A symbol of an object file keeps the linker from taking it from the library. Where nobody has written it, as
// in all other builds, this file is empty, and the library's data are complete.
#if __has_include("icudata.inc")
#include "icudata.inc"
#endif
.section .note.GNU-stack, "", %progbits
