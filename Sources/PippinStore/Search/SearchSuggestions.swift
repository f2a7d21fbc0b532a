import PippinPage

/// Makes completions of a text from titles and words of the index.
struct SearchSuggestions {
    private let query: SearchQuery
    private let lastForm: String

    /// Longer titles are no suggestions.
    private static let maximumCharacters = 60

    init(_ query: SearchQuery, lastForm: String) {
        self.query = query
        self.lastForm = lastForm
    }

    /// Titles that begin with the text come first; then the text with its last word completed as titles spell it; then words of
    /// the index.
    func from(titles: [String], completions: [String], limit: Int) -> [String] {
        let typed = query.words
        var suggestions: [String] = []
        var known: Set<String> = [typed.joined(separator: " ")]
        func add(_ text: String) {
            let name = SearchText.with { $0.words(of: text).map(\.form).joined(separator: " ") }
            if suggestions.count < limit, !name.isEmpty, known.insert(name).inserted { suggestions.append(text) }
        }
        var spelled: [String] = []
        for title in titles {
            let words = SearchText.with { $0.words(of: title, limit: 100) }
            let begins =
                words.count >= typed.count && zip(words, typed.dropLast()).allSatisfy { $0.form == $1 }
                && words[typed.count - 1].form.hasPrefix(lastForm)
            if begins, title.count <= Self.maximumCharacters { add(title) }
            // The last word as this title has it, behind what was typed.
            if let word = words.first(where: { $0.form.hasPrefix(lastForm) && $0.form != lastForm }) {
                spelled.append(String(decoding: Array(title.utf8)[word.range], as: UTF8.self))
            }
        }
        let start =
            query.terms.last.map { String(decoding: Array(query.text.utf8)[..<$0.range.lowerBound], as: UTF8.self) }
            ?? ""
        for word in spelled { add(start + word.lowercased()) }
        for word in completions { add(start + word) }
        return suggestions
    }
}
