import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinReport
@testable import PippinServe

/// What records can and cannot do to the pages that show them.
@Suite struct ServedPageTests {
    @Test func `texts of a record never become markup`() async throws {
        // A mark that combines with a quotation mark hides it from what goes by characters.
        let hostile =
            "<script>alert(1)</script>\"\u{301} onmouseover=alert(2) '\u{338}<img src=x onerror=alert(3)>{{name}}{{{body}}}"
        var record = DeepLinkRecord.titled(hostile, at: "https://evil.test/")
        record.contentDescription = hostile
        record.containerTitle = hostile
        record.snippet = hostile
        record.images = [DeepLinkRecord.Image(url: "https://evil.test/a.png?\"'><script>", alt: hostile)]
        record.thumbnailURL = "https://evil.test/a.png?\"'><script>"
        record.priceRange = hostile
        var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.appLinks])
        link.appName = hostile
        link.verification.reason = hostile
        record.deepLinks = [link]
        let storage = try await ServedStorage([record])
        defer { storage.remove() }
        try await storage.served { client async throws in
            let page = try await client.get(WebClient.target("/record", "url", "https://evil.test/"))
            #expect(page.status == 200)
            #expect(page.body.contains("&lt;script&gt;alert(1)"))
            #expect(page.body.contains("{{name}}"))
            let script = "<script"
            // Only the one of the frame.
            #expect(page.body.components(separatedBy: script).count == 2)
            for tag in page.body.tagsWithoutValues {
                #expect(!tag.contains("alert(") && !tag.contains("onmouseover") && !tag.contains("onerror"), "\(tag)")
            }
            let asJSON = try await client.get(WebClient.target("/api/v1/record", "url", "https://evil.test/"))
            #expect(try asJSON.json()["record"]?["title"]?.string == hostile)
        }
    }

    @Test(arguments: [
        "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)",
        "data:text/html,<b>",
        "vbscript:x", "file:///etc/passwd", "blob:https://a.test/1", "about:blank", "view-source:https://a.test/",
        "intent://x#Intent;scheme=a;end", "https://user:secret@a.test/", "not an address", "x:",
    ])
    func `an address that could do harm is text, not a link`(address: String) async throws {
        let evil: JSONValue = ["url": .string(address), "bundleIdentifier": "test.evil.x"]
        #expect(SafeLink.app(evil, of: ["url": "https://evil.test/"]) == nil)
        var record = DeepLinkRecord.titled("Harm", at: "https://evil.test/")
        var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.appLinks])
        link.url = address
        record.deepLinks = [link]
        record.thumbnailURL = address
        record.iconURL = address
        record.actions = [.play(.video, url: address), .call(phoneNumber: address, extension: address)]
        let storage = try await ServedStorage([record])
        defer { storage.remove() }
        try await storage.served { client async throws in
            let page = try await client.get(WebClient.target("/record", "url", "https://evil.test/")).body
            for match in page.matches(of: /(?:href|src)="([^"]*)"/) {
                let target = String(match.1)
                let isOwn = target.hasPrefix("/") && !target.hasPrefix("//") || target.hasPrefix("#")
                #expect(isOwn || target.hasPrefix("https://evil.test/"), "\(target)")
            }
        }
    }

    /// The link of a page of clownfair.example that names an app, beside a link that the site may confirm.
    private func link(_ address: String, verified: Bool = false) -> String? {
        let page: JSONValue = "https://www.clownfair.example/shows/1"
        let own: JSONValue = [
            "url": .string(address), "appName": "Clown Fair", "bundleIdentifier": "com.clownfair.shows",
        ]
        let other: JSONValue = [
            "url": page, "bundleIdentifier": "com.clownfair.shows",
            "verification": ["status": .string(verified ? "verified" : "unchecked")],
        ]
        return SafeLink.app(own, of: ["url": page, "deepLinks": .array([own, other])])
    }

    @Test(arguments: [
        "clownapp", "clownfair", "clownfairapp", "com.clownfair.shows", "shows", "appclown",
    ])
    func `the scheme of the app itself is a link`(scheme: String) {
        #expect(link("\(scheme)://shows/1") == "\(scheme)://shows/1")
    }

    @Test(arguments: [
        "ms-settings", "ms-msdt", "ms-officecmd", "search-ms", "search", "msdt", "shell", "calculator", "onenote-cmd",
        "windowsdefender", "xbox", "bingmaps", "res", "mk", "wscript", "ldap", "tel", "mailto", "sms", "ssh", "svn+ssh",
        "vnc", "smb", "x-apple-data-detectors", "itms-services", "prefs", "app-settings", "market", "steam", "zoommtg",
        "whatsapp", "vscode", "jnlp", "web+clown", "clown-app", "moz-extension", "chrome", "edge", "otpauth", "bitcoin",
        "a",
    ])
    func `a scheme that is not the app's own is text, whatever it is`(scheme: String) {
        #expect(link("\(scheme)://shows/1") == nil)
    }

    @Test func `a scheme with another name counts if the site confirms the app, except those of systems`() {
        #expect(link("xyz123://shows/1") == nil)
        #expect(link("xyz123://shows/1", verified: true) == "xyz123://shows/1")
        for scheme in ["search-ms", "ms-settings", "ssh", "javascript", "intent", "tel"] {
            #expect(link("\(scheme)://shows/1", verified: true) == nil, "\(scheme)")
        }
    }

    @Test func `an address in an app is a link`() {
        #expect(link("clownapp://shows/1") == "clownapp://shows/1")
        #expect(link("https://example.org/a b") == "https://example.org/a%20b")
        #expect(SafeLink.page("clownapp://shows/1") == nil)
    }

    @Test func `calls, directions and stores are links of their own`() {
        #expect(SafeLink.call("+4930123456", extension: "12") == "tel:+4930123456;ext=12")
        #expect(SafeLink.call("1;phone-context=x", extension: nil) == nil)
        #expect(
            SafeLink.directions(address: "Main St 1 & \"2\"", latitude: nil, longitude: nil)
                == "https://maps.apple.com/?daddr=Main+St+1+%26+%222%22")
        #expect(
            SafeLink.directions(address: nil, latitude: 52.5, longitude: 13.25)
                == "https://maps.apple.com/?daddr=52.5,13.25")
        #expect(
            ResultMarkup.storePage(of: ["platform": "ios", "storeIdentifier": "12"])
                == "https://apps.apple.com/app/id12"
        )
        #expect(ResultMarkup.storePage(of: ["platform": "ios", "storeIdentifier": "1/../2"]) == nil)
        #expect(ResultMarkup.storePage(of: ["platform": "android", "packageName": "a.b&c=d"]) == nil)
    }

    @Test func `a record is found by any URL of its page`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            for address in [
                "https://kitchen.test/pie", "HTTPS://Kitchen.test:443/pie", "https://kitchen.test/pie#crust",
            ] {
                let page = try await client.get(WebClient.target("/record", "url", address))
                #expect(page.status == 200, "\(address)")
                #expect(page.body.contains("Apple pie"))
            }
            #expect(try await client.get(WebClient.target("/record", "url", "https://kitchen.test/")).status == 404)
            #expect(try await client.get("/record?url=%").status == 400)
            #expect(try await client.get("/record?url=%ff").status == 400)
        }
    }

    @Test func `a value in a literal of markup is escaped, and markup is not`() {
        let hostile = "<b>\"\u{301} '&"
        let inner: HTML = "<i title=\"\(hostile)\">\(hostile)</i>"
        #expect(inner.html == "<i title=\"&lt;b&gt;&quot;\u{301} &#39;&amp;\">&lt;b&gt;&quot;\u{301} &#39;&amp;</i>")
        let outer: HTML = "<p>\(inner)\([inner, inner])\(inner, if: false)\(7)\(nil as HTML?)</p>"
        #expect(outer.html == "<p>\(inner.html)\(inner.html)\(inner.html)7</p>")
    }

    @Test func `served pages quote attributes, and have neither styles nor scripts in them`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served { client async throws in
            for target in [
                "/", WebClient.target("/", "q", "apple"), WebClient.target("/", "q", "nothing like it"),
                WebClient.target("/record", "url", "https://kitchen.test/pie"), "/record?url=%", "/card", "/site",
                "/crawl",
            ] {
                let page = try await client.get(target).body
                for tag in page.tagsWithoutValues {
                    #expect(tag.firstMatch(of: #/=[^\s>/]/#) == nil, "\(target): an attribute of \(tag) has no quotes")
                }
                #expect(!page.contains("style=") && !page.contains("<style"), "\(target)")
                #expect(page.matches(of: /<script(?! src="\/script\.js" defer>)/).isEmpty, "\(target)")
                #expect(page.matches(of: #/\son[a-z]+=/#).isEmpty, "\(target)")
            }
        }
    }
}
