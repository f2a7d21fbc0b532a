import PippinTestSupport
import Testing

@testable import PippinPage

/// What a page is about, where its markup names several things.
@Suite struct MainItemTests {
    private func types(_ json: String..., html: String = "", url: String = "https://example.org/page") throws
        -> [String]
    {
        let scripts = json.map { "<script type='application/ld+json'>\($0)</script>" }.joined()
        return try RecordBuilderTests.record(scripts + html, url: url).types
    }

    @Test func `a page has the types of its main entity, even where another kind would win`() throws {
        let page =
            #"{"@context":"https://schema.org","@type":"WebPage","mainEntity":{"@type":"Product","name":"Lamp"}}"#
        #expect(try types(page) == ["Product"])
        let article =
            #"{"@context":"https://schema.org","@type":"WebPage","mainEntity":{"@type":"ScholarlyArticle","headline":"Folds","isPartOf":{"@type":"PublicationVolume","isPartOf":{"@type":"Periodical","name":"Nature"}}}}"#
        let journal = "<div itemscope itemtype='https://schema.org/Periodical'><b itemprop=name>Nature</b></div>"
        #expect(try types(article, html: journal) == ["ScholarlyArticle"])
        let profile =
            #"{"@context":"https://schema.org","@type":"ProfilePage","mainEntity":{"@type":"Person","name":"Ada"}}"#
        #expect(try types(profile) == ["Person"])
    }

    @Test func `a main entity that says less than what stands beside it is none`() throws {
        let article = #"{"@context":"https://schema.org","@type":"NewsArticle","headline":"Toxic food"}"#
        for entity in ["Thing", "Organization", "WebSite"] {
            let page =
                #"{"@context":"https://schema.org","@type":"WebPage","mainEntity":{"@type":"\#(entity)","name":"Toxic food"}}"#
            #expect(try types(article, page) == ["NewsArticle"])
        }
        let copy =
            #"{"@context":"https://schema.org","@type":"WebPage","mainEntity":{"@type":"NewsArticle","headline":"Toxic food"}}"#
        let whole =
            #"{"@context":"https://schema.org","@type":"NewsArticle","headline":"Toxic food","articleSection":"Food","url":"https://example.org/page"}"#
        let record = try RecordBuilderTests.record(
            [copy, whole].map { "<script type='application/ld+json'>\($0)</script>" }.joined())
        #expect(record.categories == ["Food"])
    }

    @Test func `an article is not the periodical or the blog that it is in`() throws {
        let periodical = #"{"@context":"https://schema.org","@type":"Periodical","name":"The Review"}"#
        let article = #"{"@context":"https://schema.org","@type":"ScholarlyArticle","headline":"On knots"}"#
        #expect(try types(periodical, article) == ["ScholarlyArticle"])
        #expect(try types(periodical) == ["Periodical"])
        let blog =
            #"{"@context":"https://schema.org","@type":"Blog","name":"B","blogPost":{"@type":"BlogPosting","headline":"P"}}"#
        #expect(try types(blog) == ["BlogPosting"])
        let posts = (1...3).map { #"{"@type":"BlogPosting","headline":"Post number \#($0)"}"# }.joined(separator: ",")
        let list = #"{"@context":"https://schema.org","@type":"Blog","name":"B","blogPost":[\#(posts)]}"#
        #expect(try types(list) == ["Blog"])
        #expect(try types(list, html: "<title>Post number 2 | B</title>") == ["BlogPosting"])
    }

    @Test func `an article with a video stays an article, and a page of the video is one of a video`() throws {
        let article = #"{"@context":"https://schema.org","@type":"NewsArticle","headline":"Flood"}"#
        func video(_ url: String) -> String {
            #"{"@context":"https://schema.org","@type":"VideoObject","name":"Pictures","url":"\#(url)","duration":"PT2M"}"#
        }
        let news = try RecordBuilderTests.record(
            [article, video("/videos/1")].map { "<script type='application/ld+json'>\($0)</script>" }.joined())
        #expect(news.types == ["NewsArticle"])
        #expect(news.duration == nil, "the video's is not the article's")
        #expect(try types(article, video("/page")) == ["VideoObject"])
        #expect(try types(video("/videos/1")) == ["VideoObject"])
        // Teasers beside a video are no article.
        let teasers = (1...3).map { #"{"@type":"NewsArticle","headline":"Other \#($0)"}"# }.joined(separator: ",")
        #expect(
            try types(#"{"@context":"https://schema.org","@graph":[\#(teasers)]}"#, video("/page")) == ["VideoObject"])
    }

    @Test func `a check of a claim is one, alone and beside its article`() throws {
        let check =
            #"{"@context":"https://schema.org","@type":"ClaimReview","claimReviewed":"Pigs fly","url":"https://example.org/page"}"#
        let page = #"{"@context":"https://schema.org","@type":"WebPage","name":"Do pigs fly?"}"#
        let article = #"{"@context":"https://schema.org","@type":"NewsArticle","headline":"Do pigs fly?"}"#
        #expect(try types(page, check) == ["ClaimReview"])
        #expect(try types(article, check) == ["NewsArticle", "ClaimReview"])
        let review = #"{"@context":"https://schema.org","@type":"Review","reviewBody":"Nice."}"#
        #expect(try types(page, review) == ["WebPage"])
    }

    @Test func `a page with a list is itself`() throws {
        let questions = (1...3).map { #"{"@type":"Question","name":"Q\#($0)"}"# }.joined(separator: ",")
        #expect(
            try types(#"{"@context":"https://schema.org","@type":"FAQPage","mainEntity":[\#(questions)]}"#) == [
                "FAQPage"
            ])
        let products = (1...3).map { #"{"@type":"Product","name":"Lamp \#($0)"}"# }.joined(separator: ",")
        let graph =
            #"{"@context":"https://schema.org","@graph":[{"@type":"CollectionPage","name":"Lamps"},\#(products)]}"#
        #expect(try types(graph) == ["CollectionPage"])
    }

    @Test func `what a breadcrumb leads to is no topic, nor is the organization of all pages`() throws {
        let crumbs =
            #"{"@context":"https://schema.org","@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","item":{"@type":"Thing","@id":"https://example.org/page","name":"Ada"}}]}"#
        let profile =
            #"{"@context":"https://schema.org","@type":"ProfilePage","mainEntity":{"@type":"Person","name":"Ada"}}"#
        #expect(try types(crumbs, profile) == ["Person"])
        let organization = #"{"@context":"https://schema.org","@type":"Organization","name":"La Hora"}"#
        let tag = "<meta property='og:type' content='article'>"
        #expect(try types(organization, html: tag + "<title>Debt grows</title>") == ["Article"])
        #expect(try types(organization, html: tag + "<title>La Hora: company</title>") == ["Organization"])
        #expect(
            try types(organization, html: tag + "<title>News</title>", url: "https://example.org/") == ["Organization"])
    }

    @Test func `videos of posts beside the topic are not the page's`() throws {
        func post(_ n: Int) -> String { "<article><h2>P\(n)</h2><video src='/v\(n).mp4' controls></video></article>" }
        #expect(try RecordBuilderTests.record("<h1>Company</h1>" + post(1) + post(2)).video.isEmpty)
        let film = "<article><h1>Film</h1><video src='/film.mp4' controls></video></article>"
        #expect(try RecordBuilderTests.record(film + post(2)).video.map(\.url) == ["https://example.org/film.mp4"])
        #expect(try RecordBuilderTests.record("<h1>Film</h1>" + post(1)).video.count == 1)
    }
}
