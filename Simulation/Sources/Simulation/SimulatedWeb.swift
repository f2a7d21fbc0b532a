import Foundation
import PippinCrawl
import PippinPage

/// A web that is a function of a seed, a URL and the time: the same question at the same time has the same answer, in every run.
///
/// Hosts are `h0.test`, `h1.test` …, and their pages `/`, `/p1`, `/p2` …, linked as a tree. What a host or a page is like is drawn from
/// the seed by its name. Some are moved, deleted, or hidden from indexes at some time, some change now and then, some are slow or dead
/// for a while. `SimulatedWeb` knows nothing of the crawler; the auditor asks it for the truth.
public struct SimulatedWeb: Sendable {
    /// What a server sends back.
    public struct Answer: Sendable {
        var status = 200
        var headers: [(name: String, value: String)] = []
        var body = ""
        var failure: FetchError?
        var latency: Duration
    }

    /// What is true of a page at a time.
    public enum Truth: Sendable, Equatable {
        /// It can be read, and may be indexed.
        case page(title: String)
        case noindex
        case gone
        case moved(to: String)
        /// It names another page as canonical.
        case duplicate(of: String)
        /// There is no such page, or a file that is no page.
        case nothing
    }

    let seed: UInt64
    let hostCount: Int
    let mostPages: Int
    /// How many days the web has. What happens only once happens in them.
    let days: Int
    /// Whether pages link to any page of other hosts; else to the first only.
    var linksFar = false

    static let day = Duration.seconds(86_400)

    // MARK: Hosts

    /// What a host is like.
    struct Host {
        let name: String
        let pageCount: Int
        /// Hosts may share an address.
        let address: String
        let latency: Duration
        let robots: Robots
        let hasSitemap: Bool
        let hasAssociation: Bool
        /// Days on which its server cannot be reached, its name has no address, its robots.txt fails.
        let dead, nameless, robotsFail: Range<Int>
        /// One answer in so many is 429 with `Retry-After`, or 500; 0: none.
        let throttles, breaks: UInt64

        enum Robots: Equatable {
            case none
            case allowsAll
            case disallowsPrivate
            case crawlDelay(Int)
            /// All is disallowed on these days.
            case closed(Range<Int>)
        }
    }

    func host(_ number: Int) -> Host {
        var numbers = numbers("host \(number)")
        let pageCount = 1 + (numbers.upTo(4) == 0 ? numbers.upTo(mostPages) : numbers.upTo(max(2, mostPages / 4)))
        let address = "10.0.0.\(1 + numbers.upTo(max(1, hostCount * 3 / 4)))"
        let latency = Duration.milliseconds(5 + numbers.upTo(numbers.upTo(6) == 0 ? 3_000 : 300))
        let robots: Host.Robots =
            switch numbers.upTo(6) {
            case 0: .none
            case 1: .allowsAll
            case 2: .crawlDelay(2 + numbers.upTo(4))
            case 3: .closed(period(&numbers, one: 1))
            default: .disallowsPrivate
            }
        return Host(
            name: "h\(number).test", pageCount: pageCount, address: address, latency: latency, robots: robots,
            hasSitemap: numbers.upTo(3) == 0, hasAssociation: numbers.upTo(3) == 0,
            dead: period(&numbers, one: 10), nameless: period(&numbers, one: 12), robotsFail: period(&numbers, one: 8),
            throttles: numbers.upTo(4) == 0 ? 6 : 0, breaks: numbers.upTo(4) == 0 ? 8 : 0)
    }

    /// One host in `one` has such days.
    private func period(_ numbers: inout SeededNumbers, one: Int) -> Range<Int> {
        let (first, length, chance) = (numbers.upTo(days), 1 + numbers.upTo(3), numbers.upTo(one))
        return chance == 0 ? first..<first + length : 0..<0
    }

    private func numbers(_ text: String) -> SeededNumbers { SeededNumbers(seed: seed ^ SeededNumbers.hash(text)) }

    private func number(ofHost name: String) -> Int? {
        guard name.hasPrefix("h"), name.hasSuffix(".test") else { return nil }
        return Int(name.dropFirst().dropLast(5)).flatMap { (0..<hostCount).contains($0) ? $0 : nil }
    }

    var seeds: [String] { (0..<hostCount).map { "https://h\($0).test/" } }

    // MARK: Pages

    /// What is true of a URL of this web at a time.
    public func truth(of url: String, at time: Duration) -> Truth {
        guard let url = WebURL(url), let number = url.host.flatMap(number(ofHost:)) else { return .nothing }
        let host = host(number)
        guard let page = page(in: url.path, of: host) else { return .nothing }
        let (day, hour) = (Self.days(time), Int(time / .seconds(3_600)))
        var numbers = numbers("page \(number) \(page)")
        let (moment, kind) = (numbers.upTo(days + days / 2), numbers.upTo(14))
        // Hours. In a long life most pages change rarely.
        let period = 7 + numbers.upTo(200) * max(1, days / 10)
        let changes = numbers.upTo(3) > 0
        switch kind {
        case 0 where page > 0 && day >= moment: return .gone
        case 1 where page > 1 && day >= moment: return .moved(to: "https://\(host.name)/p\(page - 1)")
        case 2 where (moment..<moment + 3).contains(day): return .noindex
        case 3 where page > 0: return .duplicate(of: "https://\(host.name)/")
        default: return .page(title: "h\(number)/\(page) version \(changes ? hour / period : 0)")
        }
    }

    private func page(in path: String, of host: Host) -> Int? {
        if path == "/" { return 0 }
        guard path.hasPrefix("/p"), let page = Int(path.dropFirst(2)), (1..<host.pageCount).contains(page) else {
            return nil
        }
        return page
    }

    static func days(_ time: Duration) -> Int { Int(time / day) }

    // MARK: Answers

    /// What a GET request gets at a time.
    func answer(to url: WebURL, tag: String?, at time: Duration) -> Answer {
        guard let number = url.host.flatMap(number(ofHost:)) else {
            return Answer(failure: .hostNotFound, latency: .milliseconds(20))
        }
        let host = host(number)
        let day = Self.days(time)
        var answer = Answer(latency: host.latency)
        if host.dead.contains(day) {
            answer.failure = .connectionFailed("connection refused")
            return answer
        }
        // Server trouble comes and goes by the minute.
        var chance = numbers("\(url.href) \(Int(time / .seconds(60)))")
        if host.throttles > 0, chance.next() % host.throttles == 0 {
            return Answer(status: 429, headers: [("Retry-After", "\(5 + chance.upTo(900))")], latency: host.latency)
        }
        if host.breaks > 0, chance.next() % host.breaks == 0 { return Answer(status: 500, latency: host.latency) }
        switch url.path {
        case "/robots.txt": robots(of: host, day: day, &answer)
        case "/sitemap.xml" where host.hasSitemap: sitemap(of: host, &answer)
        case "/.well-known/apple-app-site-association" where host.hasAssociation:
            answer.headers = [("Content-Type", "application/json")]
            // From some day on, it covers half of the pages.
            let pattern = associationChange(number) > day ? "/*" : "/p1*"
            answer.body =
                #"{"applinks": {"details": [{"appIDs": ["ABCDE12345.test.h\#(number)"], "components": [{"/": "\#(pattern)"}]}]}}"#
        default: page(of: host, number, url, tag: tag, at: time, &answer)
        }
        return answer
    }

    private func robots(of host: Host, day: Int, _ answer: inout Answer) {
        if host.robotsFail.contains(day) {
            answer.status = 503
            return
        }
        answer.headers = [("Content-Type", "text/plain")]
        let sitemap = host.hasSitemap ? "Sitemap: https://\(host.name)/sitemap.xml\n" : ""
        switch host.robots {
        case .none: answer.status = 404
        case .allowsAll: answer.body = "User-agent: *\nDisallow:\n" + sitemap
        case .disallowsPrivate: answer.body = "User-agent: *\nDisallow: /private/\n" + sitemap
        case .crawlDelay(let seconds): answer.body = "User-agent: *\nCrawl-delay: \(seconds)\nDisallow: /private/\n"
        case .closed(let days): answer.body = "User-agent: *\nDisallow: \(days.contains(day) ? "/" : "/private/")\n"
        }
    }

    private func associationChange(_ number: Int) -> Int { numbers("association \(number)").first(upTo: days) }

    /// Whether a host's association file has changed between two moments.
    func associationChanged(atHost name: String, between first: Duration, and second: Duration) -> Bool {
        guard let number = number(ofHost: name), host(number).hasAssociation else { return false }
        let change = associationChange(number)
        return Self.days(first) < change && change <= Self.days(second)
    }

    /// The rules that a host's robots.txt had when it was answered: what nobody may ask for, and the delay. Nil: all may be asked for.
    func rules(ofHost name: String, at time: Duration) -> (disallowed: String?, delay: Duration) {
        guard let number = number(ofHost: name) else { return (nil, .zero) }
        switch host(number).robots {
        case .none, .allowsAll: return (nil, .zero)
        case .disallowsPrivate: return ("/private/", .zero)
        case .crawlDelay(let seconds): return ("/private/", .seconds(seconds))
        case .closed(let days): return (days.contains(Self.days(time)) ? "/" : "/private/", .zero)
        }
    }

    func robots(ofHost name: String) -> Host.Robots { number(ofHost: name).map { host($0).robots } ?? .none }

    private func sitemap(of host: Host, _ answer: inout Answer) {
        answer.headers = [("Content-Type", "application/xml")]
        let entries = (0..<host.pageCount).map { "<url><loc>https://\(host.name)/p\($0)</loc></url>" }
        answer.body =
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\(entries.joined())</urlset>"
    }

    private func page(
        of host: Host, _ number: Int, _ url: WebURL, tag: String?, at time: Duration, _ answer: inout Answer
    ) {
        let truth = truth(of: url.href, at: time)
        answer.headers = [("Content-Type", "text/html; charset=utf-8")]
        var (title, head) = ("\(url.path)", "")
        switch truth {
        case .gone, .nothing:
            answer.status = numbers(url.href).first(upTo: 2) == 0 ? 404 : 410
            return
        case .moved(let target):
            answer.status = 301
            answer.headers.append(("Location", target))
            return
        case .noindex: head = "<meta name=robots content=noindex>"
        case .duplicate(let canonical): head = "<link rel=canonical href=\"\(canonical)\">"
        case .page(let text): title = text
        }
        if numbers("tag \(url.href)").first(upTo: 2) == 0 {
            let own = "\"\(title) \(head.count)\""
            answer.headers.append(("ETag", own))
            if tag == own {
                answer.status = 304
                return
            }
        }
        let page = page(in: url.path, of: host) ?? 0
        let links = links(of: url.href).map { "<a href=\"\($0)\">x</a>" }
        answer.body =
            "<!doctype html><title>\(title)</title>\(head)<p>\(title) \(links.joined())"
            + "<a href=\"/private/\(page)\">x</a>"
    }

    /// The URLs to which a page links, but those that nobody may ask for.
    func links(of url: String) -> [String] {
        guard let address = WebURL(url), let host = host(of: url) else { return [] }
        let page = page(in: address.path, of: host) ?? 0
        let own = [2 * page + 1, 2 * page + 2].filter { $0 < host.pageCount }.map { "https://\(host.name)/p\($0)" }
        var numbers = numbers("link \(url)")
        let other = self.host(numbers.upTo(hostCount))
        let target = linksFar ? numbers.upTo(other.pageCount) : 0
        return own + ["https://\(other.name)/" + (target == 0 ? "" : "p\(target)")]
    }

    func host(of url: String) -> Host? { WebURL(url)?.host.flatMap(number(ofHost:)).map { host($0) } }

    /// The address of a name at a time.
    func address(of name: String, at time: Duration) -> Result<[NetworkAddress], FetchError> {
        guard let number = number(ofHost: name) else { return .failure(.hostNotFound) }
        let host = host(number)
        if host.nameless.contains(Self.days(time)) { return .failure(.lookUpFailed("no answer")) }
        return .success([NetworkAddress(host.address)].compactMap(\.self))
    }
}

/// The web as one process of the crawler reaches it. It writes the web's own log.
final class SimulatedNetwork: Fetcher {
    private let web: SimulatedWeb
    private let time: MadeUpTime
    private let log: WebLog
    /// The number of the process.
    private let process: Int
    /// Whether the process is still alive. The requests of one that was killed never reach the web.
    private let isAlive: @Sendable () -> Bool
    /// Whether answers have the bytes for an archive.
    private let keepsExchanges: Bool

    init(
        web: SimulatedWeb, time: MadeUpTime, log: WebLog, process: Int, keepsExchanges: Bool,
        isAlive: @escaping @Sendable () -> Bool
    ) {
        self.web = web
        self.keepsExchanges = keepsExchanges
        self.time = time
        self.log = log
        self.process = process
        self.isAlive = isAlive
    }

    func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
        guard isAlive() else { return .failure(.cancelled) }
        let start = time.now
        let answer = web.answer(to: request.url, tag: request.entityTag, at: start)
        let entry = log.begin(
            WebLog.Entry(
                process: process, url: request.url.href, host: request.url.host ?? "", path: request.url.path,
                purpose: request.purpose,
                address: request.addresses.first?.description, start: start, end: nil,
                status: answer.failure == nil ? answer.status : nil,
                retryAfter: answer.headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) }.map {
                    .seconds($0)
                }))
        let end = start + min(answer.latency, request.timeout)
        await time.sleep(until: end)
        guard isAlive(), !Task.isCancelled else { return .failure(.cancelled) }
        log.end(entry, at: end)
        if answer.latency > request.timeout { return .failure(.timedOut("no answer")) }
        if let failure = answer.failure { return .failure(failure) }
        var response = FetchResponse(
            url: request.url, status: answer.status, headers: HTTPHeaders(answer.headers),
            body: Array(answer.body.utf8),
            fetchedAt: time.date, timeToFirstByte: answer.latency, totalTime: answer.latency,
            remoteAddress: request.addresses.first?.description)
        if keepsExchanges {
            let fields = answer.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
            response.exchange = RawExchange(
                requestHead: Array("GET \(request.url.path) HTTP/1.1\r\n\r\n".utf8),
                responseHead: Array("HTTP/1.1 \(answer.status) Said\r\n\(fields)\r\n".utf8),
                wireBody: response.body)
        }
        return .success(response)
    }

    func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        guard isAlive() else { return .failure(.cancelled) }
        let answer = web.address(of: host, at: time.now)
        await time.sleep(until: time.now + .milliseconds(10))
        return answer
    }
}
