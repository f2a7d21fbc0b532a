import Testing

@testable import PippinPage

/// What becomes of a fetched association file: in force, refused, or unknown.
@Suite struct AssociationOutcomeTests {
    private static let file = Array(#"{"applinks":{"details":[]}}"#.utf8)

    @Test(arguments: [
        (AssociationFetch.redirected(to: "https://www.example.org/"), "refused", "association-redirected"),
        (.status(404), "refused", "association-missing"), (.status(410), "refused", "association-missing"),
        (.status(403), "refused", "association-refused"), (.status(204), "refused", "association-refused"),
        (.status(429), "unknown", "association-server-error"), (.status(503), "unknown", "association-server-error"),
        (.disallowed("line 2"), "unknown", "association-disallowed"),
        (.insecure("expired"), "refused", "association-no-tls"),
        (.unreachable("timeout"), "unknown", "association-unreachable"),
        (.tooLarge(limit: 9), "refused", "association-too-large"), (.notAsked, "unknown", ""),
    ])
    func `a fetch without a file has a standing and a code`(
        fetch: AssociationFetch, standing: String, code: String
    ) throws {
        let url = try #require(WebURL("https://example.org/.well-known/apple-app-site-association"))
        let apple = AppleAssociationOutcome(fetch, at: url)
        #expect(apple.judgement.standing.rawValue == standing && !apple.isUsable && apple.file == nil)
        #expect(apple.judgement.remark?.rawValue ?? "" == code)
        #expect(apple.notes.map(\.code.rawValue) == (code.isEmpty ? [] : [code]))
        #expect(apple.notes.allSatisfy { $0.message.hasPrefix("Not in force: ") })
        let android = AssetLinksOutcome(fetch, at: url)
        #expect(android.judgement == apple.judgement && android.links == nil && !android.isUsable)
    }

    @Test func `a file is in force when it can be read, whatever type it is served as`() throws {
        let url = try #require(WebURL("https://example.org/apple-app-site-association"))
        let good = AppleAssociationOutcome(
            .fetched(bytes: Self.file, mediaType: "application/json"), at: url)
        #expect(good.isUsable && good.notes.map(\.code.rawValue) == ["aasa-no-details"])
        for type in ["text/plain", nil, ""] {
            let odd = AppleAssociationOutcome(.fetched(bytes: Self.file, mediaType: type), at: url)
            #expect(odd.isUsable && odd.notes.first?.code.rawValue == "association-content-type")
            #expect(odd.notes.first?.associationSeverity == .warning)
        }
        let broken = AppleAssociationOutcome(
            .fetched(bytes: [0x7B], mediaType: "application/json"), at: url)
        #expect(!broken.isUsable && broken.judgement.standing == .usable && broken.file?.trouble != nil)
        #expect(
            AssetLinksOutcome(.fetched(bytes: Array("[]".utf8), mediaType: "application/json"), at: url).isUsable)
        #expect(!AssetLinksOutcome(.fetched(bytes: Self.file, mediaType: "application/json"), at: url).isUsable)
    }

    @Test func `files are looked for where devices look`() throws {
        let page = try #require(WebURL("https://example.org:8443/a/b?c#d"))
        #expect(
            AppleAssociationOutcome.locations(of: page).map(\.href) == [
                "https://example.org:8443/.well-known/apple-app-site-association",
                "https://example.org:8443/apple-app-site-association",
            ])
        #expect(AssetLinksOutcome.location(of: page)?.href == "https://example.org:8443/.well-known/assetlinks.json")
    }
}
