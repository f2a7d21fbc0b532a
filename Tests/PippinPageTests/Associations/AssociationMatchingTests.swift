import PippinTestSupport
import Testing

@testable import PippinPage

/// Matching URLs with `apple-app-site-association` (Apple, "Supporting associated domains" and the reference of `applinks`).
@Suite struct AssociationMatchingTests {
    private static let app = "ABCDE12345.org.example"

    /// - Parameter target: a URL, or a path on example.org.
    private static func outcome(_ file: AppleAppSiteAssociation, _ target: String) throws -> String {
        let url = try #require(WebURL(target.hasPrefix("/") ? "https://example.org" + target : target))
        let quick = file.decision(for: url)
        let traced = file.decision(for: url, tracing: true)
        #expect(quick.outcome == traced.outcome && quick.apps == traced.apps, "tracing changes nothing")
        return traced.outcome.rawValue
    }

    private static func file(components: String, beside: String = "") -> AppleAppSiteAssociation {
        AssociationFileTests.read(
            #"{"applinks":{\#(beside)"details":[{"appIDs":["\#(app)"],"components":[\#(components)]}]}}"#)
    }

    @Test(arguments: [
        ("/a", "/a", "match"), ("/a", "/a/", "match"), ("/a", "/A", "unset"), ("/a", "/a?q=1#f", "match"),
        ("/a", "/ab", "unset"), ("/a/*", "/a/", "match"), ("/a/*", "/a", "match"), ("/a/*", "/a/b/c", "match"),
        ("/a?", "/ab", "match"), ("/a?", "/a", "unset"), ("/a?", "/abc", "unset"), ("*", "/", "match"),
        ("/a/?*", "/a/", "unset"), ("/a/?*", "/a/b", "match"), ("/*/c", "/a/b/c", "match"), ("a", "/a", "match"),
        ("*.html", "/x/y.html", "match"), ("/%C3%A4", "/ä", "match"), ("/$(digit)", "/5", "unset"),
        ("NOT /a", "/a", "block"), ("NOT /a/*", "/a", "block"), ("NOT /a", "/b", "unset"), ("not /a", "/a", "unset"),
        ("/**a", "/bba", "match"),
        ("/a", "ftp://example.org/a", "unset"), ("/a", "http://example.org/a", "match"),
    ])
    func `paths cover the whole path and nothing but the path`(pattern: String, target: String, wanted: String) throws {
        let file = AssociationFileTests.read(
            #"{"applinks":{"apps":[],"details":[{"appID":"\#(Self.app)","paths":["\#(pattern)"]}]}}"#)
        #expect(try Self.outcome(file, target) == wanted)
    }

    @Test(arguments: [
        ("{}", "/any?a#b", "match"), (##"{"/":"/a"}"##, "/a?q#f", "match"), (##"{"/":"/a"}"##, "/a/", "match"),
        (##"{"/":"/a","exclude":true}"##, "/a", "block"), (##"{"/":"a"}"##, "/a", "match"),
        // The whole query
        (##"{"?":"k=v"}"##, "/?k=v", "match"), (##"{"?":"k=v"}"##, "/?k=v&l=w", "unset"),
        (##"{"?":"k=*"}"##, "/?k=v&l=w", "match"),
        (##"{"?":"*"}"##, "/", "match"), (##"{"?":"?*"}"##, "/", "unset"), (##"{"?":"?*"}"##, "/?x", "match"),
        (##"{"?":""}"##, "/", "match"), (##"{"?":""}"##, "/?a", "unset"),
        // Items of the query
        (##"{"?":{"a":"1","b":"?"}}"##, "/?b=2&c=3&a=1", "match"), (##"{"?":{"a":"1","b":"?"}}"##, "/?a=1", "unset"),
        (##"{"?":{"a":"????"}}"##, "/?a=1234", "match"), (##"{"?":{"a":"????"}}"##, "/?a=123", "unset"),
        (##"{"?":{"a":""}}"##, "/?a", "match"), (##"{"?":{"a":""}}"##, "/?a=", "match"),
        (##"{"?":{"a":"?*"}}"##, "/?a", "unset"),
        (##"{"?":{"a":"1"}}"##, "/?A=1", "unset"), (##"{"?":{"a":"1"},"caseSensitive":false}"##, "/?A=1", "match"),
        (##"{"?":{"a":"b=c"}}"##, "/?a=b=c", "match"), (##"{"?":{}}"##, "/", "match"),
        (##"{"?":{"a":"*"}}"##, "/?b=1", "match"), (##"{"?":{"a":"?*"}}"##, "/?b=1", "unset"),
        (##"{"?":{"a":"1"}}"##, "/?a=1&a=2", "unset"), (##"{"?":{"a":"1"}}"##, "/?a=1&a=1", "match"),
        // A dictionary with a value that is no string is void as a whole.
        (##"{"?":{"a":"1","b":true}}"##, "/?a=2", "match"), (##"{"?":{"a":null}}"##, "/", "match"),
        (##"{"?":{"a":{"b":"1"}},"/":"/x"}"##, "/x?a=2", "match"), (##"{"?":{"a":5},"/":"/x"}"##, "/y?a=5", "unset"),
        (##"{"?":{"a":[1]},"exclude":true}"##, "/?a=2", "block"),
        // The fragment
        (##"{"#":"top"}"##, "/#top", "match"), (##"{"#":"top"}"##, "/#Top", "unset"),
        (##"{"#":"no*"}"##, "/a#now", "match"),
        (##"{"#":"?*"}"##, "/", "unset"), (##"{"#":"/x/*"}"##, "/#/x/1", "match"),
        (##"{"/":"/#/x"}"##, "/#/x", "unset"),
        (##"{"/":"/a","?":"q=1","#":"f"}"##, "/a?q=1#f", "match"),
        (##"{"/":"/a","?":"q=1","#":"f"}"##, "/a?q=1#g", "unset"),
        // Case
        (##"{"/":"/A/*","caseSensitive":false}"##, "/a/B", "match"), (##"{"/":"/a"}"##, "/A", "unset"),
        (##"{"/":"/%C3%84","caseSensitive":false}"##, "/%c3%84", "match"),
        (##"{"/":"/Ä","caseSensitive":false,"percentEncoded":false}"##, "/ä", "match"),
        // Percent-encoding
        (##"{"/":"/caf%C3%A9"}"##, "/café", "match"), (##"{"/":"/café"}"##, "/café", "unset"),
        (##"{"/":"/café","percentEncoded":false}"##, "/café", "match"),
        (##"{"/":"/a b","percentEncoded":false}"##, "/a%20b", "match"),
        (##"{"/":"/caf?","percentEncoded":false}"##, "/café", "match"),
        (##"{"/":"/a/b"}"##, "/a%2Fb", "unset"), (##"{"/":"/a/b","percentEncoded":false}"##, "/a%2Fb", "match"),
        (##"{"/":"/a%20b","percentEncoded":false}"##, "/a%20b", "unset"), (##"{"/":"/%C3"}"##, "/%c3", "unset"),
        (##"{"?":{"ä":"ö"},"percentEncoded":false}"##, "/?ä=ö", "match"),
        // Variables
        (##"{"/":"/$(digit)$(alpha)"}"##, "/7x", "match"), (##"{"/":"/$(digit)$(alpha)"}"##, "/x7", "unset"),
        (##"{"/":"/$(upper)"}"##, "/x", "unset"), (##"{"/":"/$(upper)","caseSensitive":false}"##, "/x", "match"),
        (##"{"/":"/$(lower)$(alnum)$(xdigit)"}"##, "/a9F", "match"), (##"{"/":"/$(xdigit)"}"##, "/g", "unset"),
        (##"{"/":"/$(lang)-$(region)/*"}"##, "/de-AT/x", "match"),
        (##"{"/":"/$(lang)-$(region)/*"}"##, "/de-at/x", "unset"),
        (##"{"/":"/$(region)"}"##, "/GB", "match"), (##"{"/":"/$(region)"}"##, "/UK", "unset"),
        (##"{"/":"/$(lang)"}"##, "/zz9", "unset"),
        (##"{"/":"/$(nobody)"}"##, "/x", "unset"), (##"{"/":"/$(nobody)*"}"##, "/$(nobody)", "unset"),
        (##"{"/":"/$(open"}"##, "/$(open", "match"), (##"{"/":"/$$x"}"##, "/$$x", "match"),
        (##"{"/":7}"##, "/7", "unset"), (##""/a""##, "/a", "unset"), (##"{"/":"/a","exclude":"true"}"##, "/a", "match"),
    ])
    func `a component matches when all its parts do`(component: String, target: String, wanted: String) throws {
        #expect(try Self.outcome(Self.file(components: component), target) == wanted)
    }

    @Test(arguments: [
        ("/buy/burrito/now", "match"), ("/buy/pizza/now", "match"), ("/buy/pizza-xl/now", "match"),
        ("/buy/Burrito/now", "unset"), ("/buy/salad/now", "unset"), ("/buy//now", "match"), ("/buy/tacos/now", "match"),
    ])
    func `a variable is any one of its values, which may have wildcards`(target: String, wanted: String) throws {
        let file = Self.file(
            components: #"{"/":"/buy/$(food)/now"}"#,
            beside: #""substitutionVariables":{"food":["burrito","pizza*","","taco?"]},"#)
        #expect(try Self.outcome(file, target) == wanted)
    }

    @Test func `names of variables are of their own case and may have spaces`() throws {
        let file = Self.file(
            components: #"{"/":"/$(Fine food)"},{"/":"/x$(fine food)"}"#,
            beside: #""substitutionVariables":{"Fine food":["soup"]},"#)
        #expect(try Self.outcome(file, "/soup") == "match")
        #expect(try Self.outcome(file, "/xsoup") == "unset")
    }

    @Test func `the first component that matches decides`() throws {
        let file = Self.file(
            components: #"{"/":"/a/b"},{"/":"/a/*","exclude":true},{"/":"/a/c"},{"/":"/*","?":{"open":"1"}}"#)
        #expect(try Self.outcome(file, "/a/b") == "match")
        #expect(try Self.outcome(file, "/a/c") == "block")
        #expect(try Self.outcome(file, "/a/c?open=1") == "block")
        #expect(try Self.outcome(file, "/b?open=1") == "match")
        #expect(try Self.outcome(file, "/b") == "unset")
    }

    @Test func `defaults count from the component outward`() throws {
        let file = AssociationFileTests.read(
            #"""
            {"applinks":{"defaults":{"caseSensitive":false},"details":[
             {"appID":"A234567890.a","components":[{"/":"/one"},{"/":"/two","caseSensitive":true}]},
             {"appID":"B234567890.b","defaults":{"caseSensitive":true},"components":[{"/":"/three"}]},
             {"appID":"C234567890.c","paths":["/four"]}]}}
            """#)
        #expect(try Self.outcome(file, "/ONE") == "match")
        #expect(try Self.outcome(file, "/TWO") == "unset")
        #expect(try Self.outcome(file, "/THREE") == "unset")
        #expect(try Self.outcome(file, "/FOUR") == "unset", "paths know no defaults")
    }

    /// `swcutil` of macOS 27.0 (sergii-ziborov/blazingly-aasa, `conformance/oracle`).
    @Test(arguments: [
        (##"{"/":"/foo/*"}"##, "{}", ##"{"#":"*"}"##, "/bar", "unset"),
        (##"{"/":"/foo/*"}"##, "{}", ##"{"#":"*"}"##, "/foo/1", "match"),
        ("{}", ##"{"/":"/foo/*"}"##, ##"{"#":"*"}"##, "/bar", "unset"),
        (##"{"exclude":true}"##, "{}", ##"{"#":"*"}"##, "/bar", "block"),
        (##"{"exclude":true}"##, ##"{"exclude":false}"##, "{}", "/bar", "match"),
        ("{}", ##"{"exclude":true}"##, ##"{"exclude":false}"##, "/bar", "match"),
        (##"{"?":{"id":"??"}}"##, "{}", ##"{"#":"*"}"##, "/bar?id=7", "unset"),
        (##"{"?":{"id":"??"}}"##, "{}", ##"{"#":"*"}"##, "/bar?id=77", "match"),
        (##"{"?":{"id":"??"}}"##, "{}", ##"{"?":{}}"##, "/bar?id=7", "match"),
        (##"{"/":"/foo/*"}"##, ##"{"/":"/bar"}"##, "{}", "/bar", "match"),
        (##"{"/":"/$(v)"}"##, "{}", "{}", "/w", "match"),
    ])
    func `defaults hold for every key that a component does not have`(
        links: String, entry: String, component: String, target: String, wanted: String
    ) throws {
        let file = AssociationFileTests.read(
            #"""
            {"applinks":{"defaults":\#(links),"substitutionVariables":{"v":["w"]},
             "details":[{"appIDs":["\#(Self.app)"],"defaults":\#(entry),"components":[\#(component)]}]}}
            """#)
        #expect(try Self.outcome(file, target) == wanted)
    }

    @Test func `each app has the verdict of its first entry that says anything`() throws {
        let file = AssociationFileTests.read(
            #"""
            {"applinks":{"details":[
             {"components":[{}]},
             {"appID":"Z234567890.z","appIDs":[],"components":[{}]},
             {"appIDs":["A234567890.a"],"components":[]},
             {"appIDs":["A234567890.a"],"components":[{"/":"/shop/*","exclude":true}]},
             {"appIDs":["B234567890.b","A234567890.a"],"components":[{"/":"/shop/*"}]},
             {"appIDs":["A234567890.a"],"components":[{"/":"/*"}]}]}}
            """#)
        let shop = file.decision(for: try #require(WebURL("https://example.org/shop/1")), tracing: true)
        #expect(shop.outcome == .match)
        #expect(shop.apps.map { "\($0.appID) \($0.outcome.rawValue)" } == ["A234567890.a block", "B234567890.b match"])
        #expect(shop.decisive?.appID == "B234567890.b")
        #expect(shop.entries.map(\.outcome) == [.unset, .unset, .unset, .block, .match, .match])
        #expect(shop.entries[0].reason != nil)
        let other = file.decision(for: try #require(WebURL("https://example.org/x")))
        #expect(other.apps.map { "\($0.appID) \($0.entry)" } == ["A234567890.a 5"])
        let one = file.decision(for: shop.url, app: "A234567890.a")
        #expect(one.outcome == .block && one.apps.count == 1)
        #expect(file.decision(for: shop.url, app: "Q234567890.q").outcome == .unset)
    }

    @Test func `the trace says why a part fails`() throws {
        func remark(_ component: String, _ target: String) throws -> String {
            let url = try #require(WebURL("https://example.org" + target))
            let trace = Self.file(components: component).decision(for: url, tracing: true)
            return trace.entries.first?.components.first?.parts.compactMap(\.remark).joined(separator: "|") ?? ""
        }
        #expect(try remark(##"{"/":"/a/*"}"##, "/a") == AssociationTrace.Part.slashRuleRemark)
        #expect(try remark(##"{"/":"/a"}"##, "/a/") == AssociationTrace.Part.slashRuleRemark)
        #expect(try remark(##"{"/":"//a"}"##, "/a") == AssociationTrace.Part.slashRuleRemark)
        #expect(try remark(##"{"/":"a"}"##, "/a") == AssociationTrace.Part.missingSlashRemark)
        #expect(try remark(##"{"/":"/a/?*"}"##, "/a//") == AssociationTrace.Part.slashRuleFailureRemark)
        #expect(try remark(##"{"/":"/a/*"}"##, "/a/").isEmpty)
        #expect(try remark(##"{"/":"/A/*"}"##, "/a").contains("caseSensitive"))
        #expect(try remark(##"{"/":"/a"}"##, "/A").contains("caseSensitive"))
        #expect(try remark(##"{"/":"/é"}"##, "/é").contains("percentEncoded"))
        #expect(try remark(##"{"/":"/$(me)"}"##, "/a").contains("not defined"))
        #expect(try remark(##"{"/":"a"}"##, "/a").contains("slash"))
        #expect(try remark(##"{"/":"/b"}"##, "/a").isEmpty)
    }

    @Test func `a file without applinks opens nothing`() throws {
        for text in ["{}", #"{"applinks":{}}"#, #"{"applinks":{"details":[]}}"#] {
            #expect(try Self.outcome(AssociationFileTests.read(text), "/") == "unset")
        }
    }

    // MARK: Against another matcher

    /// What the words say, and nothing else: exponential, and only for short texts.
    private static func naive(_ pattern: ArraySlice<UInt32>, _ text: ArraySlice<UInt32>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        if first == 0x2A {
            return naive(rest, text) || !text.isEmpty && naive(pattern, text.dropFirst())
        }
        guard let scalar = text.first, first == 0x3F || first == scalar else { return false }
        return naive(rest, text.dropFirst())
    }

    @Test func `short patterns match as an exponential matcher says`() throws {
        // A linear congruential sequence of a fixed start: the same cases every time.
        var state: UInt64 = 20_220_131
        func draw(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        func text(_ alphabet: String, upTo length: Int) -> String {
            let letters = Array(alphabet)
            return String((0..<draw(length + 1)).map { _ in letters[draw(letters.count)] })
        }
        var variables = SubstitutionVariables()
        let values = ["a", "b*", "", "?a"]
        variables.define("v", values)
        var matched = 0
        for _ in 0..<6_000 {
            let subject = text("ab", upTo: 8)
            let pieces = [text("ab**?", upTo: 5), text("ab*?", upTo: 3)]
            let hasVariable = draw(2) == 0
            let pattern = pieces.joined(separator: hasVariable ? "$(v)" : "")
            let alternatives = hasVariable ? values.map { pieces.joined(separator: $0) } : [pattern]
            let wanted = alternatives.contains { alternative in
                Self.naive(alternative.unicodeScalars.map(\.value)[...], subject.unicodeScalars.map(\.value)[...])
            }
            var budget = MatchingBudget.standard
            let isMatched = AssociationPattern(pattern, variables: variables).matches(
                subject.unicodeScalars.map(\.value), caseSensitive: true, variables: variables, budget: &budget)
            #expect(isMatched == wanted, "\(pattern) on \(subject)")
            if isMatched { matched += 1 }
        }
        #expect(matched > 1_000 && matched < 5_000, "\(matched)")
    }

    // MARK: Slashes

    @Test(arguments: [
        ("/buy/*", "/buy", true), ("/buy/*", "/buy/", true), ("/buy/*", "/buy/42", true), ("/buy/*", "/buy//", true),
        ("/buy/*", "/buyer", false), ("/buy/*", "/bu", false), ("/a/b/*", "/a/b", true), ("/buy*", "/buy", true),
        ("/a/*/c", "/a/c", false), ("/buy", "/buy/", true), ("/buy/", "/buy", true), ("/buy/", "/buy//", true),
        ("/", "/", true), ("/*", "/", true), ("", "/", true), ("/", "/a", false), ("/a/?*", "/a/", false),
        ("/a/?*", "/a//", false), ("//abc", "/abc", true), ("abc", "/abc", true), ("abc", "/abcd", false),
        ("abc", "/xabc", false), ("abc/*", "/abc", true), ("*abc", "/xabc", true), ("a/b", "/a/b", true),
        ("/a//*", "/a", true), ("/a//*", "/a//b", true), ("/a//*", "/a/b", false), ("//*", "/b", true),
        ("/id/????", "/id/481", false), ("/id/????", "/id/481/", false), ("/abc", "//abc", false),
    ])
    func `slashes at a path's end do not count, and a final star covers what is before its slash`(
        pattern: String, path: String, isMatched: Bool
    ) throws {
        let component = #"{"/":"\#(pattern)"}"#
        #expect(try Self.outcome(Self.file(components: component), path) == (isMatched ? "match" : "unset"))
        let excluding = #"{"/":"\#(pattern)","exclude":true},{}"#
        #expect(try Self.outcome(Self.file(components: excluding), path) == (isMatched ? "block" : "match"))
        let paths = #"{"applinks":{"details":[{"appID":"\#(Self.app)","paths":["NOT \#(pattern)","*"]}]}}"#
        #expect(try Self.outcome(AssociationFileTests.read(paths), path) == (isMatched ? "block" : "match"))
    }

    /// The texts of an alphabet up to a length, the empty one first.
    private static func texts(_ alphabet: String, upTo length: Int) -> [String] {
        var all = [""]
        var last = all
        for _ in 0..<length {
            last = last.flatMap { text in alphabet.map { text + String($0) } }
            all += last
        }
        return all
    }

    private static func withoutFinalSlashes(_ text: String) -> String {
        text.hasSuffix("/") ? withoutFinalSlashes(String(text.dropLast())) : text
    }

    /// All that a pattern may be written as when the slashes at its ends do not count.
    private static func readings(of pattern: String) -> Set<String> {
        // Several stars mean what one means.
        if pattern.contains("**") { return readings(of: pattern.replacing("**", with: "*")) }
        var readings: Set = [withoutFinalSlashes(pattern)]
        for reading in readings where reading.hasSuffix("/*") {
            readings.insert(withoutFinalSlashes(String(reading.dropLast(2))))
        }
        for reading in readings {
            if reading.hasPrefix("/") { readings.remove(reading) }
            readings.insert(withoutFinalSlashes("/" + reading.drop { $0 == "/" }))
        }
        return readings
    }

    private static func isCovered(_ path: String, by pattern: String) -> Bool {
        let path = withoutFinalSlashes(path).unicodeScalars.map(\.value)
        return readings(of: pattern).contains { naive($0.unicodeScalars.map(\.value)[...], path[...]) }
    }

    @Test func `every short pattern covers what a plain reading of the rule says, in components and in paths`() throws {
        let patterns = Self.texts("/ab*?", upTo: 4)
        let urls = try Self.texts("/ab", upTo: 3).map { try #require(WebURL("https://example.org/" + $0)) }
        var covered = 0
        // A file has 128 KiB at most.
        for start in stride(from: 0, to: patterns.count, by: 200) {
            let some = patterns[start..<min(start + 200, patterns.count)]
            let details = some.flatMap { pattern in
                [#"{"/":"\#(pattern)"}"#, #"{"/":"\#(pattern)","exclude":true}"#].map {
                    #"{"appIDs":["\#(Self.app)"],"components":[\#($0)]}"#
                } + ["", "NOT "].map { #"{"appID":"\#(Self.app)","paths":["\#($0)\#(pattern)"]}"# }
            }
            let file = AssociationFileTests.read(
                #"{"applinks":{"details":[\#(details.joined(separator: ","))]}}"#)
            for url in urls {
                let trace = file.decision(for: url, tracing: true)
                #expect(trace.reason == nil && trace.entries.count == some.count * 4)
                for (index, pattern) in some.enumerated() {
                    let isCovered = Self.isCovered(url.path, by: pattern)
                    covered += isCovered ? 1 : 0
                    let seen = trace.entries.dropFirst(index * 4).prefix(4).map(\.outcome)
                    let wanted: [AssociationTrace.Outcome] =
                        isCovered ? [.match, .block, .match, .block] : [.unset, .unset, .unset, .unset]
                    if seen != wanted { Issue.record("\(pattern) on \(url.path): \(seen)") }
                }
            }
        }
        #expect(covered > 2_000, "\(covered)")
    }

    // MARK: Hostile files

    @Test(.slow) func `hostile patterns end within the bound, with a reason`() throws {
        let stars = String(repeating: "*a", count: 25_000)
        let url = try #require(WebURL("https://example.org/" + String(repeating: "a", count: 8_000) + "b"))
        let trace = Self.file(components: #"{"/":"/\#(stars)c"},{"/":"/*"}"#).decision(for: url)
        #expect(trace.outcome == .unset)
        #expect(trace.reason?.contains("too large") == true)

        var budget = MatchingBudget.standard
        let pattern = AssociationPattern("/" + stars, variables: nil)
        #expect(
            !pattern.matches(
                AssociationPattern.scalars(url.path, caseSensitive: true), caseSensitive: true,
                variables: SubstitutionVariables(), budget: &budget))
        // What one step costs beyond the bound is at most one look at every place.
        #expect(budget.isSpent && budget.steps > -3 * AssociationPattern.maximumPlaces)
    }

    @Test func `a short text ends a long pattern early`() throws {
        let stars = String(repeating: "*a", count: 25_000)
        let trace = Self.file(components: #"{"/":"/\#(stars)"},{"/":"/x"}"#).decision(
            for: try #require(WebURL("https://example.org/x")))
        #expect(trace.outcome == .match && trace.reason == nil)
    }

    @Test(.slow) func `many items of a query against many items of a component end too`() throws {
        let items = (0..<6_000).map { "\"k\($0)\":\"*\"" }.joined(separator: ",")
        let query = (0..<2_000).map { "q\($0)=1" }.joined(separator: "&")
        let trace = Self.file(components: #"{"?":{\#(items)}}"#).decision(
            for: try #require(WebURL("https://example.org/?" + query)))
        #expect(trace.outcome == .unset)
        #expect(trace.reason != nil)
    }

    @Test func `variables of empty values do not recurse`() throws {
        let pattern = String(repeating: "$(e)", count: 20_000)
        let file = Self.file(
            components: #"{"/":"/\#(pattern)"}"#, beside: #""substitutionVariables":{"e":["",""]},"#)
        #expect(try Self.outcome(file, "/") == "match")
        #expect(try Self.outcome(file, "/x") == "unset")
    }
}
