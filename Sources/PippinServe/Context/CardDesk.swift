import Foundation
import PippinCrawl
import PippinPage
import PippinReport

/// Something of the web that may not be fetched, with a sentence for whoever asked.
public struct FetchRefusal: Error, Sendable {
    public let sentence: String

    public init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// Has report cards made, one after the other (`FetchQueue`), and keeps them for a while.
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
        /// How long a card is kept: long enough to show it to a colleague.
        var keeping = Duration.seconds(1800)
        /// How many cards are kept, and how many bytes of them. A usual card has 100 KB.
        var cards = 32
        var bytes = 32 << 20
    }

    private let make: @Sendable (WebURL) async throws -> ReportCard
    private let limits: Limits
    private let rate: RateLimit
    private let queue: FetchQueue
    /// Oldest first.
    private var cards: [Card] = []

    /// - Parameters:
    ///   - rate: how often a card may be ordered. At once a few, then one every ten seconds: as fast as someone fixes a page.
    ///   - queue: where orders wait.
    ///   - make: makes the card of a URL. Throws `FetchRefusal` if nothing may be fetched.
    init(
        limits: Limits = Limits(), rate: RateLimit = RateLimit(size: 6, interval: .seconds(10)), queue: FetchQueue,
        make: @escaping @Sendable (WebURL) async throws -> ReportCard
    ) {
        self.limits = limits
        self.rate = rate
        self.queue = queue
        self.make = make
    }

    /// Makes the card of a URL when those before it are made, and keeps it.
    ///
    /// - Throws: `CancellationError` if nobody waits for it any more. Then nobody is asked for it either.
    func card(of url: WebURL) async throws -> Card {
        try rate.pass("Report cards")
        let make = make
        let card = try await queue.run { try await make(url) }
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
