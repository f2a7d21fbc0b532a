import GRDB
import PippinPage

extension StorageReader {
    private static let stretch = 2_000

    /// What `SQLiteFrontier.forget` would forget. Two URLs with one record that neither of them names may count it twice.
    public func forgotten(by place: ForgottenPlace) throws -> Forgotten {
        var forgotten = Forgotten()
        var last: Int64 = 0
        if let name = place.host {
            let number = try read {
                try Int64.fetchOne($0, sql: "SELECT id FROM host WHERE name = ?", arguments: [name])
            }
            try count(place, of: name, number, &forgotten)
            return forgotten
        }
        while true {
            let hosts = try read { database in
                try Row.fetchAll(
                    database, sql: "SELECT id, name FROM host WHERE id > ? ORDER BY id LIMIT \(Self.stretch)",
                    arguments: [last]
                ).map { (number: $0["id"] as Int64, name: $0["name"] as String) }
            }
            guard let end = hosts.last?.number else { return forgotten }
            for host in hosts where place.covers(host: host.name) {
                try count(place, of: host.name, host.number, &forgotten)
            }
            last = end
        }
    }

    private func count(
        _ place: ForgottenPlace, of name: String, _ number: Int64?, _ forgotten: inout Forgotten
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
                        !place.covers(identifier: record, of: name)
                    else { return }
                    if try isListed.first(.text(record), body: { _ in true }) != nil { forgotten.records += 1 }
                }
            }
            if last == before { break }
        }
        for keys in place.keys(of: name) {
            forgotten.records += try read { database in
                try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM record WHERE identifier BETWEEN ? AND ? AND state <> 1",
                    arguments: [keys.lowerBound, keys.upperBound]) ?? 0
            }
        }
    }
}
