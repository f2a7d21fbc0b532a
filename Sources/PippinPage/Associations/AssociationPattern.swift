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

// MARK: Matching

// Matching: one set of places, moved on by each character.
//
// A place is an element of the pattern and, inside a variable, an element of its table of values. Places are numbered so that
// each has its own mark: element k has number `base[k]`, and the places inside its variable follow.

extension AssociationPattern {
    /// Whether the pattern covers all of `text`; false, with the budget spent, when that cannot be found out in time.
    ///
    /// - Parameter text: Unicode scalars, already in lower case when `caseSensitive` is false.
    func matches(
        _ text: [UInt32], caseSensitive: Bool, variables: SubstitutionVariables, budget: inout MatchingBudget
    ) -> Bool {
        guard undefined.isEmpty, !budget.isSpent else { return false }
        if matchesEverything { return true }
        guard let count = placeCount(variables), count <= Self.maximumPlaces else {
            budget.steps = 0
            return false
        }
        budget.steps -= count
        var places = PlaceSet(self, count: count, variables: variables, caseSensitive: caseSensitive)
        places.start()
        for scalar in text {
            guard !places.isEmpty, !budget.isSpent else { return false }
            places.advance(over: scalar)
            budget.steps -= places.work
        }
        return places.isAtEnd
    }

    /// `$(lang)` and `$(region)` are some 3,000 places each; a pattern of a hundred thousand is an attack.
    static let maximumPlaces = 100_000

    private func placeCount(_ variables: SubstitutionVariables) -> Int? {
        var count = 0
        for element in elements {
            count += 1
            if case .variable(let table) = element { count += variables.tables[table].elements.count }
            if count > Self.maximumPlaces { return nil }
        }
        return count
    }

    /// Lower case by Unicode's simple mapping, so that no text grows: `É` is `é`, `İ` stays.
    static func folded(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
        guard let scalar = Unicode.Scalar(scalar) else { return scalar }
        let mapping = scalar.properties.lowercaseMapping.unicodeScalars
        guard let first = mapping.first, mapping.count == 1 else { return scalar.value }
        return first.value
    }

    static func scalars(_ text: String, caseSensitive: Bool) -> [UInt32] {
        caseSensitive ? text.unicodeScalars.map(\.value) : text.unicodeScalars.map { folded($0.value) }
    }
}

private struct PlaceSet {
    private struct Place {
        /// Index into the pattern's elements.
        let element: Int32
        /// Index into the variable's elements, -1 outside a variable.
        let inner: Int32
    }

    private let elements: [AssociationPattern.Element]
    private let variables: SubstitutionVariables
    private let caseSensitive: Bool
    /// Number of each element's first place.
    private let base: [Int32]
    /// The step in which a place was last reached, so that it is taken once a step.
    private var marks: [Int32]
    private var step: Int32 = 0
    private var places: [Place] = []
    private var next: [Place] = []
    /// Elements to enter yet: a worklist, because a pattern of empty variables would recurse as deep as it is long.
    private var pending: [Int32] = []
    private(set) var isAtEnd = false
    /// What the last step cost.
    private(set) var work = 0

    init(
        _ pattern: AssociationPattern, count: Int, variables: SubstitutionVariables, caseSensitive: Bool
    ) {
        elements = pattern.elements
        self.variables = variables
        self.caseSensitive = caseSensitive
        var base: [Int32] = []
        base.reserveCapacity(elements.count)
        var number = 0
        for element in elements {
            base.append(Int32(truncatingIfNeeded: number))
            number += 1
            if case .variable(let table) = element { number += variables.tables[table].elements.count }
        }
        self.base = base
        marks = Array(repeating: -1, count: count)
    }

    var isEmpty: Bool { places.isEmpty }

    mutating func start() {
        enter(0)
        swap(&places, &next)
    }

    mutating func advance(over scalar: UInt32) {
        step &+= 1
        isAtEnd = false
        work = places.count &+ 1
        next.removeAll(keepingCapacity: true)
        for place in places {
            let element =
                place.inner < 0 ? elements[Int(place.element)] : inside(place.element)[Int(place.inner)]
            switch element {
            case .run: stay(place)
            case .any: move(place)
            case .scalar(let wanted):
                if (caseSensitive ? wanted : AssociationPattern.folded(wanted)) == scalar { move(place) }
            case .characters(let characters):
                if characters.contains(scalar, caseSensitive: caseSensitive) { move(place) }
            case .variable, .nothing, .fork, .end: break
            }
        }
        swap(&places, &next)
    }

    private func inside(_ element: Int32) -> [AssociationPattern.Element] {
        guard case .variable(let table) = elements[Int(element)] else { return [] }
        return variables.tables[table].elements
    }

    private mutating func stay(_ place: Place) {
        if place.inner < 0 { enter(place.element) } else { enter(place.element, inner: place.inner) }
    }

    private mutating func move(_ place: Place) {
        if place.inner < 0 { enter(place.element + 1) } else { enter(place.element, inner: place.inner + 1) }
    }

    /// Adds a place of the pattern, and those that are reached from it without a character.
    private mutating func enter(_ first: Int32) {
        pending.append(first)
        drain()
    }

    /// Adds a place inside the value of a variable, and what is reached from it.
    private mutating func enter(_ element: Int32, inner first: Int32) {
        enterValue(element, first)
        drain()
    }

    private mutating func drain() {
        while var element = pending.popLast() {
            while mark(base[Int(element)]) {
                switch elements[Int(element)] {
                case .run:
                    next.append(Place(element: element, inner: -1))
                    element += 1
                    continue
                case .variable(let table):
                    for start in variables.tables[table].starts { enterValue(element, start) }
                case .fork(let count):
                    pending.append(element + 1 + count)
                    element += 1
                    continue
                case .end: isAtEnd = true
                case .nothing: break
                case .scalar, .any, .characters: next.append(Place(element: element, inner: -1))
                }
                break
            }
        }
    }

    private mutating func enterValue(_ element: Int32, _ first: Int32) {
        guard case .variable(let table) = elements[Int(element)] else { return }
        var inner = first
        while mark(base[Int(element)] + 1 + inner) {
            switch variables.tables[table].elements[Int(inner)] {
            case .run:
                next.append(Place(element: element, inner: inner))
                inner += 1
                continue
            case .end: pending.append(element + 1)
            default: next.append(Place(element: element, inner: inner))
            }
            break
        }
    }

    /// False when the place was reached in this step before.
    private mutating func mark(_ number: Int32) -> Bool {
        work &+= 1
        if marks[Int(number)] == step { return false }
        marks[Int(number)] = step
        return true
    }
}
