import Testing

@testable import PippinPage

/// When a page was published, changed, and is over, by each source.
@Suite struct PageDateTests {
    private func record(_ html: String, url: String = "https://example.org/page") throws -> DeepLinkRecord {
        try RecordBuilderTests.record(html, url: url)
    }

    private func source(_ field: String, of record: DeepLinkRecord) -> DeepLinkRecord.Source? {
        record.provenance.first { $0.field == field }?.source
    }

    private static let headline = "<title>Bees return to Ulm | The Post</title><h1>Bees return to Ulm</h1>"
    private static let text = "<p>" + String(repeating: "Bees fly far, and nobody asked them to. ", count: 20) + "</p>"

    // MARK: What is stated

    @Test(arguments: ["1404-05-06", "1446-05-06T10:00:00Z", "1404/05/06"])
    func `a year of Iran's or Islam's calendar is left out, and noted`(text: String) throws {
        let html = "<title>Bees</title><meta property='article:published_time' content='\(text)'>"
        guard case .record(let record, let notes) = try RecordBuilderTests.conclusion(html) else {
            Issue.record("There is no record.")
            return
        }
        #expect(record.publishedAt == nil)
        #expect(notes.contains { $0.code == .date(.otherCalendar) }, "\(notes)")
    }

    @Test(arguments: [
        ("<meta property='article:published_time' content='2015-03-04T05:06:07+01:00'>", "2015-03-04T05:06:07+01:00"),
        ("<meta name='article:published_time' content='2015-03-04T05:06:07.123Z'>", "2015-03-04T05:06:07Z"),
        ("<meta name=DC.date.issued content='2015-03-04'>", "2015-03-04"),
        ("<meta name='parsely-pub-date' content='2015-03-04T05:06:07Z'>", "2015-03-04T05:06:07Z"),
        ("<meta name=citation_publication_date content='2015/03/04'>", "2015-03-04"),
        ("<meta name=pubdate content='20150304'>", "2015-03-04"),
        ("<meta name=date content='4. März 2015'>", "2015-03-04"),
        ("<meta property='ours:publish_date' content='2015-03'>", "2015-03"),
        ("<meta itemprop=datePublished content='2015-03-04'>", "2015-03-04"),
    ])
    func `meta elements state a day`(tag: String, day: String) throws {
        let record = try record("<head>\(tag)</head>\(Self.headline)<p>5 May 2016</p>")
        #expect(record.publishedAt == day)
        #expect([.openGraph, .metaTag, .dublinCore].contains(source("publishedAt", of: record)))
    }

    @Test func `the main item comes first, what says so in its name next, a mere date last`() throws {
        let script =
            #"<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"A","datePublished":"2015-01-01","dateModified":"2015-01-02","expires":"2030-01-03"}</script>"#
        let tags =
            "<meta name=date content='2014-01-01'><meta property='article:published_time' content='2013-01-01'><meta property='article:expiration_time' content='2031-01-03'>"
        let both = try record(script + tags)
        #expect(both.publishedAt == "2015-01-01" && source("publishedAt", of: both) == .schemaOrg)
        #expect(both.modifiedAt == "2015-01-02" && both.expiresAt == "2030-01-03")
        let some = try record(tags)
        #expect(some.publishedAt == "2013-01-01" && source("publishedAt", of: some) == .openGraph)
        #expect(some.expiresAt == "2031-01-03" && source("expiresAt", of: some) == .openGraph)
    }

    @Test func `robots may say when a page is over, a job posting how long it is open`() throws {
        let robots = try record("<meta name=robots content='unavailable_after: 2030-01-02T03:04:05Z'>")
        #expect(robots.expiresAt == "2030-01-02T03:04:05Z" && source("expiresAt", of: robots) == .robotsDirective)
        let posting =
            #"<script type="application/ld+json">{"@context":"https://schema.org","@type":"TYPE","name":"A","validThrough":"2030-01-03","datePosted":"2026-01-01"}</script>"#
        let job = try record(posting.replacing("TYPE", with: "JobPosting"))
        #expect(job.expiresAt == "2030-01-03" && job.publishedAt == "2026-01-01")
        #expect(try record(posting.replacing("TYPE", with: "Product")).expiresAt == nil)
    }

    // MARK: The address

    @Test(arguments: [
        ("/2014/05/06/bees", "2014-05-06"), ("/news/2014/5/6/", "2014-05-06"), ("/2014-05-06-bees.html", "2014-05-06"),
        ("/bees_20140506.html", "2014-05-06"), ("/a/06-05-2014-bees", "2014-05-06"), ("/2014/05/bees", nil),
        ("/2014/13/45/bees", nil), ("/web/20140506102030/http://x.example/", nil), ("/item/12345678", nil),
        ("/2077/05/06/", nil), ("/v1.2.2014x", nil), ("/1889/05/06/", nil),
    ])
    func `a path may name the day`(path: String, day: String?) throws {
        let record = try record(Self.headline + Self.text, url: "https://example.org" + path)
        #expect(record.publishedAt == day)
        #expect(source("publishedAt", of: record) == (day == nil ? nil : .pageURL))
    }

    // MARK: What is shown

    @Test(arguments: [
        "<p>14. Dezember 2015</p>", "<p>December 14th, 2015</p>", "<p>Monday, Dec. 14, 2015 at 3:04 pm</p>",
        "<p>14 décembre 2015</p>", "<p>14 de diciembre de 2015</p>", "<p>14 dicembre 2015</p>",
        "<p>14 de dezembro de 2015</p>", "<p>14 december 2015</p>", "<p>14 grudnia 2015</p>",
        "<p>14 декабря 2015 г.</p>",
        "<p>14 Aralık 2015</p>", "<p>2015年12月14日</p>", "<p>2015년 12월 14일</p>", "<p>14 ديسمبر 2015</p>",
        "<p>١٤ ديسمبر ٢٠١٥</p>", "<p>2015. december 14.</p>", "<p>14. prosince 2015</p>", "<p>14 Δεκεμβρίου 2015</p>",
        "<p>14. joulukuuta 2015</p>", "<p>14 грудня 2015</p>", "<p>14 दिसंबर 2015</p>", "<p>14.12.2015</p>",
        "<p>14/12/2015</p>",
        "<p>12/14/2015</p>", "<p>2015-12-14 10:11</p>", "<p>14-Dec-2015</p>", "<p>14.12.15 | Ulm</p>",
        "<p>Published: 14 December 2015, by nobody in particular and after a long wait</p>",
        "<time datetime='2015-12-14'>Monday</time>", "<abbr class=published title='2015-12-14'>Monday</abbr>",
        "<span class=entry-date>14&nbsp;December<b> 2015</b></span>", "<dl><dt>Datum</dt><dd>14.12.2015</dd></dl>",
        "<ul><li>Category</li><li class=article__date>14.12.2015</li></ul>", "<p>14 ธันวาคม 2558</p>",
        "<small>14.12.2015 | 13:10 Uhr | Ulm und Umgebung</small>", "<p>Ulm, 14. Dezember 2015</p>",
    ])
    func `a day beside the headline is the page's`(byline: String) throws {
        let day =
            byline.contains("datetime") || byline.contains("title=") ? DeepLinkRecord.Source.timeElement : .visibleText
        let record = try record("<html lang=x>" + Self.headline + byline + Self.text)
        #expect(record.publishedAt == "2015-12-14")
        #expect(source("publishedAt", of: record) == day)
    }

    @Test func `the language decides which number is the month, and English without a country does not`() throws {
        let day = "<title>Retour</title><h1>Retour des abeilles à Ulm</h1><p>6/5/2015</p>"
        let french = "<p>" + String(repeating: "Les abeilles volent loin et personne ne leur demande rien. ", count: 20)
        #expect(try record("<html lang=fr>" + day + french).publishedAt == "2015-05-06")
        #expect(try record(Self.headline + "<p>6/5/2015</p>" + Self.text).publishedAt == nil)
        #expect(try record(Self.headline + "<p>6/15/2015</p>" + Self.text).publishedAt == "2015-06-15")
        let british = try record(Self.headline + "<p>6/5/2015</p>" + Self.text, url: "https://example.co.uk/page")
        #expect(british.publishedAt == "2015-05-06")
    }

    @Test(arguments: [("en-US", "2015-06-05"), ("en", "2015-06-05"), ("en-GB", "2015-05-06"), ("en-FR", "2015-05-06")])
    func `a day in numbers is read as the page's language does`(language: String, day: String) throws {
        let record = try record("<html lang=\(language)>" + Self.headline + "<p>6/5/2015</p>" + Self.text)
        #expect(record.publishedAt == day)
    }

    @Test(arguments: [
        "<p>The bridge was opened on 14 December 2015 by the mayor, who had waited for that day for years and years, as he said.</p>",
        "<nav>14.12.2015</nav>", "<div class=comments><p><time datetime='2015-12-14'>Monday</time> Bo: nice</p></div>",
        "<aside class=related-posts><time datetime='2015-12-14'>14.12.2015</time></aside>",
        "<p>Version 14.12.2015.3</p>", "<p>Call 14-12-2015-16</p>", "<p>20:15</p>", "<p>2015-13-14</p>",
        "<p>30. Februar 2015</p>",
        "<p hidden>14.12.2015</p>", "<time datetime='20:15'>tonight</time>", "<p>14 December 2077</p>",
        "<p>14 December 1815</p>",
        "<ul><li><time>1 May 2015</time><li><time>2 May 2015</time><li><time>3 May 2015</time><li><time>4 May 2015</time></ul>",
    ])
    func `other days are not`(html: String) throws {
        #expect(try record(Self.headline + Self.text + html + Self.text).publishedAt == nil)
    }

    @Test func `the facts of an infobox are of its subject, not of the page`() throws {
        let record = try record(
            Self.headline
                + """
                <table class="infobox vcard"><tr><td class="fn org">Ulm Bee Club</td></tr>
                <tr><td>Founded <span class="bday dtstart published updated">1998-02-28</span></td></tr></table>
                """ + Self.text)
        #expect(record.publishedAt == nil && record.authors.isEmpty)
    }

    @Test func `an update is no publication`() throws {
        let first = try record(
            Self.headline + "<p>Published 4 May 2015</p><p>Updated: 6 May 2015</p>" + Self.text)
        #expect(first.publishedAt == "2015-05-04" && first.modifiedAt == "2015-05-06")
        let second = try record(
            Self.headline
                + "<time pubdate datetime='2015-05-04'>Publié le 4 mai</time> <time pubdate datetime='2015-05-06'>Mis à jour le 6 mai</time>"
                + Self.text)
        #expect(second.publishedAt == "2015-05-04" && second.modifiedAt == "2015-05-06")
        let third = try record(Self.headline + Self.text + "<footer>Zuletzt geändert am 6. Mai 2015</footer>")
        #expect(third.publishedAt == nil)
    }

    @Test func `a moment in UTC is told on the page's own clock where it shows one`() throws {
        let tag = "<meta property='article:published_time' content='2015-05-04T02:00:00Z'>"
        let shown =
            "<time datetime='2015-05-01T01:00:00-04:00'></time><time datetime='2015-05-03T22:00:00-04:00'></time>"
        let record = try record(tag + Self.headline + shown + Self.text)
        #expect(record.publishedAt == "2015-05-03T22:00:00-04:00" && source("publishedAt", of: record) == .openGraph)
    }

    @Test(arguments: ["<noscript>", "<button>"])
    func `what holds the headline is seen, whatever it is`(start: String) throws {
        let record = try record(
            "<title>Bees return to Ulm</title><body>" + start + "<h1>Bees return to Ulm</h1><p>14.12.2015</p>"
                + Self.text)
        #expect(record.publishedAt == "2015-12-14")
    }

    @Test func `nothing is read where the page states it`() throws {
        let record = try record(
            "<meta property='article:published_time' content='2015-05-04'>" + Self.headline + "<p>7 May 2015</p>"
                + Self.text)
        #expect(record.publishedAt == "2015-05-04")
    }

    /// Time that grew with the square of the size would pass the limit many times over.
    @Test(
        .slow, .timeLimit(.minutes(1)),
        arguments: [
            ("<div class=date>", 20_000), ("<p>1.1.2015 ", 50_000), ("1.", 500_000),
            ("<time datetime='2015-01-01'>", 30_000), ("<p class='date'>", 30_000), ("<span class=author>By ", 30_000),
            ("<h1>By A and ", 30_000), ("By A and ", 50_000),
        ])
    func `hostile pages end in time, with few authors`(piece: String, count: Int) throws {
        let html = "<title>x</title>" + String(repeating: piece, count: count)
        let facts = try RecordBuilderTests.facts(html, url: "https://example.org/page")
        let record = RecordBuilder.conclusion(from: facts, now: RecordBuilderTests.fetchedAt).record
        #expect(try #require(record).authors.count <= AuthorNames.maximumNames)
    }
}
