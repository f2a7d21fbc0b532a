#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

// A descriptor above those that the child gets, so that dup2 never overwrites what it still needs.
static int above(int descriptor) {
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
    close(descriptor);
    return moved;
}

int pippin_spawn(
    char *const arguments[], char *const environment[], int first, int *wire, int *errors, pid_t *child) {
    int ends[2], outputs[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    if (pipe2(outputs, O_CLOEXEC | O_NONBLOCK) != 0) {
        int failure = errno;
        close(ends[0]);
        close(ends[1]);
        return failure;
    }
    int theirs = above(ends[1]), output = above(outputs[1]), result = 0;
    if (theirs < 0 || output < 0) result = errno;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (result == 0) result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (result == 0) result = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, theirs, first);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, theirs, first + 1);
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, first + 2 > 3 ? first + 2 : 3);
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &none);
    if (result == 0) result = posix_spawnattr_setsigdefault(&attributes, &all);
    if (result == 0)
        result = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    if (result == 0) result = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (theirs >= 0) close(theirs);
    if (output >= 0) close(output);
    if (result != 0) {
        close(ends[0]);
        close(outputs[0]);
        return result;
    }
    *wire = ends[0];
    *errors = outputs[0];
    return 0;
}
