import Foundation
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What a driver remembers of a record, as a worker reads it.
@Suite struct ToldRecordTests {
    private func record(_ members: String, key: String = "https://a.test/x#part") throws -> ToldRecord {
        let line = #"{"type":"record","key":"\#(key)","record":{\#(members)}}"#
        guard case .record(let record) = try WorkerMessage(line: Array(line.utf8)[...], number: 3) else {
            preconditionFailure("no record")
        }
        return record
    }

    private static let needed = #""uniqueIdentifier":"https://a.test/x#part","fetchedAt":"2026-11-24T11:00:00Z""#

    @Test func `the page of a record is that of its identifier's key`() throws {
        let text = #"{"schemaVersion":2,\#(Self.needed),"title":"A \"title\"\t\u00fc","count":1.50}"#
        let record = try record(String(text.dropFirst().dropLast()))
        #expect(record.identifier == "https://a.test/x#part" && record.page.href == "https://a.test/x")
        #expect(record.fetchedAt == W3CDateTime.date(from: "2026-11-24T11:00:00Z"))
        #expect(
            String(decoding: record.document, as: UTF8.self)
                == #"{"schemaVersion":2,\#(Self.needed),"title":"A \"title\"\t"# + "\u{fc}" + #"","count":1.50}"#)
        #expect(record.popularity == nil)
    }

    @Test func `the popularity of the link graph is kept beside the record`() throws {
        let claimed = #"\#(Self.needed),"provenance":{"title":"h1","popularity":"schema-org"},"popularity":0.5"#
        let kept = try record(claimed)
        #expect(kept.popularity == nil)
        #expect(String(decoding: kept.document, as: UTF8.self) == "{\(claimed)}")
        let told = try record(
            #"\#(Self.needed),"provenance":{"title":"h1","popularity":"link-graph"},"popularity":0.5"#)
        #expect(told.popularity == 0.5)
        #expect(
            String(decoding: told.document, as: UTF8.self) == #"{\#(Self.needed),"provenance":{"title":"h1"}}"#)
        let alone = try record(#"\#(Self.needed),"provenance":{"popularity":"link-graph"},"popularity":7"#)
        #expect(alone.popularity == nil)
        #expect(String(decoding: alone.document, as: UTF8.self) == "{\(Self.needed)}")
    }

    @Test func `its page is asked as far from the seeds as a page may be, for a seed that it names`() throws {
        var configuration = CrawlConfiguration()
        configuration.scope.maximumDepth = 5
        let seeds = try Seeds.parse("https://z.test/\nhttps://b.test/ app=12", file: "seeds.txt")
        let scope = CrawlScope(configuration, seeds: seeds)
        let request = try record(Self.needed + #","seeds":["https://old.test/",7,"https://b.test/"]"#)
            .request(in: scope)
        #expect(request.url.href == "https://a.test/x" && request.depth == 5 && request.isOwed)
        #expect(request.seed == seeds[1] && !request.standsForSeed)
        #expect(try record(Self.needed).request(in: scope).seed == seeds[0])
        #expect(
            try record(Self.needed).request(in: CrawlScope(configuration, seeds: [])).seed.url.href
                == "https://a.test/x")
    }

    @Test(arguments: [
        (#"{"type":"record"}"#, "\"key\" must be"), (#"{"type":"record","key":"mailto:a@b"}"#, "\"key\" must be"),
        (#"{"type":"record","key":"https://u:p@a.test/"}"#, "\"key\" must be"),
        (#"{"type":"record","key":"https://a.test/"}"#, "\"record\" must be"),
        (#"{"type":"record","key":"https://a.test/","record":[]}"#, "\"record\" must be"),
        (
            #"{"type":"record","key":"https://a.test/","record":{"uniqueIdentifier":"https://b.test/","fetchedAt":"2026-11-24T11:00:00Z"}}"#,
            "\"record\" must be"
        ),
        (
            #"{"type":"record","key":"https://a.test/","record":{"uniqueIdentifier":"https://a.test/","fetchedAt":"now"}}"#,
            "\"record\" must be"
        ),
    ])
    func `a line that is no record is refused`(line: String, says: String) {
        let error = #expect(throws: WorkerProtocolError.self) {
            try WorkerMessage(line: Array(line.utf8)[...], number: 3)
        }
        #expect(error?.description.hasPrefix("standard input:3: ") == true)
        #expect(error?.problem.contains(says) == true, "\(error?.problem ?? "")")
    }
}
