import Foundation
import GRDB
import GRDBSQLite
import PippinCrawl
import PippinPage

/// The tables of the search index, `search.sqlite` beside the storage's database, or beside the storages of a job's shards.
///
///     document ── contents ── words (FTS5)      one row each; the number is the same
///     word                                      how many documents have a word
///
/// A document's number is its place in the order of quality: what is better has a smaller one. So the best matches of a frequent
/// word are found without reading all of them. A document whose quality changes moves.
///
/// The index is a cache. It may be deleted; whatever is wrong with it is fixed by building it again.
enum SearchSchema {
    static let fileName = "search.sqlite"
    /// Grows when an index of an earlier version has other contents: tables, fields, how words are split and folded.
    static let version: Int32 = 11

    /// Documents are ordered in so many steps of quality. More would move documents for every small change.
    static let qualitySteps: Int64 = 64
    /// Each list of documents begins with a number, and most lists are short: ten bits less make the lists of words a tenth smaller.
    private static let serialBits: Int64 = 29
    /// So many times a document can be put into an index. Then it is built anew.
    static let serials: Int64 = 1 << serialBits

    static func number(quality: Int64, serial: Int64) -> Int64 {
        (qualitySteps - 1 - quality) << serialBits | serial
    }

    static func step(ofNumber number: Int64) -> Int64 { qualitySteps - 1 - number >> serialBits }

    /// A sign that words and text never have begins a stem or pair, and a facet.
    static let stemMark = "~"
    static let facetMark = "="
    /// Begins the term of a word that is written otherwise than folded, and stands behind the folded word.
    static let writtenMark = "_"
    /// `_muller_müller`: those of one folded word are neighbors.
    static func writtenTerm(_ form: String, _ written: String) -> String {
        writtenMark + form + writtenMark + written
    }
    /// Begins what a compound is filed under (`CompoundWord.ending`), in `word` only: no text has it.
    static let endingMark = "<"
    /// Begins a term of title or other names, as a facet: the records with a frequent word in the title are found without reading
    /// all that have it anywhere.
    static let titleMark = "=t:"
    /// Every document has it.
    static let everyDocument = "=document"

    /// By how many of their first letters words are found, most frequent first: one, two, or three. Those of less binary digits of documents
    /// are not: of the many words that begin with a letter, only frequent ones are suggested.
    static let leastMagnitudes = [5, 4, 3]

    static let columns = SearchField.allCases.map { "\($0)" } + ["facets"]

    static let tables = """
        -- One row. `shards`: how many the job has, 0 if it is not in shards. `serial`: the last number that was given. `removed`:
        -- documents that were removed since the parts of `words` were last joined.
        CREATE TABLE state(
            id INTEGER PRIMARY KEY CHECK (id = 1), shards INTEGER NOT NULL, serial INTEGER NOT NULL DEFAULT 0,
            documents INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0);

        -- A storage of the job by the number of its shard; 0 if the job is not in shards. `identity`: which storage it is, empty before it
        -- was read. `sequence`: the last change of its feed that is in the index. `target`: where the feed ended when it was begun;
        -- before that the index is incomplete.
        CREATE TABLE source(
            shard INTEGER PRIMARY KEY, identity TEXT NOT NULL, sequence INTEGER NOT NULL, target INTEGER NOT NULL);

        -- `key`: hash of the identifier. `contents`: hash of the words. `lengths`: words by field. Signals in thousandths;
        -- `stars`: the rating out of 5, in hundredths. Days since 1970. `shard`: whose storage has the record; null if the job is not in
        -- shards. `types`: those that the page says itself, with spaces between them. `site`: the host without `www`. `price`: in thousandths of
        -- `currency`. `apps`: names, with line feeds between them.
        CREATE TABLE document(
            id INTEGER PRIMARY KEY, key INTEGER NOT NULL, identifier TEXT NOT NULL, contents INTEGER NOT NULL,
            host INTEGER NOT NULL, lengths BLOB NOT NULL, language TEXT, popularity INTEGER, rating INTEGER, stars INTEGER,
            interactions INTEGER NOT NULL, structuredData INTEGER NOT NULL, flags INTEGER NOT NULL, stuffing INTEGER NOT NULL,
            signs INTEGER NOT NULL, day INTEGER, over INTEGER, shard INTEGER, types TEXT NOT NULL, site TEXT NOT NULL,
            price INTEGER, currency TEXT, apps TEXT);
        CREATE INDEX documentKey ON document(key);
        CREATE INDEX documentShard ON document(shard) WHERE shard IS NOT NULL;

        -- `magnitude`: the number of binary digits of `documents`; the indexes change only with it.
        -- Most words are rare, and few words are in the indexes.
        CREATE TABLE word(term TEXT PRIMARY KEY, documents INTEGER NOT NULL, magnitude INTEGER NOT NULL) WITHOUT ROWID;
        \(wordStarts)

        CREATE TABLE language(tag TEXT PRIMARY KEY, documents INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE length(field INTEGER PRIMARY KEY, words INTEGER NOT NULL);

        -- What is needed to take a document out of `words`, which keeps no texts (`DocumentTerms`).
        CREATE TABLE contents(id INTEGER PRIMARY KEY, terms BLOB NOT NULL);

        CREATE VIRTUAL TABLE words USING fts5(
            \(columns.joined(separator: ", ")), tokenize = "ascii tokenchars '~=+#.-:/_'", content = '', columnsize = 0);
        -- New words are gathered in memory, 16 MB in place of 1 MB, so that there are fewer parts to be joined.
        INSERT INTO words(words, rank) VALUES ('hashsize', 16777216);
        """

    private static let wordStarts: String = leastMagnitudes.enumerated().map { index, magnitude -> String in
        """
        CREATE INDEX wordStart\(index + 1) ON word(substr(term, 1, \(index + 1)), magnitude DESC)
            WHERE magnitude >= \(magnitude);
        """
    }.joined(separator: "\n")

    /// - Parameter isReader: whether the connection answers queries.
    static func configuration(isReader: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isReader
        configuration.label = isReader ? "pippin.search" : "pippin.search.writing"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.journalMode = isReader ? .default : .wal
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = \(isReader ? -32_000 : -64_000)")
            if isReader {
                try MatchPlaces.register(on: database)
            } else {
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
                try database.execute(sql: "PRAGMA secure_delete = ON")
                try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
            }
        }
        return configuration
    }

    /// The version of the index; 0 if it has no tables yet.
    static func version(of database: Database) throws -> Int32 {
        try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }
}
