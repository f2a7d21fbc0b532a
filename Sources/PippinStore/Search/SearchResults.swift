import PippinPage

/// The answer to a query.
public struct SearchResults: Sendable {
    /// From the offset on, best first.
    public let hits: [SearchHit]
    /// How many records match; if `isCountExact` is false, there are more.
    public let count: Int
    public let isCountExact: Bool
    /// Whether the index has ever had all records. While it is made, there may be more hits, and better ones.
    public var isIndexComplete = true
    /// The query with words of the index in place of misspelled ones, for which the first hits are; nil if they are for the query as it is
    /// written. `SearchQuery.isExact` asks for no correction.
    public let correctedQuery: String?
    /// A query that may have been meant and was not searched for; nil if there is nothing to suggest.
    public let didYouMean: String?
    /// The values of filters that the hits have; none unless asked for.
    public var facets = SearchFacets.none
    /// Where the next page begins; nil behind the last hit.
    public var next: SearchCursor?
    /// Whether the order of the hits is another than that of the first page, because the index has changed, clicks were counted or a
    /// search was ended early; nil without a cursor.
    public var isOrderChanged: Bool?
    /// What of the query was not used, and what limits the answer, as sentences.
    public let notes: [String]

    /// - Parameter isExact: whether nothing can match, whatever the index has.
    static func none(_ notes: [String], isExact: Bool, isIndexComplete: Bool) -> SearchResults {
        SearchResults(
            hits: [], count: 0, isCountExact: isExact, isIndexComplete: isIndexComplete, correctedQuery: nil,
            didYouMean: nil, notes: notes)
    }
}

/// A record that matches.
public struct SearchHit: Sendable {
    /// The record's unique identifier.
    public let identifier: String
    /// The stored record, as the feed gives it.
    public let record: JSONValue
    public let title: HighlightedText
    public let snippet: HighlightedText
    public let score: Double
    /// What the score is made of; they add up to it. Empty unless asked for.
    public let parts: [SearchScorePart]
    /// How many hits of the same host stand further down than they would if it had fewer; 0 unless this is the last one before them.
    public var furtherOfHost = 0
}

/// A part of a hit's score.
public struct SearchScorePart: Sendable, Hashable {
    /// `words in the title`, `popularity`
    public let name: String
    public let value: Double
    /// What it was computed from: `0.82 of 1`; nil if the name says all.
    public let detail: String?
}

/// A text in which the words of the query are marked.
public struct HighlightedText: Sendable, Hashable {
    public struct Piece: Sendable, Hashable {
        public let text: String
        public let isMatch: Bool

        public init(text: String, isMatch: Bool) {
            self.text = text
            self.isMatch = isMatch
        }
    }

    public let pieces: [Piece]

    public init(pieces: [Piece]) { self.pieces = pieces }

    public var text: String { pieces.map(\.text).joined() }
}

// The answer as JSON, for `pippin search --json` and the server's API. Docs/Search.md documents it.

extension SearchResults {
    /// Writes one JSON object.
    ///
    /// - Parameters:
    ///   - offset: how many hits were left out.
    ///   - notes: what the caller adds to the notes.
    ///   - shown: what is written of a record.
    public func write(
        to writer: inout JSONWriter, query: SearchQuery, offset: Int, notes: [String] = [],
        of shown: (JSONValue) -> JSONValue = { $0 }
    ) {
        writer.object { writer in
            writer.member("query", query.text)
            writer.member("count", count)
            writer.member("isCountExact", isCountExact)
            writer.member("isIndexComplete", isIndexComplete)
            writer.member("offset", offset)
            writer.optional("correctedQuery", correctedQuery)
            writer.optional("didYouMean", didYouMean)
            writer.key("notes")
            writer.beginArray()
            for note in notes + self.notes { writer.string(note) }
            writer.endArray()
            writer.optional("next", next?.description)
            if let isOrderChanged { writer.member("isOrderChanged", isOrderChanged) }
            if !facets.groups.isEmpty {
                writer.key("facets")
                facets.write(to: &writer)
            }
            writer.objects("hits", hits) { writer, hit in
                writer.member("identifier", hit.identifier)
                writer.member("score", Self.rounded(hit.score))
                writer.objects("title", hit.title.pieces, Self.write)
                writer.objects("snippet", hit.snippet.pieces, Self.write)
                if !hit.parts.isEmpty {
                    writer.objects("parts", hit.parts) { writer, part in
                        writer.member("name", part.name)
                        writer.member("value", Self.rounded(part.value))
                        writer.optional("detail", part.detail)
                    }
                }
                writer.member("record", shown(hit.record))
            }
        }
    }

    private static func write(_ writer: inout JSONWriter, _ piece: HighlightedText.Piece) {
        writer.member("text", piece.text)
        if piece.isMatch { writer.member("isMatch", true) }
    }

    private static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}
