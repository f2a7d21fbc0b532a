import Foundation
import Testing

@testable import PippinPage

/// The popularity of the link graph in a record that is stored as JSON.
@Suite struct LinkPopularityTests {
    private func changed(_ record: DeepLinkRecord) -> [UInt8] {
        var document: [UInt8] = []
        record.appendJSON(to: &document)
        return DeepLinkRecord.document(document, linkPopularity: 0.25)
    }

    @Test func `it is what the record would have written`() {
        var record = DeepLinkRecord(
            uniqueIdentifier: "https://a.test/", domainIdentifier: "a.test", url: "https://a.test/",
            fetchedAt: Date(timeIntervalSince1970: 0), contentHash: "0123456789abcdef")
        record.title = #"A page with "popularity":1,"structuredDataScore":2 and \ in {[its title"#
        var expected = record
        for popularity in [nil, 0.9] {
            for provenance in [[], [DeepLinkRecord.Provenance(field: "title", source: .htmlTitle)]] {
                record.popularity = popularity
                record.provenance = provenance
                expected.popularity = 0.25
                expected.provenance = provenance + [.init(field: "popularity", source: .linkGraph)]
                var bytes: [UInt8] = []
                expected.appendJSON(to: &bytes)
                #expect(String(decoding: changed(record), as: UTF8.self) == String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    @Test func `a record of another form gets it too, and what is no record stays`() {
        func changed(_ text: String) -> String {
            String(decoding: DeepLinkRecord.document(Array(text.utf8), linkPopularity: 0), as: UTF8.self)
        }
        #expect(changed(#"{"a":1}"#) == #"{"a":1,"provenance":{"popularity":"link-graph"},"popularity":0}"#)
        #expect(changed("{}") == #"{"provenance":{"popularity":"link-graph"},"popularity":0}"#)
        #expect(
            changed(#"{"provenance":{},"b":[1,{"c":2}]}"#)
                == #"{"provenance":{"popularity":"link-graph"},"b":[1,{"c":2}],"popularity":0}"#)
        for broken in ["", "{", "[]", #"{"a"}"#, #"{"a":"b}"#, #"{"a":[}"#, #"{a:1}"#, #"{"a":"\"}"#] {
            #expect(changed(broken) == broken)
        }
    }
}
