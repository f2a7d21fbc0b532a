import GRDB
import PippinCrawl
import PippinPage

/// What a shard's storage keeps for others: URLs of other shards' hosts that its visits have found, and the links of its pages. It
/// is written in the transaction of the visit, so that no kill loses or repeats any of it.
///
/// Everything has a number of the counter that the records have too (`RecordTable`). An epoch tells what has a number after the cursor
/// of the last committed epoch (`ShardNews`).
final class ShardMail {
    let shard: Shard
    let tellsLinks: Bool
    /// What has a greater number was not committed.
    private let told: Int64
    /// How many URLs wait to be told, and how many may. Redirects are told in any case.
    private var untold: Int64
    private let mostUntold: Int64
    /// The owners of hosts that were met lately.
    private var owners: [String: Int] = [:]
    private static let rememberedHosts = 50_000
    private let posted: StoreStatement
    private let insertion: StoreStatement
    private let improvement: StoreStatement
    private let linksOf: StoreStatement
    private let replacement: StoreStatement
    private let sequenceOf: StoreStatement

    init(_ database: Database, _ epoch: ShardEpoch, tellsLinks: Bool, mostUntold: Int) throws {
        shard = epoch.shard
        told = epoch.told
        self.tellsLinks = tellsLinks
        self.mostUntold = Int64(mostUntold)
        untold =
            try StoreStatement(database, "SELECT count(*) FROM outbox WHERE sequence > ?").first(.integer(told)) {
                $0.integer(0)
            } ?? 0
        posted = try StoreStatement(database, "SELECT sequence, depth, seed FROM outbox WHERE key = ?")
        insertion = try StoreStatement(
            database, "INSERT INTO outbox(key, sequence, shard, depth, seed, request) VALUES (?, ?, ?, ?, ?, ?)")
        improvement = try StoreStatement(
            database, "UPDATE outbox SET depth = ?, seed = ?, request = ? WHERE key = ?")
        linksOf = try StoreStatement(database, "SELECT finding FROM toldLinks WHERE page = ?")
        replacement = try StoreStatement(
            database, "INSERT OR REPLACE INTO toldLinks(page, sequence, finding) VALUES (?, ?, ?)")
        sequenceOf = try StoreStatement(database, "SELECT sequence FROM toldLinks WHERE page = ?")
    }

    /// The shard that owns a host; nil if it is this one.
    func foreignOwner(of host: String) -> Int? {
        let owner: Int
        if let known = owners[host] {
            owner = known
        } else {
            if owners.count >= Self.rememberedHosts { owners = [:] }
            owner = shard.owner(of: host)
            owners[host] = owner
        }
        return owner == shard.number ? nil : owner
    }

    /// Keeps a request for another shard, if its URL was not posted before. As long as it was not told, a nearer way to it takes the
    /// place of the first one.
    ///
    /// - Parameters:
    ///   - seed: the number of its seed.
    ///   - seedOf: the seed with a number.
    ///   - sequence: gives the next number.
    /// - Returns: whether the URL is kept; false if too many wait.
    func post(
        _ request: CrawlRequest, to owner: Int, seed: Int64, seedOf: (Int64) throws -> Seed, sequence: () -> Int64
    ) throws -> Bool {
        let key = request.mailKey
        let known = try posted.first(.text(key)) { ($0.integer(0), $0.integer(1), $0.integer(2)) }
        if let (number, depth, knownSeed) = known {
            guard number > told,
                try request.isNearer(
                    than: Int(depth), seed: knownSeed == seed ? request.seed : try seedOf(knownSeed))
            else { return true }
            try improvement.run(
                .integer(Int64(request.depth)), .integer(seed), .blob(document(of: request, owner)), .text(key))
            return true
        }
        guard request.isOwed || untold < mostUntold else { return false }
        untold += 1
        try insertion.run(
            .text(key), .integer(sequence()), .integer(Int64(owner)), .integer(Int64(request.depth)), .integer(seed),
            .blob(document(of: request, owner)))
        return true
    }

    private func document(of request: CrawlRequest, _ owner: Int) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 300)
        request.write(to: &writer, shard: owner)
        return writer.bytes
    }

    /// Keeps what a visit found out about the links of its page, if it is not what was known.
    ///
    /// - Parameter record: the page's record, if the visit gave one, and its SimHash.
    func note(
        _ finding: LinkTable.Finding<String>, of page: Int64, at address: StoredAddress,
        record: (identifier: String, simHash: UInt64?)?, sequence: () -> Int64
    ) throws {
        guard let document = finding.document(of: address, record) else { return }
        // At the fastest level: links are written for every page that has changed.
        guard let packed = DeflatedBytes.pack(document, level: 1) else {
            throw StorageError.damaged(reason: "the links of \(address.key) cannot be packed")
        }
        var before: [UInt8]?
        try linksOf.rows(.integer(page)) { before = $0.blob(0) }
        if case .gone = finding, before == nil { return }
        guard before != packed else { return }
        try replacement.run(.integer(page), .integer(sequence()), .blob(packed))
    }

    /// Notes that a page has no links any more, unless that is known.
    ///
    /// - Returns: whether it was told.
    func isGone(_ page: Int64, at address: StoredAddress, sequence: () -> Int64) throws -> Bool {
        try note(.gone, of: page, at: address, record: nil, sequence: sequence)
        return try sequenceOf.first(.integer(page)) { $0.integer(0) <= told } ?? true
    }
}

extension LinkTable.Finding<String> {
    /// What others are told; nil if the earlier finding stays.
    fileprivate func document(
        of page: StoredAddress, _ record: (identifier: String, simHash: UInt64?)?
    ) -> [UInt8]? {
        if case .nothing = self { return nil }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("page", page.key)
            writer.member("host", page.host)
            if let record {
                writer.member("record", record.identifier)
                if let simHash = record.simHash {
                    let digits = String(simHash, radix: 16)
                    writer.member("simHash", String(repeating: "0", count: 16 - digits.count) + digits)
                }
            }
            switch self {
            case .links(let followed, let nofollow):
                let links = Set(followed)
                writer.member("followed", .array(links.sorted().map { .string($0) }))
                writer.member("nofollow", Set(nofollow).subtracting(links).sorted())
            case .leadsTo(let target): writer.member("leadsTo", target)
            case .gone: writer.member("gone", true)
            case .nothing: break
            }
        }
        return writer.bytes
    }
}
