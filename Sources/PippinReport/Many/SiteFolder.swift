import Foundation
import PippinCrawl
import PippinPage

/// The files about a whole site that lie in the folder with its pages: association files, robots.txt and sitemaps. They are
/// read as if the folder were the site's root, before its first page is judged.
public struct SiteFolder: Sendable {
    /// A file of the folder.
    struct File: Sendable {
        let path: String
        let bytes: [UInt8]
    }

    private(set) var apple: File?
    private(set) var appleRootCopy: File?
    private(set) var assetLinks: File?
    private(set) var robots: File?
    private(set) var sitemaps: [File] = []
    /// What the sitemaps say of a page, by its key.
    private var listed: [URLKey: Listing] = [:]
    /// Whether all sitemaps were found and read.
    private var hasAllSitemaps = true

    private struct Listing {
        var facts: SitemapFacts
        var date: SitemapEntry.Moment?
    }

    /// The most sitemap files that are read, as of one host in a crawl.
    private static let maximumSitemaps = 100
    private static let maximumEntries = ValidateInputs.maximumPages

    /// - Parameters:
    ///   - folder: the path of the site's root.
    ///   - base: its URL, if it is known.
    public init(_ folder: String, base: WebURL?) throws(ConfigurationError) {
        apple = try Self.file(folder, ".well-known/apple-app-site-association")
        appleRootCopy = try Self.file(folder, "apple-app-site-association")
        assetLinks = try Self.file(folder, ".well-known/assetlinks.json")
        robots = try Self.file(folder, "robots.txt")
        try readSitemaps(folder, at: base ?? UnknownAddress.url)
    }

    /// A file below a folder; nil if it is not there.
    private static func file(_ folder: String, _ path: String) throws(ConfigurationError) -> File? {
        let whole = folder.hasSuffix("/") ? folder + path : folder + "/" + path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder), !isFolder.boolValue else {
            return nil
        }
        return File(path: whole, bytes: try InputFile.bytes(at: whole))
    }

    // MARK: Sitemaps

    /// Reads the sitemaps that robots.txt names, or else the customary one, and those that an index names.
    private mutating func readSitemaps(_ folder: String, at base: WebURL) throws(ConfigurationError) {
        guard let customary = WebURL("/sitemap.xml", base: base) else { return }
        var waiting = robots.map { RobotsFile(bytes: $0.bytes, url: base).sitemaps.filter(\.isHTTP) } ?? []
        if waiting.isEmpty { waiting = [customary] }
        var seen = Set(waiting)
        var place = 0
        while place < waiting.count, sitemaps.count < Self.maximumSitemaps {
            let url = waiting[place]
            place += 1
            guard let path = Self.path(of: url), let file = try Self.file(folder, path) else {
                if url != customary { hasAllSitemaps = false }
                continue
            }
            sitemaps.append(file)
            let sitemap = Sitemap(bytes: file.bytes, url: url)
            guard sitemap.kind != .index else {
                for entry in sitemap.entries where seen.insert(entry.loc).inserted && waiting.count < 10_000 {
                    waiting.append(entry.loc)
                }
                continue
            }
            for entry in sitemap.entries {
                guard listed.count < Self.maximumEntries else {
                    hasAllSitemaps = false
                    break
                }
                let facts = SitemapFacts(entry, of: sitemap.kind, maximumURLBytes: CrawlScope.maximumURLBytes)
                let key = URLKey(entry.loc)
                if let known = listed[key] {
                    listed[key]?.facts = known.facts.adding(facts)
                } else {
                    listed[key] = Listing(facts: facts, date: entry.lastmod)
                }
            }
        }
        if place < waiting.count { hasAllSitemaps = false }
    }

    /// Where a URL of the site lies in its folder; nil for paths that lead out of it. URL parsers have resolved `..`, but not
    /// behind `%2F`.
    private static func path(of url: WebURL) -> String? {
        let path = url.path.removingPercentEncoding ?? url.path
        let parts = path.split(separator: "/")
        guard !parts.isEmpty, !parts.contains(".."), !path.utf8.contains(0) else { return nil }
        return parts.joined(separator: "/")
    }

    // MARK: For a page

    /// What the sitemaps say of a page.
    func facts(of page: WebURL) -> SitemapFacts { listed[URLKey(page)]?.facts ?? SitemapFacts() }

    /// Puts robots.txt and sitemaps into the evidence about a page.
    ///
    /// - Parameter agents: the names that Pippin answers to.
    func add(to evidence: inout PageEvidence, of page: WebURL, agents: [String]) {
        if let robots, let url = WebURL("/robots.txt", base: page) {
            var found = RobotsEvidence(
                url: url, file: RobotsFile(bytes: robots.bytes, url: url), page: page, pippinAgents: agents)
            found.bytes = robots.bytes.count
            found.text = robots.bytes
            evidence.robots = .made(found)
        }
        guard !sitemaps.isEmpty else { return }
        let listing = listed[URLKey(page)]
        evidence.sitemap = .made(
            SitemapEvidence(
                isListed: listing != nil, wrongDate: listing?.date.flatMap { $0.date == nil ? $0.text : nil },
                isComplete: hasAllSitemaps))
    }

    // MARK: For the operator

    /// One line about the files that are used, and those that options replace; nil if the folder has none.
    public func announcement(isAppleGiven: Bool, areAssetLinksGiven: Bool) -> String? {
        var used = [robots].compactMap { $0?.path } + sitemaps.map(\.path)
        var replaced: [String] = []
        let apples = [apple, appleRootCopy].compactMap { $0?.path }
        if isAppleGiven {
            replaced += apples.map { "--association replaces \($0)" }
        } else {
            used += apples
        }
        let links = [assetLinks].compactMap { $0?.path }
        if areAssetLinksGiven {
            replaced += links.map { "--asset-links replaces \($0)" }
        } else {
            used += links
        }
        let sentences =
            [
                used.isEmpty
                    ? nil : "\(Wording.list(used, shown: 6)) \(used.count == 1 ? "is" : "are") read as the site's"
            ].compactMap(\.self) + replaced
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }
}
