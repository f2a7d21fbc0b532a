import Foundation
import PippinCrawl
import PippinPage
import PippinReport

/// The report card of any URL: a form, and the card that it makes.
///
/// Only POST, of the form or a program, fetches something. A link with `?url=` fills in the form, and a link with `?id=` shows a card
/// that is kept.
enum CardPage {
    static let routes: [WebRoute] = [
        .page("/card") { request, context in try await page(request, context) },
        .page("/card", .post) { request, context in try await order(request, context) }.endingWithClient,
        .api(
            "/api/v1/card",
            APIOperation(
                id: "card",
                summary: "The report card of any URL. The page is fetched as a crawl would; that may take a minute.",
                parameters: [
                    APIParameter(
                        name: "url", about: "The page, as an http or https URL.",
                        kind: .address(maximum: WebLimits.urlLength), isRequired: true)
                ],
                schema: APISchema.object([
                    "url": APISchema.text, "findings": APISchema.list(["type": "object"]),
                ]), refusals: [404, 429, 501, 504],
                tool: APITool(
                    title: "Report card",
                    advice: ["It says what is right and wrong with the page, why, and how to fix it."],
                    asksOthers: true)), method: .post
        ) { request, context in try await json(request, context) }.endingWithClient,
    ]

    private static func page(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        if let identifier = request.query["id"] {
            guard let card = await context.cards?.kept(identifier) else {
                return form(
                    "", problem: "This report card is not kept any more. Cards are kept for half an hour.", context,
                    status: .notFound)
            }
            return answer(card)
        }
        let url = try request.query.text("url", maximum: WebLimits.urlLength)
        return form(url, context)
    }

    private static func order(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let text = try request.form().text("url", maximum: WebLimits.urlLength)
        do {
            let card = try await desk(context).card(of: PageAddress.typed(text))
            // The browser's reload shows the same card, and asks nobody again.
            return .redirect(to: LocalLink("/card", ["id": card.identifier]))
        } catch let refusal as WebRefusal {
            return form(text, problem: refusal.sentence, context, status: refusal.status, fields: refusal.fields)
        }
    }

    private static func json(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let page = try PageAddress.asked(request.form())
        return .json(try await desk(context).card(of: page).json)
    }

    private static func desk(_ context: WebContext) throws -> CardDesk {
        guard let desk = context.cards else {
            throw WebRefusal(.notImplemented, "This server makes no report cards.")
        }
        return desk
    }

    // MARK: HTML

    private static func form(
        _ url: String, problem: String? = nil, _ context: WebContext, status: HTTPStatus = .ok,
        fields: [(name: HTTPField.Name, value: String)] = []
    ) -> WebAnswer {
        let tiles: [HTML] = topics.map { group, what in
            #"<div class="card tile topic"><h3>\#(group.title)</h3><p class="dim small">\#(what)</p></div>"#
        }
        let page: HTML = """
            <header><p class="eyebrow">Report card</p><h1>Check a page</h1>\
            <p class="lead">What is right and wrong with it, why, and how to fix it: as search result, as a way into an app.</p>\
            </header><main id="content">\(field(url, problem: problem))\
            <p class="dim small hint">The page is fetched as a crawl would fetch it: robots.txt is asked first, and what it forbids is \
            not fetched. Between two requests to a host lies a pause, so a card takes a few seconds.</p>\
            <h2>What is looked at <span class="count">\(Check.all.count) checks</span></h2>\
            <section class="tiles">\(tiles)</section></main>
            """
        var answer = Layout.page("Report card", page, section: .card, status: status)
        answer.fields = fields
        return answer
    }

    private static let topics: [(Check.Group, String)] = [
        (
            .discoverability,
            "May Applebot read the page, and does an index keep it? robots.txt, sitemaps, canonical links."
        ),
        (.deepLinks, "Does it lead into an app, and do the site's association files say so, on every platform?"),
        (
            .structuredData,
            "Title, picture, price and rating of the result: JSON-LD, microdata, Open Graph, and how they agree."
        ),
        (.technical, "Status, redirects, encoding, size, speed, and whether a phone can show it."),
    ]

    private static func field(_ url: String, problem: String? = nil) -> HTML {
        """
        <form class="ask" method="post" action="/card" data-busy="Checking …">\
        <label for="card-url" class="unseen">Address of the page</label><div class="ask-field">\
        <input id="card-url" name="url" type="text" inputmode="url" autocomplete="url" autocapitalize="none" spellcheck="false" \
        required="" maxlength="\(WebLimits.urlLength)" placeholder="https://example.org/page" value="\(url)"\
        \(#" aria-invalid="true" aria-describedby="card-problem" autofocus="""#, if: problem != nil)>\
        <button type="submit">Check</button></div><p class="told" data-busy-note="" role="status" hidden="">\
        The page and the files of its site are being fetched. This takes a few seconds.</p>\
        \(problem.map { #"<p class="told error" id="card-problem" role="alert">\#($0)</p>"# })</form>
        """
    }

    private static func answer(_ card: CardDesk.Card) -> WebAnswer {
        let page: HTML = """
            \(card.pieces.heading)<main id="content">\(card.pieces.content)\(card.record.flatMap(DeepLinkCode.figure))<h2>Check again, or another page</h2>\
            \(field(card.url.href))<p class="dim small hint">Made on \(InternetTime.text(card.date)). \
            This page is kept for half an hour.</p></main>
            """
        return Layout.page(card.pieces.title, page, section: .card)
    }
}
