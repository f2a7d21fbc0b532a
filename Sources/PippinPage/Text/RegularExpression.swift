/// A regular expression that is matched without backtracking: the work is at most the length of the text times that of the expression.
///
/// The expression becomes a program of a few kinds of instructions. All places of the program that the text so far allows are followed
/// side by side, character by character (Thompson 1968, Pike), so no expression and no text is slow out of proportion.
///
///     RegularExpression ── RegularExpressionReader ──► Node ── RegularExpressionProgram ──► instructions ── isFound(in:) ──► Bool?
public struct RegularExpression: Sendable, Hashable {
    /// Which expressions are allowed.
    public enum Dialect: Sendable, Hashable {
        /// I-Regexp (RFC 9485): what all implementations understand alike.
        case interoperable
        /// I-Regexp and, as in JavaScript, `\d \w \s \b` and their opposites, `(?:…)`, escapes such as `\$` and `\u20AC`, and `(?i)` at
        /// the beginning. What needs backtracking is an error.
        case extended
    }

    /// Why a text is no regular expression.
    public struct SyntaxError: Error, Sendable, Hashable {
        /// What is wrong, as a clause: `"(" is not closed`.
        public let problem: String
        /// How many characters stand before the mistake.
        public let offset: Int
    }

    /// The expression as written.
    public let text: String
    private let program: RegularExpressionProgram

    /// Characters of an expression. What people write has fewer than 200.
    static let maximumLength = 2_000

    /// Reads an expression.
    public init(_ text: String, _ dialect: Dialect = .extended) throws(SyntaxError) {
        var reader = RegularExpressionReader(text, dialect)
        let node = try reader.expression()
        self.text = text
        program = try RegularExpressionProgram(node, ignoresCase: reader.ignoresCase)
    }

    public static func == (a: RegularExpression, b: RegularExpression) -> Bool { a.text == b.text }
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Whether a part of the text, or the whole text, matches. nil if it takes more steps than there are.
    ///
    /// - Parameter steps: how many steps are left. The work is subtracted.
    public func isFound(in text: String, whole: Bool = false, steps: inout Int) -> Bool? {
        var now = PlaceSet(program.code.count)
        var next = PlaceSet(program.code.count)
        var previous: Unicode.Scalar?
        var rest = text.unicodeScalars.makeIterator()
        var current = rest.next()
        var isStart = true
        while true {
            if isStart || !whole {
                program.follow(0, into: &now, between: previous, and: current, &steps)
            }
            isStart = false
            if now.hasEnd, !whole || current == nil { return true }
            guard steps >= 0 else { return nil }
            guard let scalar = current, !whole || !now.places.isEmpty else { return false }
            previous = scalar
            current = rest.next()
            next.removeAll()
            for place in now.places where program.code[place].takes(scalar, program.ignoresCase) {
                program.follow(place + 1, into: &next, between: previous, and: current, &steps)
            }
            steps -= now.places.count + 1
            swap(&now, &next)
        }
    }
}

/// The places of a program that are reached by the text so far, each once.
private struct PlaceSet {
    private(set) var places: [Int] = []
    /// Whether one of them is the end.
    var hasEnd = false
    /// For each place the round in which it was added last, so that clearing costs nothing.
    private var rounds: [UInt32]
    private var round: UInt32 = 1
    /// Places to follow.
    var pending: [Int] = []

    init(_ count: Int) { rounds = Array(repeating: 0, count: count) }

    mutating func removeAll() {
        places.removeAll(keepingCapacity: true)
        hasEnd = false
        round &+= 1
        if round == 0 {
            rounds = Array(repeating: 0, count: rounds.count)
            round = 1
        }
    }

    /// Returns false if the place was there.
    mutating func visit(_ place: Int) -> Bool {
        if rounds[place] == round { return false }
        rounds[place] = round
        return true
    }

    mutating func append(_ place: Int) { places.append(place) }
}

/// Which characters one place of the text may have.
struct CharacterClass: Sendable, Hashable {
    var ranges: [ClosedRange<UInt32>] = []
    /// Two letters of a general category or one for all that begin with it: `Lu`, `L`; and whether its opposite is meant.
    var categories: [Category] = []
    /// Sets of which every character that they do not have is in this one: the `\S` of `[\S\n]`.
    var opposites: [CharacterClass] = []
    var isNegated = false

    struct Category: Sendable, Hashable {
        let name: String
        let isNegated: Bool
    }

    /// - Parameter ignoresCase: whether a letter is meant in both cases. The opposite of a class has neither.
    func contains(_ scalar: Unicode.Scalar, ignoresCase: Bool = false) -> Bool {
        var found = lists(scalar)
        if !found, ignoresCase {
            found = [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping].contains { mapping in
                mapping.unicodeScalars.count == 1 && mapping.unicodeScalars.first.map(lists) == true
            }
        }
        return (found || opposites.contains { !$0.contains(scalar, ignoresCase: ignoresCase) }) != isNegated
    }

    private func lists(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) }
            || categories.contains { scalar.properties.generalCategory.code.hasPrefix($0.name) != $0.isNegated }
    }

    static func scalar(_ scalar: Unicode.Scalar) -> CharacterClass {
        CharacterClass(ranges: [scalar.value...scalar.value])
    }
    /// `.`: all but line ends (RFC 9485 §5.3).
    static let any = CharacterClass(ranges: [0x0A...0x0A, 0x0D...0x0D], isNegated: true)
    static let digit = CharacterClass(ranges: [0x30...0x39])
    static let word = CharacterClass(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// ECMA-262 §22.2.2.9, WhiteSpace and LineTerminator.
    static let space = CharacterClass(
        ranges: [0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x2028...0x2029, 0xFEFF...0xFEFF],
        categories: [Category(name: "Zs", isNegated: false)])

    var opposite: CharacterClass {
        var opposite = self
        opposite.isNegated.toggle()
        return opposite
    }
}

/// The parts of a regular expression.
indirect enum RegularExpressionNode: Sendable {
    case character(CharacterClass)
    case assertion(RegularExpressionProgram.Assertion)
    case sequence([RegularExpressionNode])
    case choice([RegularExpressionNode])
    /// nil without an upper bound.
    case repeated(RegularExpressionNode, Int, Int?)
}

/// The instructions that a regular expression becomes.
struct RegularExpressionProgram: Sendable {
    enum Assertion: Sendable, Hashable {
        case start, end, wordBoundary, noWordBoundary
    }

    enum Instruction: Sendable {
        /// Takes one character and goes on behind itself.
        case character(CharacterClass)
        case assertion(Assertion)
        case split(Int, Int)
        case jump(Int)
        case end

        func takes(_ scalar: Unicode.Scalar, _ ignoresCase: Bool) -> Bool {
            guard case .character(let set) = self else { return false }
            return set.contains(scalar, ignoresCase: ignoresCase)
        }
    }

    private(set) var code: [Instruction] = []
    let ignoresCase: Bool
    private var work = 0

    /// Instructions of a program. They bound the work per character of a text; `{1,999}` of a class has 2,000.
    static let maximumInstructions = 5_000

    init(_ node: RegularExpressionNode, ignoresCase: Bool) throws(RegularExpression.SyntaxError) {
        self.ignoresCase = ignoresCase
        try add(node)
        code.append(.end)
    }

    private mutating func add(_ node: RegularExpressionNode) throws(RegularExpression.SyntaxError) {
        // Repetitions of nothing add no code, but they are work too.
        work += 1
        guard work <= 4 * Self.maximumInstructions, code.count <= Self.maximumInstructions else {
            throw RegularExpression.SyntaxError(problem: "its repetitions are too large", offset: 0)
        }
        switch node {
        case .character(let set): code.append(.character(set))
        case .assertion(let assertion): code.append(.assertion(assertion))
        case .sequence(let nodes):
            for node in nodes { try add(node) }
        case .choice(let nodes):
            var jumps: [Int] = []
            for (index, node) in nodes.enumerated() {
                guard index < nodes.count - 1 else {
                    try add(node)
                    break
                }
                let split = code.count
                code.append(.end)
                try add(node)
                jumps.append(code.count)
                code.append(.end)
                code[split] = .split(split + 1, code.count)
            }
            for jump in jumps { code[jump] = .jump(code.count) }
        case .repeated(let node, let minimum, let maximum):
            for _ in 0..<minimum { try add(node) }
            guard let maximum else {
                let split = code.count
                code.append(.end)
                try add(node)
                code.append(.jump(split))
                code[split] = .split(split + 1, code.count)
                return
            }
            var splits: [Int] = []
            for _ in minimum..<max(minimum, maximum) {
                splits.append(code.count)
                code.append(.end)
                try add(node)
            }
            for split in splits { code[split] = .split(split + 1, code.count) }
        }
    }

    /// Adds the places that take a character, from one on.
    fileprivate func follow(
        _ start: Int, into set: inout PlaceSet, between previous: Unicode.Scalar?, and next: Unicode.Scalar?,
        _ steps: inout Int
    ) {
        set.pending.append(start)
        while let place = set.pending.popLast() {
            guard set.visit(place) else { continue }
            steps -= 1
            switch code[place] {
            case .character: set.append(place)
            case .end: set.hasEnd = true
            case .jump(let target): set.pending.append(target)
            case .split(let first, let second):
                set.pending.append(second)
                set.pending.append(first)
            case .assertion(let assertion):
                if Self.holds(assertion, previous, next) { set.pending.append(place + 1) }
            }
        }
    }

    private static func holds(_ assertion: Assertion, _ previous: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
        func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { CharacterClass.word.contains($0) } ?? false }
        return switch assertion {
        case .start: previous == nil
        case .end: next == nil
        case .wordBoundary: isWord(previous) != isWord(next)
        case .noWordBoundary: isWord(previous) == isWord(next)
        }
    }
}

extension Unicode.GeneralCategory {
    /// The two letters of the category (UAX #44, table 12).
    fileprivate var code: String {
        switch self {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
