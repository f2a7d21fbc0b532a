import PippinTestSupport
import Testing

@testable import PippinPage

/// `assetlinks.json`: the statements of Digital Asset Links, and the dynamic rules of Android 15.
@Suite struct AssetLinksTests {
    private static let certificate = Array(repeating: "A7", count: 32).joined(separator: ":")
    private static let relation = #""relation":["delegate_permission/common.handle_all_urls"]"#
    private static let target =
        #""target":{"namespace":"android_app","package_name":"org.example.shop","sha256_cert_fingerprints":["\#(certificate)"]}"#
    private static let good = "{\(relation),\(target)}"

    private static func read(_ text: String, source: String = "https://example.org/.well-known/assetlinks.json")
        -> AssetLinks
    {
        AssetLinks(bytes: Array(text.utf8), source: WebURL(source))
    }

    @Test func `statements name relations and targets`() throws {
        let links = Self.read(
            #"""
            [{"relation":["delegate_permission/common.handle_all_urls","delegate_permission/common.get_login_creds"],
              "target":{"namespace":"android_app","package_name":"org.example.shop",
               "sha256_cert_fingerprints":["\#(Self.certificate)","\#(Self.certificate)"]}, "comment": 1},
             {"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":"HTTPS://Shop.example:8443"}},
             {"relation":["navigate/home"],"target":{"namespace":"ios_app","appid":"123456"}}]
            """#)
        #expect(links.trouble == nil && links.notes.isEmpty)
        #expect(
            links.statements.map(\.target) == [
                .androidApp(packageName: "org.example.shop", fingerprints: [Self.certificate, Self.certificate]),
                .web(site: "https://shop.example:8443"), .iOSApp(storeIdentifier: "123456"),
            ])
        #expect(links.statements.map(\.relations.count) == [2, 1, 1])
        #expect(links.statements[1].place == TextPlace(line: 4, column: 2))
        #expect(links.appLinkPackages == ["org.example.shop"])
        #expect(links.appLinkStatements(of: "org.example.shop").count == 1)
        #expect(links.appLinkStatements(of: "org.example.other").isEmpty)
        #expect(Self.read("[]").trouble == nil)
    }

    @Test(arguments: [
        ("{}", "association-wrong-shape 1:1"), ("[{},]", "association-not-json 1:5"), ("", "association-not-json 1:1"),
        ("[\n  {]", "association-not-json 2:4"), ("\"x\"", "association-wrong-shape 1:1"),
    ])
    func `a malformed document fails whole`(text: String, note: String) throws {
        let links = Self.read(text)
        #expect(links.trouble != nil && links.statements.isEmpty)
        #expect(AssociationFileTests.places(links.notes) == [note])
        #expect(
            links.decision(for: try #require(WebURL("https://example.org/")), packageName: "a.b").reason
                == links.trouble?.sentence)
    }

    @Test(arguments: [
        ("7", "2:1"), ("{}", "2:1"), (#"{"relation":["a/b"]}"#, "2:1"), (#"{\#(AssetLinksTests.target)}"#, "2:1"),
        (#"{"relation":[],\#(AssetLinksTests.target)}"#, "2:13"),
        (#"{"relation":"a/b",\#(AssetLinksTests.target)}"#, "2:13"),
        (#"{"relation":[1],\#(AssetLinksTests.target)}"#, "2:14"),
        (#"{"relation":["a"],\#(AssetLinksTests.target)}"#, "2:14"),
        (#"{"relation":["a/b/c"],\#(AssetLinksTests.target)}"#, "2:14"),
        (#"{"relation":["A/b"],\#(AssetLinksTests.target)}"#, "2:14"),
        (#"{"relation":["a/*"],\#(AssetLinksTests.target)}"#, "2:14"),
        (#"{"relation":["a/b c"],\#(AssetLinksTests.target)}"#, "2:14"),
        (#"{"relation":["/b"],\#(AssetLinksTests.target)}"#, "2:14"), (#"{"target":7,"relation":["a/b"]}"#, "2:11"),
        (#"{"target":{},"relation":["a/b"]}"#, "2:11"),
        (#"{"target":{"namespace":"zune"},"relation":["a/b"]}"#, "2:24"),
        (#"{"target":{"namespace":1},"relation":["a/b"]}"#, "2:24"),
        (#"{"target":{"namespace":"ios_app","appid":"id1"},"relation":["a/b"]}"#, "2:42"),
        (#"{"target":{"namespace":"web","site":"https://a.example/"},"relation":["a/b"]}"#, "2:37"),
        (#"{"target":{"namespace":"web","site":"https://u@a.example"},"relation":["a/b"]}"#, "2:37"),
        (#"{"target":{"namespace":"web","site":"https://a.example?q"},"relation":["a/b"]}"#, "2:37"),
        (#"{"target":{"namespace":"web","site":"https://a.example#f"},"relation":["a/b"]}"#, "2:37"),
        (#"{"target":{"namespace":"web","site":"a.example"},"relation":["a/b"]}"#, "2:37"),
        (#"{"target":{"namespace":"web","site":"https://"},"relation":["a/b"]}"#, "2:37"),
        (#"{"target":{"namespace":"android_app","package_name":"org.example.a"},"relation":["a/b"]}"#, "2:11"),
        (#"{"include":"https://a.example/x",\#(AssetLinksTests.target)}"#, "2:34"),
    ])
    func `a malformed statement is skipped and noted, the others stand`(statement: String, place: String) {
        let links = Self.read("[\(Self.good),\n\(statement)]")
        #expect(links.trouble == nil)
        #expect(links.statements.count == 1)
        #expect(AssociationFileTests.places(links.notes) == ["assetlinks-malformed-statement \(place)"])
        #expect(links.notes.first?.associationSeverity == .error)
    }

    @Test(arguments: [
        (AssetLinksTests.certificate, true), (AssetLinksTests.certificate.lowercased(), false),
        (String(AssetLinksTests.certificate.dropLast(3)), false), (AssetLinksTests.certificate + ":A7", false),
        (AssetLinksTests.certificate.replacing(":", with: ""), false),
        (AssetLinksTests.certificate.replacing("A7", with: "G7", maxReplacements: 1), false),
        ("", false), (AssetLinksTests.certificate.replacing(":", with: "-", maxReplacements: 1), false),
    ])
    func `a fingerprint is 32 pairs in upper case`(fingerprint: String, isRead: Bool) {
        let links = Self.read(#"[{\#(Self.relation),\#(Self.target.replacing(Self.certificate, with: fingerprint))}]"#)
        #expect(links.statements.count == (isRead ? 1 : 0))
        #expect(links.notes.isEmpty == isRead)
    }

    @Test(arguments: [
        ("org.example", true), ("a.b_1.C", true), ("example", false), ("org..example", false), ("org.1a", false),
        ("org.ex-ample", false), ("", false), ("org.example.", false), ("org.exämple", false),
    ])
    func `a package has two segments or more`(name: String, isRead: Bool) {
        let links = Self.read(#"[{\#(Self.relation),\#(Self.target.replacing("org.example.shop", with: name))}]"#)
        #expect(links.statements.count == (isRead ? 1 : 0))
    }

    @Test(arguments: ["{\"a\":1}", "\"\(AssetLinksTests.certificate)\"", "[]", "[7]"])
    func `fingerprints are an array of strings`(value: String) {
        let links = Self.read(
            #"[{\#(Self.relation),\#(Self.target.replacing("[\"\(Self.certificate)\"]", with: value))}]"#)
        #expect(links.statements.isEmpty)
        #expect(links.notes.map(\.code.rawValue) == ["assetlinks-malformed-statement"])
    }

    @Test func `a permission that nobody knows is told`() {
        let links = Self.read(#"[{"relation":["delegate_permission/common.handle_all_url"],\#(Self.target)}]"#)
        #expect(links.statements.count == 1 && links.appLinkPackages.isEmpty)
        #expect(AssociationFileTests.places(links.notes) == ["assetlinks-unknown-relation 1:2"])
    }

    @Test func `more than a mebibyte is refused`() {
        let links = AssetLinks(bytes: Array("[]".utf8) + Array(repeating: 0x20, count: 1_048_575))
        #expect(links.trouble == .tooLarge(bytes: 1_048_577, limit: 1_048_576))
        #expect(AssetLinks(bytes: Array("[]".utf8) + Array(repeating: 0x20, count: 1_048_574)).trouble == nil)
    }

    // MARK: Includes

    @Test func `includes are absolute, and those of a secure file are secure`() {
        let text =
            #"[{"include":"https://a.example/1"},{"include":"http://a.example/2"},{"include":"/3"},{"include":4}]"#
        let secure = Self.read(text)
        #expect(secure.includes.map(\.url.href) == ["https://a.example/1"])
        #expect(
            AssociationFileTests.places(secure.notes) == [
                "assetlinks-insecure-include 1:47", "assetlinks-malformed-include 1:80",
                "assetlinks-malformed-include 1:97",
            ])
        #expect(Self.read(text, source: "http://example.org/").includes.count == 2)
        #expect(AssetLinks(bytes: Array(text.utf8)).includes.count == 1, "a file of unknown origin counts as secure")
    }

    @Test func `includes are fetched once each, ten at most, one level deep`() throws {
        let root = try #require(WebURL("https://example.org/.well-known/assetlinks.json"))
        let list =
            (["https://example.org/.well-known/assetlinks.json"]
            + (0..<12).flatMap { ["https://a.example/\($0)", "https://a.example/0"] })
            .map { #"{"include":"\#($0)"}"# }.joined(separator: ",")
        var gathering = AssetLinksGathering(Self.read("[\(Self.good),\(list)]"), at: root)
        #expect(gathering.wanted.map(\.url.path) == (0..<10).map { "/\($0)" })
        #expect(
            gathering.notes.map(\.code.rawValue) == [
                "assetlinks-include-not-followed", "assetlinks-include-not-followed",
            ])
        let wanted = gathering.wanted
        let json = "application/json"
        gathering.take(.fetched(bytes: Array("[\(Self.good)]".utf8), mediaType: json), for: wanted[0])
        gathering.take(.fetched(bytes: Array("[\(Self.good)]".utf8), mediaType: json), for: wanted[0])
        #expect(gathering.statements.count == 2, "an answer is taken once")
        gathering.take(.fetched(bytes: Array("nonsense".utf8), mediaType: json), for: wanted[1])
        gathering.take(.redirected(to: "https://b.example/"), for: wanted[2])
        gathering.take(.status(404), for: wanted[3])
        let inner = #"[\#(Self.good),{"include":"https://c.example/"}]"#
        gathering.take(.fetched(bytes: Array(inner.utf8), mediaType: json), for: wanted[4])
        #expect(gathering.statements.count == 3)
        #expect(
            gathering.notes.dropFirst(2).map(\.code.rawValue) == [
                "assetlinks-include-failed", "assetlinks-include-failed", "assetlinks-include-failed",
                "assetlinks-include-not-followed",
            ])
        #expect(gathering.notes[2].message.contains("not valid JSON"), "\(gathering.notes[2].message)")
        #expect(gathering.notes[3].message.contains("redirects"))
        #expect(gathering.notes.allSatisfy { $0.line == 1 && $0.column != nil })
        #expect(gathering.wanted.count == 5)
    }

    // MARK: Dynamic rules

    private static func ruled(_ rules: String) -> AssetLinks {
        read(
            #"[{\#(relation),\#(target),"relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":\#(rules)}}}]"#
        )
    }

    @Test(arguments: [
        (#"[{"/":"/a"}]"#, "/a", "match"), (#"[{"/":"/a"}]"#, "/b", "block"), (#"[{"/":"/a*"}]"#, "/abc", "match"),
        (#"[{"/":"/a?"}]"#, "/ab", "match"), (#"[{"/":"/a?*"}]"#, "/a", "block"),
        (#"[{"/":"/a","exclude":true},{"/":"/*"}]"#, "/a", "block"),
        (#"[{"/":"/a","exclude":true},{"/":"/*"}]"#, "/b", "match"),
        (##"[{"#":"top"}]"##, "/#top", "match"), (##"[{"#":"*"}]"##, "/", "block"),
        (#"[{"?":{"id":"??"}}]"#, "/?id=12&x=1", "match"), (#"[{"?":{"id":"??"}}]"#, "/?id=1", "block"),
        (#"[{"?":{"id":"*"}}]"#, "/", "block"), (#"[{"?":{"id":"2"}}]"#, "/?id=1&id=2", "match"),
        (#"[{"?":{"a":"1","b":"2"}}]"#, "/?b=2", "block"), (#"[{"/":"/a","?":{"b":"2"}}]"#, "/a?b=2", "match"),
        (#"[{"/":"/ä"}]"#, "/%C3%A4", "match"), (#"[{"/":"/A"}]"#, "/a", "block"),
        (#"[{"comments":"all"}]"#, "/x", "match"),
    ])
    func `the first dynamic rule that matches decides, and none is a no`(
        rules: String, target: String, wanted: String
    ) throws {
        let links = Self.ruled(rules)
        #expect(links.notes.isEmpty)
        let url = try #require(WebURL("https://example.org" + target))
        #expect(links.decision(for: url, packageName: "org.example.shop").outcome.rawValue == wanted)
        #expect(links.decision(for: url, packageName: "org.example.other").outcome == .unset)
    }

    @Test(arguments: [
        "[]", "{}", "7", "[7]", #"[{"/":"/a"},{"/":""}]"#, #"[{"/":1}]"#, #"[{"?":"a=b"}]"#, #"[{"?":{}}]"#,
        #"[{"?":{"a":1}}]"#, ##"[{"#":[]}]"##, #"[{"exclude":"yes"}]"#,
    ])
    func `a malformed rule discards them all, and the statement stands`(rules: String) throws {
        let links = Self.ruled(rules)
        #expect(links.notes.map(\.code.rawValue) == ["assetlinks-malformed-dynamic-rules"])
        #expect(links.notes.first?.line == 1 && links.notes.first?.column != nil)
        #expect(links.statements.count == 1 && links.statements.first?.dynamicRules == nil)
        let url = try #require(WebURL("https://example.org/x"))
        #expect(links.decision(for: url, packageName: "org.example.shop").outcome == .vouched)
        #expect(links.decision(for: url, packageName: "org.example.shop").place == TextPlace(line: 1, column: 2))
    }

    @Test func `an app has one object of rules`() throws {
        let rules =
            #""relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[{"/":"/a"}]}}"#
        let links = Self.read(
            "[{\(Self.relation),\(Self.target),\(rules)},\n{\(Self.relation),\(Self.target),\(rules)}]")
        #expect(links.notes.map(\.code.rawValue) == ["assetlinks-repeated-dynamic-rules"])
        #expect(links.statements.map { $0.dynamicRules?.count } == [1, nil])
        #expect(links.statements[0].dynamicRules?.first?.text == "/a")
    }

    @Test func `rules of statements about something else are noted`() {
        let links = Self.read(
            #"[{"relation":["delegate_permission/common.get_login_creds"],\#(Self.target),"relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[{"/":"/a"}]}}}]"#
        )
        #expect(links.notes.map(\.code.rawValue) == ["assetlinks-malformed-dynamic-rules"])
    }

    @Test(.slow) func `hostile rules end within the bound, with a reason`() throws {
        let stars = String(repeating: "*a", count: 40_000)
        let links = Self.ruled(#"[{"/":"/\#(stars)b"},{"/":"/*"}]"#)
        let url = try #require(WebURL("https://example.org/" + String(repeating: "a", count: 8_000)))
        let decision = links.decision(for: url, packageName: "org.example.shop")
        #expect(decision.outcome == .block && decision.reason?.contains("too large") == true)
    }
}
