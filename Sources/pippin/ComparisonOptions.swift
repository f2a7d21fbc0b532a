import ArgumentParser
import Foundation
import PippinPage
import PippinReport
import PippinStore

/// What a page is compared with: copies elsewhere, and its past.
struct ComparisonOptions: ParsableArguments {
    @Flag(
        name: .customLong("apple-cdn"),
        help: "Ask Apple's CDN, from which devices get association files, for its copies (L26). With a URL.")
    var asksAppleCDN = false

    @Option(
        help: ArgumentHelp(
            "Storage of a crawl: deep links that worked then should work now (L27).", valueName: "folder"))
    var storage: String?

    /// The deep links that the record of a page had at the last crawl.
    ///
    /// - Throws: if the storage cannot be read.
    func earlierDeepLinks(of url: WebURL) throws -> PageEvidence.Observation<[EarlierDeepLink]>? {
        guard let storage else { return nil }
        let reader = try StorageReader(folder: URL(filePath: storage))
        guard var history = try reader.history(of: url) else {
            return .missing(because: "the storage does not know the page")
        }
        // The record may be filed under another address.
        if history.deepLinks.isEmpty, let canonical = history.canonical.flatMap({ WebURL($0) }),
            let other = try reader.history(of: canonical)
        {
            history = other
        }
        return .made(EarlierDeepLink.last(of: history.deepLinks))
    }
}

extension EarlierDeepLink {
    /// Each link as its last change left it.
    static func last(of changes: [DeepLinkChange]) -> [EarlierDeepLink] {
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
