import Foundation
import PippinCrawl
import PippinPage
import PippinReport
import PippinStore

/// The report of the storage's site, and the cards of its worst pages.
enum SitePage {
    static let cardPath = "/site/card"

    static let routes: [WebRoute] = [
        .page("/site") { request, context in try await page(request, context) },
        .page(cardPath) { request, context in try await card(request, context) },
        .api(
            "/api/v1/site",
            APIOperation(
                id: "site", summary: "The site report of what the storage knows, with longer lists than the page.",
                schema: ["type": "object"], refusals: [404])
        ) { _, context in
            guard let made = try await context.siteReport.current(context) else {
                throw WebRefusal(.notFound, missing)
            }
            return .json(made.json)
        },
    ]

    private static let missing =
        "No run has made a report yet. Crawl with --report FOLDER (output.report), and it is here."

    private static func page(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        guard let made = try await context.siteReport.current(context) else { return empty() }
        let page: HTML = """
            \(made.pieces.heading)<main id="content">\(made.pieces.content)<p class="dim small hint">\
            Made on \(InternetTime.text(made.date)) of what the storage knows. <a href="/api/v1/site">The same as JSON</a>.</p></main>
            """
        return Layout.page(made.pieces.title, page, section: .site)
    }

    private static func card(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let name = try request.query.text("name", minimum: 1, maximum: 200)
        guard let made = try await context.siteReport.current(context), let card = made.cards[name] else {
            throw WebRefusal(.notFound, "The site report has no such card. It may have been mended.")
        }
        let pieces = card.pieces(partOf: "/site").withoutUserInformation
        let page: HTML = #"\#(pieces.heading)<main id="content">\#(pieces.content)</main>"#
        return Layout.page(pieces.title, page, section: .site)
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

/// The site report that was made last. Making it reads all judgements of the storage, so it is made again only if the storage
/// has changed, and at most every `pause`.
actor SiteReportKeeper {
    struct Made: Sendable {
        let version: String
        let madeAt: ContinuousClock.Instant
        /// How long it took.
        let time: Duration
        let date: Date
        let pieces: PagePieces
        let json: [UInt8]
        let cards: [String: ReportCard]
    }

    /// While a run goes on, the storage changes every second. The report of a large site takes longer to make, so it is made
    /// less often: a tenth of a processor's time at most.
    private static let shortestPause = Duration.seconds(10)
    private static let pausePerMaking = 10

    private var made: Made?
    private var making: Task<Made?, any Error>?
    /// Of its own: the report of a large site takes seconds, in which searches would wait.
    private let executor = BlockingExecutor("pippin.serve.site")

    /// The report; nil if no run has judged a page.
    func current(_ context: WebContext) async throws -> Made? {
        if let making { return try await making.value }
        if let made, .now - made.madeAt < max(Self.shortestPause, made.time * Self.pausePerMaking) { return made }
        let last = made
        // All who ask meanwhile wait for the same report.
        let task = Task(executorPreference: executor) { try Self.make(context, last: last) }
        making = task
        defer { making = nil }
        made = try await task.value
        return made
    }

    private static func make(_ context: WebContext, last: Made?) throws -> Made? {
        let reader = try context.storage
        let start = ContinuousClock.now
        let version = try reader.version()
        if let last, last.version == version {
            return Made(
                version: version, madeAt: .now, time: last.time, date: last.date, pieces: last.pieces, json: last.json,
                cards: last.cards)
        }
        guard let report = try reader.siteReport(context.settings.configuration) else { return nil }
        return Made(
            version: version, madeAt: .now, time: .now - start, date: Date(),
            pieces: report.pieces(cardFolder: SitePage.cardPath + "?name=").withoutUserInformation,
            json: UserInformation.hidden(in: report.json.bytes(pretty: true)) + [0x0A],
            cards: Dictionary(report.cards.map { ($0.name, $0.card) }, uniquingKeysWith: { first, _ in first }))
    }
}
