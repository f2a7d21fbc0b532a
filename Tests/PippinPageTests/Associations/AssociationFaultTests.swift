import PippinTestSupport
import Testing

@testable import PippinPage

/// Every fault of one character or one value that an author could make in an association file. Either the file means the same as
/// before, or a note says that something is wrong: no fault takes a rule away silently.
@Suite struct AssociationFaultTests {
    private static let apple = #"""
        {"applinks": {"apps": [], "defaults": {"caseSensitive": false, "percentEncoded": true},
          "substitutionVariables": {"food": ["burrito", "pizza*"]},
          "details": [
            {"appIDs": ["ABCDE12345.org.example.shop"], "defaults": {"percentEncoded": false},
             "components": [
               {"/": "/help/*", "exclude": true, "comment": "Help is on the web."},
               {"/": "/buy/$(food)", "?": {"id": "??"}, "#": "top", "caseSensitive": true}]},
            {"appID": "ABCDE12345.org.example.old", "paths": ["NOT /a/*", "/b/*"]}]},
         "webcredentials": {"apps": ["ABCDE12345.org.example.shop"]},
         "appclips": {"apps": ["ABCDE12345.org.example.shop.Clip"]},
         "activitycontinuation": {"apps": ["ABCDE12345.org.example.shop"]}}
        """#
    private static let android = #"""
        [{"relation": ["delegate_permission/common.handle_all_urls"],
          "target": {"namespace": "android_app", "package_name": "org.example.shop",
           "sha256_cert_fingerprints": ["\#(Array(repeating: "A7", count: 32).joined(separator: ":"))"]}},
         {"relation": ["delegate_permission/common.get_login_creds"],
          "target": {"namespace": "web", "site": "https://shop.example"}}]
        """#

    /// A file with one fault in it.
    private struct Fault {
        let offset: Int
        let text: String
    }

    /// Where the characters of values begin and end that mean something by themselves: patterns, comments, apps. Another one is
    /// another rule and no fault.
    private static func freeRanges(_ bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start: Int?
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\"") {
            guard let open = start else {
                start = index
                continue
            }
            let isKey = bytes[(index + 1)...].first == UInt8(ascii: ":")
            let text = String(decoding: bytes[open + 1..<index], as: UTF8.self)
            if !isKey || ["food", "id"].contains(text) { ranges.append(open + 1..<index) }
            start = nil
        }
        return ranges
    }

    /// Each character missing, replaced, doubled, or with another before it.
    private static func faults(_ file: String) -> [Fault] {
        let bytes = Array(file.utf8)
        let free = freeRanges(bytes)
        let others = [" ", "\u{A0}", "\u{200B}", ",", "\"", "”", "'", "x", "{", "]", ":", "0", "E"]
        var faults: [Fault] = []
        for offset in bytes.indices where !free.contains(where: { $0.contains(offset) }) {
            func add(_ middle: [UInt8]) {
                faults.append(
                    Fault(
                        offset: offset,
                        text: String(decoding: bytes[..<offset] + middle + bytes[(offset + 1)...], as: UTF8.self)))
            }
            add([])
            add([bytes[offset], bytes[offset]])
            // Before the closing quotation mark, another character is one more of the value.
            let isFreeBefore = free.contains { $0.upperBound == offset }
            for other in others where Array(other.utf8) != [bytes[offset]] {
                add(Array(other.utf8))
                if !isFreeBefore { add(Array(other.utf8) + [bytes[offset]]) }
            }
        }
        return faults
    }

    /// The file with one of its values replaced by a value of another kind.
    private static func wrongKinds(_ value: JSONValue) -> [JSONValue] {
        var results: [JSONValue] = []
        for other: JSONValue in [.null, .bool(true), .string("x"), .integer(7), .array([]), .object([:])]
        where other.kind != value.kind {
            results.append(other)
        }
        switch value.content {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                for other in wrongKinds(element) {
                    var copy = elements
                    copy[index] = other
                    results.append(.array(copy))
                }
            }
        case .object(let object):
            // Comments are for people, and a query may be a text or an object.
            for member in object.members where member.key != "comment" {
                for other in wrongKinds(member.value) where member.key != "?" || other.string == nil {
                    var copy = object
                    copy[member.key] = other
                    results.append(.object(copy))
                }
            }
        default: break
        }
        return results
    }

    /// What was understood, without places, sizes and comments.
    private static func meaning(_ json: JSONValue) -> JSONValue {
        switch json.content {
        case .array(let elements): return .array(elements.map(meaning))
        case .object(let object):
            var rest = JSONObject()
            for member in object.members where !["line", "column", "byteCount", "comment"].contains(member.key) {
                rest[member.key] = meaning(member.value)
            }
            return .object(rest)
        default: return json
        }
    }

    /// The place of a fault, to find it.
    private static func excerpt(_ fault: Fault) -> String {
        String(decoding: fault.text.utf8.dropFirst(max(0, fault.offset - 20)).prefix(60), as: UTF8.self)
    }

    @Test(.slow) func `no fault of a character takes a rule of Apple's file away silently`() {
        let whole = AppleAppSiteAssociation(bytes: Array(Self.apple.utf8))
        #expect(whole.notes.isEmpty)
        for fault in Self.faults(Self.apple) {
            let file = AppleAppSiteAssociation(bytes: Array(fault.text.utf8))
            #expect(
                !file.notes.isEmpty || Self.meaning(file.json) == Self.meaning(whole.json),
                "\(Self.excerpt(fault))")
        }
    }

    @Test(.slow) func `no fault of a character takes a statement of assetlinks away silently`() {
        let whole = AssetLinks(bytes: Array(Self.android.utf8))
        #expect(whole.notes.isEmpty)
        for fault in Self.faults(Self.android) {
            let file = AssetLinks(bytes: Array(fault.text.utf8))
            #expect(
                !file.notes.isEmpty || Self.meaning(file.json) == Self.meaning(whole.json),
                "\(Self.excerpt(fault))")
        }
    }

    @Test func `no value of another kind takes anything away silently`() throws {
        var parser = JSONParser()
        for other in Self.wrongKinds(try parser.parse(Self.apple)) {
            let text = other.text()
            #expect(!AppleAppSiteAssociation(bytes: Array(text.utf8)).notes.isEmpty, "\(text)")
        }
        for other in Self.wrongKinds(try parser.parse(Self.android)) {
            let text = other.text()
            #expect(!AssetLinks(bytes: Array(text.utf8)).notes.isEmpty, "\(text)")
        }
    }
}
