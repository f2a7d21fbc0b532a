import Foundation
import PippinCrawl
import PippinPage
import PippinReport

/// A page whose report card is not made, with a sentence for whoever asked.
public struct CardRefusal: Error, Sendable {
    public let sentence: String

    public init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// Takes orders for report cards and keeps the cards for a while.
///
/// A card costs requests to hosts of others, so cards are made one after the other: only so do the pauses between two requests
/// to a host hold for several cards too. A few orders wait; more are refused. So are orders that come too often.
actor CardDesk {
    /// A finished card.
    struct Card: Sendable {
        /// Cannot be guessed, so that only those who were given a link see the card.
        let identifier: String
        /// What was asked for.
        let url: WebURL
        let pieces: PagePieces
        /// The record that the page makes, if any.
        let record: JSONValue?
        let json: [UInt8]
        let madeAt: ContinuousClock.Instant
        let date: Date

        fileprivate var size: Int { pieces.heading.html.utf8.count + pieces.content.html.utf8.count + json.count }
    }

    struct Limits: Sendable {
        /// How many orders may wait for the one that is worked on.
        var waiting = 2
        /// Time for one card, with all pauses: a page, robots.txt, association files and pictures of several hosts.
        var time = Duration.seconds(60)
        /// How long a card is kept: long enough to show it to a colleague.
        var keeping = Duration.seconds(1800)
        /// How many cards are kept, and how many bytes of them. A usual card has 100 KB.
        var cards = 32
        var bytes = 32 << 20
    }

    private let make: @Sendable (WebURL) async throws -> ReportCard
    private let limits: Limits
    private let rate: RateLimit
    private let executor = BlockingExecutor("pippin.serve.card")
    private var isBusy = false
    private var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    private var lastNumber = 0
    /// Oldest first.
    private var cards: [Card] = []

    /// - Parameters:
    ///   - rate: how often a card may be ordered. At once a few, then one every ten seconds: as fast as someone fixes a page.
    ///   - make: makes the card of a URL. Throws `CardRefusal` if nothing may be fetched.
    init(
        limits: Limits = Limits(), rate: RateLimit = RateLimit(size: 6, interval: .seconds(10)),
        make: @escaping @Sendable (WebURL) async throws -> ReportCard
    ) {
        self.limits = limits
        self.rate = rate
        self.make = make
    }

    /// Makes the card of a URL when those before it are made, and keeps it.
    ///
    /// - Throws: `CancellationError` if nobody waits for it any more. Then nobody is asked for it either.
    func card(of url: WebURL) async throws -> Card {
        try rate.pass("Report cards")
        let ordered = ContinuousClock.now
        try await takePermit()
        defer { passPermit() }
        try Task.checkCancellation()
        // The connection would be closed before the answer, and a host asked for nobody.
        guard ContinuousClock.now - ordered + limits.time < .seconds(WebLimits.requestSeconds) else {
            throw WebRefusal(
                .tooManyRequests, "Other report cards took long. Try again in ten seconds.",
                fields: [(.retryAfter, "10")])
        }
        let card = try await made(url)
        let finished = Card(
            identifier: Self.newIdentifier(), url: url, pieces: card.pieces().withoutUserInformation,
            record: card.record?.json,
            json: UserInformation.hidden(in: card.json.bytes(pretty: true)) + [0x0A], madeAt: .now, date: Date())
        keep(finished)
        return finished
    }

    /// A card that was made; nil if it is not kept any more.
    func kept(_ identifier: String, now: ContinuousClock.Instant = .now) -> Card? {
        removeOld(now: now)
        return cards.first { $0.identifier == identifier }
    }

    // MARK: Permits

    private func takePermit() async throws {
        guard isBusy else {
            isBusy = true
            return
        }
        guard waiting.count < limits.waiting else {
            throw WebRefusal(
                .tooManyRequests, "Other report cards are being made. Try again in ten seconds.",
                fields: [(.retryAfter, "10")])
        }
        lastNumber += 1
        let number = lastNumber
        let hasPermit = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Before this, a cancellation finds nothing to give up.
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    waiting.append((number, continuation))
                }
            }
        } onCancel: {
            Task { await self.giveUp(number) }
        }
        if !hasPermit { throw CancellationError() }
    }

    private func passPermit() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().continuation.resume(returning: true) }
    }

    private func giveUp(_ number: Int) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).continuation.resume(returning: false)
    }

    private func made(_ url: WebURL) async throws -> ReportCard {
        let (make, time) = (make, limits.time)
        do {
            return try await withThrowingTaskGroup(of: ReportCard?.self) { group in
                // Reading a page computes, so it has a thread for it: Swift's own ones answer the other requests.
                group.addTask(executorPreference: executor) { try await make(url) }
                group.addTask {
                    try await Task.sleep(for: time)
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let card = first else {
                    throw WebRefusal(
                        .gatewayTimeout,
                        "The report card took longer than \(DurationWords.text(seconds: Int(time / .seconds(1)))): a host answers slowly, or asks for long pauses. "
                            + "In a terminal, pippin validate waits longer.")
                }
                return card
            }
        } catch let refusal as CardRefusal {
            throw WebRefusal(.forbidden, refusal.sentence)
        }
    }

    // MARK: Keeping

    private func keep(_ card: Card) {
        removeOld(now: card.madeAt)
        cards.append(card)
        while cards.count > limits.cards || (cards.count > 1 && cards.reduce(0) { $0 + $1.size } > limits.bytes) {
            cards.removeFirst()
        }
    }

    private func removeOld(now: ContinuousClock.Instant) {
        cards.removeAll { now - $0.madeAt > limits.keeping }
    }

    private static func newIdentifier() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
