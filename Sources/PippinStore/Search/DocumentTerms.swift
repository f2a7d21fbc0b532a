import PippinPage

/// The different terms of a document, each in the first column that has it.
///
/// FTS5 keeps no texts here, so whoever removes a document says what it had. FTS5 notes for each term that the document is gone, wherever
/// in it the term was: once is enough, and takes a third less room than the texts. `SearchCountsTests` holds it to that.
struct DocumentTerms {
    /// With spaces between terms. The last column has facets, without `ofTitle`.
    let columns: [String]

    /// - Parameter columns: of a `SearchDocument`.
    init(of columns: [String]) {
        // Bytes, because FTS5 compares bytes: two texts that Swift takes for one are two terms.
        var known: Set<ArraySlice<UInt8>> = [Array(SearchSchema.facetMark.utf8)[...]]
        self.columns = columns.map { column in
            var terms: [UInt8] = []
            for term in Array(column.utf8).split(separator: 0x20) where known.insert(term).inserted {
                if !terms.isEmpty { terms.append(0x20) }
                terms += term
            }
            return String(decoding: terms, as: UTF8.self)
        }
    }

    // MARK: Packed

    /// - Returns: nil without enough memory.
    var packed: [UInt8]? { DeflatedBytes.pack(Array(columns.joined(separator: "\n").utf8), level: 1) }

    /// - Returns: nil for anything but what `packed` made.
    init?(packed: [UInt8]) {
        guard let text = DeflatedBytes.unpack(packed) else { return nil }
        let parts = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard parts.count == SearchSchema.columns.count else { return nil }
        columns = parts.map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Terms

    /// Of all fields, as `word` counts them; the ends of compounds are not among them.
    var ofFields: Set<String> {
        Set(
            columns.prefix(SearchField.allCases.count).flatMap { $0.utf8.split(separator: 0x20) }.map {
                String(Substring($0))
            })
    }

    /// Those that find a document by the words of its title and other names, behind its facets.
    var ofTitle: String {
        [SearchField.title, .names].flatMap { columns[$0.rawValue].utf8.split(separator: 0x20) }.map(Substring.init)
            .filter { !$0.hasPrefix(SearchSchema.writtenMark) }
            .map { SearchSchema.titleMark + $0 }.joined(separator: " ")
    }
}
