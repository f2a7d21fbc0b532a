import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// One table of answers, read by a crawl, by `extract` in the crawl's archive, by `validate` and by `extract`: each must take an
/// answer for the same.
@Suite(.slow) struct AnswerTableTests {
    /// What an answer is to its reader.
    private enum Meaning: Hashable, CustomStringConvertible {
        case page, noindex, feed
        /// A page without a byte.
        case empty
        /// A file of this type.
        case foreign(String)
        /// Readers are sent on to this path.
        case leads(String)
        /// By a redirect that leads into an app or nowhere.
        case leadsToNoPage
        case status(Int)
        /// By robots.txt.
        case closed
        case rulesUnreachable
        /// Something else, in its own words.
        case other(String)

        var description: String {
            switch self {
            case .page: "page"
            case .noindex: "noindex"
            case .feed: "feed"
            case .empty: "empty"
            case .foreign(let type): "foreign \(type)"
            case .leads(let path): "leads to \(path)"
            case .leadsToNoPage: "leads to no page"
            case .status(let status): "status \(status)"
            case .closed: "closed"
            case .rulesUnreachable: "rules unreachable"
            case .other(let words): "other: \(words)"
            }
        }
    }

    private struct Answer: Sendable {
        var status = "200 OK"
        var fields = ["Content-Type: text/html; charset=utf-8"]
        var body: [UInt8]

        init(
            _ status: String = "200 OK", type: String? = "text/html; charset=utf-8", _ fields: String...,
            body: String = ""
        ) {
            self.status = status
            self.fields = (type.map { ["Content-Type: \($0)"] } ?? []) + fields
            self.body = Array(body.utf8)
        }
    }

    private struct Row: Sendable {
        let name: String
        let answer: Answer
        var robots = Answer("404 Not Found", body: "none")
        /// What a server that names no HTML sends is no capture of a page.
        var isInArchive = true
        let meaning: Meaning

        /// With a body that no other row has: an archive keeps each body once.
        var distinctAnswer: Answer {
            var answer = answer
            if !answer.body.isEmpty { answer.body += Array(repeating: 0x20, count: name.utf8.count) + Array("\n".utf8) }
            if answer.fields.first?.contains("html") == true, answer.body.starts(with: Array("<".utf8)) {
                answer.body += Array("<!-- \(name) -->".utf8)
            }
            return answer
        }
    }

    private static func page(_ head: String = "") -> String {
        "<!doctype html><html lang=en><head><title>Pie</title>\(head)</head><body><p>Apples and butter.</body></html>"
    }

    private static let pdf = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"
    private static let rss =
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title></channel></rss>"

    private static func kinds() -> [Row] {
        func row(_ name: String, _ answer: Answer, _ meaning: Meaning, isInArchive: Bool = true) -> Row {
            Row(name: name, answer: answer, isInArchive: isInArchive, meaning: meaning)
        }
        return [
            row("html", Answer(body: page()), .page),
            row("xhtml", Answer(type: "application/xhtml+xml", body: page()), .page),
            row("htm", Answer(type: "text/htm", body: page()), .page),
            row("untyped-html", Answer(type: nil, body: page()), .page),
            row("octets-html", Answer(type: "application/octet-stream", body: page()), .page),
            row("plain-html", Answer(type: "text/plain", body: page()), .page),
            row(
                "plain-nosniff", Answer(type: "text/plain", "X-Content-Type-Options: nosniff", body: page()),
                .foreign("text/plain"), isInArchive: false),
            row("plain", Answer(type: "text/plain", body: "Apples"), .foreign("text/plain"), isInArchive: false),
            row("xml-html", Answer(type: "text/xml", body: page()), .page),
            row("rss", Answer(type: "application/rss+xml", body: rss), .feed, isInArchive: false),
            row("xml-rss", Answer(type: "text/xml", body: rss), .feed, isInArchive: false),
            row("pdf", Answer(type: "application/pdf", body: pdf), .foreign("application/pdf"), isInArchive: false),
            row("html-pdf", Answer(body: pdf), .foreign("application/pdf")),
            row("html-gif", Answer(body: "GIF89a\u{1}\u{0}\u{1}"), .foreign("image/gif")),
            row("html-json", Answer(body: #"{"name": "Pie"}"#), .foreign("application/json")),
            row("html-braces", Answer(body: "{{ name }}" + page()), .page),
            row(
                "octets-pdf", Answer(type: "application/octet-stream", body: pdf),
                .foreign("application/octet-stream"), isInArchive: false),
            row("untyped-pdf", Answer(type: nil, body: pdf), .foreign("application/octet-stream"), isInArchive: false),
            row("svg", Answer(type: "image/svg+xml", body: "<svg/>"), .foreign("image/svg+xml"), isInArchive: false),
            row("json", Answer(type: "application/json", body: "{}"), .foreign("application/json"), isInArchive: false),
            row("empty", Answer(body: ""), .empty),
        ]
    }

    private static func statuses() -> [Row] {
        func row(_ name: String, _ status: String, _ fields: String..., meaning: Meaning) -> Row {
            var answer = Answer(status, body: page())
            answer.fields += fields
            return Row(name: name, answer: answer, meaning: meaning)
        }
        let there = "Location: /there"
        return [
            row("s203", "203 Non-Authoritative Information", meaning: .page),
            row("s201", "201 Created", meaning: .status(201)),
            row("s206", "206 Partial Content", meaning: .status(206)),
            row("s300-there", "300 Multiple Choices", there, meaning: .leads("/there")),
            row("s300", "300 Multiple Choices", meaning: .status(300)),
            row("s301", "301 Moved Permanently", there, meaning: .leads("/there")),
            row("s302", "302 Found", there, meaning: .leads("/there")),
            row("s303", "303 See Other", there, meaning: .leads("/there")),
            row("s305", "305 Use Proxy", there, meaning: .status(305)),
            row("s307", "307 Temporary Redirect", there, meaning: .leads("/there")),
            row("s308", "308 Permanent Redirect", there, meaning: .leads("/there")),
            row("s301-nowhere", "301 Moved Permanently", meaning: .leadsToNoPage),
            row("s302-script", "302 Found", "Location: javascript:void(0)", meaning: .leadsToNoPage),
            row("s302-app", "302 Found", "Location: pie://1", meaning: .leadsToNoPage),
            row("s401", "401 Unauthorized", meaning: .status(401)),
            row("s404", "404 Not Found", meaning: .status(404)),
            row("s410", "410 Gone", meaning: .status(410)),
            row("s429", "429 Too Many Requests", meaning: .status(429)),
            row("s500", "500 Internal Server Error", meaning: .status(500)),
            row("s503", "503 Service Unavailable", meaning: .status(503)),
        ]
    }

    /// The crawler's name is Pomona.
    private static func directives() -> [Row] {
        func meta(_ name: String, _ content: String = "noindex") -> String {
            "<meta name=\(name) content='\(content)'>"
        }
        func row(_ name: String, _ head: String, _ fields: String..., meaning: Meaning) -> Row {
            var answer = Answer(body: page(head))
            answer.fields += fields
            return Row(name: name, answer: answer, meaning: meaning)
        }
        return [
            row("for-all", meta("robots"), meaning: .noindex),
            row("for-us", meta("pomona"), meaning: .noindex),
            row("for-applebot", meta("applebot"), meaning: .noindex),
            row("for-pippin", meta("pippin"), meaning: .page),
            row("for-google", meta("googlebot"), meaning: .page),
            row("header-for-all", "", "X-Robots-Tag: noindex", meaning: .noindex),
            row("header-for-us", "", "X-Robots-Tag: pomona: noindex", meaning: .noindex),
            row("header-for-pippin", "", "X-Robots-Tag: pippin: noindex", meaning: .page),
            row("expired", meta("robots", "unavailable_after: 2020-01-01"), meaning: .noindex),
            row("refresh", "<meta http-equiv=refresh content='0; url=/there'>", meaning: .leads("/there")),
            row("refresh-later", "<meta http-equiv=refresh content='9; url=/there'>", meaning: .page),
            row("refresh-itself", "<meta http-equiv=refresh content='0; url=/'>", meaning: .page),
        ]
    }

    private static func robots() -> [Row] {
        let closing = "User-agent: *\nDisallow: /\n"
        func row(_ name: String, _ robots: Answer, _ meaning: Meaning) -> Row {
            Row(
                name: name, answer: Answer(body: page()), robots: robots, isInArchive: meaning == .page,
                meaning: meaning)
        }
        return [
            row("r200", Answer(type: "text/plain", body: closing), .closed),
            row("r200-us", Answer(type: "text/plain", body: "User-agent: Pomona\nDisallow: /\n"), .closed),
            row("r200-pippin", Answer(type: "text/plain", body: "User-agent: Pippin\nDisallow: /\n"), .page),
            row("r203", Answer("203 Other", type: "text/plain", body: closing), .closed),
            row("r302", Answer("302 Found", "Location: /rules.txt"), .closed),
            row("r300", Answer("300 Multiple Choices", "Location: /rules.txt"), .closed),
            row("r301-nowhere", Answer("301 Moved Permanently"), .rulesUnreachable),
            row("r304", Answer("304 Not Modified"), .rulesUnreachable),
            row("r401", Answer("401 Unauthorized", body: closing), .page),
            row("r429", Answer("429 Too Many Requests", body: closing), .rulesUnreachable),
            row("r500", Answer("500 Oops", body: closing), .rulesUnreachable),
        ]
    }

    @Test func `an answer is the same to all four readers`() async throws {
        let rows = Self.kinds() + Self.statuses() + Self.directives() + Self.robots()
        let server = try LoopbackServer { request, connection in
            let host = request.headers["Host"]?.split(separator: ".").first ?? ""
            let answer =
                switch (rows.first { $0.name == host }, request.target) {
                case (let row?, "/"): row.distinctAnswer
                case (let row?, "/robots.txt"): row.robots
                case (_, "/rules.txt"): Answer(type: "text/plain", body: "User-agent: *\nDisallow: /\n")
                case (_, "/there"): Answer(body: Self.page())
                default: Answer("404 Not Found", body: "none")
                }
            connection.respond(answer.status, answer.fields, body: answer.body)
            return .keepOpen
        }
        defer { server.stop() }
        let scratch = try ScratchFolder()
        let folder = scratch.url
        func url(_ row: Row) -> String { server.url(host: "\(row.name).localhost") }
        try scratch.write(rows.map { url($0) + "\n" }.joined(), to: "seeds.txt")
        try scratch.write(
            """
            agent: { product: Pomona, contact: "https://operator.example/bot" }
            scope: { follow: page, sitemaps: false }
            politeness: { delay: 0s }
            fetch: { retries: 0, allow_private_networks: true }
            records: all
            output: { log: log.ndjson, warc: archive, report: report }
            """, to: "crawl-config.yaml")
        let crawl = try await PippinProcess.run("pippin crawl --quiet", in: folder)
        #expect([0, 3].contains(crawl.status), "\(crawl.errors)")
        let ours = "--product Pomona"
        let archive = try await PippinProcess.run("pippin extract --warc archive/*.warc.gz \(ours)", in: folder)
        #expect(archive.status == 0, "\(archive.errors)")
        let fetching = "--allow-private-networks --contact https://operator.example/bot \(ours)"
        let cards = try await PippinProcess.run(
            "cat seeds.txt | pippin validate --stdin --format json \(fetching)", in: folder)
        #expect(cards.status == 1, "\(cards.errors)")

        var crawled: [String: Meaning] = [:]
        for line in try Self.lines(Data(contentsOf: folder.appending(path: "log.ndjson"))) {
            guard line["kind"]?.string == "page", let url = line["url"]?.string, url.hasSuffix("/") else { continue }
            crawled[url] = Self.meaning(ofVisit: line)
        }
        var archived: [String: Meaning] = [:]
        for line in try Self.lines(Data(archive.output.utf8)) {
            guard let url = line["url"]?.string, url.hasSuffix("/") else { continue }
            archived[url] = Self.meaning(ofVisit: line)
        }
        var judged: [String: Meaning] = [:]
        for card in try Self.value(Data(cards.output.utf8))["pages"]?.array ?? [] {
            guard let url = card["input"]?.string else { continue }
            judged[url] = Self.meaning(ofCard: card, at: url)
        }
        for row in rows {
            let url = url(row)
            #expect(crawled[url] == row.meaning, "crawl of \(row.name)")
            #expect(archived[url] == (row.isInArchive ? row.meaning : nil), "extract --warc of \(row.name)")
            #expect(judged[url] == row.meaning, "validate \(row.name)")
            let extract = try await PippinProcess.run("pippin extract '\(url)' \(fetching)", in: folder)
            #expect(try Self.meaning(ofExtract: extract, at: url) == row.meaning, "extract \(row.name)")
        }
        let report = try Self.value(Data(contentsOf: folder.appending(path: "report/report.json")))
        let wrongTypes = report["checks"]?.array?.first { $0["check"]?.string == "T06" }?["examples"]?.array ?? []
        let expected = rows.filter { row in
            if case .foreign(let type) = row.meaning { row.isInArchive && type != "text/html" } else { false }
        }
        let named = Set(wrongTypes.compactMap { $0["url"]?.string })
        #expect(expected.count == 3 && named.isSuperset(of: expected.map(url)), "\(named)")
    }

    // MARK: Each reader's words

    private static func value(_ data: Data) throws -> JSONValue {
        var parser = JSONParser()
        return try parser.parse(String(decoding: data, as: UTF8.self))
    }

    private static func lines(_ data: Data) throws -> [JSONValue] {
        try String(decoding: data, as: UTF8.self).split(separator: "\n").map { try value(Data($0.utf8)) }
    }

    private static func path(of url: String?) -> String { url.flatMap { WebURL($0) }?.path ?? "" }

    private static func meaning(ofVisit line: JSONValue) -> Meaning {
        switch line["outcome"]?.string {
        case "recorded", "without-deep-links": .page
        case "noindex": .noindex
        case "empty": .empty
        case "sitemap": .feed
        case "not-a-page": .foreign(line["detail"]?.string ?? "")
        case "redirected", "redirect-refused-links-not-followed":
            .leads(path(of: line["target"]?.string ?? line["detail"]?.string))
        case "redirected-to-app", "redirect-broken": .leadsToNoPage
        case "gone", "refused", "throttled", "server-error":
            .status(line["detail"]?.string.flatMap { Int($0) } ?? line["status"]?.integer ?? 0)
        case "disallowed": .closed
        case "robots-unreachable": .rulesUnreachable
        case let outcome: .other(outcome ?? "")
        }
    }

    private static func meaning(ofCard card: JSONValue, at url: String) -> Meaning {
        func message(_ check: String) -> String {
            let findings = card["findings"]?.array ?? []
            return findings.first { $0["check"]?.string == check && $0["outcome"]?.string != "pass" }?["message"]?
                .string
                ?? ""
        }
        let (status, redirects, type) = (message("T01"), message("T02"), message("T06"))
        if status.contains("robots.txt closes") { return .closed }
        if status.contains("robots.txt could not be fetched") { return .rulesUnreachable }
        if status.contains("it redirects") { return .leadsToNoPage }
        if let answered = number(in: status) { return .status(answered) }
        if redirects.contains("by a refresh"), let target = redirects.split(separator: " ").last {
            return .leads(path(of: String(target.dropLast())))
        }
        if card["url"]?.string != url { return .leads(path(of: card["url"]?.string)) }
        if card["pageRead"]?.bool == true {
            if card["refused"] != nil { return .noindex }
            return card["record"]?["title"] == nil ? .empty : .page
        }
        return type.split(separator: "“").last.map { foreign(String($0.prefix { $0 != "”" })) } ?? .other(status + type)
    }

    private static func foreign(_ type: String) -> Meaning {
        ["application/rss+xml", "text/xml"].contains(type) ? .feed : .foreign(type)
    }

    private static func number(in text: String) -> Int? {
        text.split { !$0.isNumber }.last.flatMap { Int($0) }
    }

    private static func meaning(ofExtract run: PippinProcess, at url: String) throws -> Meaning {
        if run.status == 0 {
            let facts = try value(Data(run.output.utf8))
            let refresh = facts["metadata"]?["refresh"]
            if refresh?["delay"]?.integer == 0, let target = refresh?["url"]?.string, target != url {
                return .leads(path(of: target))
            }
            if facts["record"]?["refused"] != nil { return .noindex }
            if let own = facts["record"]?["url"]?.string, own != url { return .leads(path(of: own)) }
            return facts["record"]?["title"] == nil ? .empty : .page
        }
        let words = run.errors
        if run.status == 1, words.contains("robots.txt does not allow") { return .closed }
        if words.contains("may not be fetched, because") { return .rulesUnreachable }
        if words.contains(" redirects ") { return .leadsToNoPage }
        if words.contains("which is no page") { return foreign(String(words.split(separator: "\"")[1])) }
        return words.contains("answers with status") ? .status(number(in: words) ?? 0) : .other(words)
    }
}
