/// A JSONPath query (RFC 9535): which values of a JSON document are meant.
///
///     $.offers[?@.price < 10 && match(@.name, "A.*")]..image
///
/// The file has the parts of a query. `JSONPathReader` reads them from text, and `JSONPathEvaluation` finds the values.
public struct JSONPath: Sendable, Hashable {
    /// Why a text is no JSONPath query.
    public struct SyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, as a clause: `expected "]"`.
        public let problem: String
        /// The character at which the mistake was seen, from 1.
        public let column: Int

        public var description: String { "\(problem) (character \(column))" }
    }

    /// What a query found.
    public struct Result: Sendable {
        /// The values in the order of the document.
        public let values: [JSONValue]
        /// Whether a limit ended the search, so that there may be more values.
        public let isCut: Bool
    }

    /// The query as written.
    public let text: String
    let segments: [Segment]

    /// Reads a query.
    public init(_ text: String) throws(SyntaxError) {
        var reader = JSONPathReader(text)
        self.text = text
        segments = try reader.query()
    }

    public static func == (a: JSONPath, b: JSONPath) -> Bool { a.text == b.text }
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Finds the values in a document.
    ///
    /// - Parameters:
    ///   - limit: how many values are returned at most.
    ///   - steps: how many values and characters may be looked at. A million takes about half a second at worst.
    public func values(in document: JSONValue, limit: Int = 1_000, steps: Int = 1_000_000) -> Result {
        var steps = steps
        return values(in: document, limit: limit, steps: &steps)
    }

    /// The same, for several documents.
    ///
    /// - Parameter steps: how many are left. The work is subtracted.
    func values(in document: JSONValue, limit: Int, steps: inout Int) -> Result {
        var evaluation = JSONPathEvaluation(document, steps: steps)
        let nodes = evaluation.nodes(of: segments, from: document)
        steps = evaluation.steps
        return Result(values: Array(nodes.prefix(limit)), isCut: evaluation.isExhausted || nodes.count > limit)
    }

    // MARK: Parts (RFC 9535 §2)

    /// `.name`, `[…]`, and with two dots `..[…]`.
    struct Segment: Sendable {
        /// Whether it also looks at all that is inside of a value.
        var isDescendant = false
        let selectors: [Selector]

        /// Whether at most one value results from one.
        var isSingular: Bool {
            guard !isDescendant, selectors.count == 1 else { return false }
            switch selectors[0] {
            case .name, .index: return true
            case .wildcard, .slice, .filter: return false
            }
        }
    }

    enum Selector: Sendable {
        case name(String)
        case wildcard
        case index(Int)
        case slice(start: Int?, end: Int?, step: Int)
        case filter(Condition)
    }

    /// A query inside of a filter.
    struct InnerQuery: Sendable {
        /// `$` and not `@`.
        let isAbsolute: Bool
        let segments: [Segment]
        var isSingular: Bool { segments.allSatisfy(\.isSingular) }
    }

    /// What a filter asks of each value.
    indirect enum Condition: Sendable {
        case any([Condition])
        case all([Condition])
        case not(Condition)
        case exists(InnerQuery)
        case comparison(Operand, Comparison, Operand)
        /// `match` for the whole text, `search` for a part.
        case matches(Operand, Pattern, whole: Bool)
    }

    enum Comparison: String, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case less = "<"
        case greater = ">"
    }

    /// A value in a filter (ValueType); there may be none.
    indirect enum Operand: Sendable {
        case literal(JSONValue)
        /// A singular query.
        case query(InnerQuery)
        case length(Operand)
        case count(InnerQuery)
        case value(InnerQuery)
    }

    /// A regular expression that is written in the query, or comes from the document.
    enum Pattern: Sendable {
        /// nil if it is not valid: it matches nothing.
        case written(RegularExpression?)
        case from(Operand)
    }
}
