import Foundation
import PippinPage

// A request on its way from one shard to another, as JSON (Docs/Cluster.md). It has everything but what only one storage knows:
// earlier visits, and failed attempts.

extension CrawlRequest {
    /// The name of its URL among the requests of all shards. A URL may be expected to be a page and a sitemap.
    public var mailKey: String { isPage ? key.string : "sitemap:" + key.string }

    /// Writes the request's object.
    ///
    /// - Parameter shard: the number of the shard that owns it.
    public func write(to writer: inout JSONWriter, shard: Int) {
        writer.object { writer in
            writer.member("key", key.string)
            if url.href != key.string { writer.member("url", url.href) }
            writer.member("depth", depth)
            writer.member("discovery", discovery.rawValue)
            writer.member("seed", seed.json)
            if standsForSeed { writer.member("standsForSeed", true) }
            writer.member("redirects", redirects.map(\.href))
            if case .sitemap(let host, let level) = target {
                writer.member("sitemapOf", host)
                writer.member("sitemapLevel", level)
            }
            if !sitemap.isEmpty { writer.member("sitemap", sitemap.json) }
            if let modifiedAt { writer.member("modifiedAt", CrawlLogEntry.text(of: modifiedAt)) }
            writer.member("shard", shard)
        }
    }

    /// Reads a request's object. Unknown members are ignored.
    ///
    /// - Returns: what is wrong with it, if it is not a request.
    init(json: JSONValue) throws(WorkerFault) {
        guard let text = json["url"]?.string ?? json["key"]?.string, let url = WebURL(text), url.isHTTP,
            !url.politenessHost.isEmpty, url.username.isEmpty, url.password.isEmpty
        else { throw WorkerFault("\"url\" or \"key\" must be an http or https URL") }
        guard let depth = json["depth"]?.integer, (0...Self.greatestDepth).contains(depth) else {
            throw WorkerFault("\"depth\" must be a whole number from 0")
        }
        guard let discovery = json["discovery"]?.string.flatMap(Discovery.init(rawValue:)) else {
            throw WorkerFault("\"discovery\" must say how the URL was found, like outlink")
        }
        guard let seed = json["seed"].flatMap(Seed.init(json:)) else {
            throw WorkerFault("\"seed\" must have the URL of a seed")
        }
        var target = Target.page
        if let host = json["sitemapOf"] {
            guard let host = host.string, Seed.isHost(host), let level = json["sitemapLevel"]?.integer, level >= 0
            else {
                throw WorkerFault("\"sitemapOf\" must be a host, and \"sitemapLevel\" a number from 0")
            }
            target = .sitemap(host: host, level: level)
        }
        self.init(
            url: url, target: target, depth: depth, seed: seed, discovery: discovery,
            standsForSeed: json["standsForSeed"]?.bool ?? false)
        if let list = json["redirects"] {
            let urls = (list.array ?? []).compactMap { $0.string.flatMap { WebURL($0) } }
            guard let count = list.array?.count, urls.count == count, count <= Self.mostRedirects else {
                throw WorkerFault("\"redirects\" must be a list of at most \(Self.mostRedirects) URLs")
            }
            redirects = urls
        }
        if let facts = json["sitemap"] {
            guard let facts = SitemapFacts(json: facts) else {
                throw WorkerFault("\"sitemap\" is not what a sitemap says of a page")
            }
            sitemap = facts
        }
        if let date = json["modifiedAt"] {
            guard let date = date.string.flatMap({ W3CDateTime.date(from: $0) }) else {
                throw WorkerFault("\"modifiedAt\" must be a date, like 2026-11-24T11:16:08Z")
            }
            modifiedAt = date
        }
    }

    /// Beyond what any configuration allows; not so large that arithmetic could overflow.
    private static let greatestDepth = 1 << 30
    /// As many as `fetch.max_redirects` allows.
    private static let mostRedirects = 20
}

extension Seed {
    fileprivate var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("kind", kind?.rawValue)
            $0.put("app", storeIdentifier)
            $0.put("bundle", bundleIdentifier)
            $0.put("package", packageName)
            $0.put("landed", landingHosts)
        }
    }

    fileprivate convenience init?(json: JSONValue) {
        guard let url = json["url"]?.string.flatMap({ WebURL($0) }), url.isHTTP else { return nil }
        let landed = (json["landed"]?.array ?? []).compactMap(\.string)
        guard landed.count <= 100, landed.allSatisfy(Self.isHost) else { return nil }
        self.init(
            url: url, kind: json["kind"]?.string.flatMap(Kind.init(rawValue:)), storeIdentifier: json["app"]?.string,
            bundleIdentifier: json["bundle"]?.string, packageName: json["package"]?.string, landingHosts: landed)
    }

    /// Whether a text is a host as `WebURL` has it.
    fileprivate static func isHost(_ text: String) -> Bool { WebURL("https://\(text)/")?.politenessHost == text }
}

extension SitemapFacts {
    /// What is kept of sitemaps, in the form of `Codable`.
    private struct Form: Codable {
        var alternates: [String]?
        var news: News?
        var feed: Feed?
        var images: [Image]?
        var videos: [Video]?
    }

    /// More than the limits of one page allow.
    private static let mostBytes = 64 * 1024

    fileprivate var json: JSONValue {
        JSONObject.with {
            $0.put("alternates", alternates)
            if let news {
                $0["news"] = JSONObject.with {
                    $0.put("title", news.title)
                    $0.put("publication", news.publication)
                    $0.put("language", news.language)
                    $0.put("keywords", news.keywords)
                    $0.put("published", news.published)
                }
            }
            if let feed {
                $0["feed"] = JSONObject.with {
                    $0.put("published", feed.published)
                    $0.put("modified", feed.modified)
                    $0.put("authors", feed.authors ?? [])
                }
            }
            $0.put("images", images) { image in
                JSONObject.with {
                    $0.put("url", image.url)
                    $0.put("alt", image.alt)
                }
            }
            $0.put("videos", videos) { video in
                JSONObject.with {
                    $0.put("title", video.title)
                    $0.put("thumbnail", video.thumbnail)
                    $0.put("content", video.content)
                    $0.put("player", video.player)
                    $0.put("duration", video.duration)
                    $0.put("published", video.published)
                }
            }
        }
    }

    fileprivate init?(json: JSONValue) {
        let bytes = json.bytes()
        // What cannot be decoded has another form.
        guard bytes.count <= Self.mostBytes, let form = try? JSONDecoder().decode(Form.self, from: Data(bytes)) else {
            return nil
        }
        self.init()
        alternates = form.alternates ?? []
        news = form.news
        feed = form.feed
        images = form.images ?? []
        videos = form.videos ?? []
    }
}
