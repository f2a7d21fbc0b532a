import PippinCrawl

/// Where the row of a URL is. The table `url` is a hash table inside SQLite's B-tree: the number of a row follows from its host
/// and its address, so that no index of addresses is needed.
///
///      63                        35 34                                   0
///     ┌────────────────────────────┬──────────────────────────────────────┐
///     │ host.id                    │ place in the host                    │
///     └────────────────────────────┴──────────────────────────────────────┘
///     place = hash of the directory (35 bits) + hash of the rest (26 bits), modulo 2^35
///
/// - The host comes first because a visit touches mostly URLs of one host, which so lie side by side in the table and its index.
///   Numbers in random order would touch a page of the database each, and slow down once the table is larger than memory.
/// - URLs of one directory lie near each other: what a page newly links to is mostly its siblings.
/// - A number that is taken by another URL is followed by the next one that is free (`find`), and a URL that others may have gone
///   around is never removed (`URLTable.worst`).
/// - Both hashes are keyed with a secret of the storage, so that nobody can make up URLs that all have one place.
///
/// SQL writes the host out, as `id >> 35`: the index `urlRank` has that expression.
enum URLNumber {
    static let placeBits: Int64 = 35
    /// Bits of a place that tell the URLs of one directory apart.
    static let directoryBits: Int64 = 26
    private static let placeMask: Int64 = 1 << placeBits - 1

    static func host(of number: Int64) -> Int64 { number >> placeBits }

    /// Where among its host's URLs the search for an address starts.
    static func place(of address: StoredAddress, key: UInt64) -> Int64 {
        let bytes = address.text.utf8
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        let end = path.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        let directory = Int64(truncatingIfNeeded: UInt64.storeHash(bytes[..<end], seed: key))
        let rest = Int64(truncatingIfNeeded: UInt64.storeHash(bytes[end...], seed: ~key))
        return (directory &+ rest & (1 << directoryBits - 1)) & placeMask
    }

    /// Where a URL goes whose number is another's.
    static func next(after number: Int64) -> Int64 { number & ~placeMask | (number + 1) & placeMask }

    enum Occupant<Row> {
        case nobody
        case another
        case found(Row)
    }

    /// Searches an address.
    ///
    /// - Parameter occupant: who has a number.
    /// - Returns: its row, or the free number where it belongs.
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
