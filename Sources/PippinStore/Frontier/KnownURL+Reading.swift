import Foundation
import PippinCrawl
import PippinPage

// What `pippin import` reads. It comes from other crawlers, so nothing about it is sure.
extension KnownURL {
    /// The longest line. A URL has 2,048 bytes at most, and the rest is short.
    public static let maximumLineBytes = 64 * 1024

    /// What is wrong with a line, as the end of a sentence.
    public struct LineProblem: Error, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }

        /// It has more bytes than a line may have.
        public static let tooLong = LineProblem("is longer than \(maximumLineBytes) bytes")
    }

    /// Reads a line: an object, of which only `url` must be there and unknown keys are ignored, or a URL alone.
    public init(line: ArraySlice<UInt8>) throws(LineProblem) {
        guard line.count <= Self.maximumLineBytes else { throw .tooLong }
        guard let text = String(validating: line, as: UTF8.self) else { throw LineProblem("is not UTF-8 text") }
        guard text.hasPrefix("{") else {
            try self.init(url: Self.address(text), object: [:])
            return
        }
        var parser = JSONParser()
        let object: JSONValue
        do {
            object = try parser.parse(line)
        } catch {
            throw LineProblem("is not JSON: \(error)")
        }
        guard let url = object["url"]?.string else { throw LineProblem("has no \"url\"") }
        try self.init(url: Self.address(url), object: object)
    }

    private static func address(_ text: String) throws(LineProblem) -> String {
        guard let url = WebURL(text), url.isHTTP, url.host?.isEmpty == false else {
            throw LineProblem("\"\(text.prefix(200))\" is not an http or https URL")
        }
        return url.href
    }

    private init(url: String, object: JSONValue) throws(LineProblem) {
        func text(_ key: String) throws(LineProblem) -> String? {
            guard let value = object[key], !value.isNull else { return nil }
            guard let text = value.string else { throw LineProblem("\"\(key)\" must be text") }
            return text
        }
        func number(_ key: String, upTo most: Int) throws(LineProblem) -> Int? {
            guard let value = object[key], !value.isNull else { return nil }
            guard let number = value.integer, number >= 0 else {
                throw LineProblem("\"\(key)\" must be a whole number, 0 or more")
            }
            return min(number, most)
        }
        func moment(_ key: String) throws(LineProblem) -> Date? {
            guard let text = try text(key) else { return nil }
            guard let date = W3CDateTime.date(from: text) else {
                throw LineProblem("\"\(key)\" must be a moment like 2026-11-20T20:00:00Z")
            }
            return date
        }
        self.url = url
        switch try text("kind") {
        case "page", nil: isPage = true
        case "sitemap": isPage = false
        default: throw LineProblem("\"kind\" must be page or sitemap")
        }
        depth = try number("depth", upTo: 65_535) ?? 1
        guard let discovery = CrawlRequest.Discovery(rawValue: try text("discovery") ?? "outlink") else {
            throw LineProblem("\"discovery\" must be seed, outlink, sitemap, redirect or canonical")
        }
        self.discovery = discovery
        seed = try text("seed")
        guard let at = try moment("lastVisit") else {
            if let state = try text("state"), state != "known" {
                throw LineProblem("\"state\" is \(state.prefix(20)), and there is no \"lastVisit\"")
            }
            visit = nil
            return
        }
        // Codes are Pippin's. Other crawlers say the state.
        let code: String
        if let outcome = try text("outcome") {
            guard VisitOutcome.standing(ofCode: outcome) != nil else {
                throw LineProblem("\"outcome\" must be a code of Docs/CrawlLog.md; without one, \"state\" counts")
            }
            code = outcome
        } else {
            switch try text("state") {
            case "visited", nil: code = isPage ? "without-deep-links" : "sitemap"
            case "refused": code = "refused"
            case "failed": code = "server-error"
            case "gone": code = "gone"
            default: throw LineProblem("\"state\" must be visited, refused, failed or gone if there is \"lastVisit\"")
            }
        }
        visit = Visit(
            at: at, outcome: code, due: try moment("due"),
            interval: try number("interval", upTo: 1_000_000_000).map { .seconds($0) },
            count: try number("visits", upTo: 1_000_000_000) ?? 1, failures: try number("failures", upTo: 1_000) ?? 0,
            entityTag: nil, lastModified: nil)
    }

    /// The request for the URL.
    ///
    /// - Parameters:
    ///   - seeds: the seeds of the job.
    ///   - first: the one that it belongs to if its own is not among them.
    func request(seeds: [WebURL: Seed], otherwise first: Seed) -> CrawlRequest? {
        guard let url = WebURL(url) else { return nil }
        if isPage, let seed = seeds[url] { return CrawlRequest(seed: seed) }
        let seed = seed.flatMap { WebURL($0) }.flatMap { seeds[$0] } ?? first
        // A seed of another list is an ordinary page here. What was not visited must not be kept whatever the queue's limits say.
        var found = discovery == .seed ? CrawlRequest.Discovery.outlink : discovery
        if visit == nil, found == .redirect || found == .canonical { found = .outlink }
        return CrawlRequest(
            url: url, target: isPage ? .page : .sitemap(host: url.politenessHost, level: 0), depth: depth, seed: seed,
            discovery: found)
    }
}
