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
    private let ways: WayRule
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
    private let byNumber: StoreStatement
    private let linksAway: StoreStatement
    private let keepingLinks: StoreStatement
    private let droppingLinks: StoreStatement

    init(_ database: Database, _ epoch: ShardEpoch, tellsLinks: Bool, mostUntold: Int, ways: WayRule) throws {
        shard = epoch.shard
        told = epoch.told
        self.tellsLinks = tellsLinks
        self.ways = ways
        self.mostUntold = Int64(mostUntold)
        untold =
            try StoreStatement(database, "SELECT count(*) FROM outbox WHERE sequence > ?").first(.integer(told)) {
                $0.integer(0)
            } ?? 0
        posted = try StoreStatement(database, "SELECT number, sequence, depth, seed FROM outbox WHERE key = ?")
        byNumber = try StoreStatement(
            database, "SELECT number, sequence, depth, seed, shard, request FROM outbox WHERE number = ?")
        insertion = try StoreStatement(
            database,
            "INSERT INTO outbox(key, number, sequence, shard, depth, seed, request) VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6)"
        )
        improvement = try StoreStatement(
            database, "UPDATE outbox SET sequence = ?, depth = ?, seed = ?, request = ? WHERE number = ?")
        linksAway = try StoreStatement(database, "SELECT targets FROM away WHERE page = ?")
        keepingLinks = try StoreStatement(database, "INSERT OR REPLACE INTO away(page, targets) VALUES (?, ?)")
        droppingLinks = try StoreStatement(database, "DELETE FROM away WHERE page = ?")
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

    /// A URL that was posted.
    private struct Posted {
        let number: Int64
        let sequence: Int64
        let depth: Int64
        let seed: Int64

        init(_ row: StoreStatement) {
            (number, sequence, depth, seed) = (row.integer(0), row.integer(1), row.integer(2), row.integer(3))
        }
    }

    /// Keeps a request for another shard, if its URL was not posted before. A nearer way to it takes the place of the first one. If
    /// that was told already, the URL is told again as `WayRule` says: its owner may have met it too far from a seed, or its record names
    /// another.
    ///
    /// - Parameters:
    ///   - seed: the number of its seed.
    ///   - seedOf: the seed with a number.
    ///   - sequence: gives the next number.
    /// - Returns: the number of the URL in the outbox; nil if it is not kept, because too many wait.
    func post(
        _ request: CrawlRequest, to owner: Int, seed: Int64, seedOf: (Int64) throws -> Seed, sequence: () -> Int64
    ) throws -> Int64? {
        let key = request.mailKey
        if let known = try posted.first(.text(key), body: Posted.init) {
            guard request.depth <= known.depth, request.depth < known.depth || seed != known.seed else {
                return known.number
            }
            let way = CrawlWay(depth: Int(known.depth), seed: try seedOf(known.seed))
            if ways.prefers(request.way, to: way, of: request.key.string, isQueued: known.sequence > told) {
                try improve(known, with: request, owner, seed: seed, sequence: sequence)
            }
            return known.number
        }
        guard request.isOwed || untold < mostUntold else { return nil }
        untold += 1
        let number = sequence()
        try insertion.run(
            .text(key), .integer(number), .integer(Int64(owner)), .integer(Int64(request.depth)), .integer(seed),
            .blob(document(of: request, owner)))
        return number
    }

    private func improve(
        _ known: Posted, with request: CrawlRequest, _ owner: Int, seed: Int64, sequence: () -> Int64
    ) throws {
        let isTold = known.sequence <= told
        if isTold { untold += 1 }
        try improvement.run(
            .integer(isTold ? sequence() : known.sequence), .integer(Int64(request.depth)), .integer(seed),
            .blob(document(of: request, owner)), .integer(known.number))
    }

    // MARK: Links away

    /// A link of a page to a URL in the outbox.
    struct LinkAway {
        /// The number of the URL in the outbox.
        let number: Int64
        /// Whether the URL is one link further from the seed than the page, and no redirect's target.
        let addsDepth: Bool
    }

    /// Keeps the links of a page to URLs of other shards, in place of earlier ones.
    func keepLinks(_ links: [LinkAway], of page: Int64) throws {
        guard !links.isEmpty else { return try droppingLinks.run(.integer(page)) }
        let (bytes, _) = PackedLinks.pack(
            followed: links.filter(\.addsDepth).map(\.number), nofollow: links.filter { !$0.addsDepth }.map(\.number))
        try keepingLinks.run(.integer(page), .blob(bytes))
    }

    func linksAway(of page: Int64) throws -> [LinkAway] {
        var links: [LinkAway] = []
        try linksAway.rows(.integer(page)) { row in
            row.withBlob(0) { bytes in
                PackedLinks.unpack(bytes) { links.append(LinkAway(number: $0.target, addsDepth: !$0.isNofollow)) }
            }
        }
        return links
    }

    /// Lets a visited page pass a way on to a URL in the outbox.
    func bringNearer(_ number: Int64, _ way: CrawlWay, seedNumber: Int64, sequence: () -> Int64) throws {
        let found = try byNumber.first(.integer(number)) { ($0.blob(5), Int($0.integer(4)), Posted($0)) }
        guard let (document, owner, known) = found, way.depth <= known.depth,
            way.depth < known.depth || seedNumber != known.seed
        else { return }
        let line = Array("{\"type\":\"request\",".utf8) + document.dropFirst()
        guard case .request(var request) = try WorkerMessage(line: line[...], number: 1) else { return }
        guard
            ways.passesOn(
                way, over: request.way, to: request.key.string, host: request.host, isQueued: known.sequence > told)
        else { return }
        request.way = way
        try improve(known, with: request, owner, seed: seedNumber, sequence: sequence)
    }

    // MARK: What is told

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
