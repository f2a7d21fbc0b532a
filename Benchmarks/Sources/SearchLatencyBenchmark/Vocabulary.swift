import Foundation
import PippinPage
import SearchYardsticks

/// The words of one language, from real pages, most frequent first. They are drawn as in texts: by Zipf's law.
///
/// Chinese and Japanese have no spaces: their "words" are the pieces of text between punctuation marks, cut after twelve
/// characters.
struct Vocabulary: Sendable {
    let language: String
    let words: [String]
    /// Whether words are written without spaces between them.
    let isUnspaced: Bool
    private let sums: [Double]

    init(language: String, counts: [String: Int]) {
        self.language = language
        isUnspaced = ["zh", "ja", "th"].contains(language)
        words = counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map(\.key)
        var sum = 0.0
        // The law of Zipf and Mandelbrot with the values usual for natural languages.
        sums = words.indices.map {
            sum += 1 / pow(Double($0) + 2.7, 1.07)
            return sum
        }
    }

    func word(_ dice: inout Dice) -> String {
        let value = Double.random(in: 0..<(sums.last ?? 1), using: &dice)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > value { high = middle } else { low = middle + 1 }
        }
        return words[low]
    }

    /// A word that no dictionary has, such as a product's name: the beginning of one word and the end of another.
    func name(_ dice: inout Dice) -> String {
        let (first, second) = (randomWord(&dice), randomWord(&dice))
        return (first.prefix(max(1, first.count / 2)) + second.suffix(max(1, second.count / 2))).capitalized
    }

    /// Any word with the same probability.
    func randomWord(_ dice: inout Dice) -> String {
        words[Int.random(in: 0..<words.count, using: &dice)]
    }

    func text(words count: Int, _ dice: inout Dice) -> String {
        var text = ""
        for number in 0..<count {
            if number > 0 { text += isUnspaced ? "、" : number % 14 == 13 ? ". " : " " }
            text += word(&dice)
        }
        return text
    }

    /// The languages of pages below the folders, those with most text first; at least a thousand different words each.
    static func read(_ folders: [String]) throws -> [Vocabulary] {
        var counts: [String: [String: Int]] = [:]
        var total: [String: Int] = [:]
        guard let url = WebURL("https://pages.example/") else { return [] }
        for folder in folders {
            guard let files = FileManager.default.enumerator(at: URL(filePath: folder), includingPropertiesForKeys: nil)
            else { continue }
            for case let file as URL in files where file.pathExtension == "html" {
                let date = Date(timeIntervalSince1970: 0)
                let facts = PageFacts(PageSource(url: url, bytes: [UInt8](try Data(contentsOf: file)), fetchedAt: date))
                guard let tag = RecordBuilder.conclusion(from: facts, now: date).record?.languages.first else {
                    continue
                }
                let language = String(tag.prefix { $0 != "-" })
                let isUnspaced = ["zh", "ja", "th"].contains(language)
                for word in Self.words(String(decoding: facts.visibleText.bytes, as: UTF8.self), isUnspaced) {
                    counts[language, default: [:]][word, default: 0] += 1
                    total[language, default: 0] += 1
                }
            }
        }
        return counts.filter { $0.value.count >= (["zh", "ja", "th"].contains($0.key) ? 200 : 1_000) }
            .sorted { ((total[$0.key] ?? 0), $0.key) > ((total[$1.key] ?? 0), $1.key) }
            .map { Vocabulary(language: $0.key, counts: $0.value) }
    }

    private static func words(_ text: String, _ isUnspaced: Bool) -> [String] {
        text.split { !$0.isLetter }.flatMap { word -> [String] in
            guard isUnspaced else { return word.count <= 30 ? [String(word)] : [] }
            guard word.unicodeScalars.contains(where: { $0.value >= 0x3000 }) else { return [] }
            return stride(from: 0, to: min(word.count, 60), by: 12).map { String(word.dropFirst($0).prefix(12)) }
        }
    }
}
