/// A CSS selector (Selectors Level 4): which elements of a page are meant.
///
///     main > .offers li:not(.sold-out):nth-child(odd of [data-price]) a[href^="https:" i]
///
/// The file has the parts of a selector. `SelectorReader` reads them from text, and `SelectorMatching` finds the elements.
///
/// What needs a user, a window or a style sheet (`:hover`, `::before`) is an error, and so is what browsers ignore inside `:is()`:
/// whoever writes a selector wants to know. `:scope` is the root, as in `document.querySelectorAll`.
public struct Selector: Sendable, Hashable {
    /// Why a text is no selector.
    public struct SyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, as a clause: `expected "]"`.
        public let problem: String
        /// The character at which the mistake was seen, from 1.
        public let column: Int

        public var description: String { "\(problem) (character \(column))" }
    }

    /// What a selector found.
    public struct Result: Sendable {
        /// The elements in the order of the document.
        public let elements: [HTMLDocument.Index]
        /// Whether there may be more elements: `limit` was reached, or the search took too many steps.
        public let isCut: Bool
    }

    /// The selector as written.
    public let text: String
    let alternatives: [Complex]

    /// Reads a selector.
    public init(_ text: String) throws(SyntaxError) {
        var reader = SelectorReader(text)
        self.text = text
        alternatives = try reader.selector()
    }

    public static func == (a: Selector, b: Selector) -> Bool { a.text == b.text }
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Steps for one selector. One part of a selector takes one or two an element; an ordinary page has 3,000 elements, and the
    /// largest real page seen has 40,000.
    public static let standardSteps = 5_000_000

    /// Finds the elements of a page.
    ///
    /// - Parameters:
    ///   - limit: how many elements are returned at most.
    ///   - steps: how many elements and bytes of attributes may be looked at. A million takes about 10 ms. If they do not suffice,
    ///     nothing is found: a part of a search may be wrong.
    public func elements(in document: HTMLDocument, limit: Int = .max, steps: Int = standardSteps) -> Result {
        var matching = SelectorMatching(document, steps: steps)
        let found = matching.elements(of: alternatives, limit: limit == .max ? limit : limit + 1)
        if matching.isExhausted { return Result(elements: [], isCut: true) }
        return Result(elements: Array(found.prefix(limit)), isCut: found.count > limit)
    }

    // MARK: Parts (Selectors 4 §3)

    /// `a > b c`. In `:has()` it begins with a combinator.
    struct Complex: Sendable {
        var parts: [(combinator: Combinator, compound: [Simple])]
    }

    enum Combinator: Sendable {
        case descendant, child, nextSibling, laterSibling
    }

    /// What an element must be; a compound selector has several.
    indirect enum Simple: Sendable {
        /// In lower case: names of elements in HTML have no case, and those of SVG are kept in lower case.
        case type(String)
        case id([UInt8])
        case hasClass([UInt8])
        case attribute(AttributeTest)
        /// All of them.
        case all([Simple])
        case matches([Complex])
        case not([Complex])
        case has([Complex])
        /// The place among the siblings that match; among all if there is no selector.
        case nthChild(Steps, of: [Complex]?, fromEnd: Bool)
        /// The place among the siblings of the same name.
        case nthOfType(Steps, fromEnd: Bool)
        case root
        /// Neither elements nor text inside.
        case empty
        case language([String])
        case anyLink
        case disabled(Bool)
    }

    /// `an+b`.
    struct Steps: Sendable, Equatable {
        var step: Int
        var start: Int

        /// Whether a place, from 1, is one of `step * n + start` with n ≥ 0.
        func contains(_ place: Int) -> Bool {
            let distance = place - start
            return step == 0 ? distance == 0 : distance % step == 0 && distance / step >= 0
        }
    }

    struct AttributeTest: Sendable {
        enum Comparison: Sendable {
            case exists, equals, hasWord, hasPrefixWord, hasPrefix, hasSuffix, contains
        }

        /// In lower case.
        var name: String
        var comparison = Comparison.exists
        var value: [UInt8] = []
        /// nil if HTML decides by the attribute's name.
        var ignoresCase: Bool?
    }
}
