import PippinPage
import SearchYardsticks

/// What somebody types who knows the record.
struct KnownItemQuery {
    enum Kind: String, CaseIterable {
        case title = "the title"
        case twoWords = "2 words of the title"
        case twoWordsTypo = "2 words, one typo"
        case threeWordsTypo = "3 words, one typo"
        case rareWordTypo = "a rare word with a typo"
        case unfinished = "2 words, the last one unfinished"
        case site = "site and a word"
        case author = "author and a word"
    }

    let kind: Kind
    let item: KnownItem
    let text: String
    /// The words that were meant, folded.
    let meant: [String]

    /// A word of so many letters may have a typo, or be left unfinished.
    private static let leastLetters = 5

    /// - Parameters:
    ///   - rarity: in how many records a word is.
    /// - Returns: nil if the record does not have what such a query is made of.
    init?(_ kind: Kind, for item: KnownItem, seed: Int, rarity: [String: Int]) {
        var dice = Dice(QuerySeed("\(seed)", kind.rawValue, item.identifier).value)
        self.kind = kind
        self.item = item
        /// Words of the title in its order.
        func some(_ count: Int, of words: [String]) -> [String]? {
            guard words.count >= count else { return nil }
            let places = words.indices.shuffled(using: &dice).prefix(count).sorted()
            return places.map { words[$0] }
        }
        func withTypo(_ words: [String]) -> String? {
            let long = words.indices.filter { words[$0].count >= Self.leastLetters }
            guard let place = long.randomElement(using: &dice) else { return nil }
            var words = words
            words[place] = Self.mistyped(words[place], &dice)
            return words.joined(separator: " ")
        }
        switch kind {
        case .title:
            (text, meant) = (item.title, item.words)
        case .twoWords:
            guard let words = some(2, of: item.words) else { return nil }
            (text, meant) = (words.joined(separator: " "), words)
        case .twoWordsTypo, .threeWordsTypo:
            guard let words = some(kind == .twoWordsTypo ? 2 : 3, of: item.words), let typed = withTypo(words) else {
                return nil
            }
            (text, meant) = (typed, words)
        case .rareWordTypo:
            let long = item.words.filter { $0.count > Self.leastLetters && rarity[$0] == 1 }
            guard let word = long.randomElement(using: &dice), let typed = withTypo([word]) else { return nil }
            (text, meant) = (typed, [word])
        case .unfinished:
            guard let words = some(2, of: item.words), words[1].count >= Self.leastLetters else { return nil }
            let length = Int.random(in: 3..<words[1].count, using: &dice)
            (text, meant) = (words[0] + " " + words[1].prefix(length), words)
        case .site, .author:
            let name = kind == .site ? item.site : item.author ?? ""
            let named = SearchText.with { $0.words(of: name, limit: 20).map(\.form) }
            let others = item.words.filter { $0.count >= Self.leastLetters && !named.contains($0) }
            guard !named.isEmpty, let word = others.randomElement(using: &dice) else { return nil }
            (text, meant) = (name + " " + word, named + [word])
        }
    }

    /// One slip of the fingers anywhere, the first letter included: a letter left out, doubled or another one, or two that change places.
    private static func mistyped(_ word: String, _ dice: inout Dice) -> String {
        let letters = Array(word)
        while true {
            var typed = letters
            let place = Int.random(in: letters.indices, using: &dice)
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: typed.remove(at: place)
            case 1: typed.insert(typed[place], at: place)
            case 2: typed[place] = letters.randomElement(using: &dice) ?? typed[place]
            default: typed.swapAt(max(1, place) - 1, max(1, place))
            }
            if typed != letters { return String(typed) }
        }
    }
}
