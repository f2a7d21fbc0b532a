import PippinCrawl
import PippinPage

/// URLs that were admitted or met again not long ago, with the shortest way to each that is known to be stored.
///
/// Most links of a page lead where the page before it led to: a site's navigation. Of such a link nothing is to be kept,
/// and so the database need not be asked (Broder, Najork, Wiener, "Efficient URL caching for World Wide Web crawling",
/// 2003: 50,000 entries answer four of five questions). Entries stay true, as the ways of URLs only get shorter; of the
/// few that are dropped (`FrontierLimits`) they are taken out.
struct RecentAddresses {
    private struct Entry {
        let host: Int64
        let text: String
        let depth: Int64
        let seed: Int64
        /// Pages that link there and are stored.
        let sources: Int
    }

    /// Some 120 bytes each.
    static let maximumCount = 1 << 16

    /// By hash; whoever comes later has the place.
    private var entries = [Entry?](repeating: nil, count: Self.maximumCount)

    /// Whether a request says nothing of its URL that is not stored.
    ///
    /// - Parameter isLink: whether it is the link of a page, of which the URL keeps a few.
    func cover(
        _ request: CrawlRequest, _ address: StoredAddress, host: Int64, seed: Int64, isLink: Bool = false
    ) -> Bool {
        guard request.alternates.isEmpty, !request.isOwed, request.modifiedAt == nil,
            let entry = entries[Self.place(address, host: host)], entry.host == host, entry.text == address.text
        else { return false }
        if isLink, entry.sources < URLTable.keptSources { return false }
        let depth = Int64(request.depth)
        return depth > entry.depth || depth == entry.depth && seed == entry.seed
    }

    /// The URL is stored like this.
    mutating func insert(_ address: StoredAddress, host: Int64, depth: Int64, seed: Int64, sources: Int = 0) {
        entries[Self.place(address, host: host)] = Entry(
            host: host, text: address.text, depth: depth, seed: seed, sources: sources)
    }

    /// What is stored has become less.
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
