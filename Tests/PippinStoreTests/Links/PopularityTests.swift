import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// What the link graph gives to records, and when consumers hear of it.
@Suite struct PopularityTests {
    private let folder = StorageFolder()

    /// Finishes visits of pages with records and links to each other, as a run does.
    private func visit(_ pages: [String: [String]], _ store: StoreUnderTest, at date: Date = MadeUpTime.start)
        async throws
    {
        for (page, links) in pages.sorted(by: { $0.key < $1.key }) {
            let url = "https://" + page
            var visit = FinishedVisit.of(
                .page(url), at: date, found: links.map { .page("https://" + $0, depth: 1) },
                changes: [.upsert(RecordDocument(.of(url, says: "what \(page) says")))])
            visit.recordIdentifier = url
            _ = try await store.frontier.finish(visit)
        }
    }

    private func popularity(_ storage: CrawlStorage, since cursor: ChangeFeed.Cursor? = nil) throws -> [String: Double?]
    {
        var found: [String: Double?] = [:]
        try storage.feed.read(since: cursor) { change in
            var parser = JSONParser()
            guard !change.isDeletion, let record = try? parser.parse(change.document) else { return }
            let value = record["popularity"]?.double
            if change.isRecord {
                #expect(record["provenance"]?["popularity"]?.string == (value == nil ? nil : "link-graph"))
            } else {
                #expect(change.kind == .popularity(value ?? -1) && record.object?.members.count == 2)
            }
            found[change.identifier.replacing("https://", with: "")] = .some(value)
        }
        return found
    }

    @Test func `the pages that others link to are more popular, and the values of those above 0 are delivered`()
        async throws
    {
        let store = try StoreUnderTest(folder)
        try await visit(
            [
                "a.test/": ["a.test/1", "a.test/2"], "a.test/1": ["a.test/"], "a.test/2": ["a.test/"],
                "a.test/3": ["a.test/"],
            ],
            store)
        #expect(try popularity(store.storage).values.allSatisfy { $0 == nil })
        let cursor = try store.storage.feed.end()
        guard case .ranked(changed: 3, pages: 4, links: 5) = try await store.frontier.rankPages() else {
            Issue.record("not all were ranked")
            return
        }
        let found = try popularity(store.storage, since: cursor).mapValues { $0 ?? -1 }
        let (home, one, two) = (found["a.test/"] ?? -1, found["a.test/1"] ?? -1, found["a.test/2"])
        #expect(home > one && one > 0 && two == one && home < 1)
        // Nobody has heard of a value of the page that no other links to.
        #expect(found["a.test/3"] == nil)
        #expect(try popularity(store.storage)["a.test/3"] == .some(nil))
        // Nobody hears of what is as it was.
        let end = try store.storage.feed.end()
        #expect(try await store.frontier.rankPages() == .ranked(changed: 0, pages: 4, links: 5))
        #expect(try store.storage.feed.end() == end)
    }

    @Test func `a record is delivered again only when its popularity changes noticeably`() async throws {
        let store = try StoreUnderTest(folder)
        var pages: [String: [String]] = ["a.test/": (1...60).map { "a.test/\($0)" }]
        for number in 1...60 { pages["a.test/\(number)"] = ["a.test/", "a.test/\(number % 7 + 1)"] }
        try await visit(pages, store)
        _ = try await store.frontier.rankPages()
        let before = try popularity(store.storage).mapValues { $0 ?? -1 }
        let cursor = try store.storage.feed.end()
        // One more link among many; its target gains.
        try await visit(["a.test/60": ["a.test/", "a.test/4", "a.test/59"]], store)
        _ = try await store.frontier.rankPages()
        let changed = try popularity(store.storage, since: cursor).mapValues { $0 ?? -1 }
        #expect(changed.keys.contains("a.test/59") && changed.count < 6)
        for (page, value) in changed { #expect(abs(value - (before[page] ?? -1)) >= 0.02) }
        // What is read from the beginning has the values that consumers have.
        let all = try popularity(store.storage).mapValues { $0 ?? -1 }
        #expect(all == before.merging(changed) { $1 })
    }

    @Test func `a page that is read again keeps its popularity, and a deleted record is not delivered`() async throws {
        let store = try StoreUnderTest(folder)
        try await visit(["a.test/": ["a.test/1"], "a.test/1": ["a.test/"], "a.test/2": ["a.test/"]], store)
        _ = try await store.frontier.rankPages()
        let before = try popularity(store.storage)
        try await store.upsert("https://a.test/", says: "something new")
        #expect(try popularity(store.storage) == before)
        try await store.delete("https://a.test/1")
        let cursor = try store.storage.feed.end()
        try await visit(["a.test/2": ["a.test/1", "a.test/"], "a.test/3": ["a.test/1"]], store)
        _ = try await store.frontier.rankPages()
        #expect(try !popularity(store.storage, since: cursor).keys.contains("a.test/1"))
        #expect(try store.storage.feed.summary().contains("-https://a.test/1"))
    }

    @Test func `a ranking delivers values alone, and whoever lacks the record gets it with its value`() async throws {
        let store = try StoreUnderTest(folder)
        try await visit(["a.test/": ["a.test/1"], "a.test/1": ["a.test/"]], store)
        let cursor = try store.storage.feed.end()
        _ = try await store.frontier.rankPages()
        func lines(since cursor: ChangeFeed.Cursor?, areWhole: Bool = false) throws -> [String] {
            var lines: [String] = []
            try store.storage.feed.read(since: cursor, areWhole: areWhole) {
                lines.append(String(decoding: $0.document, as: UTF8.self))
            }
            return lines.sorted()
        }
        let value = try #require(popularity(store.storage)["a.test/"] ?? nil)
        #expect(
            try lines(since: cursor) == [
                #"{"uniqueIdentifier":"https://a.test/","popularity":\#(value)}"#,
                #"{"uniqueIdentifier":"https://a.test/1","popularity":\#(value)}"#,
            ])
        let whole = try lines(since: nil)
        #expect(whole.count == 2 && whole.allSatisfy { $0.contains(#""popularity":\#(value),"structuredDataScore""#) })
        #expect(try lines(since: cursor, areWhole: true) == whole)
        // One of the two is written anew: it comes once.
        try await store.upsert("https://a.test/1", says: "something new")
        let later = try lines(since: cursor)
        #expect(later.count == 2 && later[1] == #"{"uniqueIdentifier":"https://a.test/","popularity":\#(value)}"#)
        #expect(later[0].contains("something new") && later[0].contains(#""popularity":\#(value)"#))
    }

    @Test func `a reading in small portions, by cursors that were stored, tells no popularity after its record`()
        async throws
    {
        let store = try StoreUnderTest(folder)
        var consumers = [Consumer](repeating: Consumer(), count: 2)
        func upsert(_ numbers: some Sequence<Int>, says: String) async throws {
            for number in numbers { try await store.upsert("https://a.test/\(number)", says: "\(says) \(number)") }
        }
        func rank(_ value: Int64) async throws {
            let records = try store.storage.read { try Int64.fetchAll($0, sql: "SELECT record FROM popularity") }
            try await store.frontier.deliver(records.map { ($0, value) })
        }
        /// - Returns: the kinds of the changes.
        func read(_ number: Int) throws -> [String] {
            var kinds: [String] = []
            while true {
                let count = kinds.count
                consumers[number].cursor = consumers[number].cursor.flatMap { ChangeFeed.Cursor($0.description) }
                var consumer = consumers[number]
                consumer.cursor = try store.storage.feed.read(since: consumer.cursor, limit: 7) {
                    consumer.take($0)
                    kinds.append($0.isRecord ? "record" : "popularity")
                }
                consumers[number] = consumer
                if kinds.count == count { return kinds }
            }
        }
        try await upsert(0..<30, says: "one")
        #expect(try read(0).count { $0 == "record" } == 30)
        try await rank(300)
        try await upsert(0..<9, says: "two")
        let first = try read(0)
        #expect(first.count { $0 == "record" } == 9 && first.count { $0 == "popularity" } == 21)
        // Nothing but whole records for who comes later.
        #expect(try read(1) == [String](repeating: "record", count: 30))
        try await upsert(20..<25, says: "three")
        try await rank(400)
        #expect(try read(0).sorted() == read(1).sorted())
        #expect(consumers[0].records == consumers[1].records && consumers.allSatisfy { $0.repetitions == 0 })
        let end = try store.storage.feed.end()
        #expect(consumers.allSatisfy { $0.cursor == end })
    }

    @Test func `the claim of a page without links to it gives way to 0`() async throws {
        let store = try StoreUnderTest(folder)
        var record = DeepLinkRecord.of("https://a.test/2", says: "claims")
        record.popularity = 0.9
        try await store.write(.upsert(RecordDocument(record)))
        try await visit(["a.test/": ["a.test/1"], "a.test/1": ["a.test/"]], store)
        var visit = FinishedVisit.of(.page("https://a.test/2"), found: [.page("https://a.test/1", depth: 1)])
        visit.recordIdentifier = "https://a.test/2"
        _ = try await store.frontier.finish(visit)
        let cursor = try store.storage.feed.end()
        _ = try await store.frontier.rankPages()
        #expect(try popularity(store.storage, since: cursor)["a.test/2"] == 0)
        let end = try store.storage.feed.end()
        _ = try await store.frontier.rankPages()
        #expect(try store.storage.feed.end() == end)
    }

    /// What a consumer has made of the lines that it got.
    private struct Consumer {
        var cursor: ChangeFeed.Cursor?
        var records: [String: Record] = [:]
        var repetitions = 0

        struct Record: Equatable {
            let title: String?
            var popularity: Double?
        }

        mutating func take(_ change: ChangeFeed.Change) {
            switch change.kind {
            case .record:
                var parser = JSONParser()
                let record = try? parser.parse(change.document)
                records[change.identifier] = Record(
                    title: record?["title"]?.string, popularity: record?["popularity"]?.double)
            case .deletion: records[change.identifier] = nil
            case .popularity(let value):
                let before = records[change.identifier]
                #expect(before != nil, "\(change.identifier): \(value)")
                if before?.popularity == value { repetitions += 1 }
                records[change.identifier]?.popularity = value
            }
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `however far each reading goes, and whatever changes meanwhile, consumers have all records and values`(
        seed: UInt64
    ) async throws {
        var random = FixedRandom(seed: seed)
        let store = try StoreUnderTest(folder)
        var consumers = [Consumer](repeating: Consumer(), count: 3)
        for step in 0..<150 {
            let url = "https://a.test/\(random.next(40))"
            switch random.next(10) {
            case 0..<5: try await store.upsert(url, says: "step \(step)")
            case 5: try await store.delete(url)
            case 6, 7:
                let records = try store.storage.read {
                    try Int64.fetchAll($0, sql: "SELECT record FROM popularity ORDER BY record")
                }
                var changes: [(record: Int64, value: Int64)] = []
                for record in records where random.next(3) > 0 { changes.append((record, Int64(step * 6 + 1))) }
                let settled = changes
                try await store.frontier.deliver(settled)
            default:
                let number = random.next(consumers.count)
                var consumer = consumers[number]
                let text = consumer.cursor?.description
                // As if it was stored.
                consumer.cursor = text.flatMap { ChangeFeed.Cursor($0) }
                #expect(consumer.cursor?.description == text)
                consumer.cursor = try store.storage.feed.read(
                    since: consumer.cursor, limit: random.next(30) + 1
                ) { consumer.take($0) }
                consumers[number] = consumer
            }
        }
        var all = Consumer()
        try store.storage.feed.read(since: nil) { all.take($0) }
        #expect(all.records.count > 5)
        for var consumer in consumers {
            let behind = try store.storage.feed.count(after: consumer.cursor?.place ?? ChangeFeed.Place())
            var count = 0
            try store.storage.feed.read(since: consumer.cursor) {
                consumer.take($0)
                count += 1
            }
            #expect(consumer.records == all.records && count == behind)
        }
    }

    @Test func `a site that other sites link to lifts its pages`() async throws {
        let store = try StoreUnderTest(folder)
        var pages: [String: [String]] = [:]
        for site in ["popular.test", "lonely.test"] {
            pages[site + "/"] = [site + "/1"]
            pages[site + "/1"] = [site + "/"]
        }
        for number in 0..<5 { pages["fan\(number).test/"] = ["popular.test/"] }
        try await visit(pages, store)
        _ = try await store.frontier.rankPages()
        let found = try popularity(store.storage).mapValues { $0 ?? -1 }
        #expect((found["popular.test/"] ?? 0) > (found["lonely.test/"] ?? 1))
        // Also the page to which only its own site links, as on the other site.
        #expect((found["popular.test/1"] ?? 0) > (found["lonely.test/1"] ?? 1) + 0.05)
    }

    @Test func `without links among the pages there is no popularity from them`() async throws {
        let store = try StoreUnderTest(folder)
        #expect(try await store.frontier.rankPages() == .noLinks)
        try await visit(["a.test/": [], "a.test/1": []], store)
        #expect(try await store.frontier.rankPages() == .noLinks)
        #expect(try popularity(store.storage).values.allSatisfy { $0 == nil })
    }

    /// Pages of some sites with menus, redirects, canonical links, and links that do not count.
    private func fill(_ storage: CrawlStorage, seed: UInt64) throws {
        var random = FixedRandom(seed: seed)
        let (pages, hosts) = (2_000, 20)
        let numbers = (0..<pages).map { Int64($0 % hosts + 1) << URLNumber.placeBits | Int64($0) }
        var findings: [(Int64, LinkTable.Finding<Int64>)] = []
        for (page, number) in numbers.enumerated() {
            if random.next(20) == 0 {
                findings.append((number, .leadsTo(numbers[random.next(pages)])))
                continue
            }
            let menu = (0..<3).map { numbers[page % hosts + $0 * hosts] }
            let links = (0..<random.next(12)).map { _ in numbers[random.next(random.next(pages) + 1)] }
            findings.append((number, .links(followed: menu + links, nofollow: [numbers[random.next(pages)]])))
        }
        let settled = findings
        try storage.write { database in
            for host in 1...hosts {
                try database.execute(
                    sql: "INSERT INTO host(id, name, queued, urls, failures, openings) VALUES (?, ?, 0, 0, 0, 0)",
                    arguments: [host, "site\(host).test"])
            }
            let table = try LinkTable(database)
            for (page, finding) in settled { try table.apply(finding, of: page) }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func `a graph beyond memory gives what it gives in memory`(
        seed: UInt64
    ) throws {
        let storage = try folder.open()
        try fill(storage, seed: seed)
        let small = CrawlGraph.Limits(urls: 100, links: 100)
        let found = try storage.read { database in
            try [CrawlGraph.Limits(), small].map { limits -> (place: NumberPlace, urls: [Int64], values: [Int64?]) in
                let graph = try CrawlGraph(database, folder: folder.url.path, limits: limits)
                let popularity = try Popularity(graph, try graph.sites(database))
                let urls = Array(graph.urls)
                return (graph.place, urls, urls.map { popularity?.value(of: $0) })
            }
        }
        guard case (.memory, .disk) = (found[0].place, found[1].place) else {
            Issue.record("one graph is in memory, one on disk")
            return
        }
        #expect(found[0].urls == found[1].urls && found[0].urls.count > 1_500)
        #expect(found[0].values == found[1].values && Set(found[0].values).count > 100)
    }

    @Test func `the next ranking begins with the ranks of the last, and gives the same`() async throws {
        let store = try StoreUnderTest(folder)
        try fill(store.storage, seed: 3)
        guard case .ranked = try await store.frontier.rankPages() else {
            Issue.record("not ranked")
            return
        }
        let kept = KeptRanks(folder: folder.url)
        func ranking(from kept: KeptRanks?) throws -> (rounds: Int, values: [Int64]) {
            try store.storage.read { database in
                let graph = try CrawlGraph(database, folder: folder.url.path)
                let popularity = try #require(try Popularity(graph, try graph.sites(database), from: kept))
                return (popularity.rounds, graph.urls.map { popularity.value(of: $0) ?? -1 })
            }
        }
        let (anew, again) = (try ranking(from: nil), try ranking(from: kept))
        #expect(again.rounds < anew.rounds / 2)
        for (one, other) in zip(anew.values, again.values) { #expect(abs(one - other) <= 1) }
        // Whatever has happened to the file costs time and nothing else.
        let file = folder.url.appending(path: KeptRanks.fileName)
        var bytes = try Data(contentsOf: file)
        for place in stride(from: 8, to: bytes.count, by: 3) { bytes[place] ^= UInt8(truncatingIfNeeded: place) }
        for damaged in [Data(), Data("x".utf8), bytes.prefix(1_001), bytes] {
            try damaged.write(to: file)
            for (one, other) in zip(anew.values, try ranking(from: kept).values) { #expect(abs(one - other) <= 1) }
        }
    }

    @Test func `a graph that finds no room changes nothing, and says so`() async throws {
        let store = try StoreUnderTest(folder)
        try await visit(["a.test/": ["a.test/1", "a.test/2"], "a.test/1": ["a.test/"]], store)
        let end = try store.storage.feed.end()
        let error = #expect(throws: StorageError.self) {
            try store.storage.read { database in
                _ = try CrawlGraph(database, folder: "/nowhere", limits: CrawlGraph.Limits(urls: 1, links: 1))
            }
        }
        let reason = "3 links of 2 URLs find no room in /nowhere: No such file or directory"
        #expect(error?.description.hasSuffix(reason) == true)
        #expect(try store.storage.feed.end() == end)
    }

    @Test func `a ranking that is cancelled ends, and the next one does the work`() async throws {
        let store = try StoreUnderTest(folder)
        try await visit(["a.test/": ["a.test/1"], "a.test/1": ["a.test/"]], store)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.frontier.rankPages()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.frontier.rankPages() == .ranked(changed: 2, pages: 2, links: 2))
    }

    @Test(.slow) func `a graph of twenty thousand pages and two hundred thousand links is ranked in flat arrays`()
        async throws
    {
        let store = try StoreUnderTest(folder)
        let (pages, hosts) = (20_000, 200)
        var random = FixedRandom(seed: 11)
        let numbers = (0..<pages).map { Int64($0 % hosts + 1) << URLNumber.placeBits | Int64($0) }
        var rows: [(Int64, [Int64])] = []
        for number in numbers {
            rows.append((number, (0..<10).map { _ in numbers[random.next(random.next(pages) + 1)] }))
        }
        let settled = rows
        try store.storage.write { database in
            for host in 1...hosts {
                try database.execute(
                    sql: "INSERT INTO host(id, name, queued, urls, failures, openings) VALUES (?, ?, 0, 0, 0, 0)",
                    arguments: [host, "site\(host).test"])
            }
            let table = try LinkTable(database)
            for (page, links) in settled { try table.apply(.links(followed: links, nofollow: []), of: page) }
        }
        let (graph, sites) = try store.storage.read { database in
            let graph = try CrawlGraph(database, folder: folder.url.path)
            return (graph, try graph.sites(database))
        }
        let popularity = try #require(try Popularity(graph, sites))
        #expect(graph.urls.count == pages && sites.count == hosts && graph.links.targets.count > 190_000)
        #expect(graph.links.targets.capacity < 300_000)
        let values = numbers.map { popularity.value(of: $0) ?? -1 }
        #expect(values.allSatisfy { (0...Int64(Popularity.steps)).contains($0) })
        // Links lead to small numbers more often.
        let often: Int64 = values[..<100].reduce(0, +)
        let seldom: Int64 = values[10_000..<10_100].reduce(0, +)
        #expect(Double(often) > 1.5 * Double(seldom))
    }
}
