import Foundation
import GRDB
import PippinCrawl
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore

/// The index follows the storage's feed, whatever happens to it.
@Suite struct SearchIndexerTests {
    private func filled(_ count: Int = 6) async throws -> SearchUnderTest {
        let search = try SearchUnderTest()
        for number in 1...count {
            try await search.write("https://shop.example/\(number)", "Blue mug number\(number)") {
                $0.snippet = "It holds \(number) cups of tea."
            }
        }
        return search
    }

    @Test func `a storage without index is empty, and says how to make one`() async throws {
        let search = try await filled()
        let results = try search.results("mug")
        #expect(results.hits.isEmpty && results.count == 0)
        #expect(results.notes == ["There is no search index yet; pippin index update makes it."])
        #expect(!results.isCountExact && !results.isIndexComplete)
        #expect(throws: StorageError.self) { try SearchIndex(folder: URL(filePath: "/nowhere")) }
    }

    @Test func `an answer says that the index is still being made, until it has all records once`() async throws {
        let search = try await filled()
        try search.update(limit: 2)
        for query in ["mug", "kettle", "type:recipe", "rating:>4"] {
            let results = try search.results(query)
            #expect(results.count == (query == "mug" ? 2 : 0), "\(query)")
            #expect(!results.isIndexComplete && !results.isCountExact, "\(query)")
            #expect(results.notes.contains { $0.hasPrefix("The index is still being made") }, "\(query)")
        }
        #expect(try !search.results("").isIndexComplete)
        try search.update()
        // What comes later is not in the index for a moment, and that is no news.
        try await search.write("https://shop.example/7", "Blue mug number7")
        for query in ["mug", "kettle", ""] {
            let results = try search.results(query)
            #expect(results.isIndexComplete && results.isCountExact, "\(query)")
            #expect(!results.notes.contains { $0.hasPrefix("The index is still") }, "\(query)")
        }
    }

    @Test func `an index whose numbers are used up is built anew`() async throws {
        let search = try await filled()
        try search.update()
        try await DatabaseQueue(path: search.folder.url.appending(path: SearchSchema.fileName).path).write {
            try $0.execute(sql: "UPDATE state SET serial = \(SearchSchema.serials - 3)")
        }
        try await search.write("https://shop.example/7", "Blue mug number7")
        #expect(try search.update() == 7)
        #expect(try search.found("mug").count == 7)
    }

    @Test func `what is new is found, what changed is found anew, what is gone is not`() async throws {
        let search = try await filled()
        #expect(try search.update() == 6)
        #expect(try search.found("mug").count == 6)
        try await search.write("https://shop.example/2", "Red kettle")
        try await search.delete("https://shop.example/3")
        #expect(try search.update() == 2)
        #expect(try search.found("mug").sorted() == ["/1", "/4", "/5", "/6"])
        #expect(try search.found("kettle") == ["/2"])
        #expect(try search.update() == 0)
    }

    @Test func `an index that followed changes equals one that is built from the beginning`() async throws {
        let search = try await filled()
        try search.update()
        try await search.write("https://shop.example/2", "Red kettle") { $0.languages = ["de"] }
        try await search.write("https://shop.example/4", "Blue mug number4") {
            $0.rating = .init(value: 5, best: 5, worst: 1, count: 900, reviewCount: nil)
            $0.structuredDataScore = 0.9
        }
        try await search.delete("https://shop.example/5")
        try search.update()
        let followed = try search.contents()
        let indexer = try SearchIndexer(folder: search.folder.url)
        try indexer.startAnew()
        try indexer.catchUp()
        #expect(try search.contents() == followed)
    }

    @Test func `an index that followed changes of popularities equals one that is built from the beginning`()
        async throws
    {
        let count = 60
        let search = try SearchUnderTest()
        var random = FixedRandom(seed: 5)
        for number in 1...count {
            try await search.write("https://shop.example/\(number)", "Blue mug number\(number)") {
                $0.snippet = "It holds \(number) cups of tea."
                $0.structuredDataScore = Double(random.next(11)) / 10
                if number % 3 == 0 {
                    $0.rating = .init(
                        value: Double(random.next(5)), best: 5, worst: 0, count: random.next(900), reviewCount: nil)
                }
            }
        }
        try search.update()
        for _ in 0..<4 {
            var values: [String: Int64] = [:]
            for number in 1...count where random.next(2) == 0 {
                values["https://shop.example/\(number)"] = Int64(random.next(1_001))
            }
            try await search.rank(values)
            #expect(try search.update() == values.count)
        }
        try await search.rank(["https://shop.example/7": 1_000])
        try search.update()
        let followed = try search.contents()
        #expect(try search.found("number7") == ["/7"])
        let indexer = try SearchIndexer(folder: search.folder.url)
        try indexer.startAnew()
        try indexer.catchUp()
        #expect(try search.contents() == followed)
    }

    @Test func `whoever is ended in the middle goes on from there`() async throws {
        let search = try await filled()
        #expect(try search.update(limit: 2) == 2)
        #expect(try search.found("mug").count == 2)
        #expect(try search.index().standing().isComplete == false)
        #expect(try search.update() == 4)
        #expect(try search.found("mug").count == 6)
        #expect(try search.index().standing().isComplete)
    }

    @Test func `batches that were not finished leave nothing`() async throws {
        let search = try await filled()
        let indexer = try SearchIndexer(folder: search.folder.url)
        var asked = 0
        try indexer.catchUp(isStopped: {
            asked += 1
            return asked == 1
        })
        #expect(try search.found("mug").isEmpty)
        #expect(try indexer.isBehind())
        try indexer.catchUp()
        #expect(try !indexer.isBehind())
    }

    @Test func `only one process writes the index`() async throws {
        let search = try await filled()
        let indexer = try SearchIndexer(folder: search.folder.url)
        #expect(throws: OutputLock.Held.self) { try SearchIndexer(folder: search.folder.url) }
        try indexer.catchUp()
        #expect(try search.found("mug").count == 6)
    }

    @Test(arguments: ["not a database", "half of it", "another version", "another storage"])
    func `an index that cannot be used is built anew`(trouble: String) async throws {
        let search = try await filled()
        try search.update()
        let path = search.folder.url.appending(path: SearchSchema.fileName)
        switch trouble {
        case "not a database": try Data("what is this?".utf8).write(to: path)
        case "half of it":
            let queue = try DatabaseQueue(path: path.path)
            try await queue.write { try $0.execute(sql: "DROP TABLE length") }
        case "another version":
            let queue = try DatabaseQueue(path: path.path)
            try await queue.write { try $0.execute(sql: "PRAGMA user_version = 99") }
            // A reader does not guess what the other version means.
            #expect(try search.found("mug").isEmpty)
        default:
            let queue = try DatabaseQueue(path: path.path)
            try await queue.write { try $0.execute(sql: "UPDATE source SET identity = 'other'") }
        }
        let indexer = try SearchIndexer(folder: search.folder.url)
        #expect(indexer.reasonOfBuilding != nil)
        try indexer.catchUp()
        #expect(try search.found("mug").count == 6)
    }

    @Test func `an open index finds the file that took its place`() async throws {
        let search = try await filled()
        try search.update()
        let index = try search.index()
        func count() throws -> Int {
            try index.search(SearchQuery("mug"), offset: 0, limit: 10, isExplained: false).count
        }
        #expect(try count() == 6)
        let indexer = try SearchIndexer(folder: search.folder.url)
        try indexer.startAnew()
        #expect(try count() == 0)
        try indexer.catchUp()
        #expect(try count() == 6)
    }

    @Test func `a record that the storage has no more is not shown`() async throws {
        let search = try await filled()
        try search.update()
        try await search.delete("https://shop.example/3")
        #expect(try !search.found("mug").contains("/3"))
    }

    @Test func `the index is as private as every output`() async throws {
        let search = try await filled()
        try search.update()
        let attributes = try FileManager.default.attributesOfItem(
            atPath: search.folder.url.appending(path: SearchSchema.fileName).path)
        #expect((attributes[.posixPermissions] as? Int ?? 0o777) & 0o007 == 0)
    }
}
