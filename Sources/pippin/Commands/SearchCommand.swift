import ArgumentParser
import Foundation
import Glibc
import PippinCrawl
import PippinPage
import PippinStore

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Searches the records of a job.",
        discussion: """
            Words must all be found, in any form; the last one may be unfinished. "A phrase" stands in quotes, -word excludes. \
            Filters: site: type: title: author: app: lang: has: rating: after: before: (Docs/Search.md). A query with -word or "phrase" needs \
            the shell's quotes. The index is brought up to date first; a job in shards has one of all that are here.

            Examples:
              pippin search apple pie
              pippin search '"blue mug" site:shop.example has:deeplink' --storage crawl-data
              pippin search 'concert after:2026-01 -cancelled' --explain
              pippin search mug --json | jq -r '.hits[].identifier'

            Exit status: 0 hits, 1 none, 2 usage or configuration, 6 there is no storage, or it cannot be read.
            """)

    /// The arguments of the program with excluded words where none is taken for options: `-sold`. An option with one hyphen has one letter.
    static func withWordsApart(_ arguments: [String]) -> [String] {
        guard arguments.first == configuration.commandName else { return arguments }
        let options = arguments.prefix { $0 != "--" }
        let rest = arguments.dropFirst(options.count + 1)
        func isWord(_ argument: String) -> Bool {
            argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.unicodeScalars.count > 2
        }
        let words = options.filter(isWord) + rest
        return options.filter { !isWord($0) } + (words.isEmpty ? [] : ["--"] + words)
    }

    @Argument(help: "Words, phrases and filters. Several arguments are one query.")
    var query: [String]

    @OptionGroup var place: StoragePlace

    @Flag(name: .json, help: "One JSON object instead of lines.")
    var json = false

    @Flag(help: "Words as they are written: none is corrected.")
    var exact = false

    @Option(help: "What hits are ordered by.")
    var sort = SearchOrder.relevance

    @Flag(help: "What the score of each hit is made of.")
    var explain = false

    @Option(name: .limit, help: "Hits to show at most, up to 100.")
    var limit = 10

    @Option(help: "Hits to leave out.")
    var offset = 0

    @Option(help: "Goes on behind an earlier answer: its next, with --json. It reaches all hits, not only 1,000.")
    var cursor: String?

    @Option(help: "File of clicks (NDJSON) that take part in the order.")
    var clicks: String?

    @Option(help: "File of words that mean the same, a line each: courgette, zucchini.")
    var synonyms: String?

    private var parsed: SearchQuery { SearchQuery(query.joined(separator: " "), isExact: exact, order: sort) }

    func validate() throws {
        guard (1...100).contains(limit) else { throw ValidationError("--limit must be 1 to 100.") }
        guard offset >= 0 else { throw ValidationError("--offset must be 0 or more.") }
        guard cursor == nil || offset == 0 else { throw ValidationError("--cursor goes without --offset.") }
        if let cursor, SearchCursor(cursor)?.continues(parsed) != true {
            throw ValidationError("--cursor is not the next of an answer to this query.")
        }
    }

    func run() async throws {
        let folder = try place.searchedFolder()
        let log = try clicks.map { try ClickLog(contentsOf: $0) }
        if let log, log.unreadLines > 0 {
            writeError(
                "\(clicks ?? ""): \(Wording.count(log.unreadLines, "line")) ignored: neither a click nor a list."
            )
        }
        let meanings = try synonyms.map { try SearchSynonyms(contentsOf: $0) }
        let notes = try bringUpToDate(folder)
        let index = try SearchIndex(folder: folder)
        index.use(log)
        index.use(meanings)
        let (parsed, cursor) = (parsed, cursor.flatMap { SearchCursor($0) })
        let results = try index.search(parsed, offset: offset, limit: limit, isExplained: explain, cursor: cursor)
        let offset = cursor?.offset ?? offset
        if json {
            var writer = JSONWriter(pretty: true)
            results.write(to: &writer, query: parsed, offset: offset, notes: notes)
            writer.endLine()
            try StandardOutput.write(tellingJSON: writer.bytes)
        } else {
            for note in notes + results.notes { writeError(note) }
            if let meant = results.correctedQuery {
                writeError("Results for: \(meant) (--exact searches for the words as they are written)")
            }
            if let better = results.didYouMean { writeError("Did you mean: \(better)") }
            if results.hits.isEmpty {
                let nothing = results.isIndexComplete ? "Nothing found." : "Nothing found yet."
                writeError(results.count > 0 ? "There are no further hits." : nothing)
            } else {
                let listing = SearchListing(isColored: isatty(STDOUT_FILENO) == 1, offset: offset)
                try StandardOutput.write(listing.text(of: results), keepsColors: true)
            }
        }
        if results.hits.isEmpty { throw ExitCode(.findings) }
    }

    /// Brings the index up to date, if this process may.
    ///
    /// - Returns: what kept it from that.
    private func bringUpToDate(_ folder: URL) throws -> [String] {
        let indexer: SearchIndexer
        do {
            indexer = try SearchIndexer(folder: folder)
        } catch is OutputLock.Held {
            return ["Another process writes the search index; the newest records may be missing."]
        } catch let error as StorageError {
            // A folder that may only be read can be searched, if it has an index.
            guard try SearchIndex(folder: folder).standing().documents > 0 else { throw error }
            return ["The search index cannot be brought up to date: \(error)"]
        }
        if let reason = indexer.reasonOfBuilding { writeError("The search index is built anew: \(reason).") }
        try IndexWork.catchUp(indexer, from: .now)
        return []
    }
}

extension SearchOrder: ExpressibleByArgument {}
