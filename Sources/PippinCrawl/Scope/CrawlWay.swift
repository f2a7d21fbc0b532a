import PippinPage

/// A way to a URL: the seed where it begins, and its number of links. Redirects and canonical links add nothing.
public struct CrawlWay: Sendable, Equatable {
    public let depth: Int
    public let seed: Seed

    public init(depth: Int, seed: Seed) {
        (self.depth, self.seed) = (depth, seed)
    }

    /// Whether this way is nearer than a known one to the same URL: the shorter way wins; between ways of equal length, the one from the
    /// seed with the smaller URL. A seed's own page is led to by that seed, whatever redirects there. There is always one nearest way,
    /// and each step to it is nearer than the one before, so passing ways on comes to an end.
    ///
    /// - Parameter key: the key of the URL. It is read only if both ways have no link.
    public func isNearer(than known: CrawlWay, to key: @autoclosure () -> String) -> Bool {
        if depth != known.depth { return depth < known.depth }
        guard seed !== known.seed, seed.url != known.seed.url else { return false }
        if depth == 0 {
            let key = key()
            if known.seed.isFound(at: key) { return false }
            if seed.isFound(at: key) { return true }
        }
        return seed.url.href < known.seed.url.href
    }
}

extension Seed {
    /// Whether a key is that of the seed's own page.
    fileprivate func isFound(at key: String) -> Bool { url.href == key || URLKey(url).string == key }

    /// Whether records take the same from both seeds, apart from their URLs: the app, and whether scripts run.
    fileprivate func shapesRecords(like other: Seed) -> Bool {
        storeIdentifier == other.storeIdentifier && bundleIdentifier == other.bundleIdentifier
            && packageName == other.packageName && renderMode == other.renderMode
    }
}

/// Decides which way to a URL counts, and what follows for the record of its page. All frontiers ask it.
///
/// Between ways of equal length, only `seeds` of records and what is taken from them differ. As long as a URL waits, comparing them costs
/// nothing. Later they are compared only in jobs whose records may name the seed that led to a page (`CrawlScope.recordsMayName`).
public struct WayRule: Sendable {
    private let scope: CrawlScope?

    /// - Parameter scope: of the job. Without one, ways of equal length are compared only while a URL waits.
    public init(_ scope: CrawlScope?) { self.scope = scope }

    /// Whether ways may be passed on along the links of pages that were visited before. Without a scope, nobody knows where to.
    public var knowsScope: Bool { scope != nil }

    /// Whether a way is nearer than a known one to the same URL (`CrawlWay.isNearer`). Of ways of equal length, one from a seed of the
    /// operator's list comes before one from a seed that is not in it any more.
    public func isNearer(_ way: CrawlWay, than known: CrawlWay, to key: @autoclosure () -> String) -> Bool {
        if let scope, way.depth == known.depth, way.seed !== known.seed, way.seed.url != known.seed.url {
            let isListed = scope.isSeed(way.seed.url)
            if isListed != scope.isSeed(known.seed.url) { return isListed }
        }
        return way.isNearer(than: known, to: key())
    }

    /// Whether a way from a seed is compared with others of equal length after a visit.
    public func compares(_ seed: Seed) -> Bool { scope?.recordsMayName(seed) ?? false }

    /// Whether a way takes the place of the known one.
    ///
    /// - Parameters:
    ///   - key: the key of the URL.
    ///   - isQueued: whether nothing came of the known way yet.
    public func prefers(
        _ way: CrawlWay, to known: CrawlWay, of key: @autoclosure () -> String, isQueued: Bool
    ) -> Bool {
        if way.depth == known.depth, !isQueued, !compares(way.seed) { return false }
        return isNearer(way, than: known, to: key())
    }

    /// The same for a way that a visited page passes on to where it leads. The scope has not been asked yet: another seed, whose
    /// redirects led to the host, may be all that lets the URL be in scope.
    public func passesOn(
        _ way: CrawlWay, over known: CrawlWay, to key: @autoclosure () -> String, host: String, isQueued: Bool
    ) -> Bool {
        guard prefers(way, to: known, of: key(), isQueued: isQueued) else { return false }
        return scope?.covers(host, seed: way.seed) ?? known.seed.landingHosts.isEmpty
    }

    // MARK: Records

    /// The seed that the record of a page names because it led there; nil if that does not depend on the way.
    public func namedSeed(ofPageOn host: String, nearest: Seed) -> Seed? {
        guard let scope, scope.namesFinder(onHost: host) else { return nil }
        return scope.seed(at: nearest.url) ?? nearest
    }

    /// Whether a record differs from that of another seed only in the seeds that it names. If not, it stays as it is until the next visit
    /// of its page that is due: no page is asked again for its seed alone.
    ///
    /// - Parameter before: the URLs of the seeds that it names.
    public func names(_ before: [String], like seed: Seed) -> Bool {
        before.allSatisfy { text in
            let known = WebURL(text).flatMap { scope?.seed(at: $0) }
            return known?.shapesRecords(like: seed) ?? false
        }
    }
}
