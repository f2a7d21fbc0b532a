import PippinPage
import Testing

@testable import PippinServe

@Suite struct BoundedJSONTests {
    @Test func `what is short enough stays as it is`() throws {
        let value: JSONValue = ["a": [1, 2, 3], "b": "text of some words"]
        let bounded = try #require(BoundedJSON(value, maximumBytes: 100))
        #expect(bounded.value == value && bounded.leftOff.isEmpty)
    }

    @Test func `ends of lists and texts are left off, and it is said where`() throws {
        let hits = JSONValue.array(
            (0..<90).map { number in
                [
                    "url": .string("https://a.test/\(number)/" + String(repeating: "x", count: 300)),
                    "text": .string(String(repeating: "ä word ", count: 900)),
                    "images": .array((0..<30).map { .integer($0) }),
                ]
            })
        let bounded = try #require(BoundedJSON(["hits": hits, "count": 90], maximumBytes: 20_000))
        #expect(bounded.value.bytes().count <= 20_000)
        let left = try #require(bounded.value["hits"]?.array)
        #expect(left.count == 12 && bounded.value["count"]?.integer == 90)
        #expect(left.allSatisfy { $0["url"]?.string?.hasSuffix("x") == true })
        #expect(left.allSatisfy { $0["text"]?.string?.hasSuffix("…") == true })
        #expect(
            bounded.leftOff == [
                "hits: the last 78 elements are left off.", "hits[].text: cut after 500 characters.",
                "hits[].images: the last 18 elements are left off.",
            ])
    }

    @Test func `what consists of names only cannot be shortened`() {
        var object = JSONObject()
        for number in 0..<1_000 { object["name \(number)"] = .integer(number) }
        #expect(BoundedJSON(.object(object), maximumBytes: 1_000) == nil)
    }

    @Test func `hostile names make no long sentences, and not many`() throws {
        var object = JSONObject()
        for number in 0..<40 {
            object[String(repeating: "n", count: 500) + "\(number)"] = .string(String(repeating: "a b", count: 9_000))
        }
        let bounded = try #require(BoundedJSON(.object(object), maximumBytes: 64_000))
        #expect(bounded.leftOff.count <= 21 && bounded.leftOff.allSatisfy { $0.count < 200 })
    }
}
