import Foundation
import GRDB
import Glibc
import PippinCrawl
import PippinPage

/// Makes the storage of a new shard out of the storages of all old ones: a job in N shards becomes one in M, and nothing is fetched
/// again. Each new shard is made by itself, and takes the hosts that it owns.
///
/// What is moved: hosts with their clocks, robots.txt, URLs with their history, records with the history of their deep links, the
/// links of pages, and the URLs that the old shards have found for hosts of the new one, delivered or not. Numbers of URLs, records,
/// seeds and outcomes are those of one storage, and are given anew. References to URLs that another new shard gets are left out; they
/// serve explanations only. A new storage has a new feed: its first epoch tells everything.
///
///     hosts ─► rules ─► URLs ─► what refers to URLs ─► records ─► outboxes ─► counts ─► the row `shard`
///
/// The row is written last. A worker takes no storage without it, so one that was made by half is never crawled.
public final class Resharding {
    /// What was moved.
    public struct Counts: Sendable, Equatable {
        public var hosts = 0
        public var urls = 0
        public var records = 0
        /// URLs from outboxes that were not known yet.
        public var found = 0
    }

    /// An old storage, which no worker may hold meanwhile. Several new shards may be made of it at a time.
    private final class Source {
        let folder: URL
        let database: DatabaseQueue
        private let descriptor: Int32

        init(_ folder: URL) throws {
            self.folder = folder
            database = try StorageDatabase.toRead(in: folder)
            descriptor = open(folder.appending(path: "lock").path, O_RDWR | O_CLOEXEC)
            // From here on the descriptor is closed by `deinit`, also if this throws.
            guard descriptor >= 0 else {
                throw StorageError.unusable(folder: folder.path, reason: SystemReason.words(errno))
            }
            guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
                throw StorageError.held(folder: folder.path, by: "")
            }
        }

        deinit {
            guard descriptor >= 0 else { return }
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// Rows that are moved in one transaction.
    private static let stretch = 2_000

    private let storage: CrawlStorage
    private let shard: Shard
    private var counts = Counts()
    private let tables: FrontierTables
    private let copyURL: StoreStatement
    private let referURL: StoreStatement
    private let copyRecord: StoreStatement
    private let recordOf: StoreStatement

    /// Makes a storage.
    ///
    /// - Parameters:
    ///   - folder: of the new storage; it must not have one.
    ///   - sources: the storages of all old shards.
    public static func make(_ shard: Shard, in folder: URL, of sources: [URL]) throws -> Counts {
        guard !CrawlStorage.exists(in: folder) else {
            throw ReportedFailure("\(folder.path): has a storage already; remove it, or name another folder", .usage)
        }
        let old = try sources.map { try Source($0) }
        try check(old)
        let storage = try CrawlStorage(folder: folder)
        let resharding = try Resharding(storage, shard)
        for source in old { try resharding.take(source) }
        // URLs that were found may be known to a shard that comes later.
        for source in old { try resharding.takeOutbox(of: source) }
        try resharding.end()
        try storage.emptyLog()
        return resharding.counts
    }

    /// Whether the storages are all the shards of one job.
    private static func check(_ sources: [Source]) throws {
        var numbers: Set<Int64> = []
        for source in sources {
            let known = try source.database.read { database in
                try StoreStatement(database, "SELECT number, count, rule FROM shard").first {
                    (number: $0.integer(0), count: $0.integer(1), rule: $0.text(2))
                }
            }
            guard let known, known.rule == Shard.rule else {
                throw ReportedFailure("\(source.folder.path): is not a shard by the rule \(Shard.rule)", .usage)
            }
            guard known.count == Int64(sources.count), numbers.insert(known.number).inserted else {
                throw ReportedFailure(
                    "\(source.folder.path): is shard \(known.number) of \(known.count); name each of the job's "
                        + "\(known.count) storages once", .usage)
            }
        }
    }

    private init(_ storage: CrawlStorage, _ shard: Shard) throws {
        self.storage = storage
        self.shard = shard
        (tables, copyURL, referURL, copyRecord, recordOf) = try storage.write { database in
            (
                try FrontierTables(
                    database, cutoff: Date(), recrawl: CrawlConfiguration.Recrawl(), limits: .unlimited),
                try StoreStatement(
                    database,
                    """
                    INSERT INTO url(id, address, state, rank, depth, seed, flags, extras, visitedAt, rhythm, visits, changes,
                        failures, misses, entityTag, lastModified, contentHash, record, detail, history, missingSince)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """),
                try StoreStatement(database, "UPDATE url SET canonical = ?, foundOn = ? WHERE id = ?"),
                try StoreStatement(
                    database,
                    """
                    INSERT INTO record(identifier, state, sequence, version, cluster, simHash, fetchedAt, deletion, document, host)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
                    """),
                try StoreStatement(database, "SELECT id FROM record WHERE identifier = ?")
            )
        }
    }

    // MARK: One old storage

    /// What finding the rows of an old storage needs.
    private struct Reading {
        let database: Database
        /// The new numbers of the hosts that are moved.
        var hosts: [Int64: (number: Int64, name: String)] = [:]
        var seeds: [Int64: Int64] = [:]
        var outcomes: [Int64: Int64] = [:]
        let addressOf: StoreStatement
    }

    private func take(_ source: Source) throws {
        do {
            try source.database.read { database in
                var reading = Reading(
                    database: database, addressOf: try StoreStatement(database, "SELECT address FROM url WHERE id = ?"))
                try self.takeHosts(&reading)
                try self.takeURLs(&reading)
                try self.takeReferences(reading)
                try self.takeRecords(reading)
                try self.takeLinks(reading)
            }
        } catch {
            throw StorageError(error, path: source.folder.path)
        }
    }

    private func takeHosts(_ reading: inout Reading) throws {
        let names = [
            "nextDue", "suspendedUntil", "lastRequest", "nextRequest", "keptAt", "crawlDelay", "responseTime",
            "failures",
            "openings", "silentSince",
        ]
        var moved: [(old: Int64, name: String, numbers: [Int64?], answeredFrom: String?, trouble: String?)] = []
        try StoreStatement(
            reading.database, "SELECT id, name, answeredFrom, trouble, \(names.joined(separator: ", ")) FROM host"
        ).rows { row in
            guard shard.owns(row.text(1)) else { return }
            moved.append(
                (
                    row.integer(0), row.text(1), names.indices.map { row.optionalInteger(Int32(4 + $0)) },
                    row.optionalText(2), row.optionalText(3)
                ))
        }
        let rules = try StoreStatement(reading.database, "SELECT origin, until, text FROM rules WHERE host = ?")
        for start in stride(from: 0, to: moved.count, by: Self.stretch) {
            try storage.write { database in
                let copyRules = try StoreStatement(database, "INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?)")
                for host in moved[start..<min(start + Self.stretch, moved.count)] {
                    let number = try tables.hosts.add(host.name)
                    reading.hosts[host.old] = (number, host.name)
                    try tables.hosts.change(number) { new in
                        (new.nextDue, new.suspendedUntil, new.lastRequest) = (
                            host.numbers[0], host.numbers[1], host.numbers[2]
                        )
                        (new.nextRequest, new.keptAt, new.crawlDelay) = (
                            host.numbers[3], host.numbers[4], host.numbers[5]
                        )
                        (new.responseTime, new.failures) = (host.numbers[6], host.numbers[7] ?? 0)
                        (new.openings, new.silentSince) = (host.numbers[8] ?? 0, host.numbers[9])
                        (new.answeredFrom, new.trouble) = (host.answeredFrom, host.trouble)
                    }
                    try rules.rows(.integer(host.old)) { row in
                        let text: StoreValue = row.isBlob(2) ? .blob(row.blob(2)) : .optional(row.optionalText(2))
                        try copyRules.run(.integer(number), .text(row.text(0)), .integer(row.integer(1)), text)
                    }
                    counts.hosts += 1
                }
                try tables.write(now: Date())
            }
        }
    }

    private func takeURLs(_ reading: inout Reading) throws {
        let oldSeeds = try SeedTable(reading.database)
        let oldOutcomes = try OutcomeTable(reading.database)
        let next = try StoreStatement(
            reading.database,
            """
            SELECT id, address, state, rank, depth, seed, flags, extras, visitedAt, rhythm, visits, changes, failures, misses,
                entityTag, lastModified, contentHash, record, detail, history, missingSince
            FROM url WHERE id >> 35 = ? AND id > ? ORDER BY id LIMIT ?
            """)
        for (old, new) in reading.hosts.sorted(by: { $0.key < $1.key }) {
            var last: Int64 = -1
            while true {
                let before = last
                try storage.write { _ in
                    try next.rows(.integer(old), .integer(last), .integer(Int64(Self.stretch))) { row in
                        last = row.integer(0)
                        try self.takeURL(row, host: new, &reading, oldSeeds, oldOutcomes)
                    }
                    try tables.write(now: Date())
                }
                if last == before { break }
            }
        }
    }

    private func takeURL(
        _ row: StoreStatement, host: (number: Int64, name: String), _ reading: inout Reading, _ oldSeeds: SeedTable,
        _ oldOutcomes: OutcomeTable
    ) throws {
        let address = StoredAddress(host: host.name, text: row.text(1))
        let (known, number) = try tables.urls.find(address, host: host.number)
        guard known == nil else { return }
        let oldSeed = row.integer(5)
        let seed = try reading.seeds[oldSeed] ?? tables.seeds.number(of: try oldSeeds[oldSeed])
        reading.seeds[oldSeed] = seed
        var history = row.blob(19)
        for start in stride(
            from: 0, to: history.count - history.count % URLTable.bytesOfVisit, by: URLTable.bytesOfVisit)
        {
            let old = Int64(history[start]) | Int64(history[start + 1]) << 8
            let code = oldOutcomes.code(of: old) ?? "failed"
            let new = try reading.outcomes[old] ?? tables.outcomes.number(of: code)
            reading.outcomes[old] = new
            history[start] = UInt8(truncatingIfNeeded: new)
            history[start + 1] = UInt8(truncatingIfNeeded: new >> 8)
        }
        if let last = OutcomeTable.lastNumber(in: history) { tables.outcomes.move(from: nil, to: last) }
        let numbers = (9...13).map { StoreValue.optional(row.optionalInteger(Int32($0))) }
        let texts = (14...18).map { StoreValue.optional(row.optionalText(Int32($0))) }
        try copyURL.run(
            [
                .integer(number), .text(address.text), .integer(row.integer(2)), .integer(row.integer(3)),
                .integer(row.integer(4)), .integer(seed), .integer(row.integer(6)), .optional(row.optionalText(7)),
                .optional(row.optionalInteger(8)),
            ] + numbers + texts + [row.isNull(19) ? .null : .blob(history), .optional(row.optionalInteger(20))])
        counts.urls += 1
    }

    /// The new number of a URL; nil if it is not moved.
    private func number(of old: Int64, _ reading: Reading) throws -> Int64? {
        guard let host = reading.hosts[URLNumber.host(of: old)],
            let text = try reading.addressOf.first(.integer(old), body: { $0.text(0) })
        else { return nil }
        return try tables.urls.find(StoredAddress(host: host.name, text: text), host: host.number).row?.id
    }

    private func takeReferences(_ reading: Reading) throws {
        let rows = try StoreStatement(
            reading.database,
            """
            SELECT id, canonical, foundOn FROM url WHERE id > ?
                AND (canonical IS NOT NULL OR foundOn IS NOT NULL) ORDER BY id LIMIT ?
            """)
        try move(rows) { row in
            guard let number = try self.number(of: row.integer(0), reading) else { return }
            let referred = try [1, 2].map { column in
                StoreValue.optional(try row.optionalInteger(column).flatMap { try self.number(of: $0, reading) })
            }
            try self.referURL.run(referred[0], referred[1], .integer(number))
        }
        try storage.write { database in
            let insertion = try StoreStatement(database, "INSERT OR IGNORE INTO awaiting VALUES (?, ?)")
            try StoreStatement(reading.database, "SELECT target, url FROM awaiting").rows { row in
                guard let target = try self.number(of: row.integer(0), reading),
                    let url = try self.number(of: row.integer(1), reading)
                else { return }
                try insertion.run(.integer(target), .integer(url))
            }
        }
    }

    private func takeRecords(_ reading: Reading) throws {
        let deepLinks = try StoreStatement(
            reading.database, "SELECT id, record, \(DeepLinkTable.columns) FROM deepLink WHERE record = ? ORDER BY id")
        let textOf = try StoreStatement(reading.database, "SELECT text FROM pageText WHERE record = ?")
        let popularityOf = try StoreStatement(
            reading.database, "SELECT page, value, claims FROM popularity WHERE record = ?")
        let (copyLink, copyText, copyPopularity) = try storage.write { database in
            (
                try StoreStatement(
                    database,
                    """
                    INSERT INTO deepLink(record, link, at, platform, storeIdentifier, bundleIdentifier,
                        appClipBundleIdentifier, packageName, appName, url, status, since, previousURL, previousStatus,
                        previousSince, reason)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """),
                try StoreStatement(database, "INSERT INTO pageText(record, text) VALUES (?, ?)"),
                try StoreStatement(
                    database, "INSERT OR IGNORE INTO popularity(record, page, value, claims) VALUES (?, ?, ?, ?)")
            )
        }
        let rows = try StoreStatement(
            reading.database,
            """
            SELECT id, identifier, state, sequence, version, cluster, simHash, fetchedAt, deletion, document, host FROM record
            WHERE id > ? ORDER BY id LIMIT ?
            """)
        try move(rows) { row in
            let identifier = row.text(1)
            guard let host = WebURL(identifier)?.politenessHost, self.shard.owns(host),
                try self.recordOf.first(.text(identifier), body: { _ in true }) == nil
            else { return }
            let old = row.integer(0)
            let new = try self.copyRecord.first(
                .text(identifier), .integer(row.integer(2)),
                row.isNull(3) ? .null : .integer(self.tables.recordTable.nextSequence()), .integer(row.integer(4)),
                .integer(row.integer(5)), .optional(row.optionalInteger(6)), .integer(row.integer(7)),
                row.isNull(8) ? .null : .blob(row.blob(8)), row.isNull(9) ? .null : .blob(row.blob(9)),
                .integer(row.integer(10))
            ) { $0.integer(0) }
            guard let new else { throw StorageError.damaged(reason: "no number for a record") }
            self.counts.records += row.integer(2) == RecordTable.State.deleted.rawValue ? 0 : 1
            try deepLinks.rows(.integer(old)) { link in
                let isNumber: Set<Int32> = [2, 3, 12, 15]
                let values = (Int32(2)...Int32(16)).map { column -> StoreValue in
                    isNumber.contains(column)
                        ? .optional(link.optionalInteger(column)) : .optional(link.optionalText(column))
                }
                try copyLink.run([.integer(new)] + values)
            }
            if let text = try textOf.first(.integer(old), body: { $0.text(0) }) {
                try copyText.run(.integer(new), .text(text))
            }
            let popularity = try popularityOf.first(.integer(old)) {
                ($0.integer(0), $0.optionalInteger(1), $0.optionalInteger(2))
            }
            if let (page, value, claims) = popularity, let page = try self.number(of: page, reading) {
                try copyPopularity.run(.integer(new), .integer(page), .optional(value), .optional(claims))
            }
        }
    }

    private func takeLinks(_ reading: Reading) throws {
        let (copyLink, copyTold, leadsFurther) = try storage.write { database in
            (
                try StoreStatement(
                    database, "INSERT OR REPLACE INTO link(page, count, leadsTo, targets) VALUES (?, ?, ?, ?)"),
                try StoreStatement(
                    database, "INSERT OR REPLACE INTO toldLinks(page, sequence, finding) VALUES (?, ?, ?)"),
                // A link whose target lies elsewhere now cannot pass a nearer way on: the page must be read again then.
                try StoreStatement(database, "UPDATE url SET flags = flags | ? WHERE id = ?")
            )
        }
        let away = try StoreStatement(reading.database, "SELECT page FROM away WHERE page > ? ORDER BY page LIMIT ?")
        // Negative numbers are of pages that lead further than `link` says.
        try move(away, after: .min) { row in
            guard let page = try self.number(of: Int64(clamping: row.integer(0).magnitude), reading) else { return }
            try leadsFurther.run(.integer(StoredFlags.leadsFurther), .integer(page))
        }
        let links = try StoreStatement(
            reading.database, "SELECT page, leadsTo, targets FROM link WHERE page > ? ORDER BY page LIMIT ?")
        try move(links) { row in
            guard let page = try self.number(of: row.integer(0), reading) else { return }
            var isWhole = true
            var (followed, nofollow): ([Int64], [Int64]) = ([], [])
            try row.withBlob(2) { bytes in
                try PackedLinks.unpack(bytes) { link in
                    guard let target = try self.number(of: link.target, reading) else {
                        isWhole = false
                        return
                    }
                    if link.isNofollow { nofollow.append(target) } else { followed.append(target) }
                }
            }
            let (bytes, count) = PackedLinks.pack(followed: followed, nofollow: nofollow)
            let leadsTo = try row.optionalInteger(1).flatMap { try self.number(of: $0, reading) }
            if !row.isNull(1), leadsTo == nil { isWhole = false }
            if !isWhole { try leadsFurther.run(.integer(StoredFlags.leadsFurther), .integer(page)) }
            if !row.isNull(1), leadsTo == nil { return }
            try copyLink.run(
                .integer(page), .integer(Int64(count)), .optional(leadsTo), leadsTo == nil ? .blob(bytes) : .null)
        }
        let told = try StoreStatement(
            reading.database, "SELECT page, finding FROM toldLinks WHERE page > ? ORDER BY page LIMIT ?")
        try move(told) { row in
            guard let page = try self.number(of: row.integer(0), reading) else { return }
            try copyTold.run(
                .integer(page), .integer(self.tables.recordTable.nextSequence()), .blob(row.blob(1)))
        }
    }

    /// Moves the rows of a statement that takes the last number and the most rows, some in each transaction.
    private func move(
        _ rows: StoreStatement, after start: Int64 = -1, _ body: (StoreStatement) throws -> Void
    ) throws {
        var last = start
        while true {
            let before = last
            try storage.write { _ in
                try rows.rows(.integer(last), .integer(Int64(Self.stretch))) { row in
                    last = row.integer(0)
                    try body(row)
                }
                try tables.write(now: Date())
            }
            if last == before { return }
        }
    }

    // MARK: All old storages

    /// Queues what an old shard has found for hosts of this one. What was delivered is known, and stays as it is.
    private func takeOutbox(of source: Source) throws {
        var last: Int64 = 0
        while true {
            let before = last
            var requests: [CrawlRequest] = []
            try source.database.read { database in
                try StoreStatement(
                    database, "SELECT sequence, request FROM outbox WHERE sequence > ? ORDER BY sequence LIMIT ?"
                ).rows(.integer(last), .integer(Int64(Self.stretch))) { row in
                    last = row.integer(0)
                    let line = Array("{\"type\":\"request\",".utf8) + row.blob(1).dropFirst()
                    guard case .request(let request) = try WorkerMessage(line: line[...], number: 1) else { return }
                    if self.shard.owns(request.host) { requests.append(request) }
                }
            }
            if last == before { return }
            try storage.write { _ in
                var dropped = DroppedURLs()
                for request in requests {
                    if case .new = try tables.add(request, &dropped) { counts.found += 1 }
                }
                try tables.write(now: Date())
            }
        }
    }

    /// Writes the counts that `FrontierTables` keeps, and makes the storage a shard.
    private func end() throws {
        try storage.write { database in
            try tables.hosts.write()
            try KeptCounts.fix(database)
            try database.execute(
                sql: """
                    UPDATE store SET isOpen = 0,
                        latest = (SELECT max(coalesce(max(keptAt), 0), coalesce(max(lastRequest), 0)) FROM host),
                        turn = (SELECT coalesce(max(rank & ((1 << 40) - 1)), 0) FROM url WHERE rank >= 1 << 40)
                    """)
            try StoreStatement(
                database, "INSERT INTO shard(id, number, count, rule, turn, endsAt) VALUES (1, ?, ?, ?, 0, 0)"
            ).run(.integer(Int64(shard.number)), .integer(Int64(shard.count)), .text(Shard.rule))
        }
    }
}
