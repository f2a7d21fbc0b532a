import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Reading `apple-app-site-association`: what it says, and what its author is told.
@Suite struct AssociationFileTests {
    static func read(_ text: String) -> AppleAppSiteAssociation { AppleAppSiteAssociation(bytes: Array(text.utf8)) }

    /// `code line:column`
    static func places(_ notes: [ParseNote]) -> [String] {
        notes.map { "\($0.code.rawValue) \($0.line ?? 0):\($0.column ?? 0)" }
    }

    @Test func `components are read with all their keys, defaults and variables`() throws {
        let file = Self.read(
            #"""
            {"applinks": {
              "defaults": {"caseSensitive": false},
              "substitutionVariables": {"food": ["burrito", "pizza*"], "drink": ["tea"]},
              "details": [
                {"appIDs": ["ABCDE12345.org.example.shop", "FGHIJ67890.org.example.lite"],
                 "defaults": {"percentEncoded": false},
                 "components": [
                  {"/": "/buy/$(food)", "?": {"id": "??", "lang": "*"}, "#": "top", "comment": "Shop"},
                  {"?": "a=b", "exclude": true, "caseSensitive": true, "percentEncoded": true},
                  {}]},
                {"appID": "ABCDE12345.org.example.old", "components": [{"/": "/*"}]}]}}
            """#)
        #expect(file.trouble == nil)
        #expect(file.notes.isEmpty)
        let links = try #require(file.appLinks)
        #expect(links.defaults.caseSensitive == false && links.defaults.percentEncoded == nil)
        #expect(links.substitutionVariables.map(\.name) == ["food", "drink"])
        #expect(links.substitutionVariables.first?.values == ["burrito", "pizza*"])
        #expect(links.entries.map(\.appIDs.count) == [2, 1])
        #expect(links.entries.map(\.form) == [.components, .components])
        let components = links.entries[0].components
        #expect(components.map(\.text) == ["/buy/$(food) ?id=??&lang=* #top", "NOT ?a=b", "{}"])
        #expect(components.map(\.caseSensitive) == [false, true, false])
        #expect(components.map(\.percentEncoded) == [false, true, false])
        #expect(components.map(\.excludes) == [false, true, false])
        #expect(components[0].comment == "Shop")
        #expect(components[0].place == TextPlace(line: 8, column: 7))
        #expect(links.entries[1].components[0].caseSensitive == false)
        #expect(links.entries[1].components[0].percentEncoded)
    }

    @Test func `paths are read with NOT, and apps want to be empty`() throws {
        let file = Self.read(
            #"""
            {"applinks": {"apps": [], "details": [
              {"appID": "ABCDE12345.org.example.shop", "paths": ["/a/*", "NOT /b/?", "*"]}]}}
            """#)
        #expect(file.notes.isEmpty)
        let entry = try #require(file.appLinks?.entries.first)
        #expect(entry.form == .paths)
        #expect(entry.components.map(\.text) == ["/a/*", "NOT /b/?", "*"])
        #expect(entry.components.map(\.path) == ["/a/*", "/b/?", "*"])
    }

    @Test func `the early dictionary form is read in the order of the file`() throws {
        let file = Self.read(
            #"""
            {"applinks": {"apps": [], "details": {
              "ZBCDE12345.org.example.z": {"paths": ["*"]},
              "ABCDE12345.org.example.a": {"paths": ["/a"]}}}}
            """#)
        #expect(Self.places(file.notes) == ["aasa-details-dictionary 1:38"])
        #expect(file.appLinks?.hasDictionaryForm == true)
        #expect(
            file.appLinks?.entries.map(\.appIDs) == [["ZBCDE12345.org.example.z"], ["ABCDE12345.org.example.a"]])
    }

    @Test func `the other services are lists of apps`() {
        let file = Self.read(
            #"""
            {"webcredentials": {"apps": ["ABCDE12345.org.example.shop"]}, "activitycontinuation": {"apps": []},
             "appclips": {"apps": ["ABCDE12345.org.example.shop.Clip", 7]}}
            """#)
        #expect(file.webCredentials == ["ABCDE12345.org.example.shop"])
        #expect(file.activityContinuation == [])
        #expect(file.appClips == ["ABCDE12345.org.example.shop.Clip"])
        #expect(file.appLinks == nil)
        #expect(Self.places(file.notes) == ["association-wrong-type 2:60"], "a file may be for other services alone")
    }

    @Test(arguments: [
        ("{\n  \"applinks\": {},\n}", 3, 1), ("{\"applinks\": {\"details\": [}}", 1, 27), ("{'applinks': {}}", 1, 2),
        ("{\"ä\": 1 \"b\": 2}", 1, 9), ("<!doctype html>", 1, 1), ("{} x", 1, 4), ("{}{}", 1, 3),
    ])
    func `JSON is strict, and an error has its place`(text: String, line: Int, column: Int) {
        let file = Self.read(text)
        guard case .notJSON = file.trouble else {
            Issue.record("\(String(describing: file.trouble))")
            return
        }
        #expect(Self.places(file.notes) == ["association-not-json \(line):\(column)"])
        #expect(file.notes.first?.associationSeverity == .error)
        #expect(file.decision(for: WebURL("https://example.org/")!).reason == file.trouble?.sentence)
    }

    @Test func `a page in the file's place is called one`() {
        #expect(Self.read(" \n<html>").trouble?.sentence.contains("HTML page") == true)
    }

    @Test func `a byte order mark is noted, and bytes that are not UTF-8 have a place`() {
        let file = Self.read("\u{FEFF}{\"applinks\":{\"details\":[]}}")
        #expect(file.trouble == nil)
        #expect(Self.places(file.notes) == ["association-byte-order-mark 1:1", "aasa-no-details 1:24"])
        let latin = AppleAppSiteAssociation(bytes: Array("{\n \"é".utf8) + [0xE9] + Array("\":1}".utf8))
        #expect(latin.trouble == .notUTF8(line: 2, column: 4))
    }

    @Test func `128 KiB are read and one byte more is refused`() {
        let frame = #"{"applinks":{"details":[]},"x":""}"#
        func file(_ count: Int) -> AppleAppSiteAssociation {
            Self.read(frame.dropLast(2) + String(repeating: "x", count: count - frame.utf8.count) + "\"}")
        }
        #expect(file(131_072).trouble == nil)
        let large = file(131_073)
        #expect(large.trouble == .tooLarge(bytes: 131_073, limit: 131_072))
        #expect(large.appLinks != nil, "what could be read is shown")
        #expect(large.notes.first?.code.rawValue == "association-too-large")
    }

    @Test(arguments: [
        ("[]", "association-wrong-shape 1:1"), (#"{"applinks": []}"#, "association-wrong-type 1:14"),
        (#"{"applinks": {"details": "x"}}"#, "association-wrong-type 1:26"),
        (#"{"applinks": {"details": [7]}}"#, "association-wrong-type 1:27"),
        (#"{"applinks": {"details": [], "apps": ["x"]}}"#, "aasa-apps-not-empty 1:38"),
        (#"{"applinks": {"details": [], "apps": {}}}"#, "association-wrong-type 1:38"),
        (#"{"applinks": {"details": [], "Defaults": {}}}"#, "association-misspelled-key 1:30"),
        (#"{"applinks": {"details": [], "defaults": {"caseSensitive": "no"}}}"#, "association-wrong-type 1:60"),
        (#"{"applinks": {"details": [], "substitutionVariables": {"a": "b"}}}"#, "association-wrong-type 1:61"),
        (#"{"applinks": {"details": [], "substitutionVariables": {"a": []}}}"#, "aasa-bad-variable 1:56"),
        (#"{"applinks": {"details": [], "substitutionVariables": {"a)": ["x"]}}}"#, "aasa-bad-variable 1:56"),
        (#"{"applinks": {"details": [], "substitutionVariables": {"a": ["$(b)"]}}}"#, "aasa-bad-variable 1:62"),
        (#"{"applinks": {"details": [{"components": [{}]}]}}"#, "aasa-entry-without-app 1:27"),
        (#"{"applinks": {}, "applinks": {"details": []}}"#, "json-duplicate-key 1:18"),
    ])
    func `wrong shapes are noted where they stand`(text: String, note: String) {
        #expect(Self.places(Self.read(text).notes).contains(note), "\(Self.places(Self.read(text).notes))")
    }

    @Test(arguments: [
        (#""components": {}"#, "association-wrong-type 3:15"),
        (#""components": []"#, "aasa-entry-without-patterns 3:15"),
        (#""comment": """#, "aasa-entry-without-patterns 2:1"), (#""paths": "*""#, "association-wrong-type 3:10"),
        (#""paths": [1]"#, "association-wrong-type 3:11"), (#""paths": ["NOT  /a"]"#, "aasa-bad-not 3:11"),
        (#""paths": ["not /a"]"#, "aasa-bad-not 3:11"), (#""paths": ["/$(digit)"]"#, "aasa-variable-in-paths 3:11"),
        (#""paths": ["/a"], "components": [{}]"#, "aasa-components-and-paths 3:10"),
        (#""components": ["/a"]"#, "association-wrong-type 3:16"),
        (#""components": [{"/": 1}]"#, "association-wrong-type 3:22"),
        (#""components": [{"?": ["a"]}]"#, "association-wrong-type 3:22"),
        (#""components": [{"?": {"a": 1}}]"#, "association-wrong-type 3:28"),
        (#""components": [{"exclude": 1}]"#, "association-wrong-type 3:28"),
        (#""components": [{"/": "/$(nobody)"}]"#, "aasa-undefined-variable 3:22"),
        (#""components": [{"/": "/$(lang"}]"#, "aasa-open-variable 3:22"),
        (#""components": [{"/": "/*"}, {"/": "/a"}]"#, "aasa-unreachable-pattern 3:29"),
        (#""components": [{"/": "a"}]"#, "aasa-missing-leading-slash 3:16"),
        (#""components": [{"/": "/ö"}]"#, "aasa-unencoded-pattern 3:16"),
        (#""components": [{"/": "/%c3%b6"}]"#, "aasa-lowercase-escape 3:16"),
        (#""components": [{"/": "https://example.org/a"}]"#, "aasa-host-in-pattern 3:16"),
        (#""components": [{"/": "/#/a"}]"#, "aasa-delimiter-in-pattern 3:16"),
        (##""components": [{"#": "#a"}]"##, "aasa-delimiter-in-pattern 3:16"),
        (#""components": [{"?": "?a=b"}]"#, "aasa-delimiter-in-pattern 3:16"),
        (#""components": [{}], "appID": "BCDEF12345.x""#, "aasa-appid-ignored 3:30"),
        (#""components": [{"/": "/buy?id=*"}]"#, "aasa-query-in-path 3:16"),
        (#""paths": ["/buy?id=7&x=*"]"#, "aasa-query-in-path 3:11"),
        (#""components": [{"/": "/buy?*"}]"#, "aasa-question-mark-in-path 3:16"),
    ])
    func `what an entry's author should know is noted where it stands`(members: String, note: String) {
        let file = Self.read(
            "{\"applinks\": {\"details\": [\n{\"appIDs\": [\"ABCDE12345.org.example\"],\n\(members)}]}}")
        #expect(Self.places(file.notes).contains(note), "\(Self.places(file.notes))")
        #expect(file.notes.allSatisfy { $0.associationSeverity != nil })
    }

    @Test(arguments: [
        ("ABCDE12345.org.example", true), ("ABCDE12345.org.example-2.App", true), ("abcde12345.org.example", false),
        ("ABCDE1234.org.example", false), ("ABCDE12345.*", false), ("ABCDE12345", false), ("ABCDE12345..a", false),
    ])
    func `app IDs are ten capitals and digits, a dot, and the bundle`(text: String, isWellFormed: Bool) {
        let file = Self.read(#"{"applinks":{"details":[{"appID":"\#(text)","components":[{}]}]}}"#)
        #expect(file.notes.map(\.code.rawValue) == (isWellFormed ? [] : ["aasa-malformed-app-id"]))
    }

    @Test(arguments: ["/videos/201?/*", "/a/?*", "/?", "/????/x", "/v1?"])
    func `a question mark that stands for one character is nothing to note`(path: String) {
        let file = Self.read(
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.org.example"],"components":[{"/":"\#(path)"}]}]}}"#)
        #expect(file.notes.isEmpty, "\(Self.places(file.notes))")
    }

    @Test(arguments: ["org.example.app", "com.example", "de.example-shop.App"])
    func `a bundle ID without its prefix is an error, wherever apps are named`(text: String) {
        let file = Self.read(
            #"{"applinks":{"details":[{"appIDs":["\#(text)"],"components":[{}]}]},"webcredentials":{"apps":["\#(text)"]}}"#
        )
        #expect(file.notes.map(\.code.rawValue) == ["aasa-bundle-id-for-app-id", "aasa-bundle-id-for-app-id"])
        #expect(file.notes.allSatisfy { $0.associationSeverity == .error })
    }

    @Test(arguments: [
        (
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a.b"],"components":[{"path":"/x"}]}]}}"#,
            "association-matches-everything"
        ),
        (
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a.b"],"components":[{"/":"/x","exclude":true}]}]}}"#,
            "aasa-opens-nothing"
        ),
        (#"{"applinks":{"details":[{"appID":"ABCDE12345.a.b","paths":["NOT *"]}]}}"#, "aasa-opens-nothing"),
        (
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a.b"],"components":[{"/":"/$(no)"}]}]}}"#,
            "aasa-opens-nothing"
        ),
        (
            #"{"applinks":{"details":[{"appID":"ABCDE12345.a.b","paths":["*"]},{"appID":"ABCDE12345.a.b","paths":["/a"]}]}}"#,
            "aasa-unreachable-pattern"
        ),
        (#"{"applinks":{"details":{"appID":"ABCDE12345.a.b","paths":["*"]}}}"#, "association-wrong-type"),
        (#"{"applinks":{"details":[{"appIDs":"ABCDE12345.a.b","paths":["*"]}]}}"#, "association-wrong-type"),
        ("{\"applinks\u{200B}\":{\"details\":[]}}", "association-foreign-character"), ("", "association-not-json"),
        ("{“applinks”:{}}", "association-not-json"), ("{\u{A0}}", "association-not-json"),
    ])
    func `what keeps a file from its purpose is noted with a place`(text: String, code: String) throws {
        let note = try #require(Self.read(text).notes.first { $0.code.rawValue == code }, "\(Self.read(text).notes)")
        #expect(note.line != nil && note.associationSeverity != .info)
    }

    @Test(arguments: [
        ("{\"applinks\": {},}", "comma before this"), ("{“applinks”:{}}", "curly quotation mark “ (U+201C)"),
        ("{\u{A0}\"applinks\":{}}", "U+00A0 (no-break space)"), ("{\"applinks\": {", "ends too early"),
        ("  \n", "is empty"), ("{'applinks':{}}", "single quotation marks"),
        ("{\"applinks\":{\"details\":{\"appID\":\"A.b\"}}}", "put it in square brackets"),
        ("{\"applinks\":{\"details\":[{\"appIDs\":\"A.b\"}]}}", "write [\"A.b\"]"),
    ])
    func `a fault is worded by its cause`(text: String, words: String) {
        let notes = Self.read(text).notes
        #expect(notes.contains { $0.message.contains(words) }, "\(notes.map(\.message))")
    }

    @Test func `errors come before two hundred notes on lesser things, and all are counted`() throws {
        let dull = String(repeating: #"{"/":"/é"},"#, count: 500)
        let file = Self.read(
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a.b"],"components":[\#(dull){"/":5}]}]}}"#)
        #expect(file.notes.first?.code == .association(.wrongType))
        let kept = file.notes.filter { $0.code == .association(.unencodedPattern) }
        #expect(kept.count + kept.reduce(0) { $0 + $1.further } == 500)
    }

    @Test func `notes stay within their limit, and each is short`() {
        let long = String(repeating: "x", count: 400)
        let entries = String(repeating: "{\"components\":[{\"/\":\"*\"},{\"/\":\"\(long)\"}]},", count: 200)
        let file = Self.read("{\"applinks\":{\"details\":[\(entries){}]}}")
        #expect(file.trouble == nil)
        #expect(file.notes.count == ReadingLimits.standard.maximumNotes + 1)
        #expect(file.notes.allSatisfy { $0.message.utf8.count < 400 })
    }

    @Test func `what makes a file unusable has a note, however many others there are`() {
        let file = Self.read("\"" + String(repeating: #"\uDEAD "#, count: 300) + "\"")
        #expect(file.trouble != nil)
        #expect(file.notes.contains { $0.code.rawValue == file.trouble?.remark.rawValue })
        #expect(file.notes.count > ReadingLimits.standard.maximumNotes)
        let links = AssetLinks(bytes: Array(("[" + String(repeating: "1,", count: 300) + "]").utf8), source: nil)
        #expect(links.trouble != nil)
        #expect(links.notes.contains { $0.code.rawValue == links.trouble?.remark.rawValue })
    }

    @Test func `the JSON form names what was understood`() {
        let json = Self.read(
            #"{"applinks":{"details":[{"appID":"ABCDE12345.org.example","paths":["NOT /a"]}]}}"#
        ).json.text(pretty: false)
        #expect(json.contains(#""kind":"apple-app-site-association""#))
        #expect(json.contains(#""appIDs":["ABCDE12345.org.example"],"form":"paths""#))
        #expect(json.contains(#""path":"/a","exclude":true"#))
    }
}
