import PippinPage
import PippinStore

extension StorageReader {
    /// The deep links that the record of a page had at the last crawl.
    func earlierDeepLinks(of url: WebURL) throws -> PageEvidence.Observation<[EarlierDeepLink]> {
        guard var history = try history(of: url) else {
            return .missing(because: "the storage does not know the page")
        }
        // The record may be filed under another address.
        if history.deepLinks.isEmpty, let canonical = history.canonical.flatMap({ WebURL($0) }),
            let other = try self.history(of: canonical)
        {
            history = other
        }
        return .made(EarlierDeepLink.last(of: history.deepLinks))
    }
}

extension EarlierDeepLink {
    /// Each link as its last change left it.
    fileprivate static func last(of changes: [DeepLinkChange]) -> [EarlierDeepLink] {
        var last: [Int: DeepLinkChange] = [:]
        for change in changes { last[change.link] = change }
        return last.values.sorted { $0.link < $1.link }.compactMap(EarlierDeepLink.init)
    }

    private init?(_ change: DeepLinkChange) {
        guard let standing = change.now ?? change.before else { return nil }
        self.init(
            state: DeepLinkState(
                platform: change.platform, storeIdentifier: change.storeIdentifier,
                bundleIdentifier: change.bundleIdentifier, appClipBundleIdentifier: change.appClipBundleIdentifier,
                packageName: change.packageName, appName: change.appName, url: standing.url, status: standing.status,
                reason: change.reason),
            since: standing.since, removedAt: change.now == nil ? change.at : nil, previous: change.before?.status)
    }
}
