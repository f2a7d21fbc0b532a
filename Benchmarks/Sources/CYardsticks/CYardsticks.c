#include "CYardsticks.h"

#include <libxml/HTMLparser.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <zlib.h>

bool yardstick_parse(const void *page, size_t length) {
    htmlDocPtr document = htmlReadMemory(
        page, (int)length, "http://example.org/", "UTF-8",
        HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
    if (document) xmlFreeDoc(document);
    return document != NULL;
}

// 15 is the largest window, 16 more means gzip.
static const int gzip_window = 31;

size_t yardstick_pack(const void *page, size_t length, void *room, size_t capacity) {
    z_stream stream = {.next_in = (Bytef *)page, .avail_in = (uInt)length, .next_out = room, .avail_out = (uInt)capacity};
    if (deflateInit2(&stream, 6, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    int code = deflate(&stream, Z_FINISH);
    size_t used = stream.total_out;
    deflateEnd(&stream);
    return code == Z_STREAM_END ? used : 0;
}

size_t yardstick_unpack(const void *packed, size_t length, void *room, size_t capacity) {
    z_stream stream = {.next_in = (Bytef *)packed, .avail_in = (uInt)length, .next_out = room, .avail_out = (uInt)capacity};
    if (inflateInit2(&stream, gzip_window) != Z_OK) return 0;
    int code = inflate(&stream, Z_FINISH);
    size_t used = stream.total_out;
    inflateEnd(&stream);
    return code == Z_STREAM_END ? used : 0;
}

struct yardstick_table {
    sqlite3 *database;
    sqlite3_stmt *insert;
    int rows;
};

static bool run(sqlite3 *database, const char *sql) { return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK; }

struct yardstick_table *yardstick_open(const char *path) {
    struct yardstick_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    if (sqlite3_open(path, &table->database) == SQLITE_OK && run(table->database, "PRAGMA journal_mode = WAL")
        && run(table->database, "PRAGMA synchronous = NORMAL")
        && run(table->database, "CREATE TABLE page (key TEXT PRIMARY KEY, record BLOB) WITHOUT ROWID")
        && sqlite3_prepare_v2(table->database, "INSERT INTO page VALUES (?, ?)", -1, &table->insert, NULL) == SQLITE_OK)
        return table;
    sqlite3_close(table->database);
    free(table);
    return NULL;
}

bool yardstick_insert(struct yardstick_table *table, const void *key, size_t key_length, const void *blob, size_t length) {
    if (table->rows % 64 == 0 && !run(table->database, "BEGIN")) return false;
    sqlite3_bind_text(table->insert, 1, key, (int)key_length, SQLITE_STATIC);
    sqlite3_bind_blob(table->insert, 2, blob, (int)length, SQLITE_STATIC);
    bool is_done = sqlite3_step(table->insert) == SQLITE_DONE;
    sqlite3_reset(table->insert);
    table->rows += 1;
    return is_done && (table->rows % 64 != 0 || run(table->database, "COMMIT"));
}

bool yardstick_close(struct yardstick_table *table) {
    bool is_written = table->rows % 64 == 0 || run(table->database, "COMMIT");
    sqlite3_finalize(table->insert);
    is_written = sqlite3_close(table->database) == SQLITE_OK && is_written;
    free(table);
    return is_written;
}
