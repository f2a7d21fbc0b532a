import PippinCrawl
import PippinPage

/// URLs that were added or met again recently, with the shortest stored way to each.
///
/// Most links of a page lead where the links of the page before led: a site's navigation. Such a link adds nothing to what is
/// stored, so the database need not be asked (Broder, Najork, Wiener, "Efficient URL caching for World Wide Web crawling",
/// 2003: 50,000 entries answer four of five questions). Entries stay true, because the ways to URLs only get shorter. URLs
/// that are dropped (`FrontierLimits`) are taken out.
struct RecentAddresses {
    private struct Entry {
        let number: Int64
        let host: Int64
        let text: String
        let depth: Int64
        let seed: Int64
        /// How many pages are stored as linking there.
        let sources: Int
    }

    /// About 130 bytes each.
    static let maximumCount = 1 << 16

    /// By hash; a new entry replaces the old one in its place.
    private var entries = [Entry?](repeating: nil, count: Self.maximumCount)

    /// The number of a request's URL if the request adds nothing to what is stored about it; otherwise nil.
    ///
    /// - Parameter isLink: whether a page links to it. A URL keeps a few such pages.
    func number(
        covering request: CrawlRequest, _ address: StoredAddress, host: Int64, seed: Int64, isLink: Bool = false
    ) -> Int64? {
        guard request.sitemap.isEmpty, !request.isOwed, request.modifiedAt == nil,
            let entry = entries[Self.place(address, host: host)], entry.host == host, entry.text == address.text
        else { return nil }
        if isLink, entry.sources < URLTable.keptSources { return nil }
        let depth = Int64(request.depth)
        return depth > entry.depth || depth == entry.depth && seed == entry.seed ? entry.number : nil
    }

    /// The number of a URL; nil if it was not met recently.
    func number(of address: StoredAddress, host: Int64) -> Int64? {
        guard let entry = entries[Self.place(address, host: host)], entry.host == host, entry.text == address.text
        else { return nil }
        return entry.number
    }

    /// Remembers what is stored about the URL.
    mutating func insert(
        _ address: StoredAddress, number: Int64, host: Int64, depth: Int64, seed: Int64, sources: Int = 0
    ) {
        entries[Self.place(address, host: host)] = Entry(
            number: number, host: host, text: address.text, depth: depth, seed: seed, sources: sources)
    }

    /// Forgets the URL. Needed when less is stored about it than before.
    mutating func forget(_ address: StoredAddress, host: Int64) {
        let place = Self.place(address, host: host)
        if let entry = entries[place], entry.host == host, entry.text == address.text { entries[place] = nil }
    }

    private static func place(_ address: StoredAddress, host: Int64) -> Int {
        var hasher = Hasher()
        hasher.combine(host)
        hasher.combine(address.text)
        return hasher.finalize() & (maximumCount - 1)
    }
}
