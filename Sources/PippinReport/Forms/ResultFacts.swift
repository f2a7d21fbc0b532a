import PippinPage

/// What a search result shows of a record besides its texts: the site, stars, price, availability, event, time and date, in
/// words. It reads the record's JSON, so that stored records and new ones look the same.
public struct ResultFacts: Sendable {
    private let record: JSONValue

    public init(_ record: JSONValue) { self.record = record }

    private var host: String { record["domainIdentifier"]?.string ?? "" }

    /// `Shop · shop.example`; the host alone if that is the site's name.
    public var siteLine: String {
        guard let site = record["containerTitle"]?.string, site.lowercased() != host.lowercased() else { return host }
        return "\(site) · \(host)"
    }

    /// The letter that stands in the place of a picture.
    public var letter: String {
        let name = record["containerTitle"]?.string ?? host.replacing("www.", with: "", maxReplacements: 1)
        return name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
    }

    /// How many percent of the stars are full, and the rating in words: `4.5 (3)`.
    public var stars: (percent: Int, text: String)? {
        guard let rating = record["rating"], let value = rating["value"]?.double else { return nil }
        let best = rating["best"]?.double ?? 5
        let share = best > 0 ? min(max(value / best, 0), 1) : 0
        let rounded = (value * 10).rounded() / 10
        let scale = best == 5 ? "" : " of \(Self.short(best))"
        let count = (rating["count"] ?? rating["reviewCount"])?.integer.map { " (\($0))" } ?? ""
        return (Int((share * 100).rounded()), "\(Self.short(rounded))\(scale)\(count)")
    }

    private static func short(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
    }

    /// `EUR 12.50`, `from USD 10`, `free`, `$$`.
    public var price: String? {
        let range = record["priceRange"]?.string
        guard let offer = record["offers"]?.array?.first else { return range }
        let currency = offer["currency"]?.string.map { $0 + " " } ?? ""
        let low = offer["lowPrice"]?.string
        // Records of earlier versions have no `price` beside `lowPrice`.
        guard let price = offer["price"]?.string ?? low else { return range }
        if low == price {
            guard let high = offer["highPrice"]?.string else { return "from \(currency)\(price)" }
            if high != price { return "\(currency)\(price)–\(high)" }
        }
        return Double(price) == 0 ? "free" : currency + price
    }

    /// `In stock`, and whether that means that it can be had.
    public var availability: (words: String, canBeHad: Bool)? {
        record["offers"]?.array?.first?["availability"]?.string.map {
            (SchemaOrg.words(ofMember: $0), SchemaOrg.canBeHad($0))
        }
    }

    /// `2026-12-06 19:30, Town Hall`; what has become of it, if it does not take place as planned.
    public var event: String? {
        guard let event = record["event"] else { return nil }
        let status = event["status"]?.string.flatMap { $0 == "EventScheduled" ? nil : $0 }
        let start = event["startDate"]?.string.map { date in
            let clock = date.utf8.firstIndex(of: UInt8(ascii: "T"))
            return clock.map { date[..<$0] + " " + date[$0...].dropFirst().prefix(5) } ?? date
        }
        let place = event["venue"]?.string ?? event["address"]?.string ?? event["url"].map { _ in "online" }
        let parts = [status.map { SchemaOrg.words(ofMember: String($0.dropFirst(5))) }, start, place]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        return text.isEmpty ? nil : text
    }

    /// How long it takes or plays: `35 min`.
    public var time: String? {
        let cooking = record["recipe"]?["totalTime"]?.string.flatMap { SchemaOrg.duration($0, hoursFirst: true) }
        return (cooking ?? record["duration"]?.integer).map { DurationWords.text(seconds: $0) }
    }

    /// The day on which it was published: `20 Nov 2026`, `Nov 2026`, `2026`.
    public var date: String? {
        guard let written = record["publishedAt"]?.string else { return nil }
        let parts = written.prefix(10).split(separator: "-")
        guard let year = parts.first, year.utf8.count == 4 else { return nil }
        guard parts.count > 1, let month = Int(parts[1]), (1...12).contains(month) else { return String(year) }
        guard parts.count > 2, let day = Int(parts[2].prefix(2)) else { return "\(Self.months[month - 1]) \(year)" }
        return "\(day) \(Self.months[month - 1]) \(year)"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
