#pragma once

/// The commit of the sources; empty where nobody has written it into the program.
const char *aasa_build_commit(void);
