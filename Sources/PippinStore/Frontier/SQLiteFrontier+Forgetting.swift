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
    public func forget(_ place: ForgottenPlace) throws -> Forgotten {
        var forgotten = Forgotten()
        if let name = place.host {
            let number = try read { _ in try self.tables.hosts.number(of: name) }
            try forget(place, of: name, number, &forgotten)
        } else {
            var last: Int64 = 0
            while !Task.isCancelled {
                let hosts = try read { _ in try self.tables.hosts.names(after: last, limit: Self.stretch) }
                guard let end = hosts.last?.number else { break }
                for host in hosts where place.covers(host: host.name) {
                    try forget(place, of: host.name, host.number, &forgotten)
                }
                last = end
            }
        }
        onRecords()
        return forgotten
    }

    private func forget(
        _ place: ForgottenPlace, of name: String, _ number: Int64?, _ forgotten: inout Forgotten
    ) throws {
        let now = date()
        if let number {
            var last = URLNumber.range(ofHost: number).lowerBound - 1
            var isOver = false
            while !isOver, !Task.isCancelled {
                try write { _ in
                    let rows =
                        try place.addresses(of: name)?.compactMap { try tables.urls.find($0, host: number).row }
                        ?? tables.urls.rows(of: number, name, after: last, limit: Self.stretch)
                    for row in rows where place.covers(row.address) {
                        forgotten.urls += 1
                        if try tables.forget(row, reason: Self.takedown, at: now) { forgotten.records += 1 }
                    }
                    try tables.hosts.write()
                    if let end = rows.last { last = end.id } else { isOver = true }
                }
            }
            let trouble = try tables.hosts[number].trouble ?? ""
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
                    for identifier in found {
                        let wasThere = try tables.recordTable.forget(identifier, reason: Self.takedown, at: now)
                        if wasThere { forgotten.records += 1 }
                    }
                    if let end = found.last { last = end } else { isOver = true }
                }
            }
        }
        try write { database in
            // Found for other shards.
            let removal = try StoreStatement(database, "DELETE FROM outbox WHERE key BETWEEN ? AND ?")
            for keys in place.keys(of: name) {
                try removal.run(.text(keys.lowerBound), .text(keys.upperBound))
                try removal.run(.text("sitemap:" + keys.lowerBound), .text("sitemap:" + keys.upperBound))
            }
        }
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
