#include "CBuild.h"

// deploy/package.sh writes the commit into the finished program: another commit needs no compilation. Read it only through
// the function: a compiler that sees the value here may assume that it is empty.
__attribute__((section(".aasa_commit"), used)) static const char commit[48] = "";

const char *aasa_build_commit(void) { return commit; }
