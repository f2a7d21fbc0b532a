import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// The seeds that URLs were found from. They are kept in memory, because they are few, as is the operator's list of them.
final class SeedTable {
    private var seeds: [Int64: Seed] = [:]
    private var numbers: [Seed: Int64] = [:]
    /// The seed that was asked for last. All links of a page have one seed.
    private var last: (seed: Seed, number: Int64)?
    private let insertion: StoreStatement

    init(_ database: Database) throws {
        insertion = try StoreStatement(
            database,
            """
            INSERT INTO seed(id, url, kind, storeIdentifier, bundleIdentifier, packageName, landingHosts)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        let all = try StoreStatement(
            database,
            "SELECT id, url, kind, storeIdentifier, bundleIdentifier, packageName, landingHosts FROM seed ORDER BY id")
        try all.rows { row in
            guard let url = WebURL(row.text(1)) else {
                throw StorageError.damaged(reason: "seed \(row.integer(0)) is no URL")
            }
            let seed = Seed(
                url: url, kind: row.optionalText(2).flatMap(Seed.Kind.init), storeIdentifier: row.optionalText(3),
                bundleIdentifier: row.optionalText(4), packageName: row.optionalText(5),
                landingHosts: row.text(6).split(separator: " ").map(String.init))
            seeds[row.integer(0)] = seed
            numbers[seed] = row.integer(0)
        }
    }

    func number(of seed: Seed) throws -> Int64 {
        if let last, last.seed == seed { return last.number }
        let number = try findNumber(of: seed)
        last = (seed, number)
        return number
    }

    private func findNumber(of seed: Seed) throws -> Int64 {
        if let number = numbers[seed] { return number }
        let number = Int64(seeds.count + 1)
        try insertion.run(
            .integer(number), .text(seed.url.href), .optional(seed.kind?.rawValue), .optional(seed.storeIdentifier),
            .optional(seed.bundleIdentifier), .optional(seed.packageName),
            .text(seed.landingHosts.joined(separator: " ")))
        seeds[number] = seed
        numbers[seed] = number
        return number
    }

    subscript(number: Int64) -> Seed {
        get throws {
            guard let seed = seeds[number] else {
                throw StorageError.damaged(reason: "seed \(number) is missing")
            }
            return seed
        }
    }
}

/// The codes of outcomes that occurred, each with a small number for the histories of URLs.
final class OutcomeTable {
    private var numbers: [String: Int64] = [:]
    /// How many URLs have the outcome as their last, by its number.
    private var urls: [Int64: Int64] = [:]
    private var changed: Set<Int64> = []
    private let insertion: StoreStatement
    private let counting: StoreStatement

    init(_ database: Database) throws {
        insertion = try StoreStatement(database, "INSERT INTO outcome(id, code) VALUES (?, ?)")
        counting = try StoreStatement(database, "UPDATE outcome SET urls = ? WHERE id = ?")
        try StoreStatement(database, "SELECT id, code, urls FROM outcome").rows {
            numbers[$0.text(1)] = $0.integer(0)
            urls[$0.integer(0)] = $0.integer(2)
        }
    }

    /// Counts a new last outcome of a URL. `old` is nil for a URL that was not visited before, `new` for one that is removed.
    func move(from old: Int64?, to new: Int64?) {
        guard old != new else { return }
        if let old {
            urls[old] = max(0, (urls[old] ?? 0) - 1)
            changed.insert(old)
        }
        if let new {
            urls[new, default: 0] += 1
            changed.insert(new)
        }
    }

    /// Writes the changed counts. Must be called before the transaction ends.
    func write() throws {
        for number in changed.sorted() { try counting.run(.integer(urls[number] ?? 0), .integer(number)) }
        changed = []
    }

    func number(of code: String) throws -> Int64 {
        if let number = numbers[code] { return number }
        let number = Int64(numbers.count + 1)
        try insertion.run(.integer(number), .text(code))
        numbers[code] = number
        return number
    }

    /// Searches all codes, since there are few.
    func code(of number: Int64) -> String? { numbers.first { $0.value == number }?.key }
}
