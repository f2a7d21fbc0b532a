import GRDB
import PippinCrawl
import PippinPage

extension SQLiteFrontier {
    /// Rows that are looked at in one transaction.
    private static let stretch = 500

    /// Removes URLs from the storage, with their records, texts, links and cards. Of a record, a deletion is left in the feed for its
    /// consumers. Hosts keep their clocks and robots.txt, so that nobody is asked too soon.
    ///
    /// It works in short transactions. If its task is cancelled, it returns after one of them; what is forgotten stays forgotten.
    public func forget(_ place: AddressPattern) throws -> Forgotten {
        var forgotten = Forgotten()
        try forEachHost(of: place) { name, number in try forget(place, of: name, number, &forgotten) }
        try forgetFound(place)
        onRecords()
        return forgotten
    }

    /// Calls `body` with each host that a pattern covers and its number; nil if the one host of the pattern is not known.
    func forEachHost(of place: AddressPattern, _ body: (String, Int64?) throws -> Void) throws {
        if let name = place.host { return try body(name, try read { _ in try self.tables.hosts.number(of: name) }) }
        var last: Int64 = 0
        while !Task.isCancelled {
            let hosts = try read { _ in try self.tables.hosts.names(after: last, limit: Self.stretch) }
            guard let end = hosts.last?.number else { return }
            for host in hosts where place.covers(host: host.name) { try body(host.name, host.number) }
            last = end
        }
    }

    /// Calls `body` with each URL of a host that a pattern covers, in short transactions.
    private func forEachURL(
        of place: AddressPattern, on name: String, _ number: Int64, _ body: (URLTable.Row) throws -> Void
    ) throws {
        var last = URLNumber.range(ofHost: number).lowerBound - 1
        var isOver = false
        while !isOver, !Task.isCancelled {
            try write { _ in
                let rows =
                    try place.addresses(of: name)?.compactMap { try tables.urls.find($0, host: number).row }
                    ?? tables.urls.rows(of: number, name, after: last, limit: Self.stretch)
                for found in rows where place.covers(found.address) {
                    // What was done with one before may have queued it.
                    if let row = try tables.urls[found.id, name] { try body(row) }
                }
                try tables.hosts.write()
                if let end = rows.last { last = end.id } else { isOver = true }
                if place.addresses(of: name) != nil { isOver = true }
            }
        }
    }

    // MARK: Visiting again

    /// Lets this run visit URLs that it would not visit yet. They keep their place in the storage: a run that ends early leaves the others
    /// due for the next one. Pauses of hosts, robots.txt and limits hold as for all visits.
    ///
    /// - Parameter reason: whether a URL is meant, by the code of its last outcome; nil if it was never visited.
    /// - Returns: how many URLs are meant, those that were due or queued anyway included.
    public func visitAgain(_ place: AddressPattern, where isMeant: (String?) -> Bool = { _ in true }) throws -> Int {
        var count = 0
        try forEachHost(of: place) { name, number in
            guard let number else { return }
            try forEachURL(of: place, on: name, number) { row in
                guard isMeant(tables.outcomes.lastCode(in: row.history)) else { return }
                count += 1
                if row.state != .queued { try tables.makeDue(row) }
            }
        }
        return count
    }

    // MARK: Forgetting

    private func forget(
        _ place: AddressPattern, of name: String, _ number: Int64?, _ forgotten: inout Forgotten
    ) throws {
        let now = date()
        if let number {
            try forEachURL(of: place, on: name, number) { row in
                forgotten.urls += 1
                if try tables.forget(row, reason: Self.takedown, at: now) { forgotten.records += 1 }
            }
            let trouble = try read { _ in try self.tables.hosts[number].trouble } ?? ""
            // The last request that failed may have been for one of them.
            if place.keys(of: name).contains(where: { trouble.contains($0.lowerBound) }) {
                try write { _ in
                    try tables.hosts.change(number) { $0.trouble = nil }
                    try tables.hosts.write()
                }
            }
        }
        // Records whose page has another URL, or none any more.
        for keys in place.keys(of: name) {
            var last: String?
            var isOver = false
            while !isOver, !Task.isCancelled {
                try write { _ in
                    let found = try tables.recordTable.identifiers(in: keys, after: last, limit: Self.stretch)
                    for identifier in found where place.covers(key: identifier, of: name) {
                        let wasThere = try tables.recordTable.forget(identifier, reason: Self.takedown, at: now)
                        if wasThere { forgotten.records += 1 }
                    }
                    if let end = found.last { last = end } else { isOver = true }
                }
            }
        }
    }

    /// Forgets what was found for other shards. Their hosts are none of this storage.
    private func forgetFound(_ place: AddressPattern) throws {
        let ranges = place.host.map { place.keys(of: $0) } ?? ["http"..."i"]
        for keys in ranges {
            for kind in ["", "sitemap:"] {
                var last = kind + keys.lowerBound
                var isOver = false
                while !isOver, !Task.isCancelled {
                    try write { database in
                        var found: [String] = []
                        try StoreStatement(
                            database,
                            "SELECT key FROM outbox WHERE key >= ? AND key <= ? ORDER BY key LIMIT \(Self.stretch)"
                        ).rows(.text(last), .text(kind + keys.upperBound)) { found.append($0.text(0)) }
                        let removal = try StoreStatement(database, "DELETE FROM outbox WHERE key = ?")
                        for text in found {
                            let key = String(text.dropFirst(kind.count))
                            guard let host = WebURL(key)?.politenessHost, place.covers(host: host),
                                place.covers(key: key, of: host)
                            else { continue }
                            try removal.run(.text(text))
                        }
                        isOver = found.count < Self.stretch || found.last == last
                        last = found.last ?? last
                    }
                }
            }
        }
    }

    /// Removes URLs that this run has found to be lost, and that no page links or leads to which is there itself: a link would only bring
    /// them back. A record that one of them still has is deleted, for the reason of its last visit.
    ///
    /// One pass over the links, and only if there are such URLs. If its task is cancelled, the next visits find them again.
    func forgetLostURLs() throws {
        var (lost, hosts, seeds) = tables.lostURLs.take()
        guard !lost.isEmpty || !hosts.isEmpty else { return }
        let patience = tables.lostURLs.patience
        do {
            // On a connection that reads, so that the records' followers can write meanwhile.
            try database.read { database in
                let ofHost = try StoreStatement(database, "SELECT id FROM url WHERE id BETWEEN ? AND ? LIMIT ?")
                for host in hosts {
                    let numbers = URLNumber.range(ofHost: host)
                    try ofHost.rows(
                        .integer(numbers.lowerBound), .integer(numbers.upperBound),
                        .integer(Int64(max(0, LostURLs.most - lost.count)))
                    ) { if !seeds.contains($0.integer(0)) { lost.insert($0.integer(0)) } }
                }
                // The pages of a host that is gone link to each other.
                let isLost = try StoreStatement(
                    database, "SELECT 1 FROM url WHERE id = ? AND visitedAt - missingSince >= ?")
                var rows = 0
                _ = try StoreStatement(database, "SELECT page, leadsTo, targets FROM link").firstMatch { row -> Bool? in
                    rows += 1
                    var found: [Int64] = []
                    if let target = row.optionalInteger(1), lost.contains(target) { found.append(target) }
                    row.withBlob(2) { bytes in
                        PackedLinks.unpack(bytes) {
                            if !$0.isNofollow, lost.contains($0.target) { found.append($0.target) }
                        }
                    }
                    if !found.isEmpty, !hosts.contains(URLNumber.host(of: row.integer(0))),
                        try isLost.first(.integer(row.integer(0)), .integer(patience), body: { _ in true }) == nil
                    {
                        lost.subtract(found)
                    }
                    return lost.isEmpty || rows % 1024 == 0 && Task.isCancelled ? true : nil
                }
            }
        } catch {
            throw StorageError(error, database: database)
        }
        // Not all links are read if it was cancelled.
        guard !Task.isCancelled else { return }
        let (now, numbers) = (date(), lost.sorted())
        for start in stride(from: 0, to: numbers.count, by: Self.stretch) where !Task.isCancelled {
            try write { _ in
                for number in numbers[start..<min(start + Self.stretch, numbers.count)] {
                    let host = try tables.hosts[URLNumber.host(of: number)]
                    let isOfLostHost = hosts.contains(host.id)
                    guard let row = try tables.urls[number, host.name],
                        isOfLostHost || row.missingSince != nil && row.state != .queued, try tables.isGoneForAll(row)
                    else { continue }
                    let code = isOfLostHost && row.missingSince == nil ? nil : tables.outcomes.lastCode(in: row.history)
                    let reason = code ?? Self.takedown
                    _ = try tables.forget(row, reason: reason, at: now)
                }
                try tables.hosts.write()
            }
        }
        onRecords()
    }

    /// Removes hosts that have no URL left and have long been at rest, with their robots.txt. If its task is cancelled, the next run
    /// does the rest.
    func forgetIdleHosts() throws {
        let now = date().storeSeconds
        var resting = Self.stretch
        while resting == Self.stretch, !Task.isCancelled {
            try write { _ in
                try tables.hosts.write()
                resting = try tables.hosts.beginRest(limit: Self.stretch, now: now)
            }
        }
        var last: Int64 = 0
        while !Task.isCancelled {
            var removed: [Int64] = []
            try write { _ in
                removed = try tables.hosts.removeIdle(
                    after: last, limit: Self.stretch, told: told, now: now)
            }
            guard let end = removed.last else { return }
            last = end
            listed.subtract(removed)
            line.removeAll { !listed.contains($0) }
        }
    }

    /// Why a record was deleted that an operator took out.
    static let takedown = "forgotten"
}

/// What was forgotten of a storage, or would be.
public struct Forgotten: Sendable, Equatable {
    /// URLs with all that is kept of them.
    public var urls = 0
    /// Records that were there; of each, consumers get a deletion if they have it.
    public var records = 0

    /// Starts with nothing.
    public init() {}
}
