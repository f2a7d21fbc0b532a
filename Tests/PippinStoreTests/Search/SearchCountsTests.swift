import Foundation
import GRDB
import PippinTestSupport
import Simulation
import Testing

@testable import PippinPage
@testable import PippinStore

/// What the search index counts, and what it keeps of documents that are gone.
@Suite struct SearchCountsTests {
    private func index<Value>(_ search: SearchUnderTest, _ body: (Database) throws -> Value) throws -> Value {
        let path = search.folder.url.appending(path: SearchSchema.fileName).path
        return try DatabaseQueue(path: path, configuration: SearchSchema.configuration(isReader: true)).read(body)
    }

    private static let words = ["kettle", "mug", "saucer", "teapot", "Löffel", "assiette", "bowl", "whisk", "ladle"]

    private static func text(_ numbers: inout SeededNumbers) -> String {
        (0..<numbers.upTo(8)).map { _ in words[numbers.upTo(words.count)] + (numbers.upTo(3) == 0 ? "s" : "") }
            .joined(separator: " ")
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `counts are those that counting gives, whatever came and went`(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let search = try SearchUnderTest()
        for _ in 0..<12 {
            for _ in 0..<numbers.upTo(25) {
                let address = "https://shop.example/\(numbers.upTo(20))"
                if numbers.upTo(3) == 0 {
                    try await search.delete(address)
                } else {
                    let (title, snippet) = (Self.text(&numbers) + " \(numbers.upTo(4))", Self.text(&numbers))
                    let (language, score) = (["en", "de", "fr"][numbers.upTo(3)], Double(numbers.upTo(10)) / 10)
                    try await search.write(address, title) {
                        $0.snippet = snippet
                        $0.languages = [language]
                        $0.structuredDataScore = score
                    }
                }
            }
            // A run that is ended goes on from there.
            try search.update(limit: 1 + numbers.upTo(30))
            #expect(try index(search) { try SearchCounts.problems($0, isFull: true) } == [])
        }
    }

    @Test func `words of documents that are gone are suggested no more`() async throws {
        let search = try SearchUnderTest()
        for number in 0..<5 { try await search.write("https://shop.example/\(number)", "teakettle") }
        try await search.write("https://shop.example/mug", "mug")
        try search.update()
        #expect(try search.results("teaketle ").correctedQuery == "teakettle")
        for number in 0..<5 { try await search.delete("https://shop.example/\(number)") }
        try search.update()
        #expect(try search.results("teaketle ").correctedQuery == nil)
    }

    @Test func `an index of documents that changed often is not much larger than a new one`() async throws {
        let search = try SearchUnderTest()
        func bytes() throws -> Int {
            try index(search) { try Int.fetchOne($0, sql: "SELECT sum(length(block)) FROM words_data") ?? 0 }
        }
        for round in 0..<16 {
            for number in 0..<150 {
                try await search.write("https://shop.example/\(number)", "mug \(number) of round \(round)") {
                    $0.snippet = (0..<30).map { "word\(round)x\(number)x\($0)" }.joined(separator: " ")
                }
            }
            try search.update()
        }
        let followed = try bytes()
        let indexer = try SearchIndexer(folder: search.folder.url)
        try indexer.startAnew()
        try indexer.catchUp()
        let new = try bytes()
        #expect(followed < 3 * new, "\(followed) of \(new)")
    }
}
