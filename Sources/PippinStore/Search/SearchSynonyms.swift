import PippinCrawl
import PippinPage

/// Words and phrases that mean the same, as a file of the operator's says:
///
///     courgette, zucchini           # each finds the others
///     holiday => vacation, trip     # the first finds the others, but not the other way round
///
/// A query decides what counts as its words, so a new file needs no new index.
public struct SearchSynonyms: Sendable {
    /// By the words of a text in a query: the texts that mean the same, in words. All folded.
    private var others: [[String]: [[String]]] = [:]
    /// The most words of a text in the file.
    private(set) var longest = 0

    /// A longer file is a dictionary, of which each query would pay for more than it gains.
    public static let maximumLines = 10_000
    /// Of one line.
    static let maximumTexts = 20
    static let maximumWords = 5
    /// So many texts count as one in a query.
    static let maximumOthers = 8

    /// Reads a file.
    ///
    /// - Throws: `ConfigurationError` with the line that cannot be used.
    public init(contentsOf path: String) throws(ConfigurationError) {
        try self.init(InputFile.text(at: path), file: path)
    }

    init(_ text: String, file: String) throws(ConfigurationError) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard lines.count <= Self.maximumLines + 1 else {
            throw ConfigurationError(
                file: file, line: Self.maximumLines + 1, problem: "has more than \(Self.maximumLines) lines of synonyms"
            )
        }
        for (number, line) in lines.enumerated() {
            do {
                try add(line.prefix { $0 != "#" })
            } catch let flaw as Flaw {
                throw ConfigurationError(file: file, line: number + 1, problem: flaw.sentence)
            } catch {
                throw ConfigurationError(file: file, line: number + 1, problem: "\(error)")
            }
        }
    }

    private struct Flaw: Error {
        let sentence: String
    }

    private mutating func add(_ line: Substring) throws {
        guard !line.allSatisfy(\.isWhitespace) else { return }
        let sides = line.split(separator: "=>", omittingEmptySubsequences: false)
        guard sides.count <= 2 else { throw Flaw(sentence: "has => twice; write one line for each") }
        let texts = try sides.map(texts)
        guard let first = texts.first, let last = texts.last, texts.count == 2 || first.count > 1 else {
            throw Flaw(sentence: "has one text only; write others that mean the same, with commas between them")
        }
        for text in first {
            for other in last where other != text {
                guard !(others[text]?.contains(other) ?? false) else { continue }
                guard others[text, default: []].count < Self.maximumOthers else {
                    let name = text.joined(separator: " ")
                    throw Flaw(sentence: "gives \(name) more than \(Self.maximumOthers) synonyms")
                }
                others[text, default: []].append(other)
                longest = max(longest, text.count)
            }
        }
    }

    private func texts(_ side: Substring) throws -> [[String]] {
        let parts = side.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= Self.maximumTexts else { throw Flaw(sentence: "has more than \(Self.maximumTexts) texts") }
        return try parts.map { part in
            let words = SearchText.with { $0.words(of: String(part), limit: Self.maximumWords + 1).map(\.form) }
            guard !words.isEmpty else { throw Flaw(sentence: "has a text without a word; look at its commas and =>") }
            guard words.count <= Self.maximumWords else {
                throw Flaw(sentence: "has a text of more than \(Self.maximumWords) words")
            }
            return words
        }
    }

    /// What means the same as words of a query.
    func others(for words: [String]) -> [[String]] { others[words] ?? [] }
}
