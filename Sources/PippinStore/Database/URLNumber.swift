import PippinCrawl

/// The number of a URL's row. The table `url` is a hash table inside SQLite's B-tree: a row's number follows from its host
/// and its address, so that no index of addresses is needed.
///
///      63                        35 34                                   0
///     ┌────────────────────────────┬──────────────────────────────────────┐
///     │ host.id                    │ place in the host                    │
///     └────────────────────────────┴──────────────────────────────────────┘
///     place = hash of the directory (35 bits) + hash of the rest (26 bits), modulo 2^35
///
/// - The host comes first because a visit touches mostly URLs of one host. They lie side by side in the table and its index.
///   With numbers in random order each URL would touch another page of the database, which is slow once the table is larger
///   than memory.
/// - URLs of one directory lie near each other: the new links of a page are mostly its siblings.
/// - If another URL has the number, the next free number is used (`find`). So a URL whose next number is taken is never
///   removed: URLs behind it would no longer be found (`URLTable.worst`).
/// - Both hashes are keyed with a secret of the storage, so that nobody can make up URLs that all get one place.
///
/// SQL spells the host out as `id >> 35`, because the index `urlRank` has that expression.
enum URLNumber {
    static let placeBits: Int64 = 35
    /// Bits of a place that distinguish the URLs of one directory.
    static let directoryBits: Int64 = 26
    private static let placeMask: Int64 = 1 << placeBits - 1

    static func host(of number: Int64) -> Int64 { number >> placeBits }

    /// The numbers that URLs of a host may have.
    static func range(ofHost host: Int64) -> ClosedRange<Int64> { host << placeBits...host << placeBits | placeMask }

    /// The place in its host where the search for an address starts.
    static func place(of address: StoredAddress, key: UInt64) -> Int64 {
        let bytes = address.text.utf8
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        let end = path.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        let directory = Int64(truncatingIfNeeded: UInt64.storeHash(bytes[..<end], seed: key))
        let rest = Int64(truncatingIfNeeded: UInt64.storeHash(bytes[end...], seed: ~key))
        return (directory &+ rest & (1 << directoryBits - 1)) & placeMask
    }

    /// The number to try when another URL has this one. It stays within the host.
    static func next(after number: Int64) -> Int64 { number & ~placeMask | (number + 1) & placeMask }

    enum Occupant<Row> {
        case nobody
        case another
        case found(Row)
    }

    /// Searches for an address.
    ///
    /// - Parameter occupant: says what has a number: no URL, another one, or the one that is searched for.
    /// - Returns: its row and number; or nil and the free number for a new row.
    static func find<Row>(
        _ address: StoredAddress, host: Int64, key: UInt64, occupant: (Int64) throws -> Occupant<Row>
    ) rethrows -> (row: Row?, number: Int64) {
        var number = host << placeBits | place(of: address, key: key)
        while true {
            switch try occupant(number) {
            case .nobody: return (nil, number)
            case .found(let row): return (row, number)
            case .another: number = next(after: number)
            }
        }
    }
}
