import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinServe

@Suite struct RecordFieldsTests {
    private static let record: JSONValue = [
        "uniqueIdentifier": "https://a.test/", "title": "Pie", "types": ["Recipe", "Thing"],
        "rating": ["value": 4, "best": 5],
        "deepLinks": [
            ["platform": "ios", "url": "pie://1", "verification": ["status": "verified", "detail": "x"]],
            ["platform": "android"],
        ],
        "custom": ["colour": "red", "size": 7],
    ]

    @Test(arguments: [
        ("title", #"{"title":"Pie"}"#),
        ("types,title", #"{"title":"Pie","types":["Recipe","Thing"]}"#),
        ("rating.value", #"{"rating":{"value":4}}"#),
        ("rating.value,rating", #"{"rating":{"value":4,"best":5}}"#),
        (
            "deepLinks.url,deepLinks.verification.status",
            #"{"deepLinks":[{"url":"pie://1","verification":{"status":"verified"}},{}]}"#
        ),
        ("custom.colour,custom.shape", #"{"custom":{"colour":"red"}}"#),
        ("snippet", "{}"),
    ])
    func `a record has the fields that were asked for, in its order`(fields: String, json: String) throws {
        #expect(try RecordFields(fields).selected(of: Self.record).text() == json)
    }

    @Test(arguments: [
        "", ",", "titel", "title.text", "deepLinks.", ".title", "custom.", "custom.a b", "custom.a.b", "Title",
        "types.0",
        String(repeating: "title,", count: 50) + "url", "custom." + String(repeating: "a", count: 65), "title\u{0}",
    ])
    func `a name that records do not have is refused`(fields: String) {
        #expect(throws: WebRefusal.self) { try RecordFields(fields) }
    }

    @Test func `a name that was nearly right is told`() {
        #expect { try RecordFields("titel") } throws: { error in
            (error as? WebRefusal)?.sentence == "Records have no field “titel”. Did you mean title?"
        }
    }

    @Test func `each field of a record has its name in the schema`() throws {
        // What the writer of records writes, against the names that are allowed.
        var record = DeepLinkRecord.plain
        record.rating = .init(value: 4, best: 5, worst: 1, normalized: 0.75, count: 3, reviewCount: nil)
        record.languages = ["en"]
        var parser = JSONParser()
        let written = try parser.parse(RecordDocument(record).bytes)
        let names = written.object?.keys ?? []
        #expect(names.count > 5 && names.allSatisfy(APIRecordSchema.fields.contains))
        #expect(try RecordFields(names.joined(separator: ",")).selected(of: written) == written)
        #expect(APIRecordSchema.open == ["custom"])
        #expect(APIRecordSchema.fields.contains("deepLinks.verification.status"))
    }
}
