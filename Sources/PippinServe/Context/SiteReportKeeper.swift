import Foundation
import PippinCrawl
import PippinPage
import PippinReport
import PippinStore

/// The site report that was made last. Making it reads all judgements of the storage, so it is made again only if the storage
/// has changed, and at most every `pause`.
actor SiteReportKeeper {
    struct Made: Sendable {
        let version: String
        let madeAt: ContinuousClock.Instant
        /// How long it took.
        let time: Duration
        let date: Date
        let report: SiteReport
        let pieces: PagePieces
        let json: [UInt8]
        let cards: [String: ReportCard]
    }

    /// Where a card of the report is; `name` says which.
    static let cardPath = "/site/card"
    /// Where further hosts of the report are; `offset` says from which on.
    static let hostPath = "/site/hosts"

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
        // Each worker sees the pages of its shard alone.
        guard let reader = try context.storage else { return nil }
        let start = ContinuousClock.now
        let version = try reader.version()
        if let last, last.version == version {
            return Made(
                version: version, madeAt: .now, time: last.time, date: last.date, report: last.report,
                pieces: last.pieces,
                json: last.json, cards: last.cards)
        }
        guard let report = try reader.siteReport(context.settings.configuration) else { return nil }
        return Made(
            version: version, madeAt: .now, time: .now - start, date: Date(), report: report,
            pieces: report.pieces(cardFolder: cardPath + "?name=", hostPath: hostPath).withoutUserInformation,
            json: UserInformation.hidden(in: report.json.bytes(pretty: true)) + [0x0A],
            cards: Dictionary(report.cards.map { ($0.name, $0.card) }, uniquingKeysWith: { first, _ in first }))
    }
}
