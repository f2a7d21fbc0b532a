import Foundation
import PippinCrawl
import PippinPage
import PippinReport

/// The report card of any URL: a form, and the card that it makes.
///
/// Only the form's POST and the API fetch something. A link with `?url=` fills in the form, and a link with `?id=` shows a card
/// that is kept.
enum CardPage {
    static let routes: [WebRoute] = [
        .page("/card") { request, context in try await page(request, context) },
        .page("/card", .post) { request, context in try await order(request, context) },
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
                ]), refusals: [403, 404, 429, 501, 504]),
            refusesForeignPages: true
        ) { request, context in try await json(request, context) },
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
            let card = try await desk(context).card(of: url(text))
            // The browser's reload shows the same card, and asks nobody again.
            return .redirect(to: LocalLink("/card", ["id": card.identifier]))
        } catch let refusal as WebRefusal {
            return form(text, problem: refusal.sentence, context, status: refusal.status, fields: refusal.fields)
        }
    }

    private static func json(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let text = try request.query.text("url", minimum: 1, maximum: WebLimits.urlLength)
        let page: WebURL
        do {
            page = try url(text)
        } catch {
            // The parameter is as described, but nothing on the web has that address.
            throw WebRefusal(.notFound, error.sentence)
        }
        return .json(try await desk(context).card(of: page).json)
    }

    private static func desk(_ context: WebContext) throws -> CardDesk {
        guard let desk = context.cards else {
            throw WebRefusal(.notImplemented, "This server makes no report cards.")
        }
        return desk
    }

    /// The URL that someone has typed; `https://` may be missing.
    static func url(_ text: String) throws(WebRefusal) -> WebURL {
        let typed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !typed.isEmpty else { throw WebRefusal(.badRequest, "Give the address of a page.") }
        let hasScheme = typed.contains("://") || typed.lowercased().hasPrefix("mailto:")
        guard let url = WebURL(hasScheme ? typed : "https://" + typed), url.isHTTP else {
            throw WebRefusal(
                .badRequest,
                "\(Wording.quoted(typed, to: 80)) is not an http or https address, like https://example.org/page.")
        }
        guard url.username.isEmpty, url.password.isEmpty else {
            throw WebRefusal(.badRequest, "The address has a user name or password. Leave them out.")
        }
        return url
    }

    // MARK: HTML

    private static func form(
        _ url: String, problem: String? = nil, _ context: WebContext, status: HTTPStatus = .ok,
        fields: [(name: HTTPField.Name, value: String)] = []
    ) -> WebAnswer {
        var page = HTMLBuilder()
        page.element("header") { page in
            page.element("p", [("class", "eyebrow")], text: "Report card")
            page.element("h1", text: "Check a page")
            page.element(
                "p", [("class", "lead")],
                text:
                    "What is right and wrong with it, why, and how to mend it: as search result, as a way into an app.")
        }
        page.element("main", [("id", "content")]) { page in
            writeForm(url, problem: problem, to: &page)
            page.element(
                "p", [("class", "dim small hint")],
                text:
                    "The page is fetched as a crawl would fetch it: robots.txt is asked first, and what it forbids is not "
                    + "fetched. Between two requests to a host lies a pause, so a card takes a few seconds.")
            page.element("h2") { page in
                page.text("What is looked at ")
                page.element("span", [("class", "count")], text: "\(Check.all.count) checks")
            }
            page.element("section", [("class", "tiles")]) { page in
                for (group, what) in topics {
                    page.element("div", [("class", "card tile topic")]) { page in
                        page.element("h3", text: group.title)
                        page.element("p", [("class", "dim small")], text: what)
                    }
                }
            }
        }
        var answer = WebAnswer.html(
            Layout.page(title: "Report card", body: page.html, section: .card), status: status)
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

    private static func writeForm(_ url: String, problem: String? = nil, to page: inout HTMLBuilder) {
        page.element("form", [("class", "ask"), ("method", "post"), ("action", "/card"), ("data-busy", "Checking …")]) {
            page in
            page.element("label", [("for", "card-url"), ("class", "unseen")], text: "Address of the page")
            page.element("div", [("class", "ask-field")]) { page in
                var attributes: [HTMLBuilder.Attribute] = [
                    ("id", "card-url"), ("name", "url"), ("type", "text"), ("inputmode", "url"),
                    ("autocomplete", "url"), ("autocapitalize", "none"), ("spellcheck", "false"), ("required", ""),
                    ("maxlength", "\(WebLimits.urlLength)"), ("placeholder", "https://example.org/page"),
                    ("value", url),
                ]
                if problem != nil {
                    attributes += [("aria-invalid", "true"), ("aria-describedby", "card-problem"), ("autofocus", "")]
                }
                page.void("input", attributes)
                page.element("button", [("type", "submit")], text: "Check")
            }
            page.element(
                "p", [("class", "told"), ("data-busy-note", ""), ("role", "status"), ("hidden", "")],
                text: "The page and the files of its site are being fetched. This takes a few seconds.")
            if let problem {
                page.element("p", [("class", "told error"), ("id", "card-problem"), ("role", "alert")], text: problem)
            }
        }
    }

    private static func answer(_ card: CardDesk.Card) -> WebAnswer {
        var page = HTMLBuilder()
        page.markup(card.pieces.heading)
        page.element("main", [("id", "content")]) { page in
            page.markup(card.pieces.content)
            page.element("h2", text: "Check again, or another page")
            writeForm(card.url.href, to: &page)
            page.element(
                "p", [("class", "dim small hint")],
                text: "Made on \(InternetTime.text(card.date)). This page is kept for half an hour.")
        }
        return .html(Layout.page(title: card.pieces.title, body: page.html, section: .card))
    }
}
