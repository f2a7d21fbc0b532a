/// Finds the elements of a page that a selector means.
///
/// Each part of a selector becomes the set of all elements of the page that match it, and combinators make sets of sets in one walk
/// over the elements. So a selector takes as many steps as it has parts times the page has elements, whatever both are like:
///
///     ul > li a     set of ul → their children, if li → all that is below, if a
///     :has(> a b)   the same backwards: set of b → all that is above, if a → their parents
struct SelectorMatching {
    private typealias Set = [Bool]

    private let document: HTMLDocument
    private var steps: Int
    /// Whether a limit ended the search, so that sets may be wrong.
    var isExhausted: Bool { steps < 0 }

    private var count: Int { document.elements.count }

    init(_ document: HTMLDocument, steps: Int) {
        self.document = document
        self.steps = steps
    }

    /// - Parameter limit: how many elements are looked for.
    mutating func elements(of list: [Selector.Complex], limit: Int) -> [HTMLDocument.Index] {
        let set = matches(list)
        return Array(set.indices.lazy.filter { set[$0] }.prefix(limit))
    }

    // MARK: Lists and combinators

    private mutating func matches(_ list: [Selector.Complex]) -> Set {
        var result = Set(repeating: false, count: count)
        for complex in list {
            var set = Set(repeating: true, count: count)
            for (i, part) in complex.parts.enumerated() {
                if i > 0 { set = step(part.combinator, from: set) }
                keep(part.compound, in: &set)
                if isExhausted { return result }
            }
            unite(&result, set)
        }
        return result
    }

    /// The elements for which a relative selector finds something.
    private mutating func anchors(of list: [Selector.Complex]) -> Set {
        var result = Set(repeating: false, count: count)
        for complex in list {
            var set = Set(repeating: true, count: count)
            for part in complex.parts.reversed() {
                keep(part.compound, in: &set)
                set = stepBack(part.combinator, from: set)
                if isExhausted { return result }
            }
            unite(&result, set)
        }
        return result
    }

    private mutating func unite(_ set: inout Set, _ other: Set) {
        steps -= count
        for i in set.indices where other[i] { set[i] = true }
    }

    private func parent(_ element: Int) -> Int { Int(document.elements[element].parent) }

    /// What a combinator leads to.
    private mutating func step(_ combinator: Selector.Combinator, from set: Set) -> Set {
        steps -= count
        var result = Set(repeating: false, count: count)
        guard !isExhausted, count > 1 else { return result }
        switch combinator {
        case .descendant: for i in 1..<count { result[i] = set[parent(i)] || result[parent(i)] }
        case .child: for i in 1..<count { result[i] = set[parent(i)] }
        case .nextSibling:
            var isLastInSet = Set(repeating: false, count: count)
            for i in 1..<count {
                result[i] = isLastInSet[parent(i)]
                isLastInSet[parent(i)] = set[i]
            }
        case .laterSibling:
            var hasOne = Set(repeating: false, count: count)
            for i in 1..<count {
                result[i] = hasOne[parent(i)]
                if set[i] { hasOne[parent(i)] = true }
            }
        }
        return result
    }

    /// From where a combinator leads into a set.
    private mutating func stepBack(_ combinator: Selector.Combinator, from set: Set) -> Set {
        steps -= count
        var result = Set(repeating: false, count: count)
        guard !isExhausted, count > 1 else { return result }
        switch combinator {
        case .descendant:
            for i in (1..<count).reversed() where set[i] || result[i] { result[parent(i)] = true }
        case .child: for i in 1..<count where set[i] { result[parent(i)] = true }
        case .nextSibling:
            var isNextInSet = Set(repeating: false, count: count)
            for i in (1..<count).reversed() {
                result[i] = isNextInSet[parent(i)]
                isNextInSet[parent(i)] = set[i]
            }
        case .laterSibling:
            var hasOne = Set(repeating: false, count: count)
            for i in (1..<count).reversed() {
                result[i] = hasOne[parent(i)]
                if set[i] { hasOne[parent(i)] = true }
            }
        }
        return result
    }

    // MARK: Compounds

    /// Removes the elements that are not as a compound selector says.
    private mutating func keep(_ compound: [Selector.Simple], in set: inout Set) {
        for simple in compound {
            keep(simple, in: &set)
            if isExhausted { return }
        }
    }

    private mutating func keep(_ simple: Selector.Simple, in set: inout Set) {
        steps -= count
        guard !isExhausted else { return }
        switch simple {
        case .all(let simples): keep(simples, in: &set)
        case .type(let name):
            let number = number(of: name)
            for i in set.indices where set[i] { set[i] = document.elements[i].nameNumber == number }
        case .id(let value): keepByValue(of: HTMLName.id.rawValue, in: &set) { $1.elementsEqual(value) }
        case .hasClass(let value): keepByValue(of: HTMLName.class.rawValue, in: &set) { Self.hasWord($1, value) }
        case .attribute(let test): keep(test, in: &set)
        case .matches(let list): intersect(&set, matches(list), being: true)
        case .not(let list): intersect(&set, matches(list), being: false)
        case .has(let list): intersect(&set, anchors(of: list), being: true)
        case .nthChild(let places, let list, let fromEnd):
            let counted = list.map { matches($0) }
            let parents = siblingPlaces(in: counted, fromEnd: fromEnd)
            for i in set.indices where set[i] { set[i] = parents[i] > 0 && places.contains(Int(parents[i])) }
        case .nthOfType(let places, let fromEnd):
            let among = placesOfType(fromEnd: fromEnd)
            for i in set.indices where set[i] { set[i] = places.contains(Int(among[i])) }
        case .root: for i in set.indices.dropFirst() { set[i] = false }
        case .empty:
            for i in set.indices where set[i] {
                let element = document.elements[i]
                set[i] = Int(element.subtreeEnd) == i + 1 && element.textStart == element.textEnd
            }
        case .language(let ranges): keepLanguages(ranges, in: &set)
        case .anyLink:
            for i in set.indices where set[i] {
                let name = document.elements[i].name
                set[i] = (name == .a || name == .area && !document.elements[i].isForeign) && document.has(.href, on: i)
            }
        case .disabled(let wanted): keepDisabled(wanted, in: &set)
        }
    }

    private mutating func intersect(_ set: inout Set, _ other: Set, being wanted: Bool) {
        for i in set.indices where other[i] != wanted { set[i] = false }
    }

    /// The number of a name; one that no element has if the page has no such name.
    private func number(of name: String) -> UInt16 {
        if let known = HTMLName.numbers[name] { return known }
        guard let own = document.ownNames.firstIndex(of: name) else { return HTMLName.other.rawValue }
        return HTMLDocument.firstOwnName + UInt16(clamping: own)
    }

    // MARK: Attributes

    private mutating func keepByValue(of number: UInt16, in set: inout Set, _ isRight: (Int, ArraySlice<UInt8>) -> Bool)
    {
        for i in set.indices where set[i] {
            set[i] = false
            for place in document.attributeRange(of: i) where document.attributes[place].nameNumber == number {
                let value = document.value(of: document.attributes[place])
                steps -= 1 + value.count / 8
                set[i] = !isExhausted && isRight(i, value)
                break
            }
        }
    }

    private mutating func keep(_ test: Selector.AttributeTest, in set: inout Set) {
        let number = number(of: test.name)
        guard number != HTMLName.other.rawValue else {
            for i in set.indices { set[i] = false }
            return
        }
        let hasNoCase = Self.namesWithoutCase.contains(test.name)
        let lowercased = test.value.map(\.asciiLowercased)
        let elements = document.elements
        keepByValue(of: number, in: &set) { element, written in
            guard test.ignoresCase ?? (hasNoCase && !elements[element].isForeign) else {
                return Self.compare(written, test.comparison, test.value)
            }
            return Self.compare(ArraySlice(written.map(\.asciiLowercased)), test.comparison, lowercased)
        }
    }

    /// Selectors 4 §6. No value is part of every other: `[a^=""]` finds nothing.
    private static func compare(
        _ written: ArraySlice<UInt8>, _ comparison: Selector.AttributeTest.Comparison, _ value: [UInt8]
    ) -> Bool {
        switch comparison {
        case .exists: true
        case .equals: written.elementsEqual(value)
        case .hasWord: !value.contains(where: \.isHTMLSpace) && hasWord(written, value)
        case .hasPrefixWord:
            written.starts(with: value)
                && (written.count == value.count || written.dropFirst(value.count).first == 0x2D)
        case .hasPrefix: !value.isEmpty && written.starts(with: value)
        case .hasSuffix:
            !value.isEmpty && written.count >= value.count && written.suffix(value.count).elementsEqual(value)
        case .contains: !value.isEmpty && Array(written).position(of: value) != nil
        }
    }

    private static func hasWord(_ written: ArraySlice<UInt8>, _ word: [UInt8]) -> Bool {
        !word.isEmpty && written.split(whereSeparator: \.isHTMLSpace).contains { $0.elementsEqual(word) }
    }

    /// HTML §4.16.2: attributes of HTML's elements whose values have no case in selectors.
    private static let namesWithoutCase: Swift.Set = [
        "accept", "accept-charset", "align", "alink", "axis", "bgcolor", "charset", "checked", "clear", "codetype",
        "color", "compact", "declare", "defer", "dir", "direction", "disabled", "enctype", "face", "frame", "hreflang",
        "http-equiv", "lang", "language", "link", "media", "method", "multiple", "nohref", "noresize", "noshade",
        "nowrap", "readonly", "rel", "rev", "rules", "scope", "scrolling", "selected", "shape", "target", "text",
        "type", "valign", "valuetype", "vlink",
    ]

    // MARK: Places among siblings

    /// The place of each element among its siblings of a set, from 1; 0 for elements outside of the set.
    private mutating func siblingPlaces(in set: Set?, fromEnd: Bool) -> [Int32] {
        steps -= count
        var places = [Int32](repeating: 0, count: count)
        var last = [Int32](repeating: 0, count: count)
        func visit(_ i: Int) {
            guard set?[i] ?? true else { return }
            // The root has no siblings.
            if i == 0 {
                places[0] = 1
            } else {
                last[parent(i)] += 1
                places[i] = last[parent(i)]
            }
        }
        if fromEnd { places.indices.reversed().forEach(visit) } else { places.indices.forEach(visit) }
        return places
    }

    private mutating func placesOfType(fromEnd: Bool) -> [Int32] {
        // A look-up takes longer than the other steps.
        steps -= 8 * count
        var places = [Int32](repeating: 1, count: count)
        guard !isExhausted else { return places }
        var last: [UInt64: Int32] = [:]
        func visit(_ i: Int) {
            let element = document.elements[i]
            guard i > 0 else { return }
            let key = UInt64(element.parent) << 17 | UInt64(element.nameNumber) << 1 | (element.isForeign ? 1 : 0)
            last[key, default: 0] += 1
            places[i] = last[key] ?? 1
        }
        if fromEnd { places.indices.reversed().forEach(visit) } else { places.indices.forEach(visit) }
        return places
    }

    // MARK: Language and forms

    /// The nearest `lang` attribute decides, and an empty one says that the language is unknown.
    private mutating func keepLanguages(_ ranges: [String], in set: inout Set) {
        var isRight = Set(repeating: false, count: count)
        for i in isRight.indices {
            guard let value = document.bytes(of: .lang, on: i) else {
                if i > 0 { isRight[i] = isRight[parent(i)] }
                continue
            }
            steps -= ranges.count * (1 + value.count)
            if isExhausted { return }
            let tag = String(decoding: value, as: UTF8.self).asciiLowercased
            isRight[i] = ranges.contains { Self.isLanguage(tag, in: $0) }
        }
        intersect(&set, isRight, being: true)
    }

    /// Extended filtering (RFC 4647 §3.3.2); both in lower case.
    static func isLanguage(_ tag: String, in range: String) -> Bool {
        guard !tag.isEmpty, !range.isEmpty else { return tag.isEmpty && range.isEmpty }
        var wanted = range.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)[...]
        var parts = tag.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)[...]
        guard let first = wanted.popFirst(), let language = parts.popFirst(),
            first.elementsEqual("*".utf8) || first.elementsEqual(language)
        else { return false }
        while let next = wanted.first {
            if next.elementsEqual("*".utf8) {
                wanted.removeFirst()
            } else if let part = parts.popFirst() {
                if part.elementsEqual(next) {
                    wanted.removeFirst()
                } else if part.count == 1 {
                    // What follows a single letter is an extension.
                    return false
                }
            } else {
                return false
            }
        }
        return true
    }

    /// HTML §4.16.3 with §4.10.19.5: `disabled` itself, in a disabled `fieldset` but not in its first `legend`, or in a disabled
    /// `optgroup`.
    private mutating func keepDisabled(_ wanted: Bool, in set: inout Set) {
        steps -= 4 * count
        guard !isExhausted else { return }
        let number = number(of: "disabled")
        func isDisabled(_ i: Int) -> Bool {
            document.attributeRange(of: i).contains { document.attributes[$0].nameNumber == number }
        }
        var isInDisabled = Set(repeating: false, count: count)
        var hasLegend = Set(repeating: false, count: count)
        for i in isInDisabled.indices {
            let name = htmlName(of: i)
            if i > 0 {
                isInDisabled[i] = isInDisabled[parent(i)]
                if htmlName(of: parent(i)) == .fieldset {
                    if name == .legend, !hasLegend[parent(i)] {
                        hasLegend[parent(i)] = true
                    } else if isDisabled(parent(i)) {
                        isInDisabled[i] = true
                    }
                }
            }
            guard set[i] else { continue }
            switch name {
            case .button, .input, .select, .textarea, .fieldset:
                set[i] = (isDisabled(i) || isInDisabled[i]) == wanted
            case .optgroup: set[i] = isDisabled(i) == wanted
            case .option:
                let isInGroup = i > 0 && htmlName(of: parent(i)) == .optgroup && isDisabled(parent(i))
                set[i] = (isDisabled(i) || isInGroup) == wanted
            default: set[i] = false
            }
        }
    }

    private func htmlName(of element: Int) -> HTMLName {
        document.elements[element].isForeign ? .other : document.elements[element].name
    }
}
