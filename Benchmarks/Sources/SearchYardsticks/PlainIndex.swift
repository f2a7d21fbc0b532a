import Foundation
import GRDB
import PippinPage

/// What search is compared with: SQLite's FTS5 as it comes, with the texts of the records in fields of their own. `unicode61` splits words and
/// folds case and diacritics; the order is `bm25` with its own weights.
///
/// It gets what a careful user of FTS5 would do: quoted phrases, exclusion and `site:` work, and there are several ways to
/// combine words (`Combination`), of which the benchmark takes the one that does best on the queries for tuning.
public struct PlainIndex {
    public enum Combination: String, CaseIterable {
        case any
        /// All words; what has only some of them follows.
        case allThenAny = "all, then any"
        case anyWithPrefix = "any, the last word is a prefix"
        case allThenAnyWithPrefix = "all, then any, the last word is a prefix"

        var hasPrefix: Bool { self == .anyWithPrefix || self == .allThenAnyWithPrefix }
        var wantsAll: Bool { self == .allThenAny || self == .allThenAnyWithPrefix }
    }

    private let database: DatabaseQueue

    /// Whether it has the pages' visible text too, and not only what the records say.
    private let hasText: Bool

    public init(hasText: Bool) throws {
        self.hasText = hasText
        database = try DatabaseQueue()
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE VIRTUAL TABLE page USING fts5(
                        identifier UNINDEXED, host UNINDEXED,
                        title, alternateNames, keywords, containerTitle, contentDescription, snippet, text)
                    """)
        }
    }

    /// - Parameter records: documents of the feed, and the texts of their pages.
    public func add(_ records: [(identifier: String, record: JSONValue, text: String)]) throws {
        func words(_ value: JSONValue?) -> String {
            value?.string ?? value?.array.map { $0.compactMap(\.string).joined(separator: " ") } ?? ""
        }
        try database.write { database in
            for (identifier, record, text) in records {
                let fields = ["title", "alternateNames", "keywords", "containerTitle", "contentDescription", "snippet"]
                try database.execute(
                    sql: "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    arguments: StatementArguments(
                        [identifier, words(record["domainIdentifier"])] + fields.map { words(record[$0]) } + [
                            hasText ? text : ""
                        ]))
            }
        }
    }

    /// The identifiers of the best pages, best first.
    public func search(_ text: String, _ combination: Combination, limit: Int) throws -> [String] {
        var query = Query(text, hasPrefix: combination.hasPrefix)
        guard !query.wanted.isEmpty else { return [] }
        var results: [String] = []
        for operation in combination.wantsAll ? [" AND ", " OR "] : [" OR "] {
            query.operation = operation
            for identifier in try run(query, limit: limit) where !results.contains(identifier) {
                results.append(identifier)
            }
            if results.count >= limit { break }
        }
        return Array(results.prefix(limit))
    }

    private func run(_ query: Query, limit: Int) throws -> [String] {
        try database.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT identifier FROM page
                    WHERE page MATCH ?1 AND (?2 IS NULL OR host = ?2 OR host LIKE '%.' || ?2) ORDER BY bm25(page) LIMIT ?3
                    """,
                arguments: [query.expression, query.site, limit])
        }
    }

    /// A query in FTS5's syntax. Every word is quoted, so that none is an operator.
    private struct Query {
        private(set) var wanted: [String] = []
        private var unwanted: [String] = []
        private(set) var site: String?
        var operation = " OR "

        init(_ text: String, hasPrefix: Bool) {
            var isPhrase = false
            var endsInWord = false
            for part in text.split(separator: "\"", omittingEmptySubsequences: false) {
                defer { isPhrase.toggle() }
                if isPhrase {
                    wanted.append(Self.quoted(part))
                    endsInWord = false
                    continue
                }
                for word in part.split(separator: " ") {
                    if word.hasPrefix("site:") {
                        site = String(word.dropFirst(5))
                    } else if word.hasPrefix("-"), word.count > 1 {
                        unwanted.append(Self.quoted(word.dropFirst()))
                    } else {
                        wanted.append(Self.quoted(word))
                        endsInWord = true
                    }
                }
            }
            if hasPrefix, endsInWord, let last = wanted.popLast() { wanted.append(last + "*") }
        }

        var expression: String {
            let all = "(" + wanted.joined(separator: operation) + ")"
            return unwanted.isEmpty ? all : all + " NOT (" + unwanted.joined(separator: " OR ") + ")"
        }

        private static func quoted(_ text: Substring) -> String { "\"" + text + "\"" }
    }
}
