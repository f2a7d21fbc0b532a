/// A pattern of an association file, ready to be matched: `*` any run, `?` one character, `$(name)` a variable.
///
/// A pattern covers the whole of its text and there is no escape. Matching follows all ways through the pattern at once,
/// a set of places for each character, so its time is linear in pattern × text whatever the pattern.
struct AssociationPattern: Sendable {
    enum Element: Sendable, Equatable {
        case scalar(UInt32)
        case any
        case run
        case characters(SubstitutionVariables.CharacterClass)
        /// An index into the tables of the variables.
        case variable(Int)
        /// A variable without values, or one that nobody defined.
        case nothing
        /// The pattern goes on at the next element, and also behind as many further ones.
        case fork(Int32)
        /// The end of the pattern, or of a variable's value.
        case end
    }

    /// As written.
    let text: String
    /// Ends with `.end`.
    let elements: [Element]
    /// Names of variables that are not defined; such a pattern never matches.
    let undefined: [String]
    /// Whether a `$(` has no `)`: it then stands for itself.
    let hasOpenVariable: Bool

    /// - Parameter variables: nil where `$(` means nothing (`paths`, Android).
    init(_ text: String, variables: SubstitutionVariables?) {
        self.text = text
        guard let variables, text.utf8.contains(UInt8(ascii: "$")) else {
            elements = Self.wildcards(text.unicodeScalars) + [.end]
            undefined = []
            hasOpenVariable = false
            return
        }
        var elements: [Element] = []
        var undefined: [String] = []
        var isOpen = false
        var rest = text.unicodeScalars[...]
        while let dollar = rest.firstIndex(of: "$") {
            let behind = rest.index(after: dollar)
            guard behind < rest.endIndex, rest[behind] == "(" else {
                elements += Self.wildcards(rest[...dollar])
                rest = rest[behind...]
                continue
            }
            // Without a closing parenthesis there is none further on either, so this is looked for once.
            guard let close = rest[behind...].firstIndex(of: ")") else {
                isOpen = true
                break
            }
            elements += Self.wildcards(rest[..<dollar])
            let name = String(rest[rest.index(after: behind)..<close])
            switch variables.meaning(of: name) {
            case .characters(let characters): elements.append(.characters(characters))
            case .alternatives(let table):
                elements.append(variables.tables[table].starts.isEmpty ? .nothing : .variable(table))
            case nil:
                elements.append(.nothing)
                undefined.append(name)
            }
            rest = rest[rest.index(after: close)...]
        }
        self.elements = elements + Self.wildcards(rest) + [.end]
        self.undefined = undefined
        hasOpenVariable = isOpen
    }

    /// A run of stars is one star: it means the same and keeps the set of places small.
    static func wildcards(_ scalars: some Sequence<Unicode.Scalar>) -> [Element] {
        var elements: [Element] = []
        for scalar in scalars {
            switch scalar {
            case "*": if elements.last != .run { elements.append(.run) }
            case "?": elements.append(.any)
            default: elements.append(.scalar(scalar.value))
            }
        }
        return elements
    }

    /// Whether it names a variable with values.
    var hasVariable: Bool {
        elements.contains { if case .variable = $0 { true } else { false } }
    }

    /// Whether no text matches, because of its variables.
    var matchesNothing: Bool { elements.contains(.nothing) }

    /// Whether it matches everything, the empty text too.
    var matchesEverything: Bool { elements == [.run, .end] }

    /// The same pattern with other elements.
    func with(elements: [Element]) -> AssociationPattern {
        AssociationPattern(text: text, elements: elements, undefined: undefined, isOpen: hasOpenVariable)
    }

    private init(text: String, elements: [Element], undefined: [String], isOpen: Bool) {
        self.text = text
        self.elements = elements
        self.undefined = undefined
        hasOpenVariable = isOpen
    }
}

/// How much matching one question may cost, all patterns together.
///
/// A file of 128 KiB that is all stars and a URL of 2 KB make 270 million steps; real files need some thousands.
struct MatchingBudget {
    var steps: Int

    /// Below three seconds even in a build for debugging.
    static let standard = MatchingBudget(steps: 30_000_000)

    var isSpent: Bool { steps <= 0 }

    /// Pays for work of some steps; false when there is nothing left for it.
    mutating func pay(_ steps: Int) -> Bool {
        guard !isSpent else { return false }
        self.steps -= steps
        return true
    }
}
