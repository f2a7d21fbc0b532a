import Foundation
import PippinPage

/// What the order of hits needs of a document beside its words.
struct SearchSignals: Sendable {
    let identifier: String
    let host: Int64
    let lengths: [Int]
    let language: String?
    let popularity: Double?
    let rating: Double?
    let stars: Double?
    let interactions: Double
    let structuredData: Double
    let flags: SearchDocument.Flags
    let stuffing: Double
    let signs: StuffingSigns
    let day: Int?
    let over: Int?
    /// Whose storage has the record; nil if the job is not in shards.
    let shard: Int?
    /// The lowest price of its offers, and their currency by ISO 4217.
    let price: Double?
    let currency: String?

    static let columns = """
        identifier, host, lengths, language, popularity, rating, stars, interactions, structuredData, flags, stuffing, signs,
        day, over, shard, price, currency
        """
    /// Where a query that reads `columns` has its next one.
    static let columnCount: Int32 = 17

    init(_ row: StoreStatement) {
        func thousandths(_ column: Int32) -> Double? { row.optionalInteger(column).map { Double($0) / 1000 } }
        identifier = row.text(0)
        host = row.integer(1)
        lengths = Self.lengths(row.blob(2))
        language = row.optionalText(3)
        popularity = thousandths(4)
        rating = thousandths(5)
        stars = row.optionalInteger(6).map { Double($0) / 100 }
        interactions = thousandths(7) ?? 0
        structuredData = thousandths(8) ?? 0
        flags = SearchDocument.Flags(rawValue: row.integer(9))
        stuffing = thousandths(10) ?? 0
        signs = StuffingSigns(rawValue: row.integer(11))
        day = row.optionalInteger(12).map(Int.init)
        over = row.optionalInteger(13).map(Int.init)
        shard = row.optionalInteger(14).map(Int.init)
        price = thousandths(15)
        currency = row.optionalText(16)
    }

    // MARK: Lengths of fields, two bytes each

    static func packed(_ lengths: [Int]) -> [UInt8] {
        lengths.flatMap { length -> [UInt8] in
            let value = UInt16(clamping: length)
            return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
    }

    static func lengths(_ bytes: [UInt8]) -> [Int] {
        stride(from: 0, to: bytes.count - 1, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
    }
}
