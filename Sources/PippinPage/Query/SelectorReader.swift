/// Reads the text of a selector: the grammar of Selectors Level 4 §18, and the tokens of CSS Syntax Level 3 §4 that it needs.
struct SelectorReader {
    private typealias Failure = Selector.SyntaxError

    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var depth = 0
    private var isInHas = false

    /// Characters of a selector. What people write has fewer than 200.
    private static let maximumLength = 2_000
    /// Nesting of `:not()` and the like. Each has a set of elements while a page is searched.
    private static let maximumDepth = 10

    init(_ text: String) { scalars = Array(text.unicodeScalars.prefix(Self.maximumLength + 1)) }

    /// The whole text as a list of selectors.
    mutating func selector() throws(Selector.SyntaxError) -> [Selector.Complex] {
        guard scalars.count <= Self.maximumLength else {
            throw failure("a selector has \(Self.maximumLength) characters at most")
        }
        let list = try list(isRelative: false)
        guard place == scalars.count else {
            throw failure("expected a selector, a combinator or the end, found \(found)")
        }
        return list
    }

    // MARK: Lists and combinators

    private mutating func list(isRelative: Bool) throws(Selector.SyntaxError) -> [Selector.Complex] {
        var list: [Selector.Complex] = []
        repeat {
            skipBlanks()
            list.append(try complex(isRelative: isRelative))
            skipBlanks()
        } while takes(",")
        return list
    }

    private mutating func complex(isRelative: Bool) throws(Selector.SyntaxError) -> Selector.Complex {
        var complex = Selector.Complex(parts: [])
        var combinator = Selector.Combinator.descendant
        if let first = takeCombinator() {
            guard isRelative else {
                place -= 1
                throw failure("a selector does not begin with \(found)")
            }
            combinator = first
            skipBlanks()
        }
        while true {
            complex.parts.append((combinator, try compound()))
            let hasBlank = skipBlanks()
            if let written = takeCombinator() {
                combinator = written
                skipBlanks()
            } else if hasBlank, let next, next != ",", next != ")" {
                combinator = .descendant
            } else {
                return complex
            }
        }
    }

    private mutating func takeCombinator() -> Selector.Combinator? {
        if takes(">") { return .child }
        if takes("+") { return .nextSibling }
        if takes("~") { return .laterSibling }
        return nil
    }

    // MARK: Compounds

    private mutating func compound() throws(Selector.SyntaxError) -> [Selector.Simple] {
        var simples: [Selector.Simple] = []
        let start = place
        if takes("*") {
            if takes("|") { try typeAfterNamespace(into: &simples) }
        } else if beginsIdentifier(at: place) {
            simples.append(.type(try identifier().asciiLowercased))
        }
        if next == "|", scalar(1) != "=" {
            throw failure("namespaces are not known here; write the name alone")
        }
        skipComments()
        while let next {
            switch next {
            case "#":
                place += 1
                simples.append(.id(Array(try identifier("a name after #").utf8)))
            case ".":
                place += 1
                simples.append(.hasClass(Array(try identifier("a name after .").utf8)))
            case "[":
                place += 1
                simples.append(.attribute(try attribute()))
            case ":": simples.append(try pseudoClass())
            default:
                if place == start { throw failure("expected a selector, found \(found)") }
                return simples
            }
            skipComments()
        }
        if place == start { throw failure("expected a selector, found \(found)") }
        return simples
    }

    private mutating func typeAfterNamespace(into simples: inout [Selector.Simple]) throws(Selector.SyntaxError) {
        if takes("*") { return }
        simples.append(.type(try identifier("a name after *|").asciiLowercased))
    }

    /// `name`, `name="value" i` and the like, after `[`.
    private mutating func attribute() throws(Selector.SyntaxError) -> Selector.AttributeTest {
        skipBlanks()
        if next == "*" || next == "|" { throw failure("namespaces are not known here; write the name alone") }
        var test = Selector.AttributeTest(name: try identifier("an attribute's name").asciiLowercased)
        skipBlanks()
        if takes("]") { return test }
        let comparisons: [(Unicode.Scalar, Selector.AttributeTest.Comparison)] = [
            ("~", .hasWord), ("|", .hasPrefixWord), ("^", .hasPrefix), ("$", .hasSuffix), ("*", .contains),
        ]
        if takes("=") {
            test.comparison = .equals
        } else if let (_, comparison) = comparisons.first(where: { $0.0 == next }), scalar(1) == "=" {
            test.comparison = comparison
            place += 2
        } else {
            throw failure("expected ], =, ~=, |=, ^=, $= or *=, found \(found)")
        }
        skipBlanks()
        if next == "\"" || next == "'" {
            test.value = Array(try string().utf8)
        } else {
            test.value = Array(try identifier("a value; one that is no name is written in quotes").utf8)
        }
        skipBlanks()
        if next != "]" {
            let place = self.place
            switch beginsIdentifier(at: place) ? try identifier().asciiLowercased : "" {
            case "i": test.ignoresCase = true
            case "s": test.ignoresCase = false
            default:
                self.place = place
                throw failure("expected ], i or s, found \(found)")
            }
            skipBlanks()
        }
        guard takes("]") else { throw failure("expected ], found \(found)") }
        return test
    }

    // MARK: Pseudo-classes (Selectors 4 §4 and following)

    /// What needs a person, a window, a style sheet or the state of a form.
    private static let unknowable: Set = [
        "active", "autofill", "current", "default", "defined", "focus", "focus-visible", "focus-within", "fullscreen",
        "future", "hover", "in-range", "indeterminate", "invalid", "local-link", "modal", "muted", "open",
        "out-of-range", "past", "paused", "picture-in-picture", "placeholder-shown", "playing", "popover-open",
        "read-only", "read-write", "seeking", "stalled", "target", "target-within", "user-invalid", "user-valid",
        "valid", "visited",
    ]
    private static let functions = [
        "not", "is", "where", "has", "lang", "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type",
    ]
    private static let plain = [
        "first-child", "last-child", "only-child", "first-of-type", "last-of-type", "only-of-type", "root", "scope",
        "empty", "any-link", "link", "enabled", "disabled",
    ]

    private mutating func pseudoClass() throws(Selector.SyntaxError) -> Selector.Simple {
        let start = place
        place += 1
        let isElement = takes(":")
        let name = try identifier("a name after :").asciiLowercased
        if isElement || ["before", "after", "first-line", "first-letter"].contains(name) {
            throw failure("::\(name) is no element of the page: it is made by a style sheet", at: start)
        }
        if takes("(") { return try function(name, from: start) }
        switch name {
        case "root", "scope": return .root
        case "empty": return .empty
        case "any-link", "link": return .anyLink
        case "disabled": return .disabled(true)
        case "enabled": return .disabled(false)
        case "first-child": return .nthChild(.first, of: nil, fromEnd: false)
        case "last-child": return .nthChild(.first, of: nil, fromEnd: true)
        case "first-of-type": return .nthOfType(.first, fromEnd: false)
        case "last-of-type": return .nthOfType(.first, fromEnd: true)
        case "only-child":
            return .all([.nthChild(.first, of: nil, fromEnd: false), .nthChild(.first, of: nil, fromEnd: true)])
        case "only-of-type":
            return .all([.nthOfType(.first, fromEnd: false), .nthOfType(.first, fromEnd: true)])
        case "checked":
            throw failure(":checked is the state of a form in use; write [checked] or [selected]", at: start)
        case "required", "optional":
            throw failure(":\(name) is not known here; write [required] or :not([required])", at: start)
        default: throw unknown(name, isFunction: false, at: start)
        }
    }

    private mutating func function(_ name: String, from start: Int) throws(Selector.SyntaxError) -> Selector.Simple {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            throw failure("a selector has \(Self.maximumDepth) levels of parentheses at most", at: start)
        }
        let simple: Selector.Simple
        switch name {
        case "is", "where", "matches", "-webkit-any":
            guard name == "is" || name == "where" else { throw failure(":\(name)() has become :is()", at: start) }
            simple = .matches(try list(isRelative: false))
        case "not": simple = .not(try list(isRelative: false))
        case "has":
            // Selectors 4 §4.5: browsers could not follow changes of such a page quickly.
            guard !isInHas else { throw failure(":has() stands in no other :has()", at: start) }
            isInHas = true
            defer { isInHas = false }
            simple = .has(try list(isRelative: true))
        case "lang": simple = .language(try languages())
        case "nth-child": simple = try nthChild(fromEnd: false)
        case "nth-last-child": simple = try nthChild(fromEnd: true)
        case "nth-of-type": simple = .nthOfType(try steps().0, fromEnd: false)
        case "nth-last-of-type": simple = .nthOfType(try steps().0, fromEnd: true)
        default: throw unknown(name, isFunction: true, at: start)
        }
        skipBlanks()
        guard takes(")") else { throw failure("expected ), found \(found)") }
        return simple
    }

    private func unknown(_ name: String, isFunction: Bool, at start: Int) -> Selector.SyntaxError {
        let written = isFunction ? ":\(name)()" : ":\(name)"
        if Self.unknowable.contains(name) {
            return failure(
                "\(written) needs a browser with somebody before it; a page alone has no such state", at: start)
        }
        if (isFunction ? Self.plain : Self.functions).contains(name) {
            return failure(":\(name) is written \(isFunction ? "without" : "with") parentheses", at: start)
        }
        let near = NearestName.of(name, in: isFunction ? Self.functions : Self.plain)
        return failure("\(written) is not known\(near.map { "; did you mean :\($0)?" } ?? "")", at: start)
    }

    private mutating func languages() throws(Selector.SyntaxError) -> [String] {
        var ranges: [String] = []
        repeat {
            skipBlanks()
            let isText = next == "\"" || next == "'"
            ranges.append((isText ? try string() : try identifier("a language")).asciiLowercased)
            skipBlanks()
        } while takes(",")
        return ranges
    }

    private mutating func nthChild(fromEnd: Bool) throws(Selector.SyntaxError) -> Selector.Simple {
        let (steps, mayHaveOf) = try steps()
        guard mayHaveOf, beginsIdentifier(at: place) else { return .nthChild(steps, of: nil, fromEnd: fromEnd) }
        let start = place
        guard try identifier().asciiLowercased == "of" else { throw failure("expected ) or of", at: start) }
        return .nthChild(steps, of: try list(isRelative: false), fromEnd: fromEnd)
    }

    /// `odd`, `even`, `3`, `2n + 1` (CSS Syntax 3 §6), and whether white space follows, which `of` needs.
    private mutating func steps() throws(Selector.SyntaxError) -> (Selector.Steps, Bool) {
        skipBlanks()
        let start = place
        func malformed(_ reader: Self) -> Selector.SyntaxError {
            reader.failure("expected a number, odd, even or a formula like 2n+1", at: start)
        }
        let isSigned = next == "+" || next == "-"
        let sign = next == "-" ? -1 : 1
        if isSigned { place += 1 }
        let number = digits()
        let unit = word()
        var steps: Selector.Steps
        if let number, unit.isEmpty {
            steps = .init(step: 0, start: sign * number)
        } else if number == nil, !isSigned, unit == "odd" || unit == "even" {
            steps = .init(step: 2, start: unit == "odd" ? 1 : 0)
        } else if unit == "n" {
            steps = .init(step: sign * (number ?? 1), start: 0)
            let end = place
            skipBlanks()
            if next == "+" || next == "-" {
                let sign = next == "-" ? -1 : 1
                place += 1
                skipBlanks()
                guard let number = digits(), word().isEmpty else { throw malformed(self) }
                steps.start = sign * number
            } else {
                place = end
            }
        } else if unit.hasPrefix("n-") {
            // `n-1` is one token, and so is `n-` in `n- 1`.
            steps = .init(step: sign * (number ?? 1), start: 0)
            var rest = unit.dropFirst(2)
            if rest.isEmpty {
                skipBlanks()
                guard let number = digits(), word().isEmpty else { throw malformed(self) }
                steps.start = -number
            } else {
                var value = 0
                while let digit = rest.first?.wholeNumberValue, rest.first?.isASCII == true {
                    value = min(value * 10 + digit, Self.largest)
                    rest.removeFirst()
                }
                guard rest.isEmpty else { throw malformed(self) }
                steps.start = -value
            }
        } else {
            throw malformed(self)
        }
        let hasBlank = skipBlanks()
        guard next == nil || next == ")" || hasBlank && beginsIdentifier(at: place) else { throw malformed(self) }
        return (steps, hasBlank)
    }

    /// No page has so many siblings.
    private static let largest = 1_000_000_000

    private mutating func digits() -> Int? {
        var value: Int?
        while let next, let byte = UInt8(exactly: next.value), byte.isASCIIDigit {
            value = min((value ?? 0) * 10 + Int(byte - 0x30), Self.largest)
            place += 1
        }
        return value
    }

    /// The letters, digits and hyphens from here, in lower case.
    private mutating func word() -> String {
        var word = ""
        while let next, Self.isNameStart(next) || Self.isDigit(next) || next == "-" {
            word.unicodeScalars.append(next)
            place += 1
        }
        return word.asciiLowercased
    }

    // MARK: Tokens (CSS Syntax 3 §4.3)

    private var next: Unicode.Scalar? { scalar(0) }

    private func scalar(_ ahead: Int) -> Unicode.Scalar? {
        place + ahead < scalars.count ? scalars[place + ahead] : nil
    }

    private mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        place += 1
        return true
    }

    /// Comments separate nothing: `a/**/b` are two names, which no selector has in a row.
    private mutating func skipComments() {
        while next == "/", scalar(1) == "*" {
            place += 2
            while place < scalars.count, !(scalars[place] == "*" && scalar(1) == "/") { place += 1 }
            place = min(place + 2, scalars.count)
        }
    }

    /// - Returns: whether there was white space.
    @discardableResult private mutating func skipBlanks() -> Bool {
        var hasBlank = false
        while true {
            skipComments()
            guard let next, Self.isBlank(next) else { return hasBlank }
            hasBlank = true
            place += 1
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || isNewline(scalar)
    }

    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{0C}"
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (0x30...0x39).contains(scalar.value) }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.value >= 0x80 || scalar.value == 0 || (scalar.value | 0x20) &- 0x61 < 26
    }

    private func isEscape(at place: Int) -> Bool {
        guard place < scalars.count, scalars[place] == "\\" else { return false }
        return place + 1 >= scalars.count || !Self.isNewline(scalars[place + 1])
    }

    private func beginsIdentifier(at place: Int) -> Bool {
        guard place < scalars.count else { return false }
        if scalars[place] == "-" {
            guard place + 1 < scalars.count else { return false }
            return scalars[place + 1] == "-" || Self.isNameStart(scalars[place + 1]) || isEscape(at: place + 1)
        }
        return Self.isNameStart(scalars[place]) || isEscape(at: place)
    }

    private mutating func identifier(_ expected: String = "a name") throws(Selector.SyntaxError) -> String {
        guard beginsIdentifier(at: place) else {
            let isNumber = next.map { Self.isDigit($0) } ?? false
            let hint = isNumber ? "; a name that begins with a digit is written \\3\(next ?? "0") \u{2026}" : ""
            throw failure("expected \(expected), found \(found)\(hint)")
        }
        var name = String.UnicodeScalarView()
        while let next {
            if Self.isNameStart(next) || Self.isDigit(next) || next == "-" {
                name.append(next.value == 0 ? "\u{FFFD}" : next)
                place += 1
            } else if isEscape(at: place) {
                place += 1
                name.append(escaped())
            } else {
                break
            }
        }
        return String(name)
    }

    /// The character after `\`.
    private mutating func escaped() -> Unicode.Scalar {
        guard let first = next else { return "\u{FFFD}" }
        var value: UInt32?
        var count = 0
        while count < 6, let next, let digit = UInt8(exactly: next.value)?.hexDigitValue {
            value = (value ?? 0) << 4 | UInt32(digit)
            place += 1
            count += 1
        }
        guard let value else {
            place += 1
            return first.value == 0 ? "\u{FFFD}" : first
        }
        if next == "\r", scalar(1) == "\n" {
            place += 2
        } else if let next, Self.isBlank(next) {
            place += 1
        }
        return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private mutating func string() throws(Selector.SyntaxError) -> String {
        let start = place
        let quote = next
        place += 1
        var text = String.UnicodeScalarView()
        while let next, !Self.isNewline(next) {
            place += 1
            if next == quote { return String(text) }
            if next != "\\" {
                text.append(next.value == 0 ? "\u{FFFD}" : next)
            } else if let newline = self.next, Self.isNewline(newline) {
                // The text goes on in the next line.
                place += newline == "\r" && scalar(1) == "\n" ? 2 : 1
            } else if self.next != nil {
                text.append(escaped())
            }
        }
        throw failure("the text is not closed", at: start)
    }

    // MARK: Errors

    private var found: String { next.map { "\"\($0)\"" } ?? "the end" }

    private func failure(_ problem: String, at place: Int? = nil) -> Selector.SyntaxError {
        Failure(problem: problem, column: (place ?? self.place) + 1)
    }
}

extension Selector.Steps {
    fileprivate static let first = Self(step: 0, start: 1)
}
