extension SchemaOrg {
    /// What people gave on average.
    public struct Rating: Sendable, Hashable {
        public var value: Double
        public var best: Double
        public var worst: Double
        /// `(value - worst) / (best - worst)`, in 0…1.
        public var normalized: Double
        /// Ratings given.
        public var count: Int?
        /// Reviews written.
        public var reviewCount: Int?
    }

    /// Reads `4,5`, `4.5/5`, `4.5 out of 5`, `90%`. `bestRating` is 5 and `worstRating` 1 where they are not said
    /// (schema.org until release 22); a value above `best` was given out of 10 or 100. A scale up to 100 starts at 0.
    ///
    /// nil where nobody has rated yet, which templates write as value 0.
    public static func rating(
        value text: String, best bestText: String? = nil, worst worstText: String? = nil,
        count countText: String? = nil,
        reviewCount reviewText: String? = nil
    ) -> Rating? {
        let bytes = bytes(of: text)
        guard let found = number(in: bytes, singleMark: .decimal) else { return nil }
        let value = found.value
        let rest = bytes[found.range.upperBound...].drop { $0 == 0x20 }
        var best = bestText.flatMap(decimal)
        let declaredWorst = worstText.flatMap(decimal)
        if rest.first == UInt8(ascii: "%") {
            best = 100
        } else if let scale = scaleMaximum(behind: found.range.upperBound, in: bytes) {
            best = scale
        }
        let count = countText.flatMap(count)
        let reviewCount = reviewText.flatMap(Self.count)
        if value == 0 && (count ?? 0) == 0 && (reviewCount ?? 0) == 0 { return nil }

        var top = best ?? 5
        if top <= 0 { top = 5 }
        if value > top { top = value <= 5 ? 5 : value <= 10 ? 10 : 100 }
        guard value <= top else { return nil }
        var bottom = declaredWorst ?? (top >= 100 ? 0 : 1)
        if bottom >= top { bottom = 0 }
        if value < bottom {
            // A worst that was said is believed: the value is wrong. One that was assumed is not.
            guard declaredWorst == nil, value >= 0 else { return nil }
            bottom = 0
        }
        return Rating(
            value: value, best: top, worst: bottom, normalized: (value - bottom) / (top - bottom), count: count,
            reviewCount: reviewCount)
    }

    /// `/5`, `out of 5`, `von 5`: the second number, when only such words stand between.
    private static func scaleMaximum(behind end: Int, in bytes: [UInt8]) -> Double? {
        guard let second = number(in: bytes, from: end, singleMark: .decimal) else { return nil }
        let between = String(decoding: bytes[end..<second.range.lowerBound].map(\.asciiLowercased), as: UTF8.self)
        switch between.trimmingHTMLSpace() {
        case "/", "out of", "of", "von", "sur", "su", "de", "av", "van", "stars out of", "из": return second.value
        default: return nil
        }
    }
}
