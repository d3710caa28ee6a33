// Without a header of the system: who imports this has Glibc from its own module.
#ifndef AASA_CSPAWN_H
#define AASA_CSPAWN_H

/// Starts `path` in a process group of its own, with no signal blocked or ignored: the thread that starts it may block all
/// of them, and what is ignored here would be there too.
/// `streams`: what it has as standard input, output and error; it has no other descriptor.
/// Returns 0 or the number of the error.
int aasa_spawn(
    int *pid, const char *path, char *const arguments[], char *const environment[], const char *folder,
    const int streams[3]);

#endif
