import Foundation
import PippinCrawl
import PippinPage
import PippinReport
import PippinStore

/// The report of the storage's site, and the cards of its worst pages.
enum SitePage {
    static let routes: [WebRoute] = [
        .page("/site") { request, context in try await page(request, context) },
        .page(SiteReportKeeper.cardPath) { request, context in try await card(request, context) },
        .page(SiteReportKeeper.hostPath) { request, context in try await hosts(request, context) },
        .api(
            "/api/v1/site",
            APIOperation(
                id: "site", summary: "The site report of what the storage knows, with longer lists than the page.",
                schema: ["type": "object"], refusals: [404])
        ) { _, context in
            guard let made = try await context.siteReport.current(context) else {
                throw WebRefusal(.notFound, try context.job.shardCount == nil ? missing : ofShards)
            }
            return .json(made.json)
        },
    ]

    private static let missing =
        "No run has made a report yet. Crawl with --report FOLDER (output.report), and it is here."

    private static let ofShards = "A job in shards has no site report: each worker sees the pages of its shard alone."

    private static func page(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        guard let made = try await context.siteReport.current(context) else {
            return try context.job.shardCount == nil ? empty() : emptyOfShards()
        }
        let page: HTML = """
            \(made.pieces.heading)<main id="content">\(made.pieces.content)<p class="dim small hint">\
            Made on \(InternetTime.text(made.date)) of what the storage knows. <a href="/api/v1/site">The same as JSON</a>.</p></main>
            """
        return Layout.page(made.pieces.title, page, section: .site)
    }

    private static func card(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let name = try request.query.text("name", minimum: 1, maximum: 200)
        guard let made = try await context.siteReport.current(context), let card = made.cards[name] else {
            throw WebRefusal(.notFound, "The site report has no such card. It may have been fixed.")
        }
        let pieces = card.pieces(partOf: "/site").withoutUserInformation
        let page: HTML = #"\#(pieces.heading)<main id="content">\#(pieces.content)</main>"#
        return Layout.page(pieces.title, page, section: .site)
    }

    private static func hosts(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let offset = try request.query.number("offset", in: 0...1_000_000, default: 0)
        guard let made = try await context.siteReport.current(context),
            let pieces = made.report.hostPieces(from: offset, path: SiteReportKeeper.hostPath, partOf: "/site")?
                .withoutUserInformation
        else { throw WebRefusal(.notFound, "The site report has no such hosts.") }
        let page: HTML = #"\#(pieces.heading)<main id="content">\#(pieces.content)</main>"#
        return Layout.page(pieces.title, page, section: .site)
    }

    private static func emptyOfShards() -> WebAnswer {
        let page: HTML = """
            <header><p class="eyebrow">Site report</p><h1>No report</h1><p class="lead">\(ofShards)</p></header>\
            <main id="content"></main>
            """
        return Layout.page("Site report", page, section: .site)
    }

    private static func empty() -> WebAnswer {
        let page: HTML = """
            <header><p class="eyebrow">Site report</p><h1>No report yet</h1>\
            <p class="lead">A run with a report judges every page it visits, and compares them with each other.</p></header>\
            <main id="content"><section class="card quiet"><p>Start the next run with a folder for the report:</p>\
            <pre><code>pippin crawl --report report</code></pre><p class="hint">or set <code>output.report</code> in its \
            configuration. This page shows the report as soon as the run judges pages.</p></section></main>
            """
        return Layout.page("Site report", page, section: .site)
    }
}
