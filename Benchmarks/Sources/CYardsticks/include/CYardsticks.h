#ifndef PIPPIN_CYARDSTICKS_H
#define PIPPIN_CYARDSTICKS_H
#include <stdbool.h>
#include <stddef.h>

// What libraries alone need for the core of our work, with nothing of ours around them.

/// libxml2 builds and frees the DOM of a page. Returns whether there was one.
bool yardstick_parse(const void *page, size_t length);

/// zlib packs a page as gzip, as servers do. Returns the bytes used in `room`; 0 if it is too small.
size_t yardstick_pack(const void *page, size_t length, void *room, size_t capacity);

/// zlib unpacks it. Returns the bytes of the page; 0 if it is broken or `room` is too small.
size_t yardstick_unpack(const void *packed, size_t length, void *room, size_t capacity);

/// SQLite, with a table of keys and blobs; null if the file cannot be made.
struct yardstick_table *yardstick_open(const char *path);
/// Adds a row, 64 to a transaction.
bool yardstick_insert(struct yardstick_table *table, const void *key, size_t key_length, const void *blob, size_t length);
/// Writes what is left into the database's file, and frees the table.
bool yardstick_close(struct yardstick_table *table);
#endif
