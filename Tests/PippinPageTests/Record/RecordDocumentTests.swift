import Foundation
import Testing

@testable import PippinPage

/// A record's JSON, written once for all who need it.
@Suite struct RecordDocumentTests {
    private let record = {
        var record = DeepLinkRecord(
            uniqueIdentifier: "https://example.org/a", domainIdentifier: "example.org", url: "https://example.org/a?x",
            fetchedAt: Date(timeIntervalSince1970: 1_800_000_000), contentHash: "0123456789abcdef")
        record.seeds = ["https://example.org/"]
        record.title = "A “page”\n"
        record.modifiedAt = "2026-01-02"
        record.deepLinks = [
            DeepLinkRecord.DeepLink(platform: .iOS, url: "app://a", sources: [.smartAppBanner]),
            DeepLinkRecord.DeepLink(platform: .android, url: "app://b", sources: [.appLinks]),
        ]
        return record
    }()

    private func json(_ record: DeepLinkRecord) -> [UInt8] {
        var bytes: [UInt8] = []
        record.appendJSON(to: &bytes)
        return bytes
    }

    private func hash(_ record: DeepLinkRecord, without parts: Set<RecordText.Part>) -> UInt64 {
        var hash = FNV1a()
        RecordDocument(record).text.add(to: &hash, without: parts)
        return hash.value
    }

    @Test func `it is the record's JSON`() {
        #expect(RecordDocument(record).bytes == json(record))
        #expect(hash(record, without: []) == FNV1a.hash(json(record)))
    }

    @Test func `moments are put in for each deep link`() {
        let moments = [Date(timeIntervalSince1970: 1_700_000_000), Date(timeIntervalSince1970: 1_700_000_060)]
        var dated = record
        for (index, moment) in moments.enumerated() { dated.deepLinks[index].verification.since = moment }
        #expect(RecordDocument(record).bytes(since: moments) == json(dated))
        #expect(RecordDocument(dated).bytes(since: moments.reversed()) != json(dated))
        #expect(RecordDocument(dated).bytes(since: moments) == json(dated))
    }

    @Test func `a hash without parts is that of a record without them`() {
        var reduced = record
        reduced.fetchedAt = Date(timeIntervalSince1970: 0)
        #expect(hash(record, without: [.fetchedAt, .since]) == FNV1a.hash(json(reduced)))
        reduced.uniqueIdentifier = ""
        reduced.domainIdentifier = ""
        reduced.url = ""
        reduced.seeds = []
        reduced.modifiedAt = nil
        var dated = record
        dated.deepLinks[1].verification.since = Date(timeIntervalSince1970: 1)
        #expect(hash(dated, without: Set(RecordText.Part.allCases)) == FNV1a.hash(json(reduced)))
        reduced.title = "Another page"
        #expect(hash(dated, without: Set(RecordText.Part.allCases)) != FNV1a.hash(json(reduced)))
    }

    @Test func `a stored record gets other seeds`() throws {
        var dated = record
        dated.deepLinks[0].verification.since = Date(timeIntervalSince1970: 1)
        dated.title = "\"seeds\":[\"}]\\"
        let stored = try #require(RecordText(stored: json(dated)))
        #expect(stored.seeds == ["https://example.org/"])
        let seeds = ["https://a.example/?a=\"b\"", "https://b.example/"]
        let named = try #require(stored.naming(seeds))
        dated.seeds = seeds
        #expect(named.bytes == json(dated) && named.seeds == seeds)
        #expect(named.bytes(since: [Date(timeIntervalSince1970: 2)]) != json(dated))
        for parts in [[], Set(RecordText.Part.allCases), [.fetchedAt, .since], [.seeds], [.modifiedAt]] {
            var hash = FNV1a()
            named.add(to: &hash, without: parts)
            #expect(hash.value == self.hash(dated, without: parts))
        }
    }

    @Test(arguments: ["", "{", "[]", "{}x", "{\"a\": 1}", "{\"seeds\":[\"a\"]", "{\"a\":}", "{\"deepLinks\":[{]}"])
    func `what is no record has no seeds`(text: String) {
        let stored = RecordText(stored: Array(text.utf8))
        #expect(stored?.seeds == nil && stored?.naming(["https://a.example/"])?.bytes == nil)
    }
}
