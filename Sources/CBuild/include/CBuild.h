#pragma once

/// The commit of the sources; empty unless deploy/package.sh wrote it into the program.
const char *aasa_build_commit(void);
