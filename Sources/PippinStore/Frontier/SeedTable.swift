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
    private let insertion: StoreStatement

    init(_ database: Database) throws {
        insertion = try StoreStatement(database, "INSERT INTO outcome(id, code) VALUES (?, ?)")
        try StoreStatement(database, "SELECT id, code FROM outcome").rows { numbers[$0.text(1)] = $0.integer(0) }
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
