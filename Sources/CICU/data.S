// The part of ICU's data that the program uses. `deploy/package.sh` writes it for a release build and removes it afterwards.
// The linker then takes the symbol from this object file, not from Foundation's static library. In all other builds this
// file is empty, and the program gets all of the library's data.
#if __has_include("icudata.inc")
#include "icudata.inc"
#endif
.section .note.GNU-stack, "", %progbits
