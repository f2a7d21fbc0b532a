import Foundation
import PippinCrawl
import PippinPage
import PippinReport
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinServe

@Suite struct CardDeskTests {
    private static func card(_ url: WebURL) -> ReportCard {
        ReportCard(url: url, evidence: PageEvidence(missing: "nothing was asked"), options: ReportCard.Options())
    }

    private let page: WebURL

    init() throws {
        page = try #require(WebURL("https://example.org/page"))
    }

    private func desk(
        _ limits: CardDesk.Limits = CardDesk.Limits(), _ queue: FetchQueue.Limits = FetchQueue.Limits(),
        rate: Int = 100,
        make: @escaping @Sendable (WebURL) async throws -> ReportCard = { Self.card($0) }
    ) -> CardDesk {
        CardDesk(
            limits: limits, rate: RateLimit(size: rate, interval: .seconds(3600)), queue: FetchQueue(queue), make: make)
    }

    private func refusal(_ body: () async throws -> CardDesk.Card) async -> WebRefusal? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? WebRefusal
        }
    }

    @Test func `a card is kept under a name that cannot be guessed, for a while`() async throws {
        var limits = CardDesk.Limits()
        limits.keeping = .seconds(60)
        let desk = desk(limits)
        let card = try await desk.card(of: page)
        #expect(card.identifier.utf8.count == 32)
        #expect(await desk.kept(card.identifier)?.url == page)
        #expect(await desk.kept("") == nil)
        let other = try await desk.card(of: page)
        #expect(other.identifier != card.identifier)
        #expect(await desk.kept(card.identifier, now: card.madeAt + .seconds(61)) == nil)
    }

    @Test func `no more cards are kept than there is room for, and the newest always is`() async throws {
        var limits = CardDesk.Limits()
        limits.cards = 2
        let desk = desk(limits)
        var names: [String] = []
        for _ in 0..<3 { names.append(try await desk.card(of: page).identifier) }
        var kept = [Bool]()
        for name in names { kept.append(await desk.kept(name) != nil) }
        #expect(kept == [false, true, true])
        limits.bytes = 1
        let small = self.desk(limits)
        let first = try await small.card(of: page)
        let last = try await small.card(of: page)
        #expect(await small.kept(first.identifier) == nil)
        #expect(await small.kept(last.identifier) != nil)
    }

    @Test(.ends) func `one card is made at a time, a few orders wait, and more are refused`() async throws {
        let inFlight = Atomic<Int>(0)
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        var limits = FetchQueue.Limits()
        limits.waiting = 1
        let most = Mutex(0)
        let desk = desk(CardDesk.Limits(), limits) { url in
            let now = inFlight.add(1, ordering: .relaxed).newValue
            most.withLock { $0 = max($0, now) }
            beginning.yield()
            for await _ in gate { break }
            inFlight.subtract(1, ordering: .relaxed)
            return Self.card(url)
        }
        let page = page
        await withTaskGroup(of: WebRefusal?.self) { group in
            group.addTask { await refusal { try await desk.card(of: page) } }
            for await _ in begun { break }
            // Of two more orders one waits. The other is refused, and so ends first.
            for _ in 0..<2 { group.addTask { await refusal { try await desk.card(of: page) } } }
            let refused = await group.next() ?? nil
            #expect(refused?.status == .tooManyRequests)
            #expect(refused?.fields.contains { $0.name == .retryAfter } == true)
            opener.yield()
            opener.yield()
            for await refused in group { #expect(refused == nil) }
        }
        let mostAtOnce = most.withLock { $0 }
        #expect(mostAtOnce == 1)
        opener.yield()
        _ = try await desk.card(of: page)
    }

    @Test func `orders that come too often are refused before anybody is asked`() async throws {
        let count = Atomic<Int>(0)
        let desk = desk(rate: 2) { url in
            count.add(1, ordering: .relaxed)
            return Self.card(url)
        }
        _ = try await desk.card(of: page)
        _ = try await desk.card(of: page)
        #expect(await refusal { try await desk.card(of: page) }?.status == .tooManyRequests)
        let orders = count.load(ordering: .relaxed)
        #expect(orders == 2)
    }

    @Test(.ends) func `a card that takes too long is given up, and the next order has its turn`() async throws {
        var limits = FetchQueue.Limits()
        limits.time = .milliseconds(20)
        let slow = try #require(WebURL("https://slow.example/"))
        let wasCancelled = Atomic<Bool>(false)
        let desk = desk(CardDesk.Limits(), limits) { url in
            if url == slow {
                do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.store(true, ordering: .relaxed) }
            }
            return Self.card(url)
        }
        #expect(await refusal { try await desk.card(of: slow) }?.status == .gatewayTimeout)
        let wasTold = wasCancelled.load(ordering: .relaxed)
        #expect(wasTold)
    }

    @Test(.ends) func `a card that nobody waits for any more is given up, waiting or begun`() async throws {
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let asked = Atomic<Int>(0)
        let desk = desk { url in
            asked.add(1, ordering: .relaxed)
            beginning.yield()
            try await Task.sleep(for: .seconds(3600))
            return Self.card(url)
        }
        let page = page
        let first = Task { try await desk.card(of: page) }
        for await _ in begun { break }
        let second = Task { try await desk.card(of: page) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let count = asked.load(ordering: .relaxed)
        #expect(count == 1)
    }

    @Test(.ends) func `an order ends when its client goes away`() async throws {
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let (given, giving) = AsyncStream<Void>.makeStream()
        let storage = try await ServedStorage()
        defer { storage.remove() }
        let order = { @Sendable (url: WebURL) async throws -> ReportCard in
            beginning.yield()
            do { try await Task.sleep(for: .seconds(3600)) } catch { giving.yield() }
            throw CancellationError()
        }
        try await storage.served(makeCard: order) { client async throws in
            let body = "url=https://example.org/"
            var open: WebConnection? = try client.open(
                "POST /api/v1/card HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(WebRequest.formType)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
            for await _ in begun { break }
            withExtendedLifetime(open) {}
            open = nil
            for await _ in given { break }
        }
    }

    @Test func `the reason why nothing may be fetched becomes an answer`() async throws {
        let desk = desk { _ in throw FetchRefusal("Nobody may be asked.") }
        let refused = await refusal { try await desk.card(of: page) }
        #expect(refused?.status == .forbidden)
        #expect(refused?.sentence == "Nobody may be asked.")
    }

    @Test func `passwords in addresses are not shown`() async throws {
        let url = try #require(WebURL("https://someone:secret@example.org/page"))
        let card = try await desk().card(of: url)
        #expect(!card.pieces.content.html.contains("secret") && !card.pieces.heading.html.contains("secret"))
        #expect(!String(decoding: card.json, as: UTF8.self).contains("secret"))
    }

    @Test(arguments: [
        ("example.org/a", "https://example.org/a"), (" http://example.org ", "http://example.org/"),
        ("localhost:8080/x", "https://localhost:8080/x"),
    ])
    func `an address may be typed without its scheme`(typed: String, url: String) throws {
        #expect(try PageAddress.typed(typed).href == url)
    }

    @Test(arguments: [
        "", "ftp://example.org/", "javascript://alert", "mailto:a@b.c", "http://", "https://a:b@example.org/",
    ])
    func `what is no page on the web is refused with a sentence`(typed: String) {
        #expect(throws: WebRefusal.self) { try PageAddress.typed(typed) }
    }
}
