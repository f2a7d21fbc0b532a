/// Reads the text of a regular expression: the grammar of RFC 9485 §4, with the additions of `RegularExpression.Dialect.extended`.
struct RegularExpressionReader {
    private typealias Node = RegularExpressionNode
    private typealias Failure = RegularExpression.SyntaxError

    private let scalars: [Unicode.Scalar]
    private let dialect: RegularExpression.Dialect
    private var place = 0
    private var depth = 0
    /// Whether the expression begins with `(?i)`.
    private(set) var ignoresCase = false

    /// Nesting of groups. What people write has fewer than 10.
    private static let maximumDepth = 50
    /// The largest number of repetitions.
    private static let maximumRepetitions = 1_000
    private static let categories: Set<String> = [
        "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf",
        "Pi", "Po",
        "Ps", "Z", "Zl", "Zp", "Zs", "S", "Sc", "Sk", "Sm", "So", "C", "Cc", "Cf", "Cn", "Co",
    ]

    init(_ text: String, _ dialect: RegularExpression.Dialect) {
        scalars = Array(text.unicodeScalars.prefix(RegularExpression.maximumLength + 1))
        self.dialect = dialect
    }

    /// The whole text as an expression.
    mutating func expression() throws(RegularExpression.SyntaxError) -> RegularExpressionNode {
        guard scalars.count <= RegularExpression.maximumLength else {
            throw failure("it has more than \(RegularExpression.maximumLength) characters")
        }
        if dialect == .extended, takes("(?i)") { ignoresCase = true }
        let node = try choice()
        guard place == scalars.count else { throw failure("\")\" closes nothing; write \\)") }
        return node
    }

    private mutating func choice() throws(RegularExpression.SyntaxError) -> RegularExpressionNode {
        var branches: [Node] = []
        repeat { branches.append(try branch()) } while takes("|")
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func branch() throws(RegularExpression.SyntaxError) -> RegularExpressionNode {
        var pieces: [Node] = []
        while let scalar = next, scalar != "|", scalar != ")" { pieces.append(try piece()) }
        return .sequence(pieces)
    }

    private mutating func piece() throws(RegularExpression.SyntaxError) -> RegularExpressionNode {
        let start = place
        let atom = try atom()
        var bounds: (Int, Int?)?
        if takes("*") {
            bounds = (0, nil)
        } else if takes("+") {
            bounds = (1, nil)
        } else if takes("?") {
            bounds = (0, 1)
        } else if takes("{") {
            bounds = try repetitions()
        }
        guard let bounds else { return atom }
        if case .assertion = atom { throw failure("nothing stands here that can be repeated", at: start) }
        // Whether as much or as little as possible is taken changes nothing about whether a text matches.
        if dialect == .extended { _ = takes("?") }
        if let next, "*+?{".unicodeScalars.contains(next) { throw failure("a repetition cannot be repeated") }
        return .repeated(atom, bounds.0, bounds.1)
    }

    private mutating func repetitions() throws(RegularExpression.SyntaxError) -> (Int, Int?) {
        let start = place - 1
        func wrong(_ problem: String) -> RegularExpression.SyntaxError { failure(problem, at: start) }
        guard let minimum = number() else { throw wrong("expected a repetition like {2,5}; write \\{ for a brace") }
        var maximum: Int? = minimum
        if takes(",") { maximum = number() }
        guard takes("}") else { throw wrong("expected a repetition like {2,5}; write \\{ for a brace") }
        if let maximum, maximum < minimum { throw wrong("the repetition ends before it begins") }
        guard max(minimum, maximum ?? 0) <= Self.maximumRepetitions else {
            throw wrong("more than \(Self.maximumRepetitions) repetitions are not counted")
        }
        return (minimum, maximum)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = next?.value, (0x30...0x39).contains(digit) {
            value = min((value ?? 0) * 10 + Int(digit - 0x30), 1_000_000)
            place += 1
        }
        return value
    }

    private mutating func atom() throws(RegularExpression.SyntaxError) -> RegularExpressionNode {
        guard let scalar = next else { throw failure("the expression ends too early") }
        switch scalar {
        case "(":
            let start = place
            place += 1
            if takes("?") {
                guard dialect == .extended, takes(":") else {
                    throw failure(
                        "groups that begin with (? are not supported, as they cannot be matched in bounded time",
                        at: start)
                }
            }
            depth += 1
            guard depth <= Self.maximumDepth else {
                throw failure("more than \(Self.maximumDepth) groups inside each other")
            }
            let node = try choice()
            guard takes(")") else { throw failure("\"(\" is not closed; write \\( for a parenthesis", at: start) }
            depth -= 1
            return node
        case "*", "+", "?", "{": throw failure("\"\(scalar)\" repeats nothing; write \\\(scalar)")
        case "]", "}":
            guard dialect == .extended else { throw failure("\"\(scalar)\" closes nothing; write \\\(scalar)") }
        case "[": return .character(try characterClass())
        case "\\": return try escaped()
        case ".":
            place += 1
            return .character(.any)
        // RFC 9485 §5.3 and later pass both on unchanged, so they are what they are everywhere else.
        case "^":
            place += 1
            return .assertion(.start)
        case "$":
            place += 1
            return .assertion(.end)
        default: break
        }
        place += 1
        return .character(.scalar(scalar))
    }

    private mutating func escaped() throws(RegularExpression.SyntaxError) -> RegularExpressionNode {
        if dialect == .extended {
            if takes("\\b") { return .assertion(.wordBoundary) }
            if takes("\\B") { return .assertion(.noWordBoundary) }
        }
        switch try escape() {
        case .scalar(let scalar): return .character(.scalar(scalar))
        case .set(let set): return .character(set)
        }
    }

    private enum Escape {
        case scalar(Unicode.Scalar)
        case set(CharacterClass)
    }

    private mutating func escape() throws(RegularExpression.SyntaxError) -> Escape {
        let start = place
        place += 1
        guard let scalar = next else {
            throw failure("\\ is the last character; write \\\\ for a backslash", at: start)
        }
        place += 1
        switch scalar {
        case "n": return .scalar("\n")
        case "r": return .scalar("\r")
        case "t": return .scalar("\t")
        case "p", "P":
            guard takes("{") else { throw failure("expected a category like \\p{Lu}", at: start) }
            var name = ""
            while let letter = next, letter != "}", name.unicodeScalars.count < 3 {
                name.unicodeScalars.append(letter)
                place += 1
            }
            guard takes("}"), Self.categories.contains(name) else {
                throw failure("expected a category like \\p{Lu}; blocks and scripts are not supported", at: start)
            }
            return .set(CharacterClass(categories: [.init(name: name, isNegated: scalar == "P")]))
        case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}": return .scalar(scalar)
        default: break
        }
        guard dialect == .extended else {
            throw failure(
                "\\\(scalar) is not in RFC 9485, which knows \\p{…}, \\n, \\r, \\t and escaped signs", at: start)
        }
        switch scalar {
        case "d": return .set(.digit)
        case "D": return .set(CharacterClass.digit.opposite)
        case "w": return .set(.word)
        case "W": return .set(CharacterClass.word.opposite)
        case "s": return .set(.space)
        case "S": return .set(CharacterClass.space.opposite)
        case "f": return .scalar("\u{0C}")
        case "v": return .scalar("\u{0B}")
        case "x": return .scalar(try hexadecimal(2, start))
        case "u": return .scalar(try hexadecimal(4, start))
        case "1"..."9", "k":
            throw failure(
                "references to groups are not supported, as they cannot be matched in bounded time", at: start)
        default:
            guard scalar.isASCII, !scalar.properties.isAlphabetic, scalar.value >= 0x20, !("0"..."9").contains(scalar)
            else {
                throw failure("\\\(scalar) has no meaning", at: start)
            }
            return .scalar(scalar)
        }
    }

    private mutating func hexadecimal(_ count: Int, _ start: Int) throws(RegularExpression.SyntaxError)
        -> Unicode.Scalar
    {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = next.flatMap({ Character($0).isASCII ? Character($0).hexDigitValue : nil }) else {
                throw failure("expected \(count) hexadecimal digits", at: start)
            }
            value = value * 16 + UInt32(digit)
            place += 1
        }
        guard let scalar = Unicode.Scalar(value) else { throw failure("half a character; write it itself", at: start) }
        return scalar
    }

    private mutating func characterClass() throws(RegularExpression.SyntaxError) -> CharacterClass {
        let start = place
        place += 1
        var set = CharacterClass()
        set.isNegated = takes("^")
        var isEmpty = true
        while let scalar = next, scalar != "]" {
            isEmpty = false
            guard case .scalar(let first) = try member(&set) else { continue }
            guard next == "-", let end = scalars.dropFirst(place + 1).first, end != "]" else {
                set.ranges.append(first.value...first.value)
                continue
            }
            if first == "-", dialect == .interoperable { throw failure("write \\- inside of a class") }
            place += 1
            let endPlace = place
            guard case .scalar(let last) = try member(&set), last.value >= first.value else {
                throw failure("the range of the class ends before it begins", at: endPlace)
            }
            set.ranges.append(first.value...last.value)
        }
        guard takes("]") else { throw failure("\"[\" is not closed; write \\[ for a bracket", at: start) }
        guard !isEmpty else { throw failure("the class has no characters", at: start) }
        return set
    }

    /// A character of a class; sets are added to the class, and have none.
    private mutating func member(_ set: inout CharacterClass) throws(RegularExpression.SyntaxError) -> Escape {
        guard let scalar = next else { throw failure("a class is not closed") }
        if scalar == "\\" {
            if dialect == .extended, takes("\\b") { return .scalar("\u{08}") }
            let escape = try escape()
            if case .set(let other) = escape {
                if other.isNegated {
                    set.opposites.append(other.opposite)
                } else {
                    set.ranges += other.ranges
                    set.categories += other.categories
                }
            }
            return escape
        }
        if scalar == "[", dialect == .interoperable { throw failure("write \\[ inside of a class") }
        if scalar == "-", dialect == .interoperable, !isAtEdge { throw failure("write \\- inside of a class") }
        place += 1
        return .scalar(scalar)
    }

    /// Whether a hyphen is the first or last character of its class.
    private var isAtEdge: Bool {
        if scalars.dropFirst(place + 1).first == "]" { return true }
        let before = place > 0 ? scalars[place - 1] : nil
        return before == "[" || before == "^" && place > 1 && scalars[place - 2] == "["
    }

    private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func takes(_ text: String) -> Bool {
        guard scalars[place...].starts(with: text.unicodeScalars) else { return false }
        place += text.unicodeScalars.count
        return true
    }

    private func failure(_ problem: String, at place: Int? = nil) -> RegularExpression.SyntaxError {
        RegularExpression.SyntaxError(problem: problem, offset: place ?? self.place)
    }
}
