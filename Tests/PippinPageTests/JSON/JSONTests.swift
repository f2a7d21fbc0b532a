import Foundation
import Testing

@testable import PippinPage

@Suite struct JSONParserTests {
    private func parse(_ text: String, limits: ReadingLimits = .standard) throws -> JSONValue {
        var parser = JSONParser(limits: limits)
        return try parser.parse(text)
    }

    private func failure(_ text: String, limits: ReadingLimits = .standard) -> JSONSyntaxError? {
        var parser = JSONParser(limits: limits)
        do throws(JSONSyntaxError) {
            _ = try parser.parse(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func `an object of many keys finds, replaces and removes them`() {
        var object = JSONObject()
        object.reserveCapacity(20)
        for number in 0..<500 { object["k\(number)"] = .integer(number) }
        let isNew = [object.set("k7", "seven"), object.set("new", 1)]
        #expect(isNew == [false, true])
        object.change("k8") { value, isNew in value = isNew ? 0 : "eight" }
        object.change("newer") { value, isNew in value = isNew && value.isNull ? "first" : 0 }
        #expect(object.count == 502)
        #expect(object["k7"] == "seven")
        #expect(object["k8"] == "eight")
        #expect(object["newer"] == "first")
        #expect(object.keys.prefix(9).last == "k8")
        for number in 0..<495 { object["k\(number)"] = nil }
        #expect(object.keys == ["k495", "k496", "k497", "k498", "k499", "new", "newer"])
        #expect(object["k494"] == nil)
        for number in 0..<20 { object["again\(number)"] = .integer(number) }
        #expect(object["k499"] == 499)
        #expect(object["again19"] == 19)
    }

    @Test func `values are read as written`() throws {
        let value = try parse(" {\"b\": [1, -0.50, 1e+2, true, false, null, \"\"], \"a\": {}} \r\n\t")
        #expect(
            value == [
                "b": [1, .number("-0.50"), .number("1e+2"), true, false, nil, ""], "a": .object(JSONObject()),
            ])
        #expect(value.object?.keys == ["b", "a"])
        #expect(value["b"]?.array?[1].double == -0.5)
        #expect(value.text() == #"{"b":[1,-0.50,1e+2,true,false,null,""],"a":{}}"#)
    }

    @Test func `escapes become characters`() throws {
        #expect(
            try parse(#""\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83c\udf4e end""#) == "\"\\/\u{8}\u{C}\n\r\té€🍎 end")
    }

    @Test func `a lone surrogate is replaced and noted`() throws {
        var parser = JSONParser()
        #expect(try parser.parse(#"["\ud83c","\udf4e\ud83c\u0041"]"#) == ["\u{FFFD}", "\u{FFFD}\u{FFFD}A"])
        #expect(parser.notes.map(\.code.rawValue) == Array(repeating: "json-lone-surrogate", count: 3))
    }

    @Test func `the last of equal keys counts and is noted with its place`() throws {
        var parser = JSONParser()
        let value = try parser.parse("{\"a\":1,\n \"b\":2, \"a\":3}")
        #expect(value == ["a": 3, "b": 2])
        #expect(parser.notes.map(\.code.rawValue) == ["json-duplicate-key"])
        #expect(parser.notes.first?.line == 2)
        #expect(parser.notes.first?.column == 9)
    }

    @Test func `every value knows where it stands, and equality does not ask`() throws {
        let value = try parse(" {\"a\" : [1,\n \"é\", null], \"b\":{}, \"a\": true}")
        #expect(value.offset == 1)
        #expect(value["a"]?.offset == 39)
        #expect(value["b"]?.offset == 30)
        let elements = try parse("[1,\n \"é\", null]").array ?? []
        #expect(elements.map(\.offset) == [1, 5, 11])
        #expect(elements == [1, "é", nil])
    }

    @Test func `objects of many keys are looked up by key too`() throws {
        let text = "{" + (0..<5_000).map { "\"k\($0 % 4_000)\":\($0)" }.joined(separator: ",") + "}"
        let value = try parse(text)
        #expect(value.object?.count == 4_000)
        #expect(value["k7"] == 4_007)
        #expect(value["k3999"] == 3_999)
        #expect(value["k4000"] == nil)
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1,]", "{\"a\":1,}", "{a:1}", "{'a':1}", "[1 2]", "{\"a\" 1}", "01", "+1", ".5", "1.", "1e",
        "-",
        "nul", "True", "NaN", "\"a", "\"\\x41\"", "\"\\u12g4\"", "\"a\nb\"", "[1] 2", "\u{FEFF}[]", "//x\n1", "[1,,2]",
        "\"\\",
    ])
    func `what RFC 8259 does not allow is an error`(text: String) {
        #expect(failure(text) != nil)
    }

    @Test func `an error says what was expected, what stands there, and where`() {
        #expect(failure("{\"a\": 1,\n  \"é\" 2}")?.description == "expected ':', found '2' at line 2, column 7")
        #expect(failure("[")?.description == "expected a value, found the end of the text at line 1, column 2")
    }

    @Test func `depth and number of values are bounded`() {
        #expect(failure(String(repeating: "[", count: 1_000_000))?.isLimit == true)
        #expect(failure(String(repeating: "{\"a\":", count: 100_000))?.isLimit == true)
        #expect(failure("[" + String(repeating: "1,", count: 200_000) + "1]")?.isLimit == true)
        var limits = ReadingLimits()
        limits.maximumJSONDepth = .max
        #expect(failure(String(repeating: "[", count: 1_000_000), limits: limits)?.isLimit == true)
    }

    @Test func `bytes that are not UTF-8 are replaced`() throws {
        var parser = JSONParser()
        #expect(try parser.parse([0x22, 0xC3, 0x28, 0x22]) == "\u{FFFD}(")
    }
}

@Suite struct JSONWriterTests {
    private struct Form: Codable, Equatable {
        struct Inner: Codable, Equatable {
            var flags: [Bool]
        }

        var text: String
        var missing: Int?
        var number: Double
        var small: UInt8
        var at: Date
        var inner: [Inner]
        var counts: [String: Int]
        var ways: [Way]
    }

    private enum Way: Codable, Equatable {
        case none
        case by(name: String, Means)

        enum Means: String, Codable { case road, sea }
    }

    @Test func `a Codable value is written with the writer's escapes, in order, and read back`() throws {
        let form = Form(
            text: "a/\u{1B}", missing: nil, number: 1.5, small: 7, at: Date(timeIntervalSince1970: 1_800_000_000),
            inner: [Form.Inner(flags: [true, false]), Form.Inner(flags: [])], counts: ["b": 1, "a": 2],
            ways: [.none, .by(name: "x", .sea)])
        var writer = JSONWriter()
        try writer.encoded(form)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            text == #"{"text":"a/\u001b","number":1.5,"small":7,"at":"2027-01-15T08:00:00Z","#
                + #""inner":[{"flags":[true,false]},{"flags":[]}],"counts":{"a":2,"b":1},"ways":[{"none":{}},{"by":{"name":"x","_1":"sea"}}]}"#
        )
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        #expect(try decoder.decode(Form.self, from: Data(writer.bytes)) == form)
    }

    @Test func `strings are escaped so that JSON and JavaScript read them back`() throws {
        let text =
            "quote \" backslash \\ / tab \t nul \u{0} unit \u{1F} del \u{7F} line \u{2028}\u{2029} dash \u{2014} 🍎"
        let written = JSONValue.string(text).text()
        #expect(
            written
                == #""quote \" backslash \\ / tab \t nul \u0000 unit \u001f del \u007f"#
                + #" line \u2028\u2029 dash — 🍎""#)
        var parser = JSONParser()
        #expect(try parser.parse(written) == .string(text))
    }

    @Test func `numbers are written as JSON has them`() {
        var writer = JSONWriter()
        writer.beginArray()
        for number in [0, -1, Int.max, Int.min] { writer.integer(number) }
        for number in [4.5, 5, -0.25, 1e300, 1e-7, .infinity, .nan] { writer.double(number) }
        writer.endArray()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "[0,-1,9223372036854775807,-9223372036854775808,4.5,5,-0.25,1e+300,1e-07,null,null]")
    }

    @Test func `a record is written member by member`() {
        var writer = JSONWriter()
        for title in ["a", "b"] {
            writer.beginObject()
            writer.member("title", title)
            writer.member("languages", ["en", "de"])
            writer.member("keywords", [String]())
            writer.key("rating")
            writer.beginObject()
            writer.member("value", 4.5)
            writer.member("count", 10)
            writer.endObject()
            writer.member("deleted", true)
            writer.endObject()
            writer.endLine()
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == """
                {"title":"a","languages":["en","de"],"rating":{"value":4.5,"count":10},"deleted":true}
                {"title":"b","languages":["en","de"],"rating":{"value":4.5,"count":10},"deleted":true}

                """)
    }

    @Test func `pretty JSON has one value a line and short empty containers`() {
        let value: JSONValue = ["a": [1, ["b": nil]], "c": [], "d": .object(JSONObject())]
        #expect(
            value.text(pretty: true) == """
                {
                  "a": [
                    1,
                    {
                      "b": null
                    }
                  ],
                  "c": [],
                  "d": {}
                }
                """)
    }
}
