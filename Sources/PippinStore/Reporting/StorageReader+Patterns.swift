import GRDB
import PippinPage

extension StorageReader {
    private static let stretch = 2_000

    /// What `SQLiteFrontier.forget` would forget. Two URLs with one record that neither of them names may count it twice.
    public func forgotten(by place: AddressPattern) throws -> Forgotten {
        var forgotten = Forgotten()
        try forEachHost(of: place) { name, number in try count(place, of: name, number, &forgotten) }
        return forgotten
    }

    /// How many URLs `SQLiteFrontier.visitAgain` would let a run visit.
    ///
    /// - Parameter codes: only those whose last outcome is one of these; nil for all.
    public func visitedAgain(by place: AddressPattern, codes: Set<String>?) throws -> Int {
        var count = 0
        let numbers = try codes.map { codes in
            try read { database in
                try Row.fetchAll(database, sql: "SELECT id, code FROM outcome").filter { codes.contains($0["code"]) }
                    .map { $0["id"] as Int64 }
            }
        }
        try forEachHost(of: place) { name, number in
            guard let number else { return }
            let range = URLNumber.range(ofHost: number)
            try read { database in
                try StoreStatement(database, "SELECT address, history FROM url WHERE id BETWEEN ? AND ?").rows(
                    .integer(range.lowerBound), .integer(range.upperBound)
                ) { row in
                    guard place.covers(StoredAddress(host: name, text: row.text(0))) else { return }
                    if let numbers {
                        guard let last = OutcomeTable.lastNumber(in: row.blob(1)), numbers.contains(last) else {
                            return
                        }
                    }
                    count += 1
                }
            }
        }
        return count
    }

    /// Calls `body` with each host that a pattern covers and its number; nil if the one host of the pattern is not known.
    func forEachHost(of place: AddressPattern, _ body: (String, Int64?) throws -> Void) throws {
        if let name = place.host {
            let number = try read {
                try Int64.fetchOne($0, sql: "SELECT id FROM host WHERE name = ?", arguments: [name])
            }
            return try body(name, number)
        }
        var last: Int64 = 0
        while true {
            let hosts = try read { database in
                try Row.fetchAll(
                    database, sql: "SELECT id, name FROM host WHERE id > ? ORDER BY id LIMIT \(Self.stretch)",
                    arguments: [last]
                ).map { (number: $0["id"] as Int64, name: $0["name"] as String) }
            }
            guard let end = hosts.last?.number else { return }
            for host in hosts where place.covers(host: host.name) { try body(host.name, host.number) }
            last = end
        }
    }

    private func count(
        _ place: AddressPattern, of name: String, _ number: Int64?, _ forgotten: inout Forgotten
    ) throws {
        let numbers = number.map { URLNumber.range(ofHost: $0) }
        var last = numbers.map { $0.lowerBound - 1 } ?? 0
        while let numbers {
            let before = last
            try read { database in
                let isListed = try StoreStatement(database, "SELECT 1 FROM record WHERE identifier = ? AND state <> 1")
                try StoreStatement(
                    database, "SELECT id, address, record FROM url WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
                ).rows(.integer(last), .integer(numbers.upperBound), .integer(Int64(Self.stretch))) { row in
                    last = row.integer(0)
                    guard place.covers(StoredAddress(host: name, text: row.text(1))) else { return }
                    forgotten.urls += 1
                    // Those of the place itself are counted below.
                    guard let record = row.optionalText(2), !record.isEmpty,
                        !place.covers(key: record, of: name)
                    else { return }
                    if try isListed.first(.text(record), body: { _ in true }) != nil { forgotten.records += 1 }
                }
            }
            if last == before { break }
        }
        try read { database in
            let listed = try StoreStatement(
                database, "SELECT identifier FROM record WHERE identifier BETWEEN ? AND ? AND state <> 1")
            for keys in place.keys(of: name) {
                try listed.rows(.text(keys.lowerBound), .text(keys.upperBound)) {
                    if place.covers(key: $0.text(0), of: name) { forgotten.records += 1 }
                }
            }
        }
    }
}
