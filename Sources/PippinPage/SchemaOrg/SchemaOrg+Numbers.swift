extension SchemaOrg {
    /// The meaning of a single `.` or `,` with three digits after it.
    enum SingleMark {
        /// `4.125` is a little more than four: ratings, coordinates.
        case decimal
        /// `1.234` is more than a thousand: prices, counts. A leading zero (`0.125`) still means a decimal mark.
        case thousands
    }

    /// A number found in text: its digits, with `.` as decimal mark and no other mark, and its range in the text.
    struct FoundNumber {
        var text: String
        var range: Range<Int>
        var isNegative: Bool

        /// Never -0.
        var value: Double {
            let value = Double(text) ?? 0
            return isNegative && value != 0 ? -value : value
        }
        var hasFraction: Bool { text.utf8.has(UInt8(ascii: ".")) }
    }

    /// The first number at or after `start`. The places of `,` and `.` decide their meaning: if both occur, the last is the
    /// decimal mark; one that repeats separates thousands; for a single one, `singleMark` decides. Spaces of all widths and
    /// apostrophes separate thousands if exactly three digits follow.
    ///
    /// A fraction may have any number of digits. PHP writes 4.8 as `4.79999999999999982236431605997495353221893310546875`, and
    /// JavaScript 12.3 as `12.299999999999999`: those of such a number that a `Double` does not hold are rounded away, so the
    /// text is `4.8` and `12.3`. Nil if more than 18 digits stand before the decimal mark: those are article numbers. Nil for a
    /// number of a programming language, `0x10`.
    static func number(in bytes: [UInt8], from start: Int = 0, singleMark: SingleMark) -> FoundNumber? {
        var i = start
        while i < bytes.count {
            let startsWithMark =
                bytes[i] == UInt8(ascii: ".") && i + 1 < bytes.count && bytes[i + 1].isASCIIDigit
                && (i == 0 || bytes[i - 1] <= 0x20 || bytes[i - 1] == UInt8(ascii: "-"))
            if bytes[i].isASCIIDigit || startsWithMark { break }
            i += 1
        }
        guard i < bytes.count, !isRadixPrefix(bytes[i...]) else { return nil }
        let isNegative = i > 0 && bytes[i - 1] == UInt8(ascii: "-") && (i == 1 || !bytes[i - 2].isASCIIDigit)
        var groups = GroupedDigits()
        let end = groups.read(bytes, from: i)
        let exponent = exponent(in: bytes, at: end)
        // Who writes an exponent writes no thousands.
        guard var written = groups.decimal(singleMark: exponent == nil ? singleMark : .decimal) else { return nil }
        var upper = end
        if let exponent {
            written.scale(byPowerOfTen: exponent)
            upper = bytes.count
        }
        guard let text = written.text else { return nil }
        return FoundNumber(text: text, range: i..<upper, isNegative: isNegative)
    }

    /// `0x10`, `0b1`, `0o7`: a zero, a letter and a digit.
    private static func isRadixPrefix(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = Array(bytes.prefix(3).map(\.asciiLowercased))
        guard start.count == 3, start[0] == UInt8(ascii: "0") else { return false }
        switch start[1] {
        case UInt8(ascii: "x"): return start[2].hexDigitValue != nil
        case UInt8(ascii: "b"), UInt8(ascii: "o"): return start[2].isASCIIDigit
        default: return false
        }
    }

    /// The exponent after a number, `E+3`, as JSON may write it. It counts only at the end of the text, because elsewhere it
    /// may begin a word.
    private static func exponent(in bytes: [UInt8], at start: Int) -> Int? {
        guard start + 1 < bytes.count, bytes[start] | 0x20 == UInt8(ascii: "e") else { return nil }
        var i = start + 1
        let isNegative = bytes[i] == UInt8(ascii: "-")
        if isNegative || bytes[i] == UInt8(ascii: "+") { i += 1 }
        let digits = bytes[i...]
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        let value = digits.reduce(0) { min($0 * 10 + Int($1 & 0xF), DecimalDigits.maximumExponent) }
        return isNegative ? -value : value
    }

    /// A number with a fraction: `4,5`, `4.125`, `-3`.
    public static func decimal(_ text: String) -> Double? {
        number(in: bytes(of: text), singleMark: .decimal)?.value
    }

    /// A count: `1,234`, `1.2K`, `3M`, `1.5 million`, `924 reviews`. Nil for negative numbers, for fractions, and before words
    /// that mean thousands in one language and millions in another (`1,2 mil`).
    public static func count(_ text: String) -> Int? { count(StructuredItem.Literal(text)) }

    /// A count that structured data states. A number is one only without a fraction.
    public static func count(_ literal: StructuredItem.Literal) -> Int? {
        let bytes = bytes(of: literal.text)
        guard let found = number(in: bytes, singleMark: literal.isNumber ? .decimal : .thousands),
            !found.isNegative || found.value == 0
        else { return nil }
        guard let scale = scale(behind: found.range.upperBound, in: bytes) else {
            return found.value == found.value.rounded() ? wholeNumber(found.value) : nil
        }
        guard scale > 0 else { return nil }
        return number(in: bytes, singleMark: .decimal).flatMap { wholeNumber($0.value * scale) }
    }

    private static func wholeNumber(_ value: Double) -> Int? {
        value >= 0 && value < 1e15 ? Int(value.rounded()) : nil
    }

    /// The factor of a scale word: `K`, `M` or `B` as a separate word, their long names, and those of other languages. Zero for
    /// a word whose scale depends on the language, nil for other words.
    static func scale(behind end: Int, in bytes: [UInt8]) -> Double? {
        var start = end
        while start < bytes.count {
            if bytes[start] == 0x20 {
                start += 1
            } else if bytes[start] == 0xC2, start + 1 < bytes.count, bytes[start + 1] == 0xA0 {
                start += 2
            } else {
                break
            }
        }
        let rest = bytes[start...]
        if let first = rest.first, first >= 0x80 {
            return foreignScales.first { rest.starts(with: $0.word.utf8) }?.scale
        }
        let word = rest.prefix { $0.isASCIILetter }.map(\.asciiLowercased)
        switch String(decoding: word.prefix(12), as: UTF8.self) {
        case "k", "tsd", "tys", "thousand": return 1_000
        case "lakh", "lakhs": return 100_000
        case "m", "mio", "mln", "million", "millions", "millionen": return 1_000_000
        case "crore", "crores": return 10_000_000
        case "b", "bn", "billion": return 1_000_000_000
        case "mil": return 0
        default: return nil
        }
    }

    private static let foreignScales: [(word: String, scale: Double)] = [
        ("千", 1_000), ("천", 1_000), ("тыс", 1_000), ("万", 10_000), ("萬", 10_000), ("만", 10_000),
        ("млн", 1_000_000), ("億", 100_000_000), ("亿", 100_000_000), ("억", 100_000_000),
    ]
}

/// Groups of digits with the marks between them, before the meaning of the marks is known.
private struct GroupedDigits {
    private enum Mark { case dot, comma, space }

    private var digits: [UInt8] = []
    /// The marks, each with the number of digits before it.
    private var marks: [(mark: Mark, position: Int)] = []

    /// Reads digits and marks. Returns the end of the number.
    mutating func read(_ bytes: [UInt8], from start: Int) -> Int {
        var i = start
        while i < bytes.count {
            if bytes[i].isASCIIDigit {
                digits.append(bytes[i])
                i += 1
            } else if let (mark, length) = mark(at: i, in: bytes) {
                marks.append((mark, digits.count))
                i += length
            } else {
                break
            }
        }
        return i
    }

    private func mark(at i: Int, in bytes: [UInt8]) -> (Mark, length: Int)? {
        func digit(_ index: Int) -> Bool { index < bytes.count && bytes[index].isASCIIDigit }
        switch bytes[i] {
        case UInt8(ascii: "."): return digit(i + 1) ? (.dot, 1) : nil
        case UInt8(ascii: ","): return digit(i + 1) ? (.comma, 1) : nil
        default: break
        }
        let length: Int
        switch bytes[i] {
        case 0x20, UInt8(ascii: "'"): length = 1
        case 0xC2 where i + 1 < bytes.count && bytes[i + 1] == 0xA0: length = 2  // no-break space
        case 0xE2 where i + 2 < bytes.count && bytes[i + 1] == 0x80:
            // U+2007 figure, U+2009 thin, U+202F narrow no-break space; U+2019 apostrophe.
            guard [0x87, 0x89, 0xAF, 0x99].contains(bytes[i + 2]) else { return nil }
            length = 3
        default: return nil
        }
        let next = i + length
        let groupBefore = digits.count - (marks.last?.position ?? 0)
        guard (1...3).contains(groupBefore), !marks.contains(where: { $0.mark != .space }), digit(next),
            digit(next + 1), digit(next + 2), !digit(next + 3)
        else { return nil }
        return (.space, length)
    }

    /// The digits, and which of them stand before the decimal mark; nil if the marks make no number: `1.2.3`.
    func decimal(singleMark: SchemaOrg.SingleMark) -> DecimalDigits? {
        let decimal: Int?
        let last = marks.last { $0.mark != .space }
        let sameAsLast = marks.count { $0.mark == last?.mark }
        let isMixed = marks.contains { $0.mark != last?.mark }
        switch last {
        case nil: decimal = nil
        case let last? where sameAsLast > 1:
            // Thousands: `1.234.567`, and `12,34,567` as in Indian prices. `1.2.3` is a version number.
            guard digits.count - last.position == 3 else { return nil }
            decimal = nil
        case let last? where isMixed: decimal = last.position
        case let last?:
            let fraction = digits.count - last.position
            let isThousands =
                singleMark == .thousands && fraction == 3 && (1...3).contains(last.position)
                && digits.first != UInt8(ascii: "0")
            decimal = isThousands ? nil : last.position
        }
        return DecimalDigits(digits: digits, wholeCount: decimal ?? digits.count)
    }
}

/// The digits of a number without sign, as ASCII, and how many of them stand before the decimal mark.
private struct DecimalDigits {
    var digits: [UInt8]
    /// Below 0 for zeros between the mark and the first digit.
    var wholeCount: Int
    private var isScaled = false

    /// Numbers are read from at most 200 bytes; no larger exponent leaves a value in reach.
    static let maximumExponent = 1_000
    /// Before the decimal mark, without leading zeros.
    private static let maximumWholeDigits = 18
    /// A `Double` keeps every number of so many digits (`DBL_DIG`). Further digits of a fraction come from the binary form.
    private static let keptDigits = 15

    init(digits: [UInt8], wholeCount: Int) {
        self.digits = digits
        self.wholeCount = wholeCount
    }

    mutating func scale(byPowerOfTen exponent: Int) {
        wholeCount += exponent
        isScaled = true
    }

    /// The number with `.` as decimal mark and without leading zeros; nil if its whole part is too long.
    var text: String? {
        let zero = UInt8(ascii: "0")
        let leading = digits.prefix { $0 == zero }.count
        // Of a number so small, nothing would be left.
        if isScaled, leading == digits.count || wholeCount < -Self.maximumExponent / 10 { return "0" }
        guard wholeCount - leading <= Self.maximumWholeDigits else { return nil }
        var digits = digits
        var whole = wholeCount
        if whole <= 0 {
            digits.insert(contentsOf: repeatElement(zero, count: 1 - whole), at: 0)
            whole = 1
        } else if whole > digits.count {
            digits.append(contentsOf: repeatElement(zero, count: whole - digits.count))
        }
        let first = digits.firstIndex { $0 != zero } ?? 0
        let kept = max(first + Self.keptDigits, whole)
        let isRounded = digits.count > kept
        if isRounded {
            let isRoundedUp = digits[kept] >= UInt8(ascii: "5")
            digits.removeSubrange(kept...)
            if isRoundedUp { Self.increment(&digits, &whole) }
        }
        if isScaled || isRounded {
            while digits.count > whole, digits.last == zero { digits.removeLast() }
        }
        return Self.written(digits, whole: whole)
    }

    /// Adds 1 to the last digit.
    private static func increment(_ digits: inout [UInt8], _ whole: inout Int) {
        var i = digits.count - 1
        while i >= 0, digits[i] == UInt8(ascii: "9") {
            digits[i] = UInt8(ascii: "0")
            i -= 1
        }
        if i >= 0 {
            digits[i] += 1
        } else {
            digits.insert(UInt8(ascii: "1"), at: 0)
            whole += 1
        }
    }

    private static func written(_ digits: [UInt8], whole: Int) -> String {
        let wholeDigits = digits[..<whole].drop { $0 == UInt8(ascii: "0") }
        var result: [UInt8] = wholeDigits.isEmpty ? [UInt8(ascii: "0")] : Array(wholeDigits)
        if whole < digits.count {
            result.append(UInt8(ascii: "."))
            result.append(contentsOf: digits[whole...])
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension SchemaOrg {
    /// An average rating and its scale.
    public struct Rating: Sendable, Hashable {
        /// The average.
        public var value: Double
        /// The highest possible rating.
        public var best: Double
        /// The lowest possible rating.
        public var worst: Double
        /// `(value - worst) / (best - worst)`, in 0…1.
        public var normalized: Double
        /// The number of ratings.
        public var count: Int?
        /// The number of written reviews.
        public var reviewCount: Int?
    }

    /// Reads `4,5`, `4.5/5`, `4.5 out of 5`, `90%`. Without a declared scale, `bestRating` is 5 and `worstRating` is 1
    /// (schema.org until release 22). A value above `best` raises `best` to 5, 10 or 100. A scale up to 100 starts at 0.
    ///
    /// Nil if nobody has rated yet, which templates write as value 0.
    public static func rating(
        value text: String, best bestText: String? = nil, worst worstText: String? = nil,
        count countText: StructuredItem.Literal? = nil,
        reviewCount reviewText: StructuredItem.Literal? = nil
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
        let count = countText.flatMap { Self.count($0) }
        let reviewCount = reviewText.flatMap { Self.count($0) }
        if value == 0 && (count ?? 0) == 0 && (reviewCount ?? 0) == 0 { return nil }

        var top = best ?? 5
        if top <= 0 { top = 5 }
        if value > top { top = value <= 5 ? 5 : value <= 10 ? 10 : 100 }
        guard value <= top else { return nil }
        var bottom = declaredWorst ?? (top >= 100 ? 0 : 1)
        if bottom >= top { bottom = 0 }
        if value < bottom {
            // If the page declares the worst rating, a lower value is wrong. If it was assumed, the assumption is wrong.
            guard declaredWorst == nil, value >= 0 else { return nil }
            bottom = 0
        }
        return Rating(
            value: value, best: top, worst: bottom, normalized: (value - bottom) / (top - bottom), count: count,
            reviewCount: reviewCount)
    }

    /// The scale after a value, as in `/5`, `out of 5`, `von 5`: the second number, if only such words are between the two.
    private static func scaleMaximum(behind end: Int, in bytes: [UInt8]) -> Double? {
        guard let second = number(in: bytes, from: end, singleMark: .decimal) else { return nil }
        let between = String(decoding: bytes[end..<second.range.lowerBound].map(\.asciiLowercased), as: UTF8.self)
        switch between.trimmingHTMLSpace() {
        case "/", "out of", "of", "von", "sur", "su", "de", "av", "van", "stars out of", "из": return second.value
        default: return nil
        }
    }
}
