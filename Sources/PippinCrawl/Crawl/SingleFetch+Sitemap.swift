import PippinPage

/// The pages that a site's sitemap names.
public struct SitemapPages: Sendable {
    /// In the order of the sitemaps, each once.
    public var pages: [WebURL] = []
    /// The number of sitemaps that were read.
    public var sitemapCount = 0
    /// Entries of hosts for which the sitemap may not speak (sitemaps.org, "Sitemap file location").
    public var foreignCount = 0
    /// Whether there are more pages than were asked for.
    public var hasMore = false
    /// Further sitemaps that were not read, as sentences without a full stop.
    public var troubles: [String] = []
}

extension SingleFetch {
    /// Reads a sitemap, packed or not, and the sitemaps that an index names, within the limits of a crawl.
    ///
    /// - Parameter maximum: the number of pages to return.
    /// - Throws: if the sitemap itself could not be fetched.
    public mutating func sitemapPages(at start: WebURL, maximum: Int) async throws(RequestFailure) -> SitemapPages {
        var found = SitemapPages()
        var seen: Set<String> = [start.href]
        var waiting: [(url: WebURL, level: Int)] = [(start, 0)]
        var next = 0
        while next < waiting.count {
            let (url, level) = waiting[next]
            next += 1
            let response: FetchResponse
            do throws(RequestFailure) {
                response = try await fetch(url, purpose: .sitemap).get()
            } catch {
                if level == 0 { throw error }
                found.troubles.append("\(error)")
                continue
            }
            let sitemap = Sitemap(bytes: response.body, url: response.url)
            found.sitemapCount += 1
            if sitemap.kind == .unknown { found.troubles.append("\(url.href) is no sitemap") }
            let counts = sitemap.counting(namedBy: start.politenessHost)
            for entry in sitemap.entries {
                guard counts(entry) else {
                    found.foreignCount += 1
                    continue
                }
                guard seen.insert(entry.loc.href).inserted else { continue }
                if sitemap.kind == .index {
                    guard level < Visit.maximumSitemapLevel, waiting.count < Visit.maximumSitemapsPerHost else {
                        found.troubles.append("\(entry.loc.href) is not read: there are too many sitemaps")
                        return found
                    }
                    waiting.append((entry.loc, level + 1))
                } else if found.pages.count < maximum {
                    found.pages.append(entry.loc)
                } else {
                    found.hasMore = true
                    return found
                }
            }
        }
        return found
    }
}
