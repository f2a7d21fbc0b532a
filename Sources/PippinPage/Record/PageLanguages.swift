/// The languages of a page: what it declares, unless its text is in another one. Frames in many languages hold texts in one: a
/// video site declares the language of its buttons.
struct PageLanguages {
    typealias Source = DeepLinkRecord.Source

    private(set) var tags: [String] = []
    private(set) var source: Source?

    private static let maximumLanguages = 20
    /// What is read first, and what decides where that is in another language than the page declares: 25 and 90 µs.
    private static let firstBytes = 600
    private static let maximumBytes = 2_400
    /// Letters that decide against what the page declares, and where it declares nothing.
    private static let minimumLetterBytes = 120
    private static let leastLetterBytes = 60
    /// A text with less of its main language is in several.
    private static let minimumPercent = 80

    private let locale: String?

    /// - Parameter locale: `og:locale`. Templates write the default en_US whatever the page's language.
    init(locale: String?) {
        self.locale = locale.flatMap(LanguageTag.normalized)
    }

    mutating func add(_ written: String, from source: Source) {
        guard tags.count < Self.maximumLanguages, let tag = LanguageTag.normalized(written) else { return }
        if tags.isEmpty { self.source = source }
        if !tags.contains(tag) { tags.append(tag) }
    }

    /// Holds a text of the page against what it declares. False where the text is too short or in several languages: another one
    /// may decide.
    mutating func compare(with text: String, from source: Source) -> Bool {
        guard let language = language(of: text) else { return false }
        if let declared = tags.first {
            guard !language.agrees(with: declared) else { return true }
            // Another declaration may name the language of the text, and its region.
            tags = [(tags + [locale].compactMap(\.self)).first(where: language.isSame) ?? language.tag]
            self.source = source
        } else if let locale, language.isSame(as: locale) {
            add(locale, from: .openGraph)
        } else {
            add(language.tag, from: source)
        }
        return true
    }

    /// To be called last.
    mutating func finish() {
        if tags.isEmpty, let locale { add(locale, from: .openGraph) }
        // `en` says nothing beside `en-GB`.
        tags = tags.filter { tag in !tags.contains { $0.hasPrefix(tag + "-") } }
    }

    /// The language of a text; nil where that is not sure, or it is in several.
    private func language(of text: String) -> TextLanguage? {
        guard var language = TextLanguage(of: text, maximumBytes: Self.firstBytes) else { return nil }
        guard let declared = tags.first else {
            return language.letterBytes >= Self.leastLetterBytes && language.percent >= Self.minimumPercent
                ? language : nil
        }
        if language.percent >= Self.minimumPercent, language.agrees(with: declared) { return language }
        if text.utf8.count > Self.firstBytes {
            guard let whole = TextLanguage(of: text, maximumBytes: Self.maximumBytes) else { return nil }
            language = whole
        }
        guard language.letterBytes >= Self.minimumLetterBytes, language.percent >= Self.minimumPercent,
            !language.others.contains(TextLanguage.primary(declared))
        else { return nil }
        return language
    }
}
