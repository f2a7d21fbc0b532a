import Foundation
import Synchronization

// Tests that use this web want its time, too.
@_exported import class Simulation.MadeUpTime
@_exported import struct Simulation.SeededNumbers

@testable import PippinCrawl
@testable import PippinPage

/// A web that a test makes up: pages by URL, answers in made-up time, and a log of every request.
///
/// What is not described is 404. Answers depend on the URL and on how often it was asked for, never on chance.
public final class FakeWeb: Fetcher {
    public struct Answer: Sendable {
        public var status: Int
        public var headers: [(String, String)]
        public var body: String
        public var failure: FetchError?
        /// Instead of the web's own.
        public var latency: Duration?

        public init(status: Int = 200, headers: [(String, String)] = [], body: String = "", failure: FetchError? = nil)
        {
            self.status = status
            self.headers = headers
            self.body = body
            self.failure = failure
        }

        public static func html(_ body: String, headers: [(String, String)] = []) -> Answer {
            Answer(headers: [("Content-Type", "text/html; charset=utf-8")] + headers, body: body)
        }

        /// A page that opens an app.
        public static func appPage(
            _ url: String, says text: String = "", links: [String] = [], tag: String? = nil
        ) -> Answer {
            .html(
                "<title>\(url)</title><meta name=apple-itunes-app content='app-id=1, app-argument=app:\(url)'>\(text)"
                    + links.map { "<a href=\"\($0)\">x</a>" }.joined(), headers: tag.map { [("ETag", $0)] } ?? [])
        }

        public static func text(_ body: String) -> Answer {
            Answer(headers: [("Content-Type", "text/plain")], body: body)
        }

        public static func json(_ body: String) -> Answer {
            Answer(headers: [("Content-Type", "application/json")], body: body)
        }

        public static func xml(_ body: String) -> Answer {
            Answer(headers: [("Content-Type", "application/xml")], body: body)
        }

        public static func status(_ status: Int, headers: [(String, String)] = []) -> Answer {
            Answer(status: status, headers: [("Content-Type", "text/html")] + headers, body: "<p>\(status)")
        }

        public static func redirect(_ status: Int = 301, to target: String) -> Answer {
            Answer(status: status, headers: [("Location", target)])
        }

        public static func failure(_ error: FetchError) -> Answer { Answer(failure: error) }

        /// The `Accept-Signature` of the answer to a request without that signature, and its status.
        var wantsSignature: (field: String, status: Int)?

        /// Only for requests that are signed as the field asks.
        public func signed(_ field: String, status: Int = 401) -> Answer {
            var copy = self
            copy.wantsSignature = (field, status)
            return copy
        }

        /// The answer to a request.
        fileprivate func given(to request: FetchRequest) -> Answer {
            guard let (field, status) = wantsSignature else { return self }
            let headers = [("Accept-Signature", field)]
            let nonce = SignatureRequest(HTTPHeaders(headers.map { (name: $0.0, value: $0.1) }))?.nonce
            if let signature = request.signature, nonce == nil || signature.nonce == nonce { return self }
            return .status(status, headers: headers)
        }

        public func taking(_ latency: Duration) -> Answer {
            var copy = self
            copy.latency = latency
            return copy
        }
    }

    public struct LogEntry: Sendable {
        public let url: String
        public let host: String
        public let origin: String
        public let purpose: FetchRequest.Purpose
        public let method: FetchRequest.Method
        public let entityTag: String?
        public let signature: SignatureRequest?
        public let start: Duration
        public let end: Duration
    }

    private struct State {
        /// Answers of a URL one after the other; the last one stays.
        var answers: [String: [Answer]] = [:]
        var asked: [String: Int] = [:]
        var log: [LogEntry] = []
        var onRequest: (@Sendable (Int) -> Void)?
        var addresses: [String: [String]] = [:]
        var isRefused: @Sendable (FetchRequest) -> Bool = { _ in false }
        var lookUps: [LookUp] = []
        var missing: @Sendable (String) -> FetchError? = { _ in nil }
    }

    /// Somebody asked for the address of a name.
    public struct LookUp: Sendable, Equatable {
        public let host: String
        public let start: Duration
    }

    public let time: MadeUpTime
    private let latencySeed: UInt64
    private let slowest: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - latencySeed: another one gives every URL another latency, and the crawl another order.
    ///   - slowest: latencies lie between a hundredth of it and it.
    public init(time: MadeUpTime, latencySeed: UInt64 = 1, slowest: Duration = .milliseconds(400)) {
        self.time = time
        self.latencySeed = latencySeed
        self.slowest = slowest
    }

    /// What a URL answers: the first time the first answer, and so on; the last one stays.
    public subscript(url: String) -> [Answer] {
        get { state.withLock { $0.answers[url] ?? [] } }
        set { state.withLock { $0.answers[url] = newValue } }
    }

    /// A page with a title, links, and as much more as is asked for.
    public func page(
        _ url: String, links: [String] = [], deepLink: Bool = true, canonical: String? = nil, head: String = "",
        body: String = ""
    ) {
        self[url] = [.html(Self.markup(url, links, deepLink, canonical, head, body))]
    }

    private static func markup(
        _ url: String, _ links: [String], _ deepLink: Bool, _ canonical: String?, _ head: String, _ body: String
    ) -> String {
        var html = "<!doctype html><html><head><title>\(url)</title>"
        if let canonical { html += "<link rel=\"canonical\" href=\"\(canonical)\">" }
        if deepLink { html += "<meta name=\"apple-itunes-app\" content=\"app-id=123456789, app-argument=app:\(url)\">" }
        html += head + "</head><body>" + body
        for link in links { html += "<a href=\"\(link)\">x</a>" }
        return html + "</body></html>"
    }

    public func robots(_ origin: String, _ text: String) {
        self[origin + "/robots.txt"] = [.text(text)]
    }

    /// Association files of a host: an app with patterns (`NOT ` excludes), and a package.
    public func associations(_ origin: String, app: String, patterns: [String] = ["/*"], package: String? = nil) {
        self[origin + "/.well-known/apple-app-site-association"] = [.json(Self.appleFile(app: app, patterns: patterns))]
        guard let package else { return }
        self[origin + "/.well-known/assetlinks.json"] = [.json("[\(Self.assetStatement(package: package))]")]
    }

    public static func appleFile(app: String, patterns: [String]) -> String {
        let components = patterns.map { pattern in
            pattern.hasPrefix("NOT ")
                ? #"{"/": "\#(pattern.dropFirst(4))", "exclude": true}"# : #"{"/": "\#(pattern)"}"#
        }
        return
            #"{"applinks": {"details": [{"appIDs": ["\#(app)"], "components": [\#(components.joined(separator: ", "))]}]}}"#
    }

    public static func assetStatement(package: String) -> String {
        let fingerprint = Array(repeating: "A7", count: 32).joined(separator: ":")
        return
            #"{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "package_name": "\#(package)", "sha256_cert_fingerprints": ["\#(fingerprint)"]}}"#
    }

    /// Lets hosts be at one address.
    public func address(_ address: String, of hosts: [String]) {
        for host in hosts { addresses([address], of: host) }
    }

    /// Lets a host be at several addresses.
    public func addresses(_ addresses: [String], of host: String) {
        state.withLock { $0.addresses[host] = addresses }
    }

    /// Decides which connections are refused.
    public func refuses(_ isRefused: @escaping @Sendable (FetchRequest) -> Bool) {
        state.withLock { $0.isRefused = isRefused }
    }

    /// Called with the number of each request when it starts, from 1.
    public func onRequest(_ body: @escaping @Sendable (Int) -> Void) {
        state.withLock { $0.onRequest = body }
    }

    /// Decides which names have no address, and why.
    public func names(missing: @escaping @Sendable (String) -> FetchError?) {
        state.withLock { $0.missing = missing }
    }

    public var lookUps: [LookUp] { state.withLock { $0.lookUps } }

    /// The addresses that a test has given the host; none where it has given none.
    public func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        let start = time.now
        let (error, addresses) = state.withLock { state in
            state.lookUps.append(LookUp(host: host, start: start))
            return (state.missing(host), state.addresses[host] ?? [])
        }
        return error.map { .failure($0) } ?? .success(addresses.compactMap { NetworkAddress($0) })
    }

    public var log: [LogEntry] { state.withLock { $0.log } }

    /// URLs in the order they were asked for; robots.txt and association files, which every host is asked for, left out.
    public var visited: [String] {
        log.sorted { $0.start < $1.start }.filter { $0.purpose != .robots && $0.purpose != .associationFile }.map(\.url)
    }

    public func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
        let url = request.url.href.split(separator: "#").first.map(String.init) ?? ""
        let start = time.now
        let (answer, number, hook) = state.withLock { state in
            let count = state.asked[url, default: 0]
            state.asked[url] = count + 1
            let answers = state.answers[url] ?? [.status(404)]
            let number = state.asked.values.reduce(0, +)
            return (answers[min(count, answers.count - 1)].given(to: request), number, state.onRequest)
        }
        hook?(number)
        let latency = answer.latency ?? latency(of: url)
        if latency > request.timeout {
            await time.sleep(until: start + request.timeout)
            log(request, url: url, start: start)
            return .failure(Task.isCancelled ? .cancelled : .timedOut("no answer within \(request.timeout)"))
        }
        await time.sleep(until: start + latency)
        log(request, url: url, start: start)
        if Task.isCancelled { return .failure(.cancelled) }
        if state.withLock({ $0.isRefused })(request) { return .failure(.connectionFailed("connection refused")) }
        if let failure = answer.failure { return .failure(failure) }
        var status = answer.status
        var body = Array(answer.body.utf8)
        let headers = HTTPHeaders(answer.headers.map { (name: $0.0, value: $0.1) })
        if let tag = request.entityTag, tag == headers["ETag"] {
            status = 304
            body = []
        }
        if request.takesBeginning { body = Array(body.prefix(request.maximumBodyBytes)) }
        guard body.count <= request.maximumBodyBytes else {
            return .failure(.bodyTooLarge(limit: request.maximumBodyBytes))
        }
        return .success(
            FetchResponse(
                url: request.url, status: status, headers: headers, body: body, fetchedAt: time.date,
                timeToFirstByte: latency, totalTime: latency,
                remoteAddress: request.addresses.first?.description
                    ?? state.withLock { $0.addresses[request.url.host ?? ""]?.first }))
    }

    private func log(_ request: FetchRequest, url: String, start: Duration) {
        let entry = LogEntry(
            url: url, host: request.url.host ?? "", origin: request.url.origin ?? "", purpose: request.purpose,
            method: request.method, entityTag: request.entityTag, signature: request.signature, start: start,
            end: time.now)
        state.withLock { $0.log.append(entry) }
    }

    private func latency(of url: String) -> Duration {
        var random = SeededNumbers(seed: latencySeed &+ SeededNumbers.hash(url))
        return slowest * Int(1 + random.next() % 100) / 100
    }

    // MARK: A larger web

    /// Sites that link among themselves and to each other, with what the web has: disallowed folders, redirects,
    /// missing pages, pages of one canonical URL, pages that want no index.
    ///
    /// - Returns: the seeds, one a host.
    public func addSites(_ hosts: Int, pages: Int, seed: UInt64) -> [String] {
        (0..<hosts).map { host in
            let origin = "https://site\(host).test"
            robots(origin, "User-agent: *\nDisallow: /private/\n")
            for page in 0..<pages {
                var random = SeededNumbers(seed: seed &+ UInt64(host * 100_003 + page))
                func anyPage() -> String { "/p\(random.next() % UInt64(pages))" }
                // Each page links to the next, so every page can be reached.
                var links = ["/p\((page + 1) % pages)", anyPage(), anyPage(), "/private/\(page)", "/gone\(page % 7)"]
                links.append("https://site\(random.next() % UInt64(hosts)).test" + anyPage())
                links.append("https://elsewhere.test/\(page)")
                let path = page == 0 ? "/" : "/p\(page)"
                switch random.next() % 12 {
                case 0 where page > 0:
                    self["\(origin)\(path)"] = [.redirect(302, to: "/moved\(page)")]
                    self.page("\(origin)/moved\(page)", links: links)
                case 1: self.page(origin + path, links: links, canonical: "/canon\(page % 5)")
                case 2: self.page(origin + path, links: links, canonical: origin + anyPage())
                case 3: self.page(origin + path, links: links, head: "<meta name=robots content=noindex>")
                case 4: self.page(origin + path, links: links, deepLink: false)
                case 5 where page > 0:
                    self[origin + path] = [.status(500), .html(Self.markup(path, links, true, nil, "", ""))]
                default: self.page(origin + path, links: links)
                }
            }
            self[origin + "/p0"] = [.redirect(to: "/")]
            for page in [0, 2, 4] { self.page("\(origin)/canon\(page)", links: ["/"]) }
            self[origin + "/canon1"] = [.status(404)]
            self[origin + "/canon3"] = [.redirect(to: "/canon4")]
            return origin + "/"
        }
    }
}
