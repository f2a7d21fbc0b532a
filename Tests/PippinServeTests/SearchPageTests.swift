import Foundation
import PippinStore
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinServe

@Suite struct SearchPageTests {
    private static func kitchen() async throws -> ServedStorage {
        var pie = DeepLinkRecord.titled("Apple pie", at: "https://kitchen.test/pie")
        pie.types = ["Recipe"]
        pie.languages = ["en"]
        pie.snippet = "A pie of apples, baked slowly."
        pie.rating = SchemaOrg.rating(value: "4.5", best: "5", worst: nil, count: "12", reviewCount: nil)
        pie.actions = [.call(phoneNumber: "+4930123456", extension: nil)]
        var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.appLinks])
        link.url = "kitchenapp://pie"
        link.verification = DeepLinkRecord.Verification(status: .verified)
        pie.deepLinks = [link]
        var tart = DeepLinkRecord.titled("Apfelkuchen mit Zimt", at: "https://kueche.test/apfel")
        tart.types = ["Recipe", "Article"]
        tart.languages = ["de"]
        tart.snippet = "Apple cake in German."
        return try await ServedStorage([pie, tart, .titled("Onion soup", at: "https://kitchen.test/soup")])
    }

    @Test func `a misspelled query is answered as it was meant, with a link to what was written`() async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let page = try await client.get("/?q=aplpe%20pie").body
            #expect(page.contains("Results for <a href=\"/?q=apple+pie\"><strong>apple pie</strong></a>."))
            #expect(page.contains("Search instead for <a href=\"/?q=aplpe+pie&amp;exact=true\">aplpe pie</a>."))
            #expect(page.contains("<mark>Apple pie</mark>"))
            let exact = try await client.get("/?q=aplpe+pie&exact=true").body
            #expect(!exact.contains("Results for <a"))
            let answer = try await client.get("/api/v1/search?q=aplpe%20pie").body
            #expect(answer.contains("\"correctedQuery\":\"apple pie\""))
            #expect(try await !client.get("/api/v1/search?q=aplpe%20pie&exact=true").body.contains("correctedQuery"))
        }
    }

    @Test func `where nothing is found, fewer filters and popular pages are offered`() async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let one = try await client.get("/?q=apple+lang:fr").body
            #expect(one.contains("Nothing found"))
            #expect(one.contains("href=\"/?q=apple\"><span dir=\"auto\">without lang:fr</span><span class=\"n\">2<"))
            #expect(one.contains("<h2>Popular</h2>") && one.contains("Onion soup"))
            // Leaving out only the type finds nothing.
            let two = try await client.get("/?q=apple+lang:fr+type:Recipe").body
            #expect(two.contains("href=\"/?q=apple+type:Recipe\"><span dir=\"auto\">without lang:fr</span>"))
            #expect(two.contains(">without filters<") && !two.contains(">without type:Recipe<"))
            let site = try await client.get("/?q=zebra+site:kitchen.test").body
            #expect(site.contains("<h2>Popular on kitchen.test</h2>") && site.contains("Onion soup"))
            #expect(!site.contains("Apfelkuchen"))
            let exact = try await client.get("/?q=aplpe&exact=true").body
            #expect(exact.contains("href=\"/?q=aplpe\"><span dir=\"auto\">with corrected words</span>"))
            let quoted = try await client.get("/?q=%22pie+apple%22").body
            #expect(quoted.contains("href=\"/?q=pie+apple\"><span dir=\"auto\">without quotes</span>"))
            let excluded = try await client.get("/?q=apple+-pie+-%22apple%22").body
            #expect(excluded.contains(">without all of these<") && !excluded.contains(">without -pie<"))
            let soup = try await client.get("/?q=soup+-onion").body
            #expect(soup.contains("href=\"/?q=soup\"><span dir=\"auto\">without -onion</span>"))
        }
    }

    @Test func `a hit leads to more of its host, where these stand further down`() async throws {
        let storage = try await ServedStorage(
            (0..<6).map { .titled("Apple pie \($0)", at: "https://kitchen.test/pie\($0)") } + [
                .titled("Another apple pie", at: "https://other.test/pie")
            ])
        defer { storage.remove() }
        try await storage.served { client async throws in
            let page = try await client.get("/?q=apple").body
            let link = "href=\"/?q=apple+site:kitchen.test\">4 more from kitchen.test</a>"
            #expect(page.components(separatedBy: link).count == 2)
            #expect(!page.contains("more from other.test"))
            #expect(try await !client.get("/?q=apple+site:kitchen.test").body.contains("more from"))
        }
    }

    @Test func `texts of records have their language, if it is one`() async throws {
        var odd = DeepLinkRecord.titled("Apple \" odd", at: "https://odd.test/")
        odd.languages = ["de\" onclick=\"x"]
        var tart = DeepLinkRecord.titled("Apfelkuchen", at: "https://kueche.test/apfel")
        tart.languages = ["de-AT", "en"]
        tart.snippet = "Apple cake."
        let storage = try await ServedStorage([odd, tart])
        defer { storage.remove() }
        try await storage.served { client async throws in
            let page = try await client.get("/?q=apple").body
            #expect(page.contains("<h2 lang=\"de-AT\" dir=\"auto\">"))
            #expect(page.contains("<p class=\"snippet\" lang=\"de-AT\" dir=\"auto\">"))
            #expect(page.contains("<h2 dir=\"auto\">") && !page.contains("onclick"))
            let record = try await client.get(WebClient.target("/record", "url", "https://kueche.test/apfel")).body
            #expect(record.contains("<h1 lang=\"de-AT\" dir=\"auto\">"))
        }
    }

    @Test func `a record that an app opens has a code for phones`() async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let pie = try await client.get(WebClient.target("/record", "url", "https://kitchen.test/pie")).body
            let code = try #require(QRCode("kitchenapp://pie"))
            #expect(pie.contains("<path d=\"\(code.path)\" fill=\"#000\"/>"))
            #expect(pie.contains("role=\"img\" aria-label=\"QR code of the deep link\""))
            let soup = try await client.get(WebClient.target("/record", "url", "https://kitchen.test/soup")).body
            #expect(!soup.contains("class=\"card qr\""))
        }
    }

    @Test func `the page works without script: a form, results, and links for filters`() async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let page = try await client.get("/?q=apple").body
            #expect(page.contains("<form class=\"ask\" role=\"search\" action=\"/\" method=\"get\">"))
            #expect(page.contains("<mark>Apple</mark> pie"))
            #expect(page.contains("href=\"https://kitchen.test/pie\" rel=\"noreferrer noopener\""))
            #expect(page.contains("href=\"kitchenapp://pie\""))
            #expect(page.contains("href=\"tel:+4930123456\""))
            #expect(page.contains("✓ Verified app"))
            #expect(page.contains("/?q=apple+type:Article"))
            #expect(!page.contains("Onion"))
            #expect(!page.contains("data-click"))
        }
    }

    @Test func `the page names its results and their explanation as the API does`() async throws {
        let storage = try await ServedStorage(
            (0..<25).map { .titled("Apple pie \($0)", at: "https://kitchen.test/pie\($0)") })
        defer { storage.remove() }
        try await storage.served { client async throws in
            let first = try await client.get("/?q=apple").body
            #expect(first.contains("rel=\"next\" href=\"/?q=apple&amp;offset=10\"") && !first.contains("rel=\"prev\""))
            #expect(first.contains("explain=true") && !first.contains("class=\"explained\""))
            let last = try await client.get("/?q=apple&offset=20&explain=true").body
            #expect(last.contains("from 21 on") && last.contains("class=\"explained\""))
            #expect(last.contains("rel=\"prev\"") && last.contains("offset=10") && !last.contains("rel=\"next\""))
            #expect(try await client.get("/?q=apple&offset=3").body.contains("rel=\"prev\" href=\"/?q=apple\""))
            for wrong in ["offset=991", "offset=-1", "explain=1"] {
                #expect(try await client.get("/?q=apple&\(wrong)").status == 400, "\(wrong)")
            }
        }
    }

    @Test func `a filter of the query can be removed by its link`() async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let page = try await client.get("/?q=apple+lang:de").body
            #expect(page.contains("Apfelkuchen") && !page.contains("kitchen.test/pie"))
            #expect(page.contains("href=\"/?q=apple\" aria-current=\"true\""))
        }
    }

    @Test func `the first page shows what the index holds`() async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        try await storage.served { client async throws in
            for target in ["/", "/?q=", "/?q=++%09"] {
                let page = try await client.get(target).body
                #expect(page.contains("<b>3</b> records"))
                #expect(page.contains("Popular") && page.contains("Onion soup"))
            }
        }
        let empty = try await ServedStorage([])
        defer { empty.remove() }
        try await empty.served { client async throws in
            #expect(try await client.get("/").body.contains("Nothing to search yet"))
        }
    }

    @Test(arguments: [
        "\"><script>alert(1)</script>", "\"\u{301} autofocus onfocus=alert(1) x=\"", "{{query}}{{{body}}}",
        "\u{0}\u{1}\u{202E}", "' OR 1=1 --",
        "\"unclosed", "site:", "NEAR(a b)", "*", "\u{FFFF}\u{10FFFF}", "-", "type:\"a b\" app:\"",
        String(repeating: "🍎", count: 500),
    ])
    func `any text is a query, and none is markup`(text: String) async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let page = try await client.get(WebClient.target("/", "q", text))
            #expect(page.status == 200)
            #expect(page.body.components(separatedBy: "<script").count == 2)
            for tag in page.body.tagsWithoutValues { #expect(!tag.contains("onfocus"), "\(tag)") }
            #expect(try await client.get(WebClient.target("/api/v1/search", "q", text)).status == 200)
            #expect(try await client.get(WebClient.target("/api/v1/suggest", "q", text)).status == 200)
        }
    }

    @Test func `a misspelled query is answered with another one`() async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let page = try await client.get("/?q=zzzzqqq").body
            #expect(page.contains("Nothing found"))
            #expect(page.contains("role=\"status\""))
        }
    }

    @Test func `the API searches and suggests`() async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        try await storage.served { client async throws in
            let answer = try await client.get("/api/v1/search?q=apple&limit=1&explain=true").json()
            #expect(answer["hits"]?.array?.count == 1)
            #expect(answer["hits"]?.array?.first?["parts"]?.array?.isEmpty == false)
            #expect(answer["count"]?.integer ?? 0 >= 1)
            let meant = try await client.get("/api/v1/suggest?q=appel+p").json()["records"]?.array?.first
            #expect(meant?["suggestion"]?.string == "Apple pie" && meant?["deepLink"]?.string == "kitchenapp://pie")
            #expect(meant?["identifier"]?.string == "https://kitchen.test/pie")
            let suggestions = try await client.get("/api/v1/suggest?q=oni").json()["suggestions"]?.array?.compactMap(
                \.string)
            #expect(suggestions?.contains("Onion soup") == true)
            for query in [
                "q=", "limit=0&q=a", "limit=101&q=a", "offset=-1&q=a", "explain=yes&q=a", "limit=1.5&q=a",
                "limit=+1&q=a",
            ] {
                #expect(try await client.get("/api/v1/search?\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test func `clicks are kept only when asked for, and only of what can be found`() async throws {
        let storage = try await Self.kitchen()
        defer { storage.remove() }
        let click = "query=apple&url=https://kitchen.test/pie&position=1"
        try await storage.served { client async throws in #expect(try await client.post("/click", click).status == 404)
        }
        let file = storage.folder.appending(path: "clicks.ndjson")
        try await storage.served(clicks: file) { client async throws in
            #expect(try await client.get("/?q=apple").body.contains("data-click=\"https://kitchen.test/pie\""))
            #expect(try await client.post("/click", click).status == 204)
            #expect(try await client.post("/click", "query=apple&url=https://evil.test/&position=1").status == 422)
            #expect(try await client.post("/click", click + "&more=1").status == 400)
            #expect(try await client.post("/click", click, ["Origin: https://evil.test"]).status == 403)
        }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            var parser = JSONParser()
            return try parser.parse(String(line))
        }
        #expect(lines.count == 2)
        #expect(lines.first?["shown"]?.array?.contains("https://kitchen.test/pie") == true)
        #expect(lines.last?["identifier"]?.string == "https://kitchen.test/pie")
        #expect(lines.last?["query"]?.string == "apple")
    }

    @Test(arguments: [
        ("site:a.test apple \"two words\" type:Recipe", "apple \"two words\""),
        ("host:a.test mug", "mug"), ("app:“Pie Finder” mug", "mug"), ("mug is:deeplink", "mug"),
        ("https://a.test/ 12:30 apple", "https://a.test/ 12:30 apple"), ("unknown:x mug", "unknown:x mug"),
        ("site:a.test", ""),
    ])
    func `the page knows the filters that the search knows`(query: String, rest: String) {
        let query = SearchQuery(query)
        #expect(query.text(without: query.filterParts) == rest)
        #expect(query.filterParts.isEmpty == (query.text == rest))
    }
}
