/// Reads the text of a JSONPath query: the grammar of RFC 9535, appendix A, and the types of its functions (§2.4.3).
///
/// Blanks are also allowed inside of the brackets of a singular query, where the grammar forgets them.
struct JSONPathReader {
    private typealias Failure = JSONPath.SyntaxError

    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var depth = 0

    /// Characters of a query. What people write has fewer than 200.
    private static let maximumLength = 4_000
    /// Nesting of filters, parentheses and functions.
    private static let maximumDepth = 50
    /// RFC 9535 §2.1: the numbers that I-JSON can say exactly.
    private static let integers = -9_007_199_254_740_991...9_007_199_254_740_991

    init(_ text: String) { scalars = Array(text.unicodeScalars.prefix(Self.maximumLength + 1)) }

    /// The whole text as a query.
    mutating func query() throws(JSONPath.SyntaxError) -> [JSONPath.Segment] {
        guard scalars.count <= Self.maximumLength else {
            throw failure("a query has \(Self.maximumLength) characters at most")
        }
        guard takes("$") else { throw failure("a query begins with $, the whole document") }
        let segments = try segments()
        guard place == scalars.count else {
            throw failure("expected .name, [\u{2026}] or the end, found \(found)")
        }
        return segments
    }

    // MARK: Segments and selectors

    private mutating func segments() throws(JSONPath.SyntaxError) -> [JSONPath.Segment] {
        var segments: [JSONPath.Segment] = []
        while true {
            let start = place
            skipBlanks()
            if takes("..") {
                let selectors = next == "[" ? try bracketed() : [try shorthand()]
                segments.append(JSONPath.Segment(isDescendant: true, selectors: selectors))
            } else if takes(".") {
                segments.append(JSONPath.Segment(selectors: [try shorthand()]))
            } else if next == "[" {
                segments.append(JSONPath.Segment(selectors: try bracketed()))
            } else {
                // Blanks belong to what follows the query.
                place = start
                return segments
            }
        }
    }

    /// `*` or a name without quotes.
    private mutating func shorthand() throws(JSONPath.SyntaxError) -> JSONPath.Selector {
        if takes("*") { return .wildcard }
        let start = place
        while let scalar = next {
            let isFirst = scalar == "_" || scalar.value >= 0x80 || Self.isLetter(scalar)
            guard isFirst || place > start && Self.isDigit(scalar) else { break }
            place += 1
        }
        guard place > start else {
            throw failure("expected a name or *, found \(found); a name with other characters is written ['\u{2026}']")
        }
        return .name(text(from: start))
    }

    private mutating func bracketed() throws(JSONPath.SyntaxError) -> [JSONPath.Selector] {
        try enter()
        place += 1
        var selectors: [JSONPath.Selector] = []
        repeat {
            skipBlanks()
            selectors.append(try selector())
            skipBlanks()
        } while takes(",")
        guard takes("]") else { throw failure("expected , or ], found \(found)") }
        depth -= 1
        return selectors
    }

    private mutating func selector() throws(JSONPath.SyntaxError) -> JSONPath.Selector {
        switch next {
        case "'", "\"": return .name(try string())
        case "*":
            place += 1
            return .wildcard
        case "?":
            place += 1
            skipBlanks()
            return .filter(try condition())
        default: break
        }
        let start = try integer()
        let afterStart = place
        skipBlanks()
        guard takes(":") else {
            place = afterStart
            guard let start else {
                throw failure("expected a name in quotes, *, a number, a slice or ?, found \(found)")
            }
            return .index(start)
        }
        skipBlanks()
        let end = try integer()
        skipBlanks()
        var step = 1
        if takes(":") {
            skipBlanks()
            step = try integer() ?? 1
        }
        return .slice(start: start, end: end, step: step)
    }

    /// A whole number as an index; nil without one.
    private mutating func integer() throws(JSONPath.SyntaxError) -> Int? {
        let start = place
        _ = takes("-")
        let digits = place
        while let scalar = next, Self.isDigit(scalar) { place += 1 }
        guard place > digits else {
            if digits > start { throw failure("expected digits, found \(found)") }
            return nil
        }
        let isPlain = scalars[digits] != "0" || (place == digits + 1 && digits == start)
        guard isPlain, let value = Int(text(from: start)), Self.integers.contains(value) else {
            throw failure("\(text(from: start)) is no index: no zeros in front, and at most 2^53 - 1", at: start)
        }
        return value
    }

    // MARK: Filters

    private mutating func condition() throws(JSONPath.SyntaxError) -> JSONPath.Condition {
        try enter()
        var alternatives: [JSONPath.Condition] = []
        repeat {
            var parts: [JSONPath.Condition] = []
            repeat {
                skipBlanks()
                parts.append(try basic())
                skipBlanks()
            } while takes("&&")
            alternatives.append(parts.count == 1 ? parts[0] : .all(parts))
        } while takes("||")
        depth -= 1
        return alternatives.count == 1 ? alternatives[0] : .any(alternatives)
    }

    private mutating func basic() throws(JSONPath.SyntaxError) -> JSONPath.Condition {
        let isNegated = takes("!")
        if isNegated { skipBlanks() }
        if takes("(") {
            let inner = try condition()
            skipBlanks()
            guard takes(")") else { throw failure("expected ), found \(found)") }
            return isNegated ? .not(inner) : inner
        }
        let start = place
        let first = try expression()
        let end = place
        skipBlanks()
        if !isNegated, let comparison = JSONPath.Comparison.allCases.first(where: { takes($0.rawValue) }) {
            skipBlanks()
            let left = try operand(first, at: start)
            let secondStart = place
            return .comparison(left, comparison, try operand(try expression(), at: secondStart))
        }
        place = end
        let test: JSONPath.Condition
        switch first {
        case .query(let query): test = .exists(query)
        case .logical(let condition): test = condition
        case .literal: throw failure("a value alone is no condition; compare it", at: start)
        case .function: throw failure("the result of this function is a value; compare it", at: start)
        }
        return isNegated ? .not(test) : test
    }

    /// A part of a filter before its type is known.
    private enum Expression {
        case literal(JSONValue)
        case query(JSONPath.InnerQuery)
        /// A function with a value as its result.
        case function(JSONPath.Operand)
        /// A function with true or false as its result.
        case logical(JSONPath.Condition)
    }

    private mutating func expression() throws(JSONPath.SyntaxError) -> Expression {
        guard let scalar = next else { throw failure("the filter ends too early") }
        switch scalar {
        case "@", "$":
            place += 1
            return .query(JSONPath.InnerQuery(isAbsolute: scalar == "$", segments: try segments()))
        case "'", "\"": return .literal(.string(try string()))
        case "-",
            _ where Self.isDigit(scalar):
            return .literal(try number())
        default: break
        }
        let start = place
        while let scalar = next, scalar == "_" || Self.isLetter(scalar) || Self.isDigit(scalar) { place += 1 }
        let word = text(from: start)
        guard takes("(") else {
            switch word {
            case "true": return .literal(true)
            case "false": return .literal(false)
            case "null": return .literal(.null)
            case "": throw failure("expected @, $, a value or a function, found \(found)")
            default:
                throw failure("\"\(word)\" is no value; a text is written '\(word)', a member @.\(word)", at: start)
            }
        }
        return try function(word, at: start)
    }

    /// RFC 9535 §2.4: the functions with the types of their parameters.
    private mutating func function(_ name: String, at start: Int) throws(JSONPath.SyntaxError) -> Expression {
        try enter()
        defer { depth -= 1 }
        let counts = ["length": 1, "count": 1, "value": 1, "match": 2, "search": 2]
        guard let count = counts[name] else {
            throw failure(
                "there is no function \"\(name)\"; known are length, count, value, match and search", at: start)
        }
        var arguments: [(expression: Expression, place: Int)] = []
        skipBlanks()
        if next != ")" {
            repeat {
                skipBlanks()
                let argumentPlace = place
                arguments.append((try expression(), argumentPlace))
                skipBlanks()
            } while takes(",")
        }
        guard takes(")") else { throw failure("expected , or ), found \(found)") }
        guard arguments.count == count else {
            throw failure("\(name) takes \(Wording.count(count, "argument")), not \(arguments.count)", at: start)
        }
        switch name {
        case "length": return .function(.length(try operand(arguments[0].expression, at: arguments[0].place)))
        case "count", "value":
            guard case .query(let query) = arguments[0].expression else {
                throw failure("\(name) takes a query", at: arguments[0].place)
            }
            return .function(name == "count" ? .count(query) : .value(query))
        default:
            let text = try operand(arguments[0].expression, at: arguments[0].place)
            let pattern = try operand(arguments[1].expression, at: arguments[1].place)
            guard case .literal(let value) = pattern else {
                return .logical(.matches(text, .from(pattern), whole: name == "match"))
            }
            // RFC 9535 §2.4.6: what is no expression matches nothing.
            let expression = value.string.flatMap { try? RegularExpression($0, .interoperable) }
            return .logical(.matches(text, .written(expression), whole: name == "match"))
        }
    }

    /// An expression as a value.
    private func operand(_ expression: Expression, at start: Int) throws(JSONPath.SyntaxError) -> JSONPath.Operand {
        switch expression {
        case .literal(let value): return .literal(value)
        case .function(let operand): return operand
        case .query(let query):
            guard query.isSingular else {
                throw failure(
                    "a query that can find several values is no value; write count(\u{2026}) or value(\u{2026})",
                    at: start)
            }
            return .query(query)
        case .logical: throw failure("match and search are conditions, not values", at: start)
        }
    }

    // MARK: Literals

    private mutating func number() throws(JSONPath.SyntaxError) -> JSONValue {
        let start = place
        _ = takes("-")
        let digits = place
        skipDigits()
        var isRight = place > digits && (scalars[digits] != "0" || place == digits + 1)
        if takes(".") {
            let fraction = place
            skipDigits()
            isRight = isRight && place > fraction
        }
        if takes("e") || takes("E") {
            if !takes("-") { _ = takes("+") }
            let exponent = place
            skipDigits()
            isRight = isRight && place > exponent
        }
        guard isRight else { throw failure("\(text(from: start)) is no number in JSON", at: start) }
        return .number(text(from: start))
    }

    private mutating func skipDigits() {
        while let scalar = next, Self.isDigit(scalar) { place += 1 }
    }

    private mutating func string() throws(JSONPath.SyntaxError) -> String {
        let start = place
        guard let quote = next else { throw failure("expected a text in quotes") }
        place += 1
        var value = String.UnicodeScalarView()
        while let scalar = next {
            place += 1
            if scalar == quote { return String(value) }
            guard scalar.value >= 0x20 else {
                throw failure("a control character in quotes; write it as \\u00\u{2026}", at: place - 1)
            }
            value.append(scalar == "\\" ? try escape(in: quote) : scalar)
        }
        throw failure("the text is not closed", at: start)
    }

    private mutating func escape(in quote: Unicode.Scalar) throws(JSONPath.SyntaxError) -> Unicode.Scalar {
        let start = place - 1
        guard let scalar = next else { throw failure("the text is not closed", at: start) }
        place += 1
        switch scalar {
        case quote, "\\", "/": return scalar
        case "b": return "\u{08}"
        case "f": return "\u{0C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let first = try unit(start)
            if let scalar = Unicode.Scalar(first) { return scalar }
            guard first < 0xDC00, takes("\\u") else { throw failure("half a character", at: start) }
            let second = try unit(start)
            guard (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            else { throw failure("half a character", at: start) }
            return scalar
        default: throw failure("\\\(scalar) has no meaning in a text", at: start)
        }
    }

    /// Four hexadecimal digits.
    private mutating func unit(_ start: Int) throws(JSONPath.SyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = next, scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
                throw failure("expected four hexadecimal digits", at: start)
            }
            value = value << 4 + UInt32(digit)
            place += 1
        }
        return value
    }

    // MARK: Characters

    private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }
    private var found: String { next.map { "\"\($0)\"" } ?? "the end" }

    private func text(from start: Int) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<place])
        return String(view)
    }

    private mutating func takes(_ text: String) -> Bool {
        guard scalars[place...].starts(with: text.unicodeScalars) else { return false }
        place += text.unicodeScalars.count
        return true
    }

    private mutating func skipBlanks() {
        while let scalar = next, scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" { place += 1 }
    }

    private mutating func enter() throws(JSONPath.SyntaxError) {
        depth += 1
        guard depth <= Self.maximumDepth else { throw failure("more than \(Self.maximumDepth) levels of nesting") }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (0x30...0x39).contains(scalar.value) }
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { (0x61...0x7A).contains(scalar.value | 0x20) }

    private func failure(_ problem: String, at place: Int? = nil) -> JSONPath.SyntaxError {
        JSONPath.SyntaxError(problem: problem, column: (place ?? self.place) + 1)
    }
}
