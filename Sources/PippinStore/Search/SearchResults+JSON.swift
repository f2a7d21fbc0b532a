import PippinPage

// The answer as JSON, for `pippin search --json` and the server's API. Docs/Search.md documents it.

extension SearchResults {
    /// Writes one JSON object.
    ///
    /// - Parameters:
    ///   - offset: how many hits were left out.
    ///   - notes: what the caller adds to the notes.
    public func write(to writer: inout JSONWriter, query: SearchQuery, offset: Int, notes: [String] = []) {
        writer.object { writer in
            writer.member("query", query.text)
            writer.member("count", count)
            writer.member("isCountExact", isCountExact)
            writer.member("offset", offset)
            writer.optional("didYouMean", didYouMean)
            writer.key("notes")
            writer.beginArray()
            for note in notes + self.notes { writer.string(note) }
            writer.endArray()
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
                writer.member("record", hit.record)
            }
        }
    }

    private static func write(_ writer: inout JSONWriter, _ piece: HighlightedText.Piece) {
        writer.member("text", piece.text)
        if piece.isMatch { writer.member("isMatch", true) }
    }

    private static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}
