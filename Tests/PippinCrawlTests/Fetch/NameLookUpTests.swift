import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct NameLookUpTests {
    private static let somewhere = NetworkAddress.v4(0x0909_0909)

    @Test func `many names are answered side by side`() async {
        let lookUps = NameLookUps(limit: .seconds(60)) { _ in .success([Self.somewhere]) }
        let answers = await withTaskGroup(of: NameLookUps<[NetworkAddress]>.Answer.self) { group in
            for number in 0..<300 { group.addTask { await lookUps.addresses(of: "h\(number).test") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 300 && answers.allSatisfy { $0 == .success([Self.somewhere]) })
    }

    @Test func `a name server that does not answer ends the wait, and others are served`() async {
        let release = DispatchSemaphore(value: 0)
        let lookUps = NameLookUps(limit: .milliseconds(100)) { host in
            if host == "stuck.test" { release.wait() }
            return .success([Self.somewhere])
        }
        #expect(await lookUps.addresses(of: "stuck.test") == .failure(.timedOut("no address within 0.1 s")))
        let next = NameLookUps(limit: .seconds(60)) { _ in .failure(.hostNotFound) }
        #expect(await next.addresses(of: "b.test") == .failure(.hostNotFound))
        release.signal()
    }

    @Test func `who is cancelled does not wait`() async {
        let release = DispatchSemaphore(value: 0)
        let lookUps = NameLookUps(limit: .seconds(600)) { _ in
            release.wait()
            return .success([])
        }
        let task = Task { await lookUps.addresses(of: "stuck.test") }
        task.cancel()
        #expect(await task.value == .failure(.cancelled))
        release.signal()
    }

    // MARK: The name of an address

    /// Looks up 9.9.9.9 with made-up answers.
    private func reverse(
        name: NameLookUps<String>.Answer, addresses: NameLookUps<[NetworkAddress]>.Answer
    ) async -> ReverseName {
        await ReverseName.of(
            Self.somewhere,
            names: NameLookUps(of: "name", limit: .seconds(60)) { $0 == "9.9.9.9" ? name : .success("") },
            addresses: NameLookUps(limit: .seconds(60)) { $0 == "bot.test" ? addresses : .failure(.hostNotFound) })
    }

    @Test func `the name of an address counts if it leads back`() async {
        let good = await reverse(name: .success("bot.test"), addresses: .success([Self.somewhere]))
        #expect(good == .confirmed("bot.test"))
        #expect(await reverse(name: .success("bot.test"), addresses: .success([.v4(1)])) == .other("bot.test"))
        #expect(await reverse(name: .success("no.test"), addresses: .success([Self.somewhere])) == .other("no.test"))
        #expect(await reverse(name: .failure(.hostNotFound), addresses: .success([])) == .none)
        let trouble = FetchError.lookUpFailed("try again")
        #expect(await reverse(name: .failure(trouble), addresses: .success([])) == .failed("try again"))
        #expect(await reverse(name: .success("bot.test"), addresses: .failure(trouble)) == .failed("try again"))
    }

    @Test(arguments: [true, false]) func `a name server that does not answer ends the check`(isOfName: Bool) async {
        let release = DispatchSemaphore(value: 0)
        let names = NameLookUps<String>(of: "name", limit: .milliseconds(100)) { _ in
            if isOfName { release.wait() }
            return .success("bot.test")
        }
        let addresses = NameLookUps<[NetworkAddress]>(limit: .milliseconds(100)) { _ in
            release.wait()
            return .success([Self.somewhere])
        }
        let found = await ReverseName.of(Self.somewhere, names: names, addresses: addresses)
        #expect(found == .failed("no \(isOfName ? "name" : "address") within 0.1 s"))
        release.signal()
    }

    /// No name server knows the name: nobody was asked for it.
    @Test func `an exchange goes to the address that was looked up, and nobody looks again`() async throws {
        let exchange = try LoopbackExchange { _, connection in
            connection.respond("200 Fine", ["Content-Type: text/html"], body: Array("<p>hello".utf8))
            return .keepOpen
        }
        let port = try #require(WebURL(exchange.server.url("/"))?.port)
        for host in ["known.test", "known.test."] {
            var request = FetchRequest(url: try #require(WebURL("http://\(host):\(port)/")))
            request.addresses = [try #require(NetworkAddress("127.0.0.1"))]
            let response = try await exchange.fetcher.fetch(request).get()
            #expect(response.status == 200 && response.remoteAddress == "127.0.0.1")
        }
        await exchange.fetcher.shutdown()
    }

    @Test func `names that say where they are are not asked for`() async throws {
        let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(userAgent: "PippinTest"))
        for host in ["127.0.0.1", "[::1]", "localhost", "a.b.localhost"] {
            #expect(await fetcher.addresses(of: host) == .success([]))
        }
        #expect(await fetcher.addresses(of: "x.invalid") == .failure(.hostNotFound))
        await fetcher.shutdown()
    }
}
