import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// The seeds that URLs were found from, held in memory: they are few, and the operator's list is there as well.
final class SeedTable {
    private var seeds: [Int64: Seed] = [:]
    private var numbers: [Seed: Int64] = [:]
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
                throw CrawlStorage.StorageError.damaged(reason: "seed \(row.integer(0)) is no URL")
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
                throw CrawlStorage.StorageError.damaged(reason: "seed \(number) is missing")
            }
            return seed
        }
    }
}

/// The codes of outcomes that were met, each with a small number for the URLs' histories.
final class OutcomeTable {
    private var numbers: [String: Int64] = [:]
    /// By number: URLs whose last visit ended so.
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

    /// A URL's last outcome is another one now; nil of one that was not visited before.
    func move(from old: Int64?, to new: Int64) {
        guard old != new else { return }
        if let old {
            urls[old] = max(0, (urls[old] ?? 0) - 1)
            changed.insert(old)
        }
        urls[new, default: 0] += 1
        changed.insert(new)
    }

    /// Before the transaction ends.
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

    /// There are few.
    func code(of number: Int64) -> String? { numbers.first { $0.value == number }?.key }
}
