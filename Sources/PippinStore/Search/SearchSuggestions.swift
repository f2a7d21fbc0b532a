import PippinPage

/// A query that somebody may be typing.
public struct SearchSuggestion: Sendable, Hashable {
    /// A record, if it is the only one that the suggestion finds.
    public struct Record: Sendable, Hashable {
        /// The record's unique identifier.
        public let identifier: String
        public let title: String
        /// The address of its picture.
        public let picture: String?
        /// What opens it in an app.
        public let deepLink: String?

        init(_ identifier: String, _ record: JSONValue) {
            self.identifier = identifier
            title = record["title"]?.string ?? ""
            picture = record["thumbnailURL"]?.string ?? record["images"]?.array?.first?["url"]?.string
            deepLink =
                record["deepLinks"]?.array?.first { DeepLinkRecord.DeepLink.opensInApp(json: $0) }?["url"]?.string
        }
    }

    public let text: String
    public let record: Record?
}

/// What the index knows of a text that is being typed.
struct TypedText {
    /// A record, and whose storage has it.
    typealias Place = (identifier: String, shard: Int?)

    /// The records with all words in title or names, best first.
    let titles: [Place]
    /// Words that the only word may become, how many records have them, and one of these.
    let completions: [(term: String, documents: Int64, record: Place?)]
    /// Words that the last word may become if it has a slip.
    let near: Set<String>
    /// Whether nothing begins like the text, so that slips are forgiven.
    let isForgiving: Bool
}

/// Makes completions of a text from titles and words of the index.
struct SearchSuggestions {
    private let query: SearchQuery
    private let lastForm: String
    private let typed: TypedText
    private let records: [String: JSONValue]

    /// Longer titles are no suggestions. If nothing begins like the text, there is nothing better.
    private static let maximumCharacters = 60
    private static let maximumCharactersForgiving = 120

    init(_ query: SearchQuery, lastForm: String, _ typed: TypedText, _ records: [String: JSONValue]) {
        self.query = query
        self.lastForm = lastForm
        self.typed = typed
        self.records = records
    }

    /// Titles that begin with the text come first; then the text with its last word completed as titles spell it; then words of
    /// the index, as records spell them.
    func texts(limit: Int) -> [SearchSuggestion] {
        let written = query.words
        var suggestions: [SearchSuggestion] = []
        var known: Set<String> = [written.joined(separator: " ")]
        func add(_ text: String, _ record: SearchSuggestion.Record?) {
            let name = Self.name(of: text)
            if suggestions.count < limit, !name.isEmpty, known.insert(name).inserted {
                suggestions.append(SearchSuggestion(text: text, record: record))
            }
        }
        let found = typed.titles.compactMap { place in
            records[place.identifier].map { SearchSuggestion.Record(place.identifier, $0) }
        }
        let byName = Dictionary(grouping: found) { Self.name(of: $0.title) }
        var spelled: [String] = []
        for record in found {
            let words = SearchText.with { $0.words(of: record.title, limit: 100) }
            let begins =
                words.count >= written.count && zip(words, written.dropLast()).allSatisfy { $0.form == $1 }
                && words[written.count - 1].form.hasPrefix(lastForm)
            let longest = typed.isForgiving ? Self.maximumCharactersForgiving : Self.maximumCharacters
            if begins || typed.isForgiving, record.title.count <= longest {
                add(record.title, byName[Self.name(of: record.title)]?.count == 1 ? record : nil)
            }
            // The last word as this title has it, behind what was typed.
            if let word = words.first(where: { completes($0.form) }) {
                spelled.append(String(decoding: Array(record.title.utf8)[word.range], as: UTF8.self))
            }
        }
        let start =
            query.terms.last.map { String(decoding: Array(query.text.utf8)[..<$0.range.lowerBound], as: UTF8.self) }
            ?? ""
        // Behind a word with a slip, a completed one is no better query.
        if !typed.isForgiving || query.terms.count == 1 {
            for word in spelled { add(start + word.lowercased(), found.count == 1 ? found[0] : nil) }
        }
        for (term, documents, place) in typed.completions {
            let record = place.flatMap { place in records[place.identifier].map { (place.identifier, $0) } }
            let only = documents == 1 ? record.map { SearchSuggestion.Record($0, $1) } : nil
            add(start + (record.map { Self.spelling(of: term, in: $0.1) } ?? term), only)
        }
        return suggestions
    }

    private func completes(_ form: String) -> Bool {
        form != lastForm && (form.hasPrefix(lastForm) || typed.near.contains(form))
    }

    private static func name(of text: String) -> String {
        SearchText.with { $0.words(of: text, limit: 100).map(\.form).joined(separator: " ") }
    }

    /// A term as a record writes it, in small letters: with its accents.
    static func spelling(of term: String, in record: JSONValue) -> String {
        let texts =
            ["title", "snippet", "contentDescription", "containerTitle"].compactMap { record[$0]?.string }
            + record.strings("alternateNames") + record.strings("keywords")
        for text in texts {
            let word = SearchText.with { $0.words(of: text, limit: 2_000).first { $0.form == term } }
            if let word { return String(decoding: Array(text.utf8)[word.range], as: UTF8.self).lowercased() }
        }
        return term
    }
}
