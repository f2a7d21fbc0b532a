import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// The rows of a frontier's URLs.
final class URLTable {
    enum State: Int64 {
        case queued = 0
        /// Visited, and stands for itself.
        case kept = 1
        case finished = 2
        case duplicate = 3
    }

    /// The part of a row that finding, queueing and settling need.
    struct Row {
        let id: Int64
        let address: StoredAddress
        var state: State
        var rank: Int64
        var depth: Int64
        var seed: Int64
        var flags: StoredFlags
        var extras: String?
        var canonical: Int64?
        var visitedAt: Int64?
        var visits: Int64
        var changes: Int64
        var history: [UInt8]
        /// When the first visit of those in a row was that did not find it; nil if the last one did.
        var missingSince: Int64?

        var host: Int64 { URLNumber.host(of: id) }

        /// How much the URL counts for while it is queued.
        var load: Int64 {
            let letter = 1
            let scheme = address.isSecure ? 8 : 7
            return Int64(
                FrontierLimits.load(
                    keyBytes: scheme + address.host.utf8.count + address.text.utf8.count - letter,
                    extraBytes: extras?.utf8.count ?? 0))
        }

        func dropRank(links: Int) -> DropRank {
            DropRank(isPage: address.isPage, depth: Int(clamping: depth), discovery: flags.discovery, links: links)
        }
    }

    /// A URL's rank is its place in its host's line. Ranks from this value on are those of queued URLs. SQL spells it out as
    /// `1 << 40`.
    ///
    ///      63                      40 39                                   0
    ///     ┌──────────────────────────┬──────────────────────────────────────┐
    ///     │ 0                        │ seconds since 1970                   │   visited: due again then
    ///     │ priority + 2             │ order of arrival                     │   queued
    ///     └──────────────────────────┴──────────────────────────────────────┘
    ///     priority: -1 for a sitemap, else the depth
    static let firstQueuedRank: Int64 = 1 << 40

    static func queuedRank(priority: Int, arrival: Int64) -> Int64 {
        // The smallest priority, -1, becomes 1, so that the rank is at least `firstQueuedRank`.
        Int64(max(priority, -1) + 2) << 40 | arrival & (firstQueuedRank - 1)
    }

    /// How many visits a URL's history keeps.
    static let keptVisits = 8
    static let bytesOfVisit = 6

    static let columns =
        "id, address, state, rank, depth, seed, flags, extras, canonical, visitedAt, visits, changes, history, missingSince"
    /// The number of `columns`.
    static let columnCount: Int32 = 14

    private let placeKey: UInt64
    private let byNumber: StoreStatement
    private let insertion: StoreStatement
    private let queueing: StoreStatement
    private let finishing: StoreStatement
    private let smallestRank: StoreStatement
    private let lastInLine: StoreStatement
    private let firstInLevel: StoreStatement
    private let presence: StoreStatement
    private let removal: StoreStatement
    private let vacated: VacatedNumbers
    private let ofHost: StoreStatement
    private let recordOf: StoreStatement
    private let ofEarlierStorage: StoreStatement
    private let ofOtherCrawl: StoreStatement
    private let rehashing: StoreStatement
    private let planning: StoreStatement

    init(_ database: Database) throws {
        placeKey = try StoreSchema.placeKey(database)
        byNumber = try StoreStatement(database, "SELECT \(Self.columns) FROM url WHERE id = ?")
        insertion = try StoreStatement(
            database,
            """
            INSERT INTO url(id, address, state, rank, depth, seed, flags, extras, foundOn)
            VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?)
            """)
        queueing = try StoreStatement(
            database, "UPDATE url SET state = ?, rank = ?, depth = ?, seed = ?, flags = ?, extras = ? WHERE id = ?")
        finishing = try StoreStatement(
            database,
            """
            UPDATE url SET state = ?, rank = ?, flags = ?, extras = ?, visitedAt = ?, rhythm = ?, visits = ?,
                changes = ?, failures = ?, misses = ?, entityTag = ?, lastModified = ?, contentHash = ?, record = ?,
                canonical = ?, detail = ?, history = ?, missingSince = ? WHERE id = ?
            """)
        lastInLine = try StoreStatement(database, Self.endOfLine)
        firstInLevel = try StoreStatement(database, Self.beginningOfLevel)
        presence = try StoreStatement(database, "SELECT 1 FROM url WHERE id = ?")
        removal = try StoreStatement(database, "DELETE FROM url WHERE id = ?")
        vacated = try VacatedNumbers(database)
        ofHost = try StoreStatement(
            database, "SELECT \(Self.columns) FROM url WHERE id > ? AND id <= ? ORDER BY id LIMIT ?")
        recordOf = try StoreStatement(database, "SELECT record FROM url WHERE id = ?")
        ofEarlierStorage = try StoreStatement(
            database,
            "UPDATE url SET record = ?, visitedAt = coalesce(visitedAt, ?), rhythm = coalesce(rhythm, ?) WHERE id = ?")
        ofOtherCrawl = try StoreStatement(
            database,
            """
            UPDATE url SET state = ?, rank = ?, visitedAt = ?, rhythm = ?, visits = ?, changes = 0, failures = ?, misses = 0,
                history = ?, missingSince = ?, flags = ? WHERE id = ?
            """)
        rehashing = try StoreStatement(
            database, "UPDATE url SET contentHash = ? WHERE id = ? AND contentHash IS NOT NULL")
        planning = try StoreStatement(database, "UPDATE url SET rank = ?, rhythm = ? WHERE id = ?")
        smallestRank = try StoreStatement(
            database, "SELECT rank FROM url WHERE id >> 35 = ? AND rank < 1 << 40 ORDER BY rank LIMIT 1")
    }

    // MARK: Finding

    subscript(number: Int64, host: String) -> Row? {
        get throws { try byNumber.first(.integer(number)) { Self.row($0, host: host) } }
    }

    /// The row of an address, or the free number where it belongs.
    func find(_ address: StoredAddress, host: Int64) throws -> (row: Row?, number: Int64) {
        try URLNumber.find(address, host: host, key: placeKey) { number in
            try byNumber.first(.integer(number)) { statement -> URLNumber.Occupant<Row> in
                statement.text(1, is: address.text) ? .found(Self.row(statement, host: address.host)) : .another
            } ?? (vacated.has(number) ? .another : .nobody)
        }
    }

    /// The next URLs of a host in the order of their numbers.
    func rows(of host: Int64, _ name: String, after number: Int64, limit: Int) throws -> [Row] {
        var found: [Row] = []
        let last = URLNumber.range(ofHost: host).upperBound
        try ofHost.rows(.integer(number), .integer(last), .integer(Int64(limit))) {
            found.append(Self.row($0, host: name))
        }
        return found
    }

    /// The identifier of a URL's record; nil without one.
    func record(of row: Row) throws -> String? {
        let stored = try recordOf.first(.integer(row.id)) { $0.optionalText(0) } ?? nil
        return stored.map { $0.isEmpty ? row.address.key : $0 }
    }

    static func row(_ statement: StoreStatement, host: String) -> Row {
        Row(
            id: statement.integer(0), address: StoredAddress(host: host, text: statement.text(1)),
            state: State(rawValue: statement.integer(2)) ?? .finished, rank: statement.integer(3),
            depth: statement.integer(4), seed: statement.integer(5), flags: StoredFlags(rawValue: statement.integer(6)),
            extras: statement.optionalText(7), canonical: statement.optionalInteger(8),
            visitedAt: statement.optionalInteger(9), visits: statement.integer(10), changes: statement.integer(11),
            history: statement.blob(12), missingSince: statement.optionalInteger(13))
    }

    /// When the first finished URL of a host is due; nil when none is finished.
    func nextDue(host: Int64) throws -> Int64? {
        try smallestRank.first(.integer(host)) { $0.integer(0) }
    }

    /// Due URLs are counted up to this number. It takes a tenth of a second; ten million would take some.
    static let mostDue = 100_000

    /// How many visited URLs are due at a moment, at most `mostDue`.
    static func countDue(_ database: Database, until moment: Int64) throws -> Int {
        try Int.fetchOne(database, sql: countOfDue, arguments: ["moment": moment, "limit": mostDue]) ?? 0
    }

    /// The sign before `host.id` takes its affinity away. With it, SQLite would not use the index on the expression, and read
    /// all URLs of all hosts again for every host.
    static let countOfDue = """
        SELECT count(*) FROM (
            SELECT 1 FROM host CROSS JOIN url ON url.id >> 35 = +host.id AND url.rank <= :moment
            WHERE host.nextDue <= :moment LIMIT :limit)
        """

    // MARK: Dropping

    /// The last URLs in a host's line, and the first URLs of one depth.
    static let endOfLine =
        "SELECT \(columns) FROM url WHERE id >> 35 = ? AND rank >= 1 << 40 ORDER BY rank DESC LIMIT ?"
    static let beginningOfLevel =
        "SELECT \(columns) FROM url WHERE id >> 35 = ? AND rank >= ? AND rank < ? ORDER BY rank LIMIT ?"
    /// How many URLs are considered at each end.
    private static let looksAt = 8

    /// A queued URL that is among the worst of its host; nil if none may be dropped. Only some URLs at both ends of the
    /// deepest level are compared, so that the cost does not grow with the line.
    ///
    /// - Parameters:
    ///   - out: numbers of the leased URLs.
    ///   - links: how many pages are known to link to a URL.
    func worst(
        of host: Int64, name: String, out: Set<Int64>, links: (StoredAddress) -> Int
    ) throws -> (row: Row, rank: DropRank)? {
        var worst: (row: Row, rank: DropRank)?
        var deepest: Int64?
        func consider(_ statement: StoreStatement) throws {
            guard !out.contains(statement.integer(0)) else { return }
            let row = Self.row(statement, host: name)
            deepest = max(deepest ?? 0, row.rank)
            // A visited URL has a history, which must not be lost.
            guard !row.flags.isOwed, row.visits == 0 else { return }
            let rank = row.dropRank(links: links(row.address))
            if let worst, (worst.rank, worst.row.rank) >= (rank, row.rank) { return }
            if try !isTaken(URLNumber.next(after: row.id)) { worst = (row, rank) }
        }
        let limit = Int64(Self.looksAt + out.count)
        try lastInLine.rows(.integer(host), .integer(limit), body: consider)
        // The first URLs of the level may be worse: fewer pages may link to them, or no sitemap lists them.
        if let deepest {
            let level = deepest & ~(Self.firstQueuedRank - 1)
            try firstInLevel.rows(
                .integer(host), .integer(level), .integer(level + Self.firstQueuedRank), .integer(limit),
                body: consider)
        }
        return worst
    }

    private func isTaken(_ number: Int64) throws -> Bool { try presence.first(.integer(number)) { _ in true } ?? false }

    /// Removes a URL. URLs that have later numbers because its own was taken are still found.
    func remove(_ number: Int64) throws {
        try removal.run(.integer(number))
        let next = URLNumber.next(after: number)
        if try isTaken(next) || vacated.has(next) {
            try vacated.add(number)
        } else {
            try vacated.removeAll(before: number)
        }
    }

    // MARK: Writing

    /// - Parameter page: the number of the page whose link led to the URL; nil if none did.
    func insert(
        _ number: Int64, _ request: CrawlRequest, extras: String?, address: StoredAddress, rank: Int64, seed: Int64,
        foundOn page: Int64?
    ) throws {
        try insertion.run(
            .integer(number), .text(address.text), .integer(rank), .integer(Int64(request.depth)), .integer(seed),
            .integer(StoredFlags(request).rawValue), .optional(extras), .optional(page))
    }

    /// Writes the columns that queueing changes.
    func queue(_ row: Row) throws {
        try queueing.run(
            .integer(row.state.rawValue), .integer(row.rank), .integer(row.depth), .integer(row.seed),
            .integer(row.flags.rawValue), .optional(row.extras), .integer(row.id))
    }

    /// Writes when a visited URL is due, and its rhythm.
    func plan(_ number: Int64, due: Int64, rhythm: Int64) throws {
        try planning.run(.integer(due), .integer(rhythm), .integer(number))
    }

    /// Writes what a visit of an earlier storage has left.
    ///
    /// - Parameter record: its record; empty if that is the URL key.
    func takeOver(_ record: String, of number: Int64, visitedAt: Int64, rhythm: Int64) throws {
        try ofEarlierStorage.run(.text(record), .integer(visitedAt), .integer(rhythm), .integer(number))
    }

    /// Writes what another crawl has left. State, rank, flags, visits and history come from the row.
    func takeIn(_ row: Row, rhythm: Int64, failures: Int64) throws {
        try ofOtherCrawl.run(
            .integer(row.state.rawValue), .integer(row.rank), .optional(row.visitedAt), .integer(rhythm),
            .integer(row.visits), .integer(failures), .blob(row.history), .optional(row.missingSince),
            .integer(row.flags.rawValue), .integer(row.id))
    }

    /// Writes the hash of a record that was changed without a visit.
    func setContentHash(_ hash: String, of number: Int64) throws {
        try rehashing.run(.text(hash), .integer(number))
    }

    /// Writes the result of a visit. State, rank, flags, canonical URL, counts and history come from the row.
    func finish(_ row: Row, _ visit: FinishedVisit) throws {
        let identifier = visit.recordIdentifier.map { $0 == row.address.key ? "" : $0 }
        try finishing.run(
            .integer(row.state.rawValue), .integer(row.rank), .integer(row.flags.rawValue), .optional(row.extras),
            .optional(row.visitedAt), .integer(visit.next.rhythm.storeSeconds), .integer(row.visits),
            .integer(row.changes), .integer(Int64(visit.next.failures)), .integer(Int64(visit.next.misses)),
            .optional(visit.entityTag), .optional(visit.lastModified), .optional(visit.contentHash),
            .optional(identifier), .optional(row.canonical),
            .optional((visit.detail ?? visit.outcome.detail).map { String($0.prefix(2048)) }),
            .blob(row.history), .optional(row.missingSince), .integer(row.id))
    }

    // MARK: Extras

    static func extras(of request: CrawlRequest) throws -> String? {
        var extras = StoredExtras()
        if request.url.href != request.key.string { extras.url = request.url.href }
        if !request.redirects.isEmpty { extras.redirects = request.redirects.map(\.href) }
        extras.sitemap = request.sitemap
        if case .sitemap(let host, let level) = request.target {
            extras.sitemapHost = host
            extras.sitemapLevel = level
        }
        return try text(of: extras)
    }

    static func text(of extras: StoredExtras) throws -> String? {
        guard !extras.isEmpty else { return nil }
        var writer = JSONWriter()
        try writer.encoded(extras)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func extras(from text: String?) throws -> StoredExtras {
        guard let text else { return StoredExtras() }
        return try JSONDecoder().decode(StoredExtras.self, from: Data(text.utf8))
    }
}

/// Numbers of removed URLs that a search for others must pass (`URLNumber`). There are few: only URLs of the same directory get
/// neighboring numbers.
final class VacatedNumbers {
    private var isEmpty: Bool
    private let presence: StoreStatement
    private let insertion: StoreStatement
    private let removal: StoreStatement

    init(_ database: Database) throws {
        presence = try StoreStatement(database, Self.presence)
        insertion = try StoreStatement(database, "INSERT OR IGNORE INTO vacated VALUES (?)")
        removal = try StoreStatement(database, "DELETE FROM vacated WHERE number = ? RETURNING 1")
        isEmpty = try StoreStatement(database, "SELECT 1 FROM vacated LIMIT 1").first { _ in false } ?? true
    }

    static let presence = "SELECT 1 FROM vacated WHERE number = ?"

    func has(_ number: Int64) throws -> Bool {
        try !isEmpty && presence.first(.integer(number)) { _ in true } ?? false
    }

    func add(_ number: Int64) throws {
        try insertion.run(.integer(number))
        isEmpty = false
    }

    /// Removes the numbers in a row that end before a number which nothing follows any more.
    func removeAll(before number: Int64) throws {
        var number = URLNumber.next(before: number)
        while try !isEmpty && removal.first(.integer(number), body: { _ in true }) ?? false {
            number = URLNumber.next(before: number)
        }
    }
}
