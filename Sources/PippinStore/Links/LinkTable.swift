import GRDB
import PippinCrawl

/// The links among the URLs of a storage, as of each page's last reading: one row for each page, in the order of its number.
///
/// URLs that are not in the frontier are left out: nothing is known about them, and they would outnumber all others.
final class LinkTable {
    private let replacement: StoreStatement
    private let redirection: StoreStatement
    private let removal: StoreStatement
    private let ofPage: StoreStatement
    private let further: StoreStatement
    private let keepingFurther: StoreStatement
    private let droppingFurther: StoreStatement

    init(_ database: Database) throws {
        // Most pages have the links that they had before. They cost no writing then.
        replacement = try StoreStatement(
            database,
            """
            INSERT INTO link(page, count, targets) VALUES (?, ?, ?)
            ON CONFLICT(page) DO UPDATE SET count = excluded.count, targets = excluded.targets, leadsTo = NULL
            WHERE targets IS NOT excluded.targets OR leadsTo IS NOT NULL
            """)
        redirection = try StoreStatement(
            database,
            """
            INSERT INTO link(page, leadsTo) VALUES (?, ?)
            ON CONFLICT(page) DO UPDATE SET count = 0, targets = NULL, leadsTo = excluded.leadsTo
            WHERE leadsTo IS NOT excluded.leadsTo
            """)
        removal = try StoreStatement(database, "DELETE FROM link WHERE page = ?")
        ofPage = try StoreStatement(database, "SELECT leadsTo, targets FROM link WHERE page = ?")
        further = try StoreStatement(database, "SELECT targets FROM away WHERE page = -?")
        keepingFurther = try StoreStatement(database, "INSERT OR REPLACE INTO away(page, targets) VALUES (-?, ?)")
        droppingFurther = try StoreStatement(database, "DELETE FROM away WHERE page = -?")
    }

    /// What a visit found out about the links of its page, to numbers of URLs or to their keys.
    enum Finding<Target> {
        case links(followed: [Target], nofollow: [Target])
        /// The page redirects to another URL, or names it as canonical.
        case leadsTo(Target)
        case gone
        /// The earlier finding stays.
        case nothing

        var isNothing: Bool { if case .nothing = self { true } else { false } }
    }

    /// Where a page leads: the numbers of the URLs that it links to, or of the one that stands for it. Links that are not followed are
    /// left out.
    func targets(of page: Int64) throws -> (linked: [Int64], leadsTo: Int64?) {
        var linked: [Int64] = []
        var leadsTo: Int64?
        try ofPage.rows(.integer(page)) { row in
            leadsTo = row.optionalInteger(0)
            row.withBlob(1) { PackedLinks.unpack($0) { if !$0.isNofollow { linked.append($0.target) } } }
        }
        return (linked, leadsTo)
    }

    /// A URL to which a page led.
    struct Successor: Equatable {
        let number: Int64
        /// Whether it is one link further from the seed than the page, and no redirect's target.
        let addsDepth: Bool
    }

    /// The URLs to which a page leads beside its links, such as entries of a feed.
    func further(of page: Int64) throws -> [Successor] {
        var found: [Successor] = []
        try further.rows(.integer(page)) { row in
            row.withBlob(0) { bytes in
                PackedLinks.unpack(bytes) { found.append(Successor(number: $0.target, addsDepth: !$0.isNofollow)) }
            }
        }
        return found
    }

    /// Keeps the URLs to which a page leads beside its links, in place of earlier ones.
    func keepFurther(_ urls: [Successor], of page: Int64) throws {
        guard !urls.isEmpty else { return try droppingFurther.run(.integer(page)) }
        let (bytes, _) = PackedLinks.pack(
            followed: urls.filter(\.addsDepth).map(\.number), nofollow: urls.filter { !$0.addsDepth }.map(\.number))
        try keepingFurther.run(.integer(page), .blob(bytes))
    }

    func apply(_ finding: Finding<Int64>, of page: Int64) throws {
        switch finding {
        case .links(let followed, let nofollow):
            let (bytes, count) = PackedLinks.pack(followed: followed, nofollow: nofollow)
            try replacement.run(.integer(page), .integer(Int64(count)), .blob(bytes))
        case .leadsTo(let target): try redirection.run(.integer(page), .integer(target))
        case .gone: try removal.run(.integer(page))
        case .nothing: break
        }
    }
}

extension LinkTable.Finding {
    /// - Parameters:
    ///   - redirect: the URL that the visit was redirected to.
    ///   - canonical: the canonical URL that stands for the page.
    init(
        _ visit: FinishedVisit, followed: [Target], nofollow: [Target], redirect: Target?, canonical: Target?
    ) {
        switch visit.outcome {
        case .recorded, .withoutDeepLinks, .noindex, .useRefused: self = .links(followed: followed, nofollow: nofollow)
        case .duplicate: self = canonical.map { .leadsTo($0) } ?? .nothing
        // A page that is in the index keeps its links while it redirects for a time.
        case .redirected(_, let isPermanent):
            self = isPermanent || visit.recordIdentifier == nil ? redirect.map { .leadsTo($0) } ?? .nothing : .nothing
        case .gone, .disallowed: self = .gone
        case let outcome:
            switch outcome.bearing {
            case .ends: self = .gone
            case .misses: self = visit.recordIdentifier == nil ? .gone : .nothing
            case .replaces, .silent: self = .nothing
            }
        }
    }
}

/// The links of one page as bytes: about five for a link.
///
/// The numbers of the targets in ascending order, each once, as the difference to the one before it, doubled, plus 1 for a link
/// that passes no rank. Each result is a LEB128 number: seven bits to a byte, the lowest first, the eighth bit set on all but
/// the last. Targets mostly lie in one host and one directory, so the differences are small (`URLNumber`).
enum PackedLinks {
    struct Link: Equatable {
        let target: Int64
        let isNofollow: Bool
    }

    /// Packs links. A target that is linked with and without `nofollow` is followed.
    ///
    /// - Returns: the bytes, and how many targets there are.
    static func pack(followed: [Int64], nofollow: [Int64]) -> (bytes: [UInt8], count: Int) {
        var links = followed.map { UInt64(bitPattern: $0) << 1 }
        links.reserveCapacity(followed.count + nofollow.count)
        for target in nofollow { links.append(UInt64(bitPattern: target) << 1 | 1) }
        links.sort()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(5 * links.count)
        var last: UInt64 = 0
        var count = 0
        for link in links {
            let target = link >> 1
            // Of the links to one target, the followed one sorts first.
            guard count == 0 || target != last else { continue }
            var rest = (target &- last) << 1 | link & 1
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
            last = target
            count += 1
        }
        return (bytes, count)
    }

    /// Calls `body` for each link, in the order of the targets. Bytes that are not links end it.
    static func unpack(_ bytes: UnsafeRawBufferPointer, _ body: (Link) throws -> Void) rethrows {
        var target: UInt64 = 0
        var value: UInt64 = 0
        var shift: UInt64 = 0
        for byte in bytes {
            guard shift < 64 else { return }
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            target = target &+ value >> 1
            try body(Link(target: Int64(bitPattern: target), isNofollow: value & 1 == 1))
            (value, shift) = (0, 0)
        }
    }
}
