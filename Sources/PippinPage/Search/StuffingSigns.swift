/// Signs that a page was written for search engines and not for people. They press its record down.
///
/// Only what the record shows is judged; a sign alone is no proof, so each takes a part. A sign is what is beyond ordinary pages
/// (`StuffingMeasures`). What some ordinary pages do as well takes little: keywords are made for search engines, which people never see,
/// products have lists for titles, and the hidden text of an article may be what somebody else has put into it.
public struct StuffingSigns: OptionSet, Sendable, Hashable {
    public let rawValue: Int64

    /// A word stands three times or more in the title, without the site's name. A doubled word (`Bora Bora`) is one.
    public static let titleRepeats = StuffingSigns(rawValue: 1)
    /// The title is a list between commas and bars.
    public static let titleLists = StuffingSigns(rawValue: 2)
    /// Nearly all keywords share a word.
    public static let keywordsRepeat = StuffingSigns(rawValue: 4)
    /// Of many keywords, hardly one is in any other field.
    public static let keywordsUnseen = StuffingSigns(rawValue: 8)
    /// A word makes up a large part of the text.
    public static let textRepeats = StuffingSigns(rawValue: 16)
    /// Styles hide text from people (`HiddenText`).
    static let textHidden = StuffingSigns(rawValue: 32)
    /// They hide more than they show.
    static let textMostlyHidden = StuffingSigns(rawValue: 64)

    /// Half of the keywords share a word. That is ordinary and presses nothing down; but words in such keywords tell little of the page.
    static let keywordsShare = StuffingSigns(rawValue: 128)

    /// Each sign, how much of the whole punishment it brings, and its words for explanations.
    private static let all: [(sign: StuffingSigns, weight: Double, words: String)] = [
        (.titleRepeats, 0.6, "the title repeats a word"),
        (.titleLists, 0.05, "the title is a list"),
        (.keywordsRepeat, 0.05, "the keywords repeat a word"),
        (.keywordsUnseen, 0.05, "the page does not show its keywords"),
        (.textRepeats, 0.6, "the text repeats a word"),
        (.textHidden, 0.05, "the page hides text from people"),
        (.textMostlyHidden, 0.55, "most of its text"),
    ]

    /// Whether one sign is strong, or several are there.
    public var areTelling: Bool { weight >= 0.6 || subtracting(.keywordsShare).rawValue.nonzeroBitCount > 1 }

    /// Whether the keywords are made for search engines. They then tell little of the page.
    public var hasMadeUpKeywords: Bool { !isDisjoint(with: [.keywordsShare, .keywordsUnseen]) }

    /// 0…1
    public var weight: Double { min(1, Self.all.reduce(0) { contains($1.sign) ? $0 + $1.weight : $0 }) }

    public var words: String { Self.all.filter { contains($0.sign) }.map(\.words).joined(separator: ", ") }

    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The signs in which measures are beyond ordinary pages.
    public init(_ measures: StuffingMeasures) {
        self = StuffingMeasures.all.reduce(into: []) { signs, measure in
            if measure.isBeyond(measures) { signs.insert(measure.sign) }
        }
    }

    /// The signs of a page and its record, without those of hidden text.
    ///
    /// - Parameter record: of the page.
    public init(of record: DeepLinkRecord, on facts: PageFacts) {
        self = StuffingSigns(StuffingMeasures(of: record, on: facts)).subtracting([.textHidden, .textMostlyHidden])
    }
}

/// How much a page has of what stuffing is made of.
///
/// Where a measure becomes a sign (`all`) is learned from pages and not from a rule of thumb: a mild one is more than 99.5 % of real pages
/// have, a strong one more than any of them that was written for people. `make bench-stuffing PAGES=folder` prints what pages have,
/// `Docs/Search.md` has the figures.
public struct StuffingMeasures: Sendable, Hashable {
    /// The part that the most frequent word has in the title, without the site's name; 0 if it stands there less than three times.
    public private(set) var titleRepeats = 0.0
    /// Commas and bars in the title.
    public private(set) var titleLists = 0.0
    /// The part of the keywords that share a word; 0 if less than six do.
    public private(set) var keywordsRepeat = 0.0
    /// The part of the keywords that are nowhere on the page; 0 of less than 15.
    public private(set) var keywordsUnseen = 0.0
    /// The part that the most frequent word has in the text; 0 if it stands there less than six times, or in less than 20 words.
    public private(set) var textRepeats = 0.0
    /// Hidden words beside all.
    public private(set) var textHidden = 0.0

    /// One measure: from where on it is a sign.
    public struct Measure: Sendable {
        public let name: String
        public let sign: StuffingSigns
        /// The least that is a sign.
        public let least: Double
        private let read: @Sendable (StuffingMeasures) -> Double

        init(
            _ name: String, _ sign: StuffingSigns, least: Double,
            _ read: @escaping @Sendable (StuffingMeasures) -> Double
        ) {
            (self.name, self.sign, self.least, self.read) = (name, sign, least, read)
        }

        public func of(_ measures: StuffingMeasures) -> Double { read(measures) }
        public func isBeyond(_ measures: StuffingMeasures) -> Bool { read(measures) >= least }
    }

    /// All measures, with what is beyond ordinary pages.
    public static let all = [
        Measure("title repeats", .titleRepeats, least: 0.25) { $0.titleRepeats },
        Measure("title lists", .titleLists, least: 5) { $0.titleLists },
        Measure("keywords share", .keywordsShare, least: 0.5) { $0.keywordsRepeat },
        Measure("keywords repeat", .keywordsRepeat, least: 0.93) { $0.keywordsRepeat },
        Measure("keywords unseen", .keywordsUnseen, least: 0.9) { $0.keywordsUnseen },
        Measure("text repeats", .textRepeats, least: 0.25) { $0.textRepeats },
        Measure("text hidden", .textHidden, least: 0.01) { $0.textHidden },
        Measure("text mostly hidden", .textMostlyHidden, least: 0.5) { $0.textHidden },
    ]

    /// - Parameters:
    ///   - title: its text, for the signs between its parts.
    ///   - siteWords: the words of the site's name, which titles repeat: `Yoga mats for your home – Gorilla Mats`.
    ///   - keywords: the words of each keyword.
    ///   - text: snippet and description, and the main text if it is known.
    ///   - hiddenWords: words that styles hide, if they are telling.
    ///   - shownWords: words of the main text, if they are known; else `text` has them.
    public init(
        title: String, titleWords: [String], siteWords: [String], keywords: [[String]], text: [String],
        hiddenWords: Int = 0, shownWords: Int? = nil
    ) {
        let counted = Self.withoutNames(titleWords, of: title, site: siteWords)
        if let count = Self.mostFrequent(counted), count >= 3 { titleRepeats = Double(count) / Double(counted.count) }
        titleLists = Double(title.count { ",|;•·".contains($0) })
        // Once a keyword, or `mug mug mug` would be three.
        let inKeywords = keywords.flatMap { Array(Set($0)) }
        if let count = Self.mostFrequent(inKeywords), count >= 6 {
            keywordsRepeat = Double(count) / Double(keywords.count)
        }
        if keywords.count >= 15 {
            let seen = Set(titleWords + text)
            let unseen = keywords.count { !$0.contains(where: seen.contains) }
            keywordsUnseen = Double(unseen) / Double(keywords.count)
        }
        if text.count >= 20, let count = Self.mostFrequent(text), count >= 6 {
            textRepeats = Double(count) / Double(text.count)
        }
        if hiddenWords > 0 {
            textHidden = Double(hiddenWords) / (Double(hiddenWords) + Double(max(0, shownWords ?? text.count)))
        }
    }

    /// The measures of a page and its record.
    public init(of record: DeepLinkRecord, on facts: PageFacts) {
        let main = String(decoding: facts.mainText.bytes.prefix(20_000), as: UTF8.self)
        self = SearchText.with { analysis in
            func words(_ text: String, limit: Int) -> [String] { analysis.words(of: text, limit: limit).map(\.form) }
            let isCounted = record.provenance.contains { $0.field == "wordCount" && $0.source == .mainText }
            return StuffingMeasures(
                title: record.title ?? "", titleWords: words(record.title ?? "", limit: 80),
                siteWords: words(record.containerTitle ?? "", limit: 20),
                keywords: record.keywords.prefix(100).map { words($0, limit: 20) },
                text: words(record.contentDescription ?? "", limit: 400) + words(main, limit: 1_500),
                hiddenWords: record.hiddenWords ?? 0, shownWords: isCounted ? record.wordCount : nil)
        }
    }

    /// The words of a title that count: without the site's name at its end or beginning, and without the second of two equal
    /// words side by side.
    private static func withoutNames(_ words: [String], of title: String, site: [String]) -> [String] {
        var kept = words[...]
        var name = Set(site)
        while let last = kept.last, name.remove(last) != nil { kept.removeLast() }
        if kept.count == words.count {
            while let first = kept.first, name.remove(first) != nil { kept.removeFirst() }
        }
        let text = title.lowercased()
        var counted: [String] = []
        for (index, word) in kept.enumerated() {
            // `mug mug mug` names nothing, nor does `mugs, mugs`.
            let isDoubled =
                word == counted.last && word != kept.dropFirst(index + 1).first && text.contains("\(word) \(word)")
                && !text.contains("\(word) \(word) \(word)")
            if !isDoubled { counted.append(word) }
        }
        return counted
    }

    /// How often the most frequent word stands there.
    private static func mostFrequent(_ words: [String]) -> Int? {
        var counts: [String: Int] = [:]
        for word in words where word.utf8.count > 2 && !StopWords.contains(word) { counts[word, default: 0] += 1 }
        return counts.values.max()
    }
}
