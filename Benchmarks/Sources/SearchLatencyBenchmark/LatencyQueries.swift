import Foundation
import SearchYardsticks

/// Queries as people type them, over made-up pages: of one to four words, frequent and rare, unfinished, in quotes, with filters,
/// misspelt.
struct LatencyQueries {
    struct Kind {
        let name: String
        let queries: [String]
    }

    let kinds: [Kind]
    /// The queries of all kinds, mixed, each once.
    var mixed: [String] {
        var dice = Dice(7)
        return Set(kinds.flatMap(\.queries)).sorted().shuffled(using: &dice)
    }

    /// - Parameters:
    ///   - pages: how many pages there are.
    ///   - count: queries of each kind.
    init(_ made: MadeUpPages, pages: Int, count: Int) {
        var dice = Dice(42)
        func vocabulary() -> Vocabulary { made.vocabulary(of: Int.random(in: 0..<1_000, using: &dice)) }
        func frequent() -> String {
            let words = vocabulary()
            return words.words[Int.random(in: 0..<30, using: &dice)]
        }
        func spaced() -> Vocabulary {
            while true {
                let words = vocabulary()
                if !words.isUnspaced { return words }
            }
        }
        func titleWords() -> [Substring] {
            while true {
                let number = Int.random(in: 0..<pages, using: &dice)
                if made.vocabulary(of: number).isUnspaced { continue }
                return made.title(of: number).split { !$0.isLetter }
            }
        }
        func kind(_ name: String, _ query: () -> String) -> Kind {
            Kind(name: name, queries: (0..<count).map { _ in query() })
        }
        kinds = [
            kind("a frequent word") { frequent() },
            kind("a word") {
                let words = vocabulary()
                return words.word(&dice)
            },
            kind("two frequent words") {
                let words = spaced()
                return words.words[Int.random(in: 0..<10, using: &dice)] + " "
                    + words.words[Int.random(in: 0..<30, using: &dice)]
            },
            kind("two words of a title") { titleWords().prefix(3).suffix(2).joined(separator: " ") },
            kind("three words") {
                let words = vocabulary()
                return (0..<3).map { _ in words.word(&dice) }.joined(separator: " ")
            },
            kind("four words") {
                let words = vocabulary()
                return (0..<4).map { _ in words.word(&dice) }.joined(separator: " ")
            },
            kind("the beginning of a word") {
                let word = spaced().word(&dice)
                return String(word.prefix(Int.random(in: 1...3, using: &dice)))
            },
            kind("a word and the beginning of another") {
                let words = titleWords()
                return words[0] + " " + words[1].prefix(2)
            },
            kind("a phrase") { "\"" + titleWords().prefix(4).suffix(2).joined(separator: " ") + "\"" },
            kind("a phrase of frequent words") {
                let words = spaced()
                return "\"" + words.words[Int.random(in: 0..<5, using: &dice)] + " "
                    + words.words[Int.random(in: 0..<20, using: &dice)] + "\""
            },
            kind("a word and a filter") {
                let number = Int.random(in: 0..<pages, using: &dice)
                let words = made.vocabulary(of: number)
                let filters = [
                    "lang:\(words.language)", "type:\(MadeUpPages.type(of: number))", "rating:>4", "has:deeplink",
                    "after:2026-01", "site:\(MadeUpPages.host(of: number))",
                ]
                return words.words[Int.random(in: 0..<200, using: &dice)] + " "
                    + filters[Int.random(in: 0..<filters.count, using: &dice)]
            },
            kind("a misspelt word") {
                var word = Array(titleWords()[0])
                let place = Int.random(in: 0..<word.count, using: &dice)
                if word.count > 4 { word.remove(at: place) } else { word.insert("x", at: place) }
                return String(word)
            },
            kind("a word without another") { frequent() + " -" + frequent() },
        ]
    }
}
