import Testing

@testable import PippinPage

/// Who wrote a page, by each source, and what is no author.
@Suite struct AuthorTests {
    private func record(_ html: String, url: String = "https://example.org/page") throws -> DeepLinkRecord {
        try RecordBuilderTests.record(html, url: url)
    }

    private func script(_ author: String, more: String = "") -> String {
        #"<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"A","author":\#(author)\#(more)}</script>"#
    }

    private func source(of record: DeepLinkRecord) -> DeepLinkRecord.Source? {
        record.provenance.first { $0.field == "authors" }?.source
    }

    private static let headline = "<title>Bees return to Ulm | The Post</title><h1>Bees return to Ulm</h1>"
    private static let text = "<p>" + String(repeating: "Bees fly far, and nobody asked them to. ", count: 20) + "</p>"

    // MARK: Texts

    @Test(arguments: [
        ("Ann Lee", ["Ann Lee"]), ("By Ann Lee", ["Ann Lee"]), ("by: Ann Lee", ["Ann Lee"]),
        ("Von Ann Lee", ["Ann Lee"]),
        ("Par Zoé Élan", ["Zoé Élan"]), ("Por José Ávila", ["José Ávila"]), ("Autor: Ann Lee", ["Ann Lee"]),
        ("Geschrieben von Ann Lee", ["Ann Lee"]), ("Written by Ann Lee and Bo Yi", ["Ann Lee", "Bo Yi"]),
        ("Ann Lee, Bo Yi & Cy Orr", ["Ann Lee", "Bo Yi", "Cy Orr"]), ("Ann Lee und Bo Yi", ["Ann Lee", "Bo Yi"]),
        ("Ann Lee; Bo Yi", ["Ann Lee", "Bo Yi"]), ("Ann Lee / Bo Yi", ["Ann Lee", "Bo Yi"]), ("APA/AP", ["APA/AP"]),
        ("Ann Lee, PhD", ["Ann Lee"]), ("Ann Lee, Staff Writer", ["Ann Lee"]), ("Ann Lee | Senior Editor", ["Ann Lee"]),
        ("Dr. Ann Lee", ["Dr. Ann Lee"]), ("Walter von der Aue", ["Walter von der Aue"]),
        ("Posted on 3 May 2020 by Ann Lee", ["Ann Lee"]), ("Ann Lee on 3 May 2020", ["Ann Lee"]),
        ("Ann Lee, 3. Mai 2020", ["Ann Lee"]),
        ("Ann Lee (Ulm)", ["Ann Lee"]), ("Ann Lee <ann@example.org>", ["Ann Lee"]),
        ("Ann Lee ann@example.org", ["Ann Lee"]), ("Ann Lee @annlee", ["Ann Lee"]),
        ("  Ann \u{A0} Lee\u{200E} ", ["Ann Lee"]), ("Tom &amp;amp; Ann", ["Tom & Ann"]),
        ("Zo&eacute; Lee", ["Zoé Lee"]),
        ("山田太郎", ["山田太郎"]), ("Иван Петров", ["Иван Петров"]),
        ("José Volta e Pinto", ["José Volta e Pinto"]), ("Ana Rei e José Volta", ["Ana Rei", "José Volta"]),
        ("Recueilli par Zoé Élan.", ["Zoé Élan"]), ("Ann Lee Jr.", ["Ann Lee Jr."]), ("delta201", ["delta201"]),
        ("R. R.", ["R. R."]), ("Redaktion", ["Redaktion"]), ("Dienstag", []),
        ("WIRED Staff", ["WIRED Staff"]),
        ("admin", []), ("Administrator", []), ("Editor", []), ("staff", []), ("https://example.org/ann", []),
        ("ann@example.org", []), ("@annlee", []), ("www.example.org", []), ("example.org", []), ("12 min", []),
        ("3 Comments", []),
        ("Joined: Feb 2019", []), ("Reputation: 7", []),
        ("The Post", []), ("ThePost", []), ("Example", []), ("", []), ("–", []), ("{{author}}", []), ("null", []),
        ("By", []),
        ("May", []), (String(repeating: "Ann ", count: 30), []),
    ])
    func `a byline's text has these names`(text: String, names: [String]) {
        let reader = AuthorNames(sites: Set(["The Post", "example.org", "example"].map { FoldedName($0) }))
        #expect(reader.names(foundIn: text) == names)
    }

    // MARK: Sources

    @Test func `structured data names people with their pages`() throws {
        let one = try record(script(#"{"@type":"Person","name":"Ann Lee","url":"/people/ann"}"#))
        #expect(one.authors == [.init(name: "Ann Lee", url: "https://example.org/people/ann")])
        #expect(source(of: one) == .schemaOrg)
        #expect(try record(script(#"["Ann Lee",{"name":"Bo Yi"}]"#)).authors.map(\.name) == ["Ann Lee", "Bo Yi"])
        #expect(
            try record(script(#"{"@type":"Person","name":["Ann Lee","Bo Yi"]}"#)).authors.map(\.name) == [
                "Ann Lee", "Bo Yi",
            ])
        let microdata =
            "<div itemscope itemtype='https://schema.org/Article'><b itemprop=headline>A</b><span itemprop=author itemscope itemtype='https://schema.org/Person'><a itemprop=url href=/ann><span itemprop=name>Ann Lee</span></a></span></div>"
        #expect(try record(microdata).authors == [.init(name: "Ann Lee", url: "https://example.org/ann")])
    }

    @Test func `an organization is named only where no person is`() throws {
        let byline = Self.headline + "<p class=byline>By <a href='/ann' rel=author>Ann Lee</a></p>" + Self.text
        let agency = script(#"{"@type":"Organization","name":"Ulm Agency"}"#)
        #expect(try record(agency + byline).authors == [.init(name: "Ann Lee", url: "https://example.org/ann")])
        #expect(try record(agency).authors == [.init(name: "Ulm Agency", type: .organization)])
        let publisher = script(
            #"{"@type":"Organization","name":"The Post"}"#,
            more: #","publisher":{"@type":"Organization","name":"The Post"}"#)
        #expect(try record(publisher).authors == [.init(name: "The Post", type: .organization)])
        #expect(try record(publisher + byline).authors.map(\.name) == ["Ann Lee"])
    }

    @Test func `one has one's own name on one's own site`() throws {
        let site = "<meta property=og:site_name content='Ann Lee'>"
        #expect(try record(site + script(#"{"@type":"Person","name":"Ann Lee"}"#)).authors.map(\.name) == ["Ann Lee"])
        #expect(try record(site + "<meta name=author content='Ann Lee'>").authors.isEmpty)
    }

    @Test(arguments: [
        "<meta name=author content='Ann Lee'>", "<meta name=dc.creator content='Lee, Ann'>",
        "<meta property='article:author' content='Ann Lee'>", "<meta name='parsely-author' content='Ann Lee'>",
        "<meta name=byl content='By Ann Lee'>",
        "<meta name='twitter:card' content=summary><meta name='twitter:label1' content='Verfasst von'><meta name='twitter:data1' content='Ann Lee'>",
        "<meta property='article:author' content='https://www.facebook.com/post'><meta name=author content='Ann Lee'>",
        "<meta name=author content='The Post GmbH'><meta name='sailthru.author' content='Ann Lee'>",
    ])
    func `meta elements name authors`(tags: String) throws {
        let record = try record("<head>\(tags)</head>" + Self.headline)
        #expect(record.authors.map(\.name) == ["Ann Lee"])
        #expect([.metaTag, .dublinCore, .openGraph, .twitterCard].contains(source(of: record)))
    }

    @Test func `several elements of one name are several authors`() throws {
        let tags = "<meta name=citation_author content='Lee, Ann'><meta name=citation_author content='Yi, Bo'>"
        #expect(try record(tags).authors.map(\.name) == ["Ann Lee", "Bo Yi"])
    }

    @Test(arguments: [
        "<p>By Ann Lee</p>", "<p>Von Ann Lee am 3. Mai 2020</p>", "<div class=author>Ann Lee</div>",
        "<p>Por Ann Lee | 3 de mayo</p>",
        "<p class=byline>By <a href=/ann rel=author>Ann Lee</a>, Staff Writer</p>",
        "<span class='author vcard'>Ann Lee</span>",
        "<p>3 May 2020 | By Ann Lee</p>", "<p><span>By</span><span><a href=/ann>Ann Lee</a></span></p>",
        "<div class=postmeta>Posted on May 3, 2020 by Ann Lee</div>",
        "<p>Text: Ann Lee</p>", "<p>Автор: Ann Lee</p>", "<p>Écrit par Ann Lee</p>", "<p>Text und Fotos: Ann Lee</p>",
        "<p>Fotos: Bo Yi | Text: Ann Lee</p>",
        "<p class=byline>Words by Ann Lee, photos by Bo Yi</p>",
        "<dl><dt>Autor</dt><dd>Ann Lee</dd></dl>", "<p>By: <b>Ann Lee</b></p>",
        "<div class=entry-author>By Ann Lee on May 3</div>",
        "<address class=articleAuthor>Ann Lee</address>", "<p>Written by <a href=/ann>Ann Lee</a></p>",
        "<div class=author_information><p>Ann Lee</p><p class=team-role>Board Owner</p></div>",
        "<div class=author><b>Ann Lee</b><div class=author-occupation>Night Shift</div></div>",
        "<div class='wrapper has-sidebar'><p class=author>Ann Lee</p></div>",
    ])
    func `a byline beside the headline names the author`(byline: String) throws {
        let record = try record(Self.headline + byline + Self.text)
        #expect(record.authors.map(\.name) == ["Ann Lee"])
        #expect(source(of: record) == .visibleText)
    }

    @Test func `writers stand side by side`() throws {
        let byline = "<p><a rel=author href=/ann>Ann Lee</a>, <a rel=author href=/bo>Bo Yi</a></p>"
        #expect(
            try record(Self.headline + byline + Self.text).authors.map(\.url) == [
                "https://example.org/ann", "https://example.org/bo",
            ])
        let one = "<p class=byline>By Ann Lee and Bo Yi</p>"
        #expect(try record(Self.headline + one + Self.text).authors.map(\.name) == ["Ann Lee", "Bo Yi"])
    }

    @Test(arguments: [
        "<p>By the way, nobody asked.</p>", "<p>Von Anfang an war es still</p>", "<div class=author>admin</div>",
        "<p class=comment-author>Ann Lee</p>", "<div class=comments><a rel=author>Ann Lee</a></div>",
        "<nav><a rel=author>Ann Lee</a></nav>", "<div class=author>Name *</div>", "<div class=author>Follow</div>",
        "<p class=author>About the author</p>",
        "<p class=author>The Post</p><meta property=og:site_name content='The Post'>",
        "<p class=author>Foto: Ann Lee</p>", "<p>Foto: Ann Lee</p>", "<p class=byline>By Foto: Ann Lee</p>",
        "<p>Photo: <a rel=author href=/ann>Ann Lee</a></p>", "<p class=author>Photo : Ann Lee</p>",
        "<p class=byline>3 May 2020</p>", "<p class=author hidden>Ann Lee</p>", "<p>By 2020 bees will have left</p>",
    ])
    func `other texts name nobody`(html: String) throws {
        #expect(try record(Self.headline + html + Self.text).authors.isEmpty)
    }

    @Test func `names are bounded`() throws {
        let many = (0..<100).map { "\"Ann Lee\(String(repeating: "e", count: $0))\"" }.joined(separator: ",")
        #expect(try record(script("[\(many)]")).authors.count == 20)
    }
}
