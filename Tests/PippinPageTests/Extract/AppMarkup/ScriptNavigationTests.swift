import Foundation
import Testing

@testable import PippinPage

/// Ways into apps that the scripts of a rendered page took.
@Suite struct ScriptNavigationTests {
    private func facts(_ html: String, _ navigations: [String], before: [String] = []) throws -> PageFacts {
        var source = PageSource(
            url: try #require(WebURL("https://www.clownfair.example/acts/42")), bytes: Array(html.utf8),
            fetchedAt: Date(timeIntervalSince1970: 1_790_000_000))
        source.scriptNavigations = navigations
        source.directivesBeforeScripts = before.flatMap { html in
            PageFacts(PageSource(url: source.url, bytes: Array(html.utf8), fetchedAt: source.fetchedAt)).metadata.robots
        }
        return PageFacts(source)
    }

    private func lines(_ html: String, _ navigations: [String]) throws -> [String] {
        let facts = try facts(html, navigations)
        let record = try #require(RecordBuilder.conclusion(from: facts, now: facts.source.fetchedAt).record)
        return record.deepLinks.map { link in
            "\(link.platform.rawValue) \(link.storeIdentifier ?? link.packageName ?? "-") \(link.url ?? "-") "
                + link.sources.map(\.rawValue).joined(separator: " ")
        }
    }

    @Test func `each way names its app, and other pages name none`() throws {
        let claims = try facts(
            "",
            [
                "clownapp://acts/42", "intent://acts/42#Intent;scheme=clown;package=org.example.clown;end",
                "https://apps.apple.com/us/app/clown/id123456789", "market://details?id=org.example.clown",
                "https://www.clownfair.example/other", "mailto:clown@clownfair.example", "not an address",
            ]
        ).appClaims
        #expect(claims.map(\.source) == [.script, .script, .script, .script])
        #expect(claims.map(\.platform) == [nil, .android, .iOS, .android])
        #expect(
            claims.map(\.address) == [
                "clownapp://acts/42", "intent://acts/42#Intent;scheme=clown;package=org.example.clown;end", nil, nil,
            ])
    }

    @Test func `a scheme that scripts open leads to this very page in its app`() throws {
        #expect(try lines("<title>x</title>", ["clownapp://open"]) == ["ios - clownapp://open script"])
        let banner = "<title>x</title><meta name=apple-itunes-app content='app-id=123456789'>"
        #expect(
            try lines(banner, ["clownapp://open"]) == ["ios 123456789 clownapp://open smart-app-banner script"])
    }

    @Test func `an intent that scripts start opens this page`() throws {
        #expect(
            try lines("<title>x</title>", ["intent://acts/42#Intent;scheme=clown;package=org.example.clown;end"])
                == ["android org.example.clown clown://acts/42 script"])
    }

    @Test func `a store that scripts go to names the page's app only with a second witness`() throws {
        let store = "https://apps.apple.com/us/app/clown/id123456789"
        #expect(try lines("<title>x</title>", [store]) == [])
        let banner = "<title>x</title><meta name=apple-itunes-app content='app-id=123456789'>"
        #expect(try lines(banner, [store]) == ["ios 123456789 - smart-app-banner script"])
        #expect(
            try lines("<title>x</title>", [store, "market://details?id=example.clownfair.app"])
                == ["android example.clownfair.app - script"])
    }

    @Test func `messengers are not the page's app`() throws {
        #expect(try lines("<title>x</title>", ["whatsapp://send?text=Look"]) == [])
    }

    @Test func `scripts cannot take robots directives back`() throws {
        let facts = try facts(
            "<meta name=robots content=all>", [], before: ["<meta name=robots content='noindex, nofollow'>"])
        #expect(facts.directives.noindex)
        #expect(facts.directives.nofollow)
    }
}
