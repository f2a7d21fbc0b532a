/// Signs that a page was written for search engines and not for people. They press its record down.
///
/// Only what the record shows is judged; a sign alone is no proof, so each takes a part. What ordinary pages do as well takes little: of 739
/// real pages, none has a text that repeats a word like `textRepeats`, but one of thirty has keywords made for search engines, which people
/// never see, and products have lists for titles.
public struct StuffingSigns: OptionSet, Sendable, Hashable {
    public let rawValue: Int64

    /// A word stands three times or more in the title, without the site's name. A doubled word (`Bora Bora`) is one.
    public static let titleRepeats = StuffingSigns(rawValue: 1)
    /// The title is a list: six or more parts between commas and bars.
    public static let titleLists = StuffingSigns(rawValue: 2)
    /// Most of the keywords share a word.
    public static let keywordsRepeat = StuffingSigns(rawValue: 4)
    /// Of many keywords, hardly one is in any other field.
    public static let keywordsUnseen = StuffingSigns(rawValue: 8)
    /// A word makes up a quarter of the text.
    public static let textRepeats = StuffingSigns(rawValue: 16)
    /// Styles hide text from people (`HiddenText`).
    static let textHidden = StuffingSigns(rawValue: 32)

    /// Each sign, how much of the whole punishment it brings, and its words for explanations.
    private static let all: [(sign: StuffingSigns, weight: Double, words: String)] = [
        (.titleRepeats, 0.6, "the title repeats a word"),
        (.titleLists, 0.05, "the title is a list"),
        (.keywordsRepeat, 0.05, "the keywords repeat a word"),
        (.keywordsUnseen, 0.05, "the page does not show its keywords"),
        (.textRepeats, 0.6, "the text repeats a word"),
        (.textHidden, 0.6, "the page hides text from people"),
    ]

    /// Whether one sign is strong, or several are there.
    public var areTelling: Bool { weight >= 0.6 || rawValue.nonzeroBitCount > 1 }

    /// Whether the keywords are made for search engines. They then tell little of the page.
    public var hasMadeUpKeywords: Bool { !isDisjoint(with: [.keywordsRepeat, .keywordsUnseen]) }

    /// 0…1
    public var weight: Double { min(1, Self.all.reduce(0) { contains($1.sign) ? $0 + $1.weight : $0 }) }

    public var words: String { Self.all.filter { contains($0.sign) }.map(\.words).joined(separator: ", ") }

    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// - Parameters:
    ///   - title: its text, for the signs between its parts.
    ///   - siteWords: the words of the site's name, which titles repeat: `Yoga mats for your home – Gorilla Mats`.
    ///   - keywords: the words of each keyword.
    ///   - text: snippet and description.
    ///   - hidesText: whether the page has hidden text that is telling.
    public init(
        title: String, titleWords: [String], siteWords: [String], keywords: [[String]], text: [String], hidesText: Bool
    ) {
        var signs: StuffingSigns = hidesText ? .textHidden : []
        let counted = Self.withoutNames(titleWords, of: title, site: siteWords)
        if let (_, count) = Self.mostFrequent(counted), count >= 3, count * 4 >= counted.count {
            signs.insert(.titleRepeats)
        }
        if title.count(where: { ",|;•·".contains($0) }) >= 5 { signs.insert(.titleLists) }
        // Once a keyword, or `mug mug mug` would be three.
        let inKeywords = keywords.flatMap { Array(Set($0)) }
        if let (_, count) = Self.mostFrequent(inKeywords), count >= 6, count * 2 >= keywords.count {
            signs.insert(.keywordsRepeat)
        }
        if keywords.count >= 15 {
            let seen = Set(titleWords + text)
            let shown = keywords.count { $0.contains(where: seen.contains) }
            if shown * 10 < keywords.count { signs.insert(.keywordsUnseen) }
        }
        if text.count >= 20, let (_, count) = Self.mostFrequent(text), count >= 6, count * 4 >= text.count {
            signs.insert(.textRepeats)
        }
        self = signs
    }

    /// The signs of a page and its record, without that of hidden text.
    ///
    /// - Parameter record: of the page.
    public init(of record: DeepLinkRecord, on facts: PageFacts) {
        let main = String(decoding: facts.mainText.bytes.prefix(20_000), as: UTF8.self)
        self = SearchText.with { analysis in
            func words(_ text: String, limit: Int) -> [String] { analysis.words(of: text, limit: limit).map(\.form) }
            return StuffingSigns(
                title: record.title ?? "", titleWords: words(record.title ?? "", limit: 80),
                siteWords: words(record.containerTitle ?? "", limit: 20),
                keywords: record.keywords.prefix(100).map { words($0, limit: 20) },
                text: words(record.contentDescription ?? "", limit: 400) + words(main, limit: 1_500), hidesText: false)
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

    private static func mostFrequent(_ words: [String]) -> (String, Int)? {
        var counts: [String: Int] = [:]
        for word in words where word.utf8.count > 2 && !StopWords.contains(word) { counts[word, default: 0] += 1 }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
    }
}
