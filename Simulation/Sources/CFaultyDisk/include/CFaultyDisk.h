#ifndef CFAULTYDISK_H
#define CFAULTYDISK_H

#include <stdint.h>

// A disk that can fail and lose power, under one folder of the real file system.
//
// This file defines the C library's functions that change files (open, write, pwrite, fsync, fdatasync, ftruncate, rename, unlink,
// close). A program that links it calls these instead, and so do SQLite and Foundation in it. Files outside of all faulty disks are
// passed on to the kernel.
//
// A power cut keeps what was synced. Of the later writes of a file, each is kept or lost by chance; names (creations, renames,
// removals) are lost from some point on, because journals of file systems keep their order.

typedef struct pippin_disk pippin_disk;

/// Called before the `number`th operation, from 1. Returns 0 to let it happen, or an `errno` to fail it. A negative `errno` lets the
/// first half of a write happen.
typedef int (*pippin_disk_hook)(void *context, uint64_t number);

/// Begins to watch a folder. There must be none, or an empty one.
pippin_disk *pippin_disk_watch(const char *folder, pippin_disk_hook hook, void *context);

/// Ends watching, and frees everything.
void pippin_disk_end(pippin_disk *disk);

/// How many operations were asked for so far.
uint64_t pippin_disk_operations(pippin_disk *disk);

/// How many writes went to where a descriptor stood (`write`), with the one that is asked for now.
uint64_t pippin_disk_appends(pippin_disk *disk);

/// How many bytes were written and not synced, and how many changes of names.
void pippin_disk_unsynced(pippin_disk *disk, uint64_t *bytes, uint64_t *names);

/// Undoes what a power cut loses, in a copy of the folder's files.
///
/// - Parameter seed: decides what is lost.
/// - Returns: how many changes were lost; -1 if the copy could not be changed.
int64_t pippin_disk_cut_power(pippin_disk *disk, const char *copy, uint64_t seed);

#endif
