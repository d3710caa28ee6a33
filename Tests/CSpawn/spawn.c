// Swift's overlay of Glibc does not show all that this needs: https://man7.org/linux/man-pages/man3/posix_spawn.3.html

#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

int aasa_spawn(
    int *pid, const char *path, char *const arguments[], char *const environment[], const char *folder,
    const int streams[3]) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    // Out of the way of each other's places.
    int copies[3] = {-1, -1, -1};
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    for (int stream = 0; stream < 3 && error == 0; stream++) {
        copies[stream] = fcntl(streams[stream], F_DUPFD_CLOEXEC, 3);
        error = copies[stream] < 0 ? errno : posix_spawn_file_actions_adddup2(&actions, copies[stream], stream);
    }
    // At the moment of the start, so that what other threads open meanwhile is not taken along.
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (error == 0 && folder) error = posix_spawn_file_actions_addchdir_np(&actions, folder);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (error == 0) {
        error = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    if (error == 0) error = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
    for (int stream = 0; stream < 3; stream++) {
        if (copies[stream] >= 0) close(copies[stream]);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
