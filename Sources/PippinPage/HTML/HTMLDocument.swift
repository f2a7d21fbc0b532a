/// A page's markup as flat arrays, which all extractors read.
///
/// Elements are in document order (pre-order), so an element's descendants are the elements between it and its `subtreeEnd`.
/// All text is in one buffer, in document order too, so the text of any subtree is a slice of it:
///
///     <p>One <b>two</b> three</p>
///
///     elements   index  name  parent  subtreeEnd  textStart ..< textEnd
///                0      html    0         4           0         13
///                1      body    0         4           0         13
///                2      p       1         4           0         13
///                3      b       2         4           4          7
///     text       "One two three"
///
/// The text between two children is between the end of the first one's slice and the start of the second one's. Comments and
/// processing instructions are not kept, and neither is what a `template` holds, which is no part of the page
/// (`removeTemplateContents`). Names are numbers (`HTMLName`); attribute values stay in the page. The tree is
/// the one of the HTML standard, as in browsers (`TreeBuilder`).
public struct HTMLDocument: Sendable {
    /// One element, 32 bytes. Offsets have 32 bits, because a page is limited by `ReadingLimits.maximumBodyBytes`.
    public struct Element: Sendable {
        /// Raw value of an `HTMLName`, or a number in the document's table of names.
        public internal(set) var nameNumber: UInt16
        /// Whether it is an element of SVG or MathML. Names of HTML mean something else there, or nothing.
        var isForeign = false
        /// Offsets of the start tag in the decoded page: its `<`, and its `>` or the `/` before it. An implied element has
        /// the end of the tag before it in both.
        var tagStart: UInt32
        var tagEnd: UInt32
        /// Index of the parent; the root is its own parent.
        public internal(set) var parent: UInt32
        /// The index after the last descendant.
        var subtreeEnd: UInt32
        var attributesStart: UInt32
        var textStart: UInt32
        var textEnd: UInt32

        /// The element's name; `other` if it is not in the list.
        public var name: HTMLName { HTMLName(rawValue: nameNumber) ?? .other }
    }

    struct Attribute: Sendable {
        var nameNumber: UInt16
        /// Offsets in the decoded page, where most values are as they are written. A value with references is in
        /// `decodedValues`, whose bytes count on from the page's end.
        var valueStart: UInt32
        var valueEnd: UInt32

        var valueLength: Int { Int(valueEnd &- valueStart) }
    }

    /// Elements in document order. The first is the root (`html`). Empty if the page has no element.
    public internal(set) var elements: [Element] = []
    var attributes: [Attribute] = []
    /// UTF-8 of all text, in document order, script and style included.
    public internal(set) var text: [UInt8] = []
    /// The values of attributes that are written with references.
    var decodedValues: [UInt8] = []
    /// The bytes of all attributes' values.
    var valueByteCount = 0
    /// Spellings of names that `HTMLName` does not list; the first has the number `firstOwnName`.
    var ownNames: [String] = []
    /// Element indices grouped by name, for the known names, and the start of each group.
    var indicesByName: [Index] = []
    var groupStarts: [Int] = []
    /// For each known name, whether any element has an attribute of that name.
    var attributeNames: [Bool] = []
    /// Elements whose text is not seen, but which end elsewhere for other readers: where they end, by the offset of their tag. See
    /// `endOfUnseen`.
    var looseEnds: [UInt32: LooseEnd] = [:]
    /// The public identifier of the document type in lower case, if any.
    var publicID: String?
    var lines = SourceLines([])
    /// Limits that were reached while parsing.
    public internal(set) var notes: [ParseNote] = []

    /// Where an element ends for readers other than the parser.
    struct LooseEnd: Sendable {
        /// An offset in the page: elements whose tags begin here or later are outside.
        let tag: UInt32
        /// The length of `text` at the end tag. nil if there is no end tag, or if the parser has moved text.
        var text: UInt32?
    }

    /// The memory of the document, in bytes.
    public var keptBytes: Int {
        elements.capacity * MemoryLayout<Element>.stride + attributes.capacity * MemoryLayout<Attribute>.stride
            + text.capacity + decodedValues.capacity + indicesByName.capacity * MemoryLayout<Index>.stride
    }

    static let firstOwnName = UInt16(HTMLName.allCases.count)

    /// The index of an element in the document; the root is 0.
    public typealias Index = Int

    // MARK: Places

    /// The element's start tag in the decoded page; for an implied element, the end of the tag before it.
    public func place(of element: Index) -> SourcePlace {
        SourcePlace(lines: lines, offset: elements[element].tagStart)
    }

    /// The end of the element's start tag: its `>`, or the `/` before it. The text of a script begins one column to the right.
    func tagEnd(of element: Index) -> SourcePlace {
        SourcePlace(lines: lines, offset: elements[element].tagEnd)
    }

    /// The attributes of the element's start tag as written, with those that the parser drops; none for an implied element.
    func writtenAttributes(of element: Index) -> WrittenTag {
        let tag = Int(elements[element].tagStart)..<max(Int(elements[element].tagStart), Int(elements[element].tagEnd))
        return WrittenTag(tag.upperBound <= lines.text.count ? lines.text[tag] : [])
    }

    /// The written value of an attribute, with its quotes; nil if the start tag has no value of that name.
    public func place(ofValue name: HTMLName, on element: Index) -> SourcePlace? {
        for attribute in writtenAttributes(of: element) where attribute.value != nil {
            guard String(decoding: lines.text[attribute.name], as: UTF8.self).asciiLowercased == name.spelling else {
                continue
            }
            return attribute.value.map { SourcePlace(lines: lines, offset: UInt32(clamping: $0.lowerBound)) }
        }
        return nil
    }

    /// The element that has a property of the item whose element begins at a place; nil if none is found. Elements of items
    /// inside it are passed over.
    public func element(
        withProperty name: String, inItemAt place: (line: Int, column: Int), isMicrodata: Bool
    ) -> Index? {
        guard let offset = lines.offset(line: place.line, column: place.column),
            let item = elements.firstIndex(where: { Int($0.tagStart) == offset && $0.tagEnd != $0.tagStart })
        else { return nil }
        let attribute = isMicrodata ? HTMLName.itemprop : .property
        var next = item + 1
        while next < Int(elements[item].subtreeEnd) {
            let names = bytes(of: attribute, on: next)?.split(whereSeparator: \.isHTMLSpace) ?? []
            if names.contains(where: { $0.elementsEqual(name.utf8) }) { return next }
            next = has(isMicrodata ? .itemscope : .typeof, on: next) ? Int(elements[next].subtreeEnd) : next + 1
        }
        return nil
    }

    /// The decoded page, to show lines of.
    public var sourceText: SourceLines { lines }

    /// The line of the start tag, 1-based.
    public func line(of element: Index) -> Int { place(of: element).line }

    // MARK: Names

    /// The name for a number, in lower case.
    public func spelling(ofName number: UInt16) -> String {
        if let name = HTMLName(rawValue: number) { return name.spelling }
        let own = Int(number) - Int(Self.firstOwnName)
        return own < ownNames.count ? ownNames[own] : ""
    }

    /// Elements of a name, in document order: those of HTML, and links, scripts and styles of SVG, which mean the same there.
    public func elements(named name: HTMLName) -> ArraySlice<Index> {
        let number = Int(name.rawValue)
        guard number + 1 < groupStarts.count else { return [] }
        return indicesByName[groupStarts[number]..<groupStarts[number + 1]]
    }

    // MARK: Attributes

    func attributeRange(of element: Index) -> Range<Int> {
        let start = Int(elements[element].attributesStart)
        let end = element + 1 < elements.count ? Int(elements[element + 1].attributesStart) : attributes.count
        return start..<end
    }

    /// Whether any element has the attribute. Extractors skip pages without their markup.
    func hasAttribute(_ name: HTMLName) -> Bool {
        Int(name.rawValue) < attributeNames.count && attributeNames[Int(name.rawValue)]
    }

    /// Whether the element has the attribute, with or without a value.
    public func has(_ name: HTMLName, on element: Index) -> Bool {
        for i in attributeRange(of: element) where attributes[i].nameNumber == name.rawValue { return true }
        return false
    }

    /// The value of an attribute as UTF-8: empty if it has none, nil if the element lacks the attribute. If an attribute is
    /// repeated, the first counts.
    public func bytes(of name: HTMLName, on element: Index) -> ArraySlice<UInt8>? {
        for i in attributeRange(of: element) where attributes[i].nameNumber == name.rawValue {
            return value(of: attributes[i])
        }
        return nil
    }

    /// The value of an attribute as UTF-8.
    func value(of attribute: Attribute) -> ArraySlice<UInt8> {
        let (start, end) = (Int(attribute.valueStart), Int(attribute.valueEnd))
        let page = lines.text.count
        return end <= page ? lines.text[start..<end] : decodedValues[start - page..<end - page]
    }

    /// The value of an attribute: empty if it has none, nil if the element lacks the attribute.
    public func value(of name: HTMLName, on element: Index) -> String? {
        bytes(of: name, on: element).map { String(decoding: $0, as: UTF8.self) }
    }

    /// All attributes of an element with their spelling, in page order.
    public func attributes(of element: Index) -> [(name: String, value: String)] {
        attributeRange(of: element).map { i in
            (spelling(ofName: attributes[i].nameNumber), String(decoding: value(of: attributes[i]), as: UTF8.self))
        }
    }

    // MARK: Tree

    /// The parent; nil for the root.
    public func parent(of element: Index) -> Index? {
        element == 0 ? nil : Int(elements[element].parent)
    }

    /// The element's descendants, in document order.
    public func descendants(of element: Index) -> Range<Index> {
        element + 1..<Int(elements[element].subtreeEnd)
    }

    /// The element's child elements, in document order.
    public func children(of element: Index) -> Children {
        Children(elements: elements, upcoming: element + 1, end: Int(elements[element].subtreeEnd))
    }

    /// Iterates over child elements in document order.
    public struct Children: Sequence, IteratorProtocol {
        let elements: [HTMLDocument.Element]
        var upcoming: Index
        let end: Index

        /// The next child; nil after the last one.
        public mutating func next() -> Index? {
            guard upcoming < end else { return nil }
            defer { upcoming = Int(elements[upcoming].subtreeEnd) }
            return upcoming
        }
    }

    /// Whether an element is a descendant of another.
    public func isElement(_ element: Index, inside ancestor: Index) -> Bool {
        element > ancestor && element < Int(elements[ancestor].subtreeEnd)
    }

    // MARK: Text

    /// All text of an element, with scripts and styles, like DOM's `textContent`, as UTF-8.
    public func textBytes(of element: Index) -> ArraySlice<UInt8> {
        text[Int(elements[element].textStart)..<Int(elements[element].textEnd)]
    }

    /// `textBytes(of:)` as a string.
    public func textContent(of element: Index) -> String {
        String(decoding: textBytes(of: element), as: UTF8.self)
    }
}

/// The attributes of a start tag as they are written, to say where one stands.
///
/// It follows HTML's tokenizer (WHATWG HTML §13.2.5.32 and the following states). The arena has the values themselves; a place
/// in them is asked for only when a report shows one.
struct WrittenTag: Sequence, IteratorProtocol {
    struct Attribute {
        let name: Range<Int>
        /// The value with its quotes; nil if there is none.
        let value: Range<Int>?
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// - Parameter bytes: the tag from its `<` to before its `>`.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
        skip { !$0.isHTMLSpace && $0 != UInt8(ascii: "/") }
    }

    mutating func next() -> Attribute? {
        skip { $0.isHTMLSpace || $0 == UInt8(ascii: "/") }
        guard position < bytes.endIndex else { return nil }
        let start = position
        position += 1
        skip { !$0.isHTMLSpace && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") }
        let name = start..<position
        skip { $0.isHTMLSpace }
        guard position < bytes.endIndex, bytes[position] == UInt8(ascii: "=") else {
            return Attribute(name: name, value: nil)
        }
        position += 1
        skip { $0.isHTMLSpace }
        guard position < bytes.endIndex else { return Attribute(name: name, value: nil) }
        let valueStart = position
        let first = bytes[position]
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            position += 1
            skip { $0 != first }
            position = Swift.min(position + 1, bytes.endIndex)
        } else {
            skip { !$0.isHTMLSpace && $0 != UInt8(ascii: ">") }
        }
        return Attribute(name: name, value: valueStart..<position)
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.endIndex, isSkipped(bytes[position]) { position += 1 }
    }
}

extension SourceLines {
    /// The end of what begins at an offset: a start tag, a quoted text, or a bare value; nil if it begins with none of these.
    ///
    /// - Parameter limit: how many bytes are searched. What is longer ends there.
    public func endOfToken(at start: Int, limit: Int = 20_000) -> Int? {
        guard text.indices.contains(start) else { return nil }
        let end = min(text.count, start + limit)
        switch text[start] {
        case UInt8(ascii: "<"):
            guard start + 1 < end, text[start + 1].isASCIILetter || text[start + 1] == UInt8(ascii: "/") else {
                return nil
            }
            return endOfTag(from: start + 1, before: end)
        case let quote where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
            var i = start + 1
            while i < end, text[i] != quote {
                // Only JSON has escapes, and HTML's values seldom have a backslash before their last quote.
                i += text[i] == UInt8(ascii: "\\") && i + 1 < end && text[i + 1] == quote ? 2 : 1
            }
            return min(i + 1, end)
        case let byte where byte.isASCIIAlphanumeric || byte == UInt8(ascii: "/") || byte >= 0x80:
            var i = start + 1
            while i < end, !text[i].isHTMLSpace, !",\"<>{}[]".utf8.contains(text[i]) { i += 1 }
            return i
        default: return nil
        }
    }

    private func endOfTag(from start: Int, before end: Int) -> Int {
        var i = start
        while i < end, text[i] != UInt8(ascii: ">") {
            let byte = text[i]
            i += 1
            guard byte == UInt8(ascii: "=") else { continue }
            while i < end, text[i].isHTMLSpace { i += 1 }
            guard i < end, text[i] == UInt8(ascii: "\"") || text[i] == UInt8(ascii: "'") else { continue }
            let quote = text[i]
            i += 1
            while i < end, text[i] != quote { i += 1 }
            i = min(i + 1, end)
        }
        return min(i + 1, end)
    }
}
