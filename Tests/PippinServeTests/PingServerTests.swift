import Foundation
import PippinCrawl
import PippinPage
import PippinStore
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinServe

/// The server of `pippin notify`: what sites are answered, and which pages wait for the job.
@Suite struct PingServerTests {
    private static let key = "0123456789abcdef"
    private static let at = "/indexnow"

    /// What hosts have at the addresses of key files, and which of them were asked.
    private final class Hosts: Sendable {
        private struct Log {
            var asked: [String] = []
            /// How many files a host is being asked for.
            var now: [String: Int] = [:]
            var most = 0
        }

        private let files: Mutex<[String: PingSettings.KeyAnswer]>
        private let log = Mutex(Log())
        /// How long each answer takes.
        private let time: Duration

        init(_ files: [String: PingSettings.KeyAnswer], time: Duration = .zero) {
            self.files = Mutex(files)
            self.time = time
        }

        func answer(_ url: WebURL) async -> PingSettings.KeyAnswer {
            let host = url.politenessHost
            log.withLock { log in
                log.asked.append(url.href)
                log.now[host, default: 0] += 1
                log.most = max(log.most, log.now[host] ?? 0)
            }
            defer { log.withLock { $0.now[host, default: 0] -= 1 } }
            do {
                // One that is stuck answers when the server ends.
                try await Task.sleep(for: host == "stuck.example" ? .seconds(600) : time)
            } catch {
                return .unreachable("\(error).")
            }
            return files.withLock { $0[url.href] } ?? .missing("\(url.href) answers with status 404.")
        }

        var asked: [String] { log.withLock { $0.asked } }
        /// The most files that one host was asked for at the same time.
        var mostAtOnce: Int { log.withLock { $0.most } }
    }

    private static let good: [String: PingSettings.KeyAnswer] = [
        "https://h.example/\(key).txt": .file(Array("\(key)\n".utf8)),
        "https://h.example/a/k.txt": .file(Array(key.utf8)),
        "https://slow.example/\(key).txt": .unreachable("It takes too long."),
        "https://page.example/\(key).txt": .file(Array("<title>Not found</title>".utf8)),
    ]

    /// Serves a job of the hosts below `example`, except `/private`, while `body` runs.
    private func served(
        _ hosts: Hosts = Hosts(good), inboxBytes: Int = PingInbox.maximumBytes, pingsAtOnce: Int = 1_000,
        asking: @escaping @Sendable (WebURL) -> Void = { _ in },
        _ body: @escaping @Sendable (WebClient, PingInbox) async throws -> Void
    ) async throws {
        let folder = try ScratchFolder()
        let inbox = PingInbox(folder.url, maximumBytes: inboxBytes)
        var settings = WebSettings(storage: folder.url)
        settings.port = 0
        settings.proxies = ["127.0.0.1"]
        settings.pings = PingSettings(
            inbox: inbox,
            refusal: { url in
                asking(url)
                guard url.host?.hasSuffix(".example") == true else { return .otherHost }
                return url.path.hasPrefix("/private") ? .excluded : nil
            }, fetchKey: { await hosts.answer($0.keyFile) })
        settings.pings?.pingsAtOnce = pingsAtOnce
        try await WebServer(settings).withServer { port in
            try await withTaskExecutorPreference(BlockingExecutor("pippin.test.client")) {
                try await body(WebClient(port: port), inbox)
            }
        }
    }

    private static func target(_ url: String, _ key: String = key, _ location: String? = nil) -> String {
        LocalLink(at, ["url": url, "key": key, "keyLocation": location]).description
    }

    /// Asks until the key is known to be right or wrong.
    private static func settled(_ client: WebClient, _ target: String) async throws -> WebClient.Reply {
        for _ in 0..<500 {
            let reply = try await client.get(target)
            if reply.status != 202 { return reply }
            try await Task.sleep(for: .milliseconds(10))
        }
        return try await client.get(target)
    }

    private static func waiting(_ inbox: PingInbox) async throws -> [String] {
        var found: [String] = []
        _ = try await inbox.take {
            found += $0.map(\.url.href)
            return []
        }
        return found
    }

    @Test func `a key is fetched once, and then its pages wait for the job`() async throws {
        let hosts = Hosts(Self.good)
        try await served(hosts) { client, inbox in
            let first = try await client.get(Self.target("https://h.example/1"))
            #expect(first.status == 202)
            #expect(try first.json()["key"]?.string == "pending")
            let second = try await Self.settled(client, Self.target("https://h.example/2"))
            #expect(second.status == 200)
            #expect(try second.json()["accepted"]?.integer == 1)
            let body =
                #"{"host":"h.example","key":"\#(Self.key)","urlList":["https://h.example/3","https://h.example/private/4","https://h.example/1"]}"#
            let many = try await client.post(Self.at, body, type: "application/json; charset=utf-8")
            #expect(many.status == 200)
            #expect(try many.json()["accepted"]?.integer == 2 && many.json()["refused"]?.integer == 1)
            #expect(try await Self.waiting(inbox).sorted() == (1...3).map { "https://h.example/\($0)" })
            #expect(hosts.asked == ["https://h.example/\(Self.key).txt"])
            // After a run, the same page may change again.
            #expect(try await client.get(Self.target("https://h.example/1")).status == 200)
            #expect(try await Self.waiting(inbox) == ["https://h.example/1"])
        }
    }

    @Test(
        arguments: [
            ("https://other.example/1", key, nil), ("https://page.example/1", key, nil),
            ("https://slow.example/1", key, nil), ("https://h.example/1", "fedcba9876543210", nil),
            ("https://h.example/a/1", "fedcba9876543210", "https://h.example/a/k.txt"),
        ] as [(String, String, String?)])
    func `a key that is not proved gives no page`(url: String, key: String, location: String?) async throws {
        try await served { client, inbox in
            let reply = try await Self.settled(client, Self.target(url, key, location))
            #expect(reply.status == 403 && reply.fields["content-type"] == "application/problem+json")
            #expect(try await Self.waiting(inbox).isEmpty)
        }
    }

    /// What has another form, and the status that says so. No host is asked because of any of it.
    @Test func `hostile pings are refused, and no host is asked`() async throws {
        let hosts = Hosts(Self.good)
        try await served(hosts) { client, inbox in
            let url = "https://h.example/1"
            let targets: [(String, Int)] = [
                (Self.at, 400), (LocalLink(Self.at, ["url": url]).description, 400),
                (LocalLink(Self.at, ["key": Self.key]).description, 400),
                (Self.target("nonsense"), 400), (Self.target("javascript:alert(1)"), 400),
                (Self.target("https://u:p@h.example/"), 400),
                // The ampersand of an address that is not encoded.
                ("\(Self.at)?url=https://h.example/?a=1&b=2&key=\(Self.key)", 400),
                ("\(Self.target(url))&key=\(Self.key)", 400), ("\(Self.at)?url=%zz&key=\(Self.key)", 400),
                (Self.target(url, "short"), 422), (Self.target(url, "with.dots.and.more"), 422),
                (Self.target(url, "../../../../secret"), 422),
                (Self.target(url, String(repeating: "a", count: 129)), 422),
                (Self.target(url, Self.key, "https://evil.test/k.txt"), 422),
                (Self.target(url, Self.key, "https://h.example/b/k.txt"), 422),
                (Self.target(url, Self.key, "https://h.example/echo?x=\(Self.key)"), 422),
                // What the job does not visit.
                (Self.target("https://h.test/"), 422), (Self.target("http://127.0.0.1/"), 422),
                (Self.target("http://[::1]/"), 422), (Self.target("https://h.example/private/1"), 422),
                (Self.target(url, Self.key, "https://h.example/private-key.txt"), 422),
                (Self.target("https://h.example/" + String(repeating: "x", count: 3_000)), 400),
                (Self.target("https://h.example/" + String(repeating: "x", count: 20_000)), 414),
                ("/", 404), ("/search", 404), ("/api/v1/search?q=x", 404), ("/metrics", 404), ("/healthz", 200),
            ]
            for (target, status) in targets {
                let reply = try await client.get(target)
                #expect(reply.status == status, "\(target.prefix(200)): \(reply.body.prefix(200))")
            }
            let member = #""host":"h.example","key":"\#(Self.key)","urlList":["\#(url)"]"#
            let bodies: [(String, String, Int)] = [
                ("{\(member)}", "text/plain", 415), ("{\(member)}", WebRequest.formType, 415),
                ("{\(member)", "application/json", 400), ("", "application/json", 400),
                ("{\(member),\"key\":\"other-key\"}", "application/json", 400), ("[]", "application/json", 400),
                (String(repeating: "[", count: 100_000), "application/json", 400),
                (#"{"host":"h.example","key":"k","urlList":["\#(url)"]}"#, "application/json", 422),
                (
                    #"{"host":"h.example","key":"\#(Self.key)","urlList":["https://other.example/"]}"#,
                    "application/json", 422
                ),
                (#"{"host":"h.test","key":"\#(Self.key)","urlList":["https://h.test/"]}"#, "application/json", 422),
                (#"{"host":"h.example","key":"\#(Self.key)","urlList":"\#(url)"}"#, "application/json", 400),
            ]
            for (body, type, status) in bodies {
                let reply = try await client.post(Self.at, body, type: type)
                #expect(reply.status == status, "\(body.prefix(100)): \(reply.body.prefix(200))")
            }
            // Nobody waits for the body.
            let large = [
                "Host: 127.0.0.1", "Content-Type: application/json", "Content-Length: \(WebLimits.pingBytes + 1)",
            ]
            #expect(try await client.send("POST \(Self.at) HTTP/1.1", large).status == 413)
            #expect(try await client.send("PUT \(Self.at) HTTP/1.1", ["Host: 127.0.0.1"]).status == 405)
            #expect(try await client.send("GET \(Self.target(url)) HTTP/1.1", ["Host: evil.test"]).status == 421)
            #expect(try await Self.waiting(inbox).isEmpty)
        }
        #expect(hosts.asked.isEmpty)
    }

    /// The statuses of pings with wrong keys, from an address.
    private static func guesses(
        _ client: WebClient, from address: String, count: Int = 20, location: String? = nil
    ) async throws -> [Int] {
        var statuses: [Int] = []
        for number in 0..<count {
            let key = "wrong-key-\(address.replacing(".", with: "-"))-\(number)"
            let target = Self.target("https://h.example/1", key, location)
            statuses.append(try await client.get(target, ["X-Forwarded-For: \(address)"]).status)
        }
        return statuses
    }

    @Test func `a host is asked for few keys, whoever pings`() async throws {
        let hosts = Hosts(Self.good)
        try await served(hosts) { client, _ in
            var accepted = 0
            for stranger in 1...8 {
                let statuses = try await Self.guesses(client, from: "192.0.2.\(stranger)")
                let here = statuses.filter { $0 == 202 }.count
                #expect(here <= PingDesk.keyFilesPerClient)
                #expect(statuses.filter { $0 == 429 }.count == 20 - here, "\(statuses)")
                accepted += here
            }
            #expect(accepted == PingDesk.keyFilesPerHost + PingDesk.rootKeyFilesPerHost)
            // Another host is not concerned.
            #expect(try await client.get(Self.target("https://other.example/")).status == 202)
        }
        #expect(hosts.asked.filter { $0.hasPrefix("https://h.example/") }.count <= 5)
    }

    @Test func `strangers' wrong keys do not keep the owner's from being asked for`() async throws {
        try await served { client, inbox in
            let one = try await Self.guesses(client, from: "192.0.2.1")
            #expect(one.filter { $0 == 202 }.count == PingDesk.keyFilesPerClient)
            for stranger in 2...9 {
                _ = try await Self.guesses(
                    client, from: "192.0.2.\(stranger)", count: 3, location: "https://h.example/k.txt")
            }
            let target = Self.target("https://h.example/1")
            #expect(try await client.get(target, ["X-Forwarded-For: 198.51.100.1"]).status == 202)
            #expect(try await Self.settled(client, target).status == 200)
            #expect(try await Self.waiting(inbox) == ["https://h.example/1"])
        }
    }

    @Test func `a slow host keeps no other waiting, and none is asked for two files at once`() async throws {
        let hosts = Hosts(Self.good, time: .milliseconds(30))
        try await served(hosts) { client, _ async throws in
            for number in 0..<2 {
                let target = Self.target("https://stuck.example/", "some-key-\(number)")
                #expect(try await client.get(target).status == 202)
            }
            #expect(try await client.get(Self.target("https://h.example/1", "wrong-key")).status == 202)
            #expect(try await Self.settled(client, Self.target("https://h.example/1")).status == 200)
            #expect(try await client.get(Self.target("https://stuck.example/", "some-key-0")).status == 202)
        }
        #expect(hosts.mostAtOnce == 1)
    }

    @Test func `a key at the root may be asked for whatever the job visits, and no other`() throws {
        let root = "https://h.example/\(Self.key).txt"
        let others = ["https://h.example/k.txt", "https://h.example/a/\(Self.key).txt"]
        let places = [(nil, true), (root, true), (others[0], false), (others[1], false)] as [(String?, Bool)]
        for (location, isAllowed) in places {
            let ping = try IndexNowPing(url: "https://h.example/a/b", key: Self.key, keyLocation: location)
            let file = ping.keyFile
            #expect(PingSettings.allows(file, of: ping) { _ in .excluded } == isAllowed, "\(file.href)")
            #expect(PingSettings.allows(file, of: ping) { _ in nil })
            // Where a redirect leads is asked about by its own address.
            let secure = try #require(WebURL("https://h.example/hidden/k.txt"))
            #expect(!PingSettings.allows(secure, of: ping) { $0 == secure ? .excluded : nil })
        }
    }

    @Test func `pages that another run or program has taken wait again`() async throws {
        try await served { client, inbox in
            let target = Self.target("https://h.example/1")
            #expect(try await Self.settled(client, target).status == 200)
            #expect(try await Self.waiting(inbox) == ["https://h.example/1"])
            let other = try #require(WebURL("https://h.example/other"))
            #expect(try inbox.add([other], at: Date()) != nil)
            #expect(try await client.get(target).status == 200)
            #expect(try await client.get(target).status == 200)
            #expect(try await Self.waiting(inbox) == ["https://h.example/other", "https://h.example/1"])
        }
    }

    /// A ping may have 10,000 pages, and a job thousands of patterns.
    @Test func `other pings are answered while the pages of one are looked at`() async throws {
        let isAnswered = DispatchSemaphore(value: 0)
        let looked = Mutex<[DispatchTimeoutResult]>([])
        let asking: @Sendable (WebURL) -> Void = { url in
            guard url.path == "/heavy" else { return }
            let result = isAnswered.wait(timeout: .now() + 20)
            looked.withLock { $0.append(result) }
        }
        try await served(asking: asking) { client, _ async throws in
            #expect(try await Self.settled(client, Self.target("https://h.example/1")).status == 200)
            async let heavy = client.get(Self.target("https://h.example/heavy"))
            for number in 2..<5 {
                #expect(try await client.get(Self.target("https://h.example/\(number)")).status == 200)
            }
            isAnswered.signal()
            let reply = try await heavy
            #expect(reply.status == 200)
            #expect(looked.withLock { $0 } == [.success])
            // Nobody looks at the pages of a ping that its key refuses.
            for _ in 0..<1_000 { isAnswered.signal() }
            let wrong = Self.target("https://page.example/heavy")
            #expect(try await Self.settled(client, wrong).status == 403)
            let before = looked.withLock { $0.count }
            #expect(try await client.get(wrong).status == 403)
            #expect(before > 1 && looked.withLock { $0.count } == before)
        }
    }

    @Test func `a client that pings too often is told when to come back`() async throws {
        try await served(pingsAtOnce: 3) { client, _ in
            var replies: [WebClient.Reply] = []
            for _ in 0..<8 { replies.append(try await client.get(Self.target("nonsense"))) }
            #expect(replies.prefix(3).allSatisfy { $0.status == 400 })
            let refused = try #require(replies.first { $0.status == 429 })
            #expect(refused.fields["retry-after"].flatMap { Int($0) } ?? 0 >= 1)
        }
    }

    @Test func `a full inbox is told, and the key stays right`() async throws {
        try await served(inboxBytes: 150) { client, inbox in
            #expect(try await Self.settled(client, Self.target("https://h.example/1")).status == 200)
            #expect(try await client.get(Self.target("https://h.example/2")).status == 200)
            let full = try await client.get(Self.target("https://h.example/3"))
            #expect(full.status == 429 && full.fields["retry-after"] == "3600")
            #expect(try await Self.waiting(inbox).count == 2)
            #expect(try await client.get(Self.target("https://h.example/3")).status == 200)
        }
    }

    @Test func `limits of many are bounded themselves`() throws {
        var limits = RateLimits(most: 3, size: 1, interval: .seconds(10))
        let start = ContinuousClock.now
        for name in ["a", "b", "c"] { try limits.pass("Pings", for: name, now: start) }
        #expect(throws: WebRefusal.self) { try limits.pass("Pings", for: "a", now: start) }
        // The others share one.
        try limits.pass("Pings", for: "d", now: start)
        #expect(throws: WebRefusal.self) { try limits.pass("Pings", for: "e", now: start) }
        let later = start + .seconds(11)
        try limits.pass("Pings", for: "e", now: later)
        try limits.pass("Pings", for: "a", now: later)
    }
}
