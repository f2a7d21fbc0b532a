#ifndef PIPPIN_CSPAWN_H
#define PIPPIN_CSPAWN_H
#include <sys/types.h>

/// Starts a program with one end of a socket as two of its descriptors, and nothing else of ours: no other descriptor, no
/// ignored or blocked signal, a session of its own. Swift cannot see `posix_spawn_file_actions_addclosefrom_np` and `SOCK_CLOEXEC`.
///
/// - Parameters:
///   - arguments: ends with null; the first is looked for in the path of `environment`'s caller.
///   - first: 0 if the socket is the program's standard input and output, 3 if it is its descriptors 3 and 4.
///   - wire: receives our end of the socket.
///   - errors: receives the reading end of its standard error, which never blocks the program: what does not fit is lost.
/// - Returns: 0, or the error's number.
int pippin_spawn(
    char *const arguments[], char *const environment[], int first, int *wire, int *errors, pid_t *child);
#endif
