/// Where a value stands in a page, as an operator writes it in a configuration: in elements that a selector finds, in an attribute of
/// theirs, or in what the page says as JSON.
///
///     selector                      the text of the elements
///     selector, attribute           the attribute
///     selector, path                values of the JSON in the elements' text
///     selector, attribute, path     values of the JSON in the attribute
///     path                          values of what `pippin extract` prints of the page (`PageFacts.json`)
public struct PageQuery: Sendable, Hashable {
    public var selector: Selector?
    /// In lower case.
    public var attribute: String?
    public var path: JSONPath?

    public init(selector: Selector? = nil, attribute: String? = nil, path: JSONPath? = nil) {
        self.selector = selector
        self.attribute = attribute?.asciiLowercased
        self.path = path
    }

    /// A value with its place.
    public struct Value: Sendable, Hashable {
        /// A text, unless a path found it.
        public let content: JSONValue
        /// The element that has it; nil without a selector.
        public let element: HTMLDocument.Index?
        /// The line of the element's start tag.
        public let line: Int?
        /// Whether the text was longer (`maximumTextBytes`).
        public let isCut: Bool

        /// Creates a value. A text that is too long is cut, at a character.
        public init(content: JSONValue, element: HTMLDocument.Index?, line: Int?) {
            (self.element, self.line) = (element, line)
            let text = content.string
            isCut = text.map { $0.utf8.count > PageQuery.maximumTextBytes } ?? false
            self.content = isCut ? .string(PageQuery.cut(text ?? "")) : content
        }

        /// What conditions compare: a text in one line, a number or a truth as in JSON. Lists and objects have no more than `[…]`.
        public var text: String {
            switch content.content {
            case .string(let text): CleanText.line(text) ?? ""
            case .array: "[…]"
            case .object: "{…}"
            case .null, .bool, .number: content.text()
            }
        }
    }

    /// An element without a value.
    public struct Gap: Sendable, Hashable {
        public let element: HTMLDocument.Index
        public let line: Int
        /// Why, as a clause: `the element has no attribute "src"`.
        public let reason: String
    }

    public struct Result: Sendable {
        /// In the order of the document.
        public var values: [Value] = []
        public var gaps: [Gap] = []
        /// Whether a limit ended the search, so that there may be more values.
        public var isCut = false
    }

    /// Bytes of one text. Longer ones are cut, at a character.
    public static let maximumTextBytes = 8_000
    /// Text and elements that are read, of all elements: `*` finds the same ones in each of their ancestors.
    private static let maximumReadBytes = 50_000_000
    /// JSON that is read, of all elements.
    private static let maximumJSONBytes = 20_000_000
    /// A tenth of what JSONPath takes else, as a configuration has many queries. For all elements together.
    private static let pathSteps = 100_000

    private static func cut(_ text: String) -> String {
        var end = text.utf8.index(text.startIndex, offsetBy: maximumTextBytes)
        while String.Index(end, within: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }

    /// Finds the values in a page.
    ///
    /// - Parameter limit: how many values are returned at most.
    public func values(in facts: PageFacts, limit: Int = 1_000) -> Result {
        var result = Result()
        guard let selector else {
            guard let path else { return result }
            let found = path.values(in: facts.jsonForQueries, limit: limit, steps: Self.pathSteps)
            result.values = found.values.map { Value(content: $0, element: nil, line: nil) }
            result.isCut = found.isCut
            return result
        }
        let found = selector.elements(in: facts.document, limit: limit)
        result.isCut = found.isCut
        var budget = path == nil ? Self.maximumReadBytes : Self.maximumJSONBytes
        var steps = Self.pathSteps
        for element in found.elements {
            guard result.values.count < limit, budget > 0, steps >= 0, !facts.limits.isInterrupted else {
                result.isCut = true
                break
            }
            let line = facts.document.line(of: element)
            switch text(of: element, in: facts, budget: &budget) {
            case .failure(let failure):
                result.gaps.append(Gap(element: element, line: line, reason: failure.reason))
                result.isCut = result.isCut || failure.isLimit
            case .success(let value):
                guard let path else {
                    result.values.append(Value(content: value, element: element, line: line))
                    continue
                }
                let inner = path.values(in: value, limit: limit - result.values.count, steps: &steps)
                result.isCut = result.isCut || inner.isCut
                result.values += inner.values.map { Value(content: $0, element: element, line: line) }
                if inner.values.isEmpty {
                    result.gaps.append(
                        Gap(element: element, line: line, reason: "the path finds nothing in the element's JSON"))
                }
            }
        }
        return result
    }

    private struct Failure: Error {
        let reason: String
        /// Whether a larger limit may find a value.
        var isLimit = false
    }

    /// What an element says: its text, its attribute, or their JSON.
    private func text(
        of element: HTMLDocument.Index, in facts: PageFacts, budget: inout Int
    ) -> Swift.Result<JSONValue, Failure> {
        let document = facts.document
        var written: ArraySlice<UInt8>?
        if let attribute {
            written = document.bytes(ofAttribute: attribute, on: element)
            guard let written else { return .failure(Failure(reason: "the element has no attribute \"\(attribute)\"")) }
            budget -= written.count
        } else {
            budget -= document.textBytes(of: element).count + document.descendants(of: element).count
        }
        guard path != nil else {
            let text =
                // Some more than is kept, so that it shows whether there is more.
                if let written {
                    CleanText.line(String(decoding: written.prefix(2 * Self.maximumTextBytes), as: UTF8.self))
                } else {
                    CleanText.line(document.collapsedText(of: element, maximumBytes: 2 * Self.maximumTextBytes))
                }
            if let text { return .success(.string(text)) }
            return .failure(
                Failure(reason: attribute.map { "the attribute \"\($0)\" is empty" } ?? "the element has no text"))
        }
        let bytes = written ?? document.textBytes(of: element)
        guard bytes.count <= facts.limits.maximumBodyBytes else {
            return .failure(Failure(reason: "the JSON is too long", isLimit: true))
        }
        var parser = JSONParser(limits: facts.limits)
        do throws(JSONSyntaxError) {
            return .success(try parser.parse(bytes))
        } catch {
            let place = attribute.map { "the attribute \"\($0)\"" } ?? "the element's text"
            let fault = error.isLimit ? "is larger JSON than is read" : "is not JSON"
            return .failure(Failure(reason: "\(place) \(fault)", isLimit: error.isLimit))
        }
    }
}

extension HTMLDocument {
    /// The value of an attribute of any name, in lower case; nil if the element lacks it.
    func bytes(ofAttribute name: String, on element: Index) -> ArraySlice<UInt8>? {
        for i in attributeRange(of: element) where spelling(ofName: attributes[i].nameNumber) == name {
            return value(of: attributes[i])
        }
        return nil
    }
}
