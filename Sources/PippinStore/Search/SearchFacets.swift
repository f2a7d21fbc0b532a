import PippinPage

/// How many of the hits have which value of a filter, so that filters are offered with what they leave.
public struct SearchFacets: Sendable {
    public struct Value: Sendable, Hashable {
        /// As it stands in the filter: `Recipe`, `shop.example`, `>=4`.
        public let value: String
        public let count: Int
    }

    public struct Group: Sendable {
        /// The filter: `type`, `site`, `app`, `lang`, `has`, `rating`, `after`.
        public let key: String
        /// The most frequent first; those of `rating` and `after` in their order, each with what the ones before have.
        public let values: [Value]
    }

    public let groups: [Group]
    /// Whether all hits are counted. Otherwise there are at least so many.
    public let isExact: Bool

    static let none = SearchFacets(groups: [], isExact: true)

    /// The most values of a filter.
    private static let maximum = 20
    private static let ratings = [4, 3]
    /// The years before this one that are counted.
    private static let years = 3

    private init(groups: [Group], isExact: Bool) {
        self.groups = groups
        self.isExact = isExact
    }

    /// Counts over documents.
    ///
    /// - Parameters:
    ///   - isExact: whether these are all hits.
    ///   - year: this year.
    ///   - database: gives `types`, `site` and `apps` of a document by its number.
    init(
        of documents: some Sequence<(number: Int64, signals: SearchSignals)>, isExact: Bool, year: Int,
        in database: StoreStatement
    ) throws {
        var counts: [String: [String: Int]] = [:]
        // The types of a page with those above them, which the filter finds it by, too.
        var known: [String: [String]] = [:]
        var ratings = [Int](repeating: 0, count: Self.ratings.count)
        var years = [Int](repeating: 0, count: Self.years)
        let firstDays = (0..<Self.years).map { SearchDocument.day(of: "\(year - $0)") ?? .max }
        for (number, signals) in documents {
            try database.rows(.integer(number)) { row in
                let stated = row.text(0)
                let types = known[stated] ?? FilterNames.withSupertypes(stated.split(separator: " ").map(String.init))
                known[stated] = types
                for type in types { counts["type", default: [:]][type, default: 0] += 1 }
                counts["site", default: [:]][row.text(1), default: 0] += 1
                for app in row.optionalText(2)?.split(separator: "\n") ?? [] {
                    counts["app", default: [:]][String(app), default: 0] += 1
                }
            }
            if let language = signals.language { counts["lang", default: [:]][language, default: 0] += 1 }
            if signals.flags.contains(.opensInApp) { counts["has", default: [:]]["deeplink", default: 0] += 1 }
            if signals.flags.contains(.hasPrice) { counts["has", default: [:]]["price", default: 0] += 1 }
            for (index, least) in Self.ratings.enumerated() where signals.stars ?? -1 >= Double(least) {
                ratings[index] += 1
            }
            for (index, first) in firstDays.enumerated() where signals.day ?? .min >= first { years[index] += 1 }
        }
        // Of all that things are, what pages say themselves is offered: `Event`, not `CreativeWork`.
        let stated = Set(known.keys.flatMap { $0.split(separator: " ").map(String.init) })
        counts["type"] = counts["type"]?.filter { stated.contains($0.key) }
        var groups = ["type", "site", "app", "lang", "has"].map { key in
            Group(
                key: key,
                values: counts[key, default: [:]].sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                    .prefix(Self.maximum).map { Value(value: $0.key, count: $0.value) })
        }
        groups.append(Group(key: "rating", values: Self.steps(zip(Self.ratings, ratings).map { (">=\($0)", $1) })))
        groups.append(Group(key: "after", values: Self.steps(years.enumerated().map { ("\(year - $0)", $1) })))
        self.groups = groups.map { group in
            Group(key: group.key, values: group.values.filter { $0.count > 0 && !$0.value.isEmpty })
        }.filter { !$0.values.isEmpty }
        self.isExact = isExact
    }

    /// Values of which each has the hits of the one before, without those that have no more.
    private static func steps(_ counts: [(value: String, count: Int)]) -> [Value] {
        var values: [Value] = []
        for (value, count) in counts where count > values.last?.count ?? 0 {
            values.append(Value(value: value, count: count))
        }
        return values
    }

    /// Writes one JSON object: a member for each filter, of objects with `value` and `count`.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for group in groups {
                writer.objects(group.key, group.values) { writer, value in
                    writer.member("value", value.value)
                    writer.member("count", value.count)
                }
            }
        }
    }
}
