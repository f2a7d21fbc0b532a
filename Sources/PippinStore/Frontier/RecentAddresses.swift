import PippinCrawl
import PippinPage

/// URLs that were added or met again recently, with the shortest stored way to each, and how many links led there meanwhile.
///
/// Most links of a page lead where the links of the page before led: a site's navigation. Such a link adds nothing to what is
/// stored, so the database need not be asked (Broder, Najork, Wiener, "Efficient URL caching for World Wide Web crawling",
/// 2003: 50,000 entries answer four of five questions; links to other sites need more). Entries stay true, because the ways to
/// URLs only get shorter. URLs that are dropped (`FrontierLimits`) are taken out.
///
/// An address is known by its hash. Two addresses with the same 64 bits would count as one, and nobody can look for such a
/// pair, because each process hashes with a secret of its own (`Hasher`). By chance it would take billions of addresses.
struct RecentAddresses {
    private struct Entry {
        /// The hash of host and address; 0 for none.
        var hash: UInt64 = 0
        var number: Int64 = 0
        var seed: UInt32 = 0
        var depth: UInt16 = 0
        var links: UInt16 = 0
    }

    /// Places for entries, of 24 bytes each. There are more the more are used.
    private static let fewest = 1 << 12
    static let most = 1 << 20
    /// An address may be in any place of its row. The first entry of a row was used last, and a new one replaces the last.
    private static let row = 4

    private var entries = [Entry](repeating: Entry(), count: Self.fewest)
    /// How many entries came in since the table has grown.
    private var inserted = 0

    /// The number of a request's URL if the request adds nothing to what is stored about it; otherwise nil.
    ///
    /// - Parameter isLink: whether a page links to it, which is counted.
    mutating func number(
        covering request: CrawlRequest, _ address: StoredAddress, host: Int64, seed: Int64, isLink: Bool
    ) -> Int64? {
        guard request.sitemap.isEmpty, !request.isOwed, request.modifiedAt == nil else { return nil }
        let hash = Self.hash(address, host: host)
        guard let entry = find(hash) else { return nil }
        guard request.depth > entry.depth || request.depth == entry.depth && seed == entry.seed else { return nil }
        if isLink, entry.links < .max { entries[first(of: hash)].links += 1 }
        return entry.number
    }

    /// The number of a URL; nil if it was not met recently.
    mutating func number(of address: StoredAddress, host: Int64) -> Int64? {
        find(Self.hash(address, host: host))?.number
    }

    /// How many links to a URL were met, as far as they are remembered; at least 1.
    func links(to address: StoredAddress, host: Int64) -> Int {
        let hash = Self.hash(address, host: host)
        let first = first(of: hash)
        return max(1, entries[first..<first + Self.row].first { $0.hash == hash }.map { Int($0.links) } ?? 1)
    }

    /// Remembers what is stored about the URL.
    ///
    /// - Parameter isLink: whether one more page links to it.
    mutating func insert(
        _ address: StoredAddress, number: Int64, host: Int64, depth: Int64, seed: Int64, isLink: Bool
    ) {
        // What does not fit is left to the database.
        guard let depth = UInt16(exactly: depth), let seed = UInt32(exactly: seed) else {
            return forget(address, host: host)
        }
        var entry = Entry(hash: Self.hash(address, host: host), number: number, seed: seed, depth: depth, links: 1)
        if let known = find(entry.hash) {
            entry.links = known.links + (isLink && known.links < .max ? 1 : 0)
            entries[first(of: entry.hash)] = entry
            return
        }
        if isLink { entry.links = 2 }
        if inserted >= entries.count, entries.count < Self.most { grow() }
        inserted += 1
        let first = first(of: entry.hash)
        for place in (first + 1..<first + Self.row).reversed() { entries[place] = entries[place - 1] }
        entries[first] = entry
    }

    /// Forgets the URL. Needed when less is stored about it than before.
    mutating func forget(_ address: StoredAddress, host: Int64) {
        let hash = Self.hash(address, host: host)
        if find(hash) != nil { entries[first(of: hash)] = Entry() }
    }

    // MARK: Rows

    /// Finds an entry and moves it to the beginning of its row.
    private mutating func find(_ hash: UInt64) -> Entry? {
        let first = first(of: hash)
        for place in first..<first + Self.row where entries[place].hash == hash {
            let entry = entries[place]
            for place in (first..<place).reversed() { entries[place + 1] = entries[place] }
            entries[first] = entry
            return entry
        }
        return nil
    }

    private func first(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (entries.count - 1) & ~(Self.row - 1) }

    /// Doubles the table. The entries of a row go to two rows, and keep their order.
    private mutating func grow() {
        let old = entries
        entries = [Entry](repeating: Entry(), count: 2 * old.count)
        inserted = 0
        for entry in old where entry.hash != 0 {
            var place = first(of: entry.hash)
            // It ends within the row, because all entries of a row come from one old row.
            while entries[place].hash != 0 { place += 1 }
            entries[place] = entry
        }
    }

    private static func hash(_ address: StoredAddress, host: Int64) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(host)
        hasher.combine(address.text)
        return max(1, UInt64(bitPattern: Int64(hasher.finalize())))
    }
}
