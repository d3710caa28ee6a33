#include "CBuild.h"

// deploy/package.sh writes it into the finished program: nothing is compiled anew for another commit. Others read it through the
// function, since the compiler that sees the value here may take it for empty.
__attribute__((section(".aasa_commit"), used)) static const char commit[48] = "";

const char *aasa_build_commit(void) { return commit; }
