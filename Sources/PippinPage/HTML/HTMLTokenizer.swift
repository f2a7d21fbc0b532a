import Glibc

/// A tag or a text of a page (WHATWG HTML §13.2.5, "tokenization"). Comments give no token.
enum HTMLToken {
    /// The text between `<!DOCTYPE` and `>`. Like all texts, by its offsets in the page.
    case documentType(Range<Int>)
    /// The attributes are in the tokenizer's `attributes`.
    case startTag(TreeBuilder.StartTag)
    /// The number of the tag's name.
    case endTag(UInt16)
    /// Text with character references.
    case text(Range<Int>)
    /// Text without, such as a script.
    case rawText(Range<Int>)
}

/// Splits a page into tags and texts, as HTML's tokenizer does (WHATWG HTML §13.2.5). `NameReader` reads the names.
///
/// What a tag means for the text after it, the tree decides: see `readText` and `next`.
struct HTMLTokenizer {
    private let page: UnsafeBufferPointer<UInt8>
    private let maximumAttributes: Int
    private let interruption: Interruption?
    private var steps = 0
    private var position = 0
    private var isBeforeContent = true

    private(set) var names: NameReader
    /// The attributes of the last start tag. Of those with the same name the first one counts (§13.2.5.33).
    var attributes: [TreeBuilder.TagAttribute] = []
    /// The last start tag that has a name, by the name's number.
    private var lastTags: [UInt32] = Array(repeating: 0, count: Int(HTMLDocument.firstOwnName))
    private var startTags: UInt32 = 0
    private(set) var hasCrowdedTag = false

    init(_ page: UnsafeBufferPointer<UInt8>, limits: ReadingLimits) {
        self.page = page
        maximumAttributes = limits.maximumAttributesPerElement
        interruption = limits.interruption
        names = NameReader(page, limits: limits)
    }

    /// Reads the next token; nil at the end of the page, when interrupted, or if `names` failed.
    ///
    /// - Parameter isForeign: whether the current element is one of SVG or MathML, where CDATA sections are text (§13.2.5.42).
    mutating func next(isForeign: Bool) -> HTMLToken? {
        while position < page.count, names.failure == nil {
            steps &+= 1
            if steps & 63 == 0, interruption?.isSet == true { return nil }
            let start = position
            position = endOfText()
            if position == start {
                if let token = readMarkup(isForeign: isForeign) { return token }
                continue
            }
            if isBeforeContent {
                isBeforeContent = page[start..<position].allSatisfy(\.isHTMLSpace)
                // White space before the content is no part of the document.
                if isBeforeContent { continue }
            }
            return .text(start..<position)
        }
        return nil
    }

    // MARK: Looking

    private func find(_ byte: UInt8, from start: Int) -> Int? {
        guard let base = page.baseAddress, start < page.count,
            let found = memchr(base + start, Int32(byte), page.count - start)
        else { return nil }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }

    /// Whether this ASCII text is at `start`, in any letter case.
    private func isAt(_ text: StaticString, _ start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= page.count else { return false }
        for i in 0..<text.utf8CodeUnitCount where page[start + i].asciiLowercased != text.utf8Start[i] { return false }
        return true
    }

    private func isEndOfName(_ i: Int) -> Bool { i < page.count && TagByte(page[i]).endsTagName }

    // MARK: Texts

    /// The next `<` that begins markup.
    private func endOfText() -> Int {
        var i = position
        while let next = find(UInt8(ascii: "<"), from: i) {
            i = next + 1
            guard i < page.count else { break }
            switch page[i] {
            case UInt8(ascii: "!"), UInt8(ascii: "?"): return next
            case UInt8(ascii: "/"): if i + 1 < page.count { return next }
            case let byte: if byte.isASCIILetter { return next }
            }
        }
        return page.count
    }

    // MARK: Markup

    private mutating func readMarkup(isForeign: Bool) -> HTMLToken? {
        let start = position
        switch page[start + 1] {
        case UInt8(ascii: "/"):
            if page[start + 2].isASCIILetter { return readEndTag() }
            skip(past: ">", from: start + 2)
        case UInt8(ascii: "!"):
            if isAt("--", start + 2) {
                position = HTMLComment.end(ofCommentAt: start, in: page)
            } else if isAt("doctype", start + 2) {
                return readDocumentType()
            } else if isForeign, isAt("[cdata[", start + 2) {
                return readCDATA()
            } else {
                skip(past: ">", from: start + 2)
            }
        case UInt8(ascii: "?"): skip(past: ">", from: start + 2)
        default: return readStartTag()
        }
        return nil
    }

    /// Leaves out a comment up to the byte `end`.
    private mutating func skip(past end: Unicode.Scalar, from start: Int) {
        position = find(UInt8(ascii: end), from: start).map { $0 + 1 } ?? page.count
    }

    private mutating func readDocumentType() -> HTMLToken? {
        let start = position
        skip(past: ">", from: start)
        // Only the first document type counts, and only before all content.
        guard isBeforeContent else { return nil }
        isBeforeContent = false
        return .documentType(start + 9..<max(start + 9, position - 1))
    }

    private mutating func readCDATA() -> HTMLToken? {
        let start = position + 9
        var end = page.count
        var i = start
        while let bracket = find(UInt8(ascii: "]"), from: i) {
            if isAt("]]>", bracket) {
                end = bracket
                break
            }
            i = bracket + 1
        }
        position = min(end + 3, page.count)
        return start < end ? .rawText(start..<end) : nil
    }

    // MARK: Tags

    private mutating func readStartTag() -> HTMLToken? {
        let start = position
        startTags &+= 1
        // Ten times as fast as `removeAll(keepingCapacity:)`, and it is done for each tag.
        while !attributes.isEmpty { attributes.removeLast() }
        guard let (name, isSelfClosing) = readTag(from: start + 1, isEndTag: false) else { return nil }
        let tag = TreeBuilder.StartTag(
            number: names.number(of: name), isSelfClosing: isSelfClosing, start: UInt32(truncatingIfNeeded: start),
            end: UInt32(truncatingIfNeeded: position - (isSelfClosing ? 2 : 1)))
        return names.failure == nil ? .startTag(tag) : nil
    }

    private mutating func readEndTag() -> HTMLToken? {
        guard let (name, _) = readTag(from: position + 2, isEndTag: true) else { return nil }
        let number = names.number(of: name)
        return names.failure == nil ? .endTag(number) : nil
    }

    /// Reads a tag from its name on, a start tag with its attributes. Nil if the page ends first; then the tag is no tag (WHATWG
    /// HTML §13.2.5, "eof-in-tag").
    private mutating func readTag(from start: Int, isEndTag: Bool) -> (name: NameReader.Name, isSelfClosing: Bool)? {
        isBeforeContent = false
        var i = start
        while i < page.count, !TagByte(page[i]).endsTagName { i &+= 1 }
        let name = NameReader.Name(start..<i, of: page)
        var count = 0
        while true {
            skipSpace(&i)
            guard i < page.count else { break }
            if page[i] == UInt8(ascii: ">") {
                position = i + 1
                return (name, false)
            }
            if page[i] == UInt8(ascii: "/") {
                if i + 1 < page.count, page[i + 1] == UInt8(ascii: ">") {
                    position = i + 2
                    return (name, true)
                }
                i += 1
                continue
            }
            let attributeStart = i
            i += 1
            while i < page.count, !TagByte(page[i]).endsAttributeName { i &+= 1 }
            let attribute = NameReader.Name(attributeStart..<i, of: page)
            count += 1
            skipSpace(&i)
            var value = i..<i
            if i < page.count, page[i] == UInt8(ascii: "=") {
                i += 1
                skipSpace(&i)
                guard let written = self.value(from: &i) else { break }
                value = written
            }
            // Attributes of an end tag do not count.
            if isEndTag { continue }
            if count <= maximumAttributes { add(attribute, value) } else { hasCrowdedTag = true }
        }
        position = page.count
        return nil
    }

    @inline(__always)
    private mutating func add(_ name: NameReader.Name, _ value: Range<Int>) {
        let number = names.number(of: name)
        while lastTags.count <= Int(number) { lastTags.append(0) }
        guard lastTags[Int(number)] != startTags else { return }
        lastTags[Int(number)] = startTags
        attributes.append(
            TreeBuilder.TagAttribute(
                number: number, start: UInt32(truncatingIfNeeded: value.lowerBound),
                written: UnsafeBufferPointer(rebasing: page[value])))
    }

    /// Reads the value at `i`, quoted or not, and moves `i` after it. Nil if the page ends first.
    private func value(from i: inout Int) -> Range<Int>? {
        guard i < page.count else { return nil }
        let first = page[i]
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            guard let close = find(first, from: i + 1) else { return nil }
            defer { i = close + 1 }
            return i + 1..<close
        }
        let start = i
        while i < page.count, page[i] != UInt8(ascii: ">"), !page[i].isHTMLSpace { i += 1 }
        return i < page.count ? start..<i : nil
    }

    private func skipSpace(_ i: inout Int) {
        while i < page.count, page[i].isHTMLSpace { i += 1 }
    }

    // MARK: Raw text

    /// Reads the text of an element whose text is not markup, up to its end tag; nil if it is empty. The tree says which elements
    /// are such (§13.2.6.2): a `title` in SVG is not.
    mutating func readText(of element: HTMLName) -> HTMLToken? {
        let start = position
        position = element == .script ? endOfScript() : element == .plaintext ? page.count : endOfRawText(element)
        guard position > start else { return nil }
        return element == .title || element == .textarea ? .text(start..<position) : .rawText(start..<position)
    }

    private func endOfRawText(_ element: HTMLName) -> Int {
        let name = element.spelling.utf8
        var i = position
        while let next = find(UInt8(ascii: "<"), from: i) {
            i = next + 1
            let end = i + 1 + name.count
            if isAt("/", i), isEndOfName(end), page[i + 1..<end].elementsEqual(name, by: { $0.asciiLowercased == $1 }) {
                return next
            }
        }
        return page.count
    }

    /// The end of a script. Inside `<!-- … -->` it may contain whole scripts (WHATWG HTML §13.2.5.20 … 31).
    private func endOfScript() -> Int {
        var i = position
        var isEscaped = false
        var isDoubleEscaped = false
        while let next = isEscaped ? dashOrLessThan(from: i) : find(UInt8(ascii: "<"), from: i) {
            i = next + 1
            if isAt("</script", next), isEndOfName(next + 8) {
                if !isDoubleEscaped { return next }
                isDoubleEscaped = false
            } else if !isEscaped {
                isEscaped = isAt("<!--", next)
                // `<!-->` is a complete comment.
                if isEscaped { i = next + 2 }
            } else if isAt("<script", next), isEndOfName(next + 7) {
                isDoubleEscaped = true
            } else if isAt("-->", next) {
                (isEscaped, isDoubleEscaped) = (false, false)
            }
        }
        return page.count
    }

    private func dashOrLessThan(from start: Int) -> Int? {
        var i = start
        while i < page.count {
            if page[i] == UInt8(ascii: "-") || page[i] == UInt8(ascii: "<") { return i }
            i += 1
        }
        return nil
    }
}

/// What a byte is inside of a tag.
private struct TagByte {
    private let bits: UInt8

    @inline(__always) init(_ byte: UInt8) { bits = Self.table.utf8Start[Int(byte)] }

    /// White space, `/` or `>`.
    @inline(__always) var endsTagName: Bool { bits & 1 != 0 }
    /// White space, `/`, `>` or `=`.
    @inline(__always) var endsAttributeName: Bool { bits & 2 != 0 }

    /// The sum of these bits as a digit, for each byte. A literal is constant data, which is there without a check.
    @inline(__always) private static var table: StaticString {
        """
        0000000003303300000000000000000030000000000000030000000000000230\
        0000000000000000000000000000000000000000000000000000000000000000\
        0000000000000000000000000000000000000000000000000000000000000000\
        0000000000000000000000000000000000000000000000000000000000000000
        """
    }
}

/// Finds the end of HTML comments (WHATWG HTML §13.2.5.43 … 52). They end earlier than XML comments: `<!-->` and `<!--->` are
/// whole comments, and `--!>` closes one too.
public enum HTMLComment {
    /// The offset after the comment that begins with `<!--` at `start`; the end of the page if it is not closed.
    public static func end(ofCommentAt start: Int, in page: UnsafeBufferPointer<UInt8>) -> Int {
        var i = start + 4
        if isAt(">", i, page) { return i + 1 }
        if isAt("->", i, page) { return i + 2 }
        while let base = page.baseAddress, i < page.count, let found = memchr(base + i, 0x2D, page.count - i) {
            let dash = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
            if isAt("-->", dash, page) { return dash + 3 }
            if isAt("--!>", dash, page) { return dash + 4 }
            i = dash + 1
        }
        return page.count
    }

    private static func isAt(_ text: StaticString, _ start: Int, _ page: UnsafeBufferPointer<UInt8>) -> Bool {
        guard start + text.utf8CodeUnitCount <= page.count else { return false }
        for offset in 0..<text.utf8CodeUnitCount where page[start + offset] != text.utf8Start[offset] { return false }
        return true
    }
}
