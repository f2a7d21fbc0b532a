import Foundation
import PippinPage
import Synchronization

/// A page with what people wrote down of it, and how right its record is with some weights.
final class GoldPage: Sendable {
    /// A line of `gold.json`.
    private struct Item: Decodable {
        let file: String
        let url: String
        let title: String?
        let author: OneOrMany?
        let date: String?
        let description: String?
        let sitename: String?
        let lang: String?
        let image: String?
        let text: String?
        /// Sentences that are not the page's own.
        let without: [String]?
    }

    private struct OneOrMany: Decodable {
        let all: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            all = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    /// How right a record is: a right field is 1,000 points, a text as many as its F1.
    struct Score: Sendable {
        var points = 0
        /// Tells whether anything is another than before, right or wrong.
        var values = FNV1a()
    }

    let site: String
    var address: String { gold.url }
    private let facts: PageFacts
    private let gold: Item
    private let goldWords: [String: Int]
    /// Points of texts by what they were guessed with.
    private let texts = Mutex<[GuessWeights.Text: (points: Int, hash: UInt64)]>([:])
    /// Scores by what they depend on.
    private let scores = Mutex<[GuessWeights: Score]>([:])
    /// Whether a byline is looked for and may be found.
    private let readsByline = Mutex<Bool?>(nil)

    /// All pages of a list; the files lie in the folder.
    static func read(list: String, folder: String) throws -> [GoldPage] {
        let items = try JSONDecoder().decode([Item].self, from: Data(contentsOf: URL(filePath: list)))
        return try items.compactMap { item in
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: item.file)))
            let address = item.url.hasPrefix("http") ? item.url : "https://\(item.url.drop { $0 == "/" })"
            guard let url = WebURL(address) else {
                say("left out: \(item.file), whose address \(address) is none")
                return nil
            }
            return GoldPage(item, PageFacts(PageSource(url: url, bytes: bytes, fetchedAt: now)))
        }
    }

    /// Days after it have not come yet.
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private init(_ gold: Item, _ facts: PageFacts) {
        self.gold = gold
        self.facts = facts
        site = SiteIdentity.site(of: facts.source.url.host ?? "")
        goldWords = Answer.words(of: gold.text ?? "")
    }

    // MARK: Scoring

    /// Judges as `record_gold.py` and `page_types_gold.py` of the gold sets do.
    func score(_ weights: GuessWeights) -> Score {
        var weights = weights
        if !mayHaveByline() { weights.byline = GuessWeights.fitted.byline }
        if let known = scores.withLock({ $0[weights] }) { return known }
        let score = judge(weights)
        scores.withLock { $0[weights] = score }
        return score
    }

    /// Most pages state who wrote them and when, and the weights of bylines change nothing there: then a record that takes every
    /// candidate is the same as one that takes none.
    private func mayHaveByline() -> Bool {
        if let known = readsByline.withLock({ $0 }) { return known }
        var all = GuessWeights.fitted
        (all.byline.days.enough, all.byline.writers.enough) = (-1_000, -1_000)
        var none = GuessWeights.fitted
        (none.byline.days.enough, none.byline.writers.enough) = (1_000, 1_000)
        let may = judge(all).values != judge(none).values
        readsByline.withLock { $0 = may }
        return may
    }

    private func judge(_ weights: GuessWeights) -> Score {
        let facts = PageFacts(facts, guessingWith: weights)
        let record = RecordBuilder.conclusion(from: facts, now: Self.now).record
        var score = Score()
        let authors = record?.authors.map(\.name) ?? []
        add(record?.title, gold.title, to: &score) { Answer.folded($0) == Answer.folded($1) }
        if let named = gold.author?.all {
            if !authors.isEmpty, Answer.areSame(authors, named) { score.points += 1_000 }
        }
        add(record?.publishedAt, gold.date, to: &score) { $0.prefix(10) == $1.prefix(10) }
        add(record?.contentDescription, gold.description, to: &score) {
            Answer.folded($0).unicodeScalars.prefix(120).elementsEqual(Answer.folded($1).unicodeScalars.prefix(120))
        }
        add(record?.containerTitle, gold.sitename, to: &score) { Answer.folded($0) == Answer.folded($1) }
        add(record?.languages.first, gold.lang, to: &score) { $0.lowercased().prefix(2) == $1.lowercased().prefix(2) }
        add(record?.thumbnailURL, gold.image, to: &score) { Answer.place($0) == Answer.place($1) }
        if let without = gold.without {
            let snippet = Answer.folded(record?.snippet ?? "")
            let isClean = !without.map(Answer.folded).contains {
                $0.unicodeScalars.count > 12 && snippet.contains($0)
            }
            if snippet.unicodeScalars.count >= 40, isClean { score.points += 1_000 }
        }
        let text = text(facts, weights.text)
        score.points += text.points
        for value in authors + [record?.modifiedAt, record?.snippet, record?.contentHash].map({ $0 ?? "" }) {
            score.values.add(value.utf8)
            score.values.add(0)
        }
        score.values.add(text.hash.description.utf8)
        return score
    }

    private func add(_ value: String?, _ gold: String?, to score: inout Score, isRight: (String, String) -> Bool) {
        score.values.add((value ?? "").utf8)
        score.values.add(0)
        if let value, !value.isEmpty, let gold, !gold.isEmpty, isRight(value, gold) { score.points += 1_000 }
    }

    private func text(_ facts: PageFacts, _ weights: GuessWeights.Text) -> (points: Int, hash: UInt64) {
        if let known = texts.withLock({ $0[weights] }) { return known }
        let text = facts.text(.markdown)
        let hash = FNV1a.hash(text.bytes)
        let same = texts.withLock { $0.values.first { $0.hash == hash } }
        let found = (points: same?.points ?? Answer.sharedWords(Answer.words(of: text.string), goldWords), hash: hash)
        texts.withLock { $0[weights] = found }
        return found
    }
}

/// How the gold sets compare answers.
enum Answer {
    /// Without differences of case, spaces, quotes, dashes and points.
    static func folded(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isSpace = true
        for scalar in text.precomposedStringWithCompatibilityMapping.lowercased().unicodeScalars {
            if scalar == "." || scalar.properties.isWhitespace {
                if !isSpace { result.append(" ") }
                isSpace = true
                continue
            }
            isSpace = false
            switch scalar {
            case "’", "‘": result.append("'")
            case "“", "”": result.append("\"")
            case "–", "—": result.append("-")
            default: result.append(scalar)
            }
        }
        if result.last == " " { result.removeLast() }
        return String(result)
    }

    /// Whether two lists of names have the same ones, in any order, or one after the other.
    static func areSame(_ got: [String], _ gold: [String]) -> Bool {
        let names = Set(got.map(folded).filter { !$0.isEmpty })
        if gold.count > 1 { return names == Set(gold.map(folded).filter { !$0.isEmpty }) }
        let listed = gold.joined().split(separator: /;|,| and | und | & |\|/).map { folded(String($0)) }
        return names == Set(listed.filter { !$0.isEmpty })
            || folded(got.joined(separator: " ")) == folded(gold.joined(separator: " "))
    }

    /// An address without scheme, query and fragment.
    static func place(_ address: String) -> Substring {
        let start = address.firstRange(of: /^https?:/)?.upperBound ?? address.startIndex
        return address[start...].prefix { $0 != "?" && $0 != "#" }
    }

    /// The words of a text, without the marks and addresses of Markdown, and how often each is there.
    static func words(of text: String) -> [String: Int] {
        let plain = text.replacing(/\]\([^)]*\)|[#*_`>|]/, with: " ")
        var counts: [String: Int] = [:]
        for word in folded(plain).unicodeScalars.split(whereSeparator: { !isLetter($0) }) {
            counts[String(word), default: 0] += 1
        }
        return counts
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: scalar == "_"
        }
    }

    /// F1 of two bags of words, in thousandths.
    static func sharedWords(_ got: [String: Int], _ gold: [String: Int]) -> Int {
        let all = got.values.reduce(0, +) + gold.values.reduce(0, +)
        guard !got.isEmpty, !gold.isEmpty else { return 0 }
        return 2_000 * got.reduce(0) { $0 + min($1.value, gold[$1.key] ?? 0) } / all
    }
}
