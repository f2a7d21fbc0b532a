import Glibc

/// A tag or a text of a page (WHATWG HTML §13.2.5, "tokenization"). Comments and document types give no token.
struct HTMLToken {
    enum Kind: UInt8 {
        case startTag, selfClosingTag, endTag
        /// Text with character references.
        case text
        /// Text without, such as a script.
        case rawText
    }

    let kind: Kind
    /// The number of the tag's form; 0 for a text.
    let form: UInt32
    /// Offsets in the page: of a tag its `<`, and its `>` or the `/` before it; of a text its bytes.
    let start: UInt32
    var end: UInt32
    /// The index of the first attribute's value.
    let values: UInt32
}

/// Splits a page into tags and texts, as HTML's tokenizer does (WHATWG HTML §13.2.5), some thousand tokens at a time.
///
/// A page repeats its tags: 3,000 tags have 150 forms. Therefore a token only has the number of its form (`TagForms`) and the
/// places of its values; libxml2 reads each form once.
struct HTMLTokenizer {
    /// An attribute's value in the page; it may contain references.
    struct Value {
        let start: UInt32
        let end: UInt32
    }

    private let page: UnsafeBufferPointer<UInt8>
    private let maximumAttributes: Int
    private let interruption: Interruption?
    private var position = 0
    private var isBeforeContent = true
    private var foreign = ForeignNesting()

    /// The tokens that were read last.
    private(set) var tokens: [HTMLToken] = []
    /// The values of the attributes of these tokens. Each attribute of a form has one, which is empty if none is written.
    private(set) var values: [Value] = []
    var forms: TagForms
    private(set) var hasCrowdedTag = false
    private(set) var documentType = DocumentType.none

    /// A page whose first tokens stand close together is not taken to go on like that for more than so many times their bytes.
    private static let mostLikely = 8
    /// So many tokens fit into the processor's cache. Few tags have as many attributes as a hostile page gives them.
    private static let tokensAtATime = 4_096
    private static let valuesAtATime = 4 * tokensAtATime

    init(_ page: UnsafeBufferPointer<UInt8>, maximumAttributes: Int, interruption: Interruption?) {
        self.page = page
        self.maximumAttributes = maximumAttributes
        self.interruption = interruption
        forms = TagForms(maximumAttributes: maximumAttributes)
        tokens.reserveCapacity(min(Self.tokensAtATime, page.count / 8) + 2)
        values.reserveCapacity(min(Self.tokensAtATime, page.count / 8))
    }

    /// So many start tags the page may have, judged by those in the tokens.
    var expectedStartTags: Int {
        expected(tokens.count { $0.kind == .startTag || $0.kind == .selfClosingTag } + 8)
    }

    /// What the whole page has, if the rest is like the tokens.
    private func expected(_ count: Int) -> Int {
        position < page.count ? count * min(page.count / max(position, 1) + 1, Self.mostLikely) : count
    }

    /// Reads the next tokens, in place of the last ones. There are none at the end of the page, or when interrupted.
    mutating func advance() {
        tokens.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        forms.forgetMany()
        var pieces = 0
        while position < page.count, tokens.count < Self.tokensAtATime, values.count < Self.valuesAtATime {
            pieces &+= 1
            if pieces & 63 == 0, interruption?.isSet == true { return }
            let next = find(UInt8(ascii: "<"), from: position) ?? page.count
            if next > position { readText(to: next) }
            position = next
            if next < page.count { readMarkup() }
        }
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

    private mutating func readText(to end: Int) {
        if isBeforeContent {
            isBeforeContent = page[position..<end].allSatisfy(\.isHTMLSpace)
            // White space before the content is no part of the document.
            if isBeforeContent { return }
        }
        add(position..<end, as: .text)
    }

    /// Adds a text. If it follows one of its kind without a gap, the two become one.
    private mutating func add(_ text: Range<Int>, as kind: HTMLToken.Kind) {
        if text.isEmpty { return }
        let last = tokens.count - 1
        if last >= 0, tokens[last].kind == kind, Int(tokens[last].end) == text.lowerBound {
            tokens[last].end = UInt32(truncatingIfNeeded: text.upperBound)
        } else {
            add(kind, form: 0, text)
        }
    }

    private mutating func add(_ kind: HTMLToken.Kind, form: UInt32, _ range: Range<Int>, values: Int = 0) {
        tokens.append(
            HTMLToken(
                kind: kind, form: form, start: UInt32(truncatingIfNeeded: range.lowerBound),
                end: UInt32(truncatingIfNeeded: range.upperBound), values: UInt32(truncatingIfNeeded: values)))
    }

    // MARK: Markup

    private mutating func readMarkup() {
        let start = position
        guard start + 1 < page.count else { return readLessThan() }
        switch page[start + 1] {
        case let byte where byte.isASCIILetter:
            isBeforeContent = false
            readStartTag()
        case UInt8(ascii: "/"):
            guard start + 2 < page.count else { return readLessThan() }
            guard page[start + 2].isASCIILetter else { return skip(past: ">", from: start + 2) }
            isBeforeContent = false
            readEndTag()
        case UInt8(ascii: "!"):
            if isAt("--", start + 2) {
                position = HTMLComment.end(ofCommentAt: start, in: page)
            } else if isAt("doctype", start + 2) {
                readDocumentType()
            } else if isAt("[cdata[", start + 2), foreign.isInside {
                readCDATA()
            } else {
                skip(past: ">", from: start + 2)
            }
        case UInt8(ascii: "?"): skip(past: ">", from: start + 2)
        default: readLessThan()
        }
    }

    /// Reads a `<` that begins no markup.
    private mutating func readLessThan() {
        isBeforeContent = false
        position += 1
        add(position - 1..<position, as: .text)
    }

    /// Leaves out a comment up to the byte `end`.
    private mutating func skip(past end: Unicode.Scalar, from start: Int) {
        position = find(UInt8(ascii: end), from: start).map { $0 + 1 } ?? page.count
    }

    private mutating func readDocumentType() {
        let start = position
        skip(past: ">", from: start)
        // Only the first document type counts, and only before all content.
        guard isBeforeContent else { return }
        isBeforeContent = false
        documentType = DocumentType(page[start + 9..<max(start + 9, position - 1)])
    }

    private mutating func readCDATA() {
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
        add(start..<end, as: .rawText)
        position = min(end + 3, page.count)
    }

    // MARK: Tags

    private mutating func readStartTag() {
        let start = position
        let firstValue = values.count
        guard let (nameEnd, end, isSelfClosing) = readTag(from: start + 1, isEndTag: false) else {
            while values.count > firstValue { values.removeLast() }
            return
        }
        let form = forms.number(in: page)
        let name = forms.tagName(of: form)
        add(
            isSelfClosing ? .selfClosingTag : .startTag, form: form,
            start..<(isSelfClosing ? end - 2 : end - 1), values: firstValue)
        position = end
        let wasForeign = foreign.isInside
        if !foreign.isEmpty || name == .svg || name == .math {
            foreign.start(name, isSelfClosing: isSelfClosing, spelling: page[start + 1..<nameEnd])
        }
        // In SVG, `title` and `style` contain markup. By the standard `script` does too, but pages do not use it so.
        if wasForeign && (isSelfClosing || name != .script) { return }
        readRawText(of: name)
    }

    private mutating func readEndTag() {
        let start = position
        guard let (nameEnd, end, _) = readTag(from: start + 2, isEndTag: true) else { return }
        let form = forms.number(in: page)
        add(.endTag, form: form, start..<end - 1)
        position = end
        if !foreign.isEmpty { foreign.end(forms.tagName(of: form), spelling: page[start + 2..<nameEnd]) }
    }

    /// Reads a tag from its name on, and gives its names to `forms`. Nil if the page ends first; then the tag is no tag
    /// (WHATWG HTML §13.2.5, "eof-in-tag").
    private mutating func readTag(
        from start: Int, isEndTag: Bool
    ) -> (nameEnd: Int, end: Int, isSelfClosing: Bool)? {
        var i = start
        var isReadable = true
        while i < page.count {
            let byte = TagByte(page[i])
            if byte.endsTagName { break }
            if !byte.isReadable { isReadable = false }
            i &+= 1
        }
        let nameEnd = i
        forms.begin(TagForms.Name(start..<nameEnd, of: page, isReadable: isReadable))
        var count = 0
        while true {
            skipSpace(&i)
            guard i < page.count else { break }
            if page[i] == UInt8(ascii: ">") { return (nameEnd, i + 1, false) }
            if page[i] == UInt8(ascii: "/") {
                if i + 1 < page.count, page[i + 1] == UInt8(ascii: ">") { return (nameEnd, i + 2, true) }
                i += 1
                continue
            }
            let attributeStart = i
            var isReadable =
                TagByte(page[i]).isReadable && !page[i].isASCIIDigit && page[i] != UInt8(ascii: "-")
            i += 1
            while i < page.count {
                let byte = TagByte(page[i])
                if byte.endsAttributeName { break }
                if !byte.isReadable { isReadable = false }
                i &+= 1
            }
            let name = TagForms.Name(attributeStart..<i, of: page, isReadable: isReadable)
            count += 1
            if count > maximumAttributes { hasCrowdedTag = true }
            skipSpace(&i)
            var value = i..<i
            if i < page.count, page[i] == UInt8(ascii: "=") {
                i += 1
                skipSpace(&i)
                guard let written = self.value(from: &i) else { break }
                value = written
            }
            // An attribute whose name libxml2 cannot read is left out.
            if isEndTag || !name.isReadable || count > maximumAttributes { continue }
            forms.add(name)
            values.append(
                Value(
                    start: UInt32(truncatingIfNeeded: value.lowerBound),
                    end: UInt32(truncatingIfNeeded: value.upperBound)))
        }
        position = page.count
        return nil
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

    private mutating func readRawText(of name: TagName) {
        let end: Int
        switch name {
        case .script: end = endOfScript()
        case .style: end = endOfRawText("</style")
        case .title: end = endOfRawText("</title")
        case .textarea: end = endOfRawText("</textarea")
        case .xmp: end = endOfRawText("</xmp")
        case .iframe: end = endOfRawText("</iframe")
        case .noembed: end = endOfRawText("</noembed")
        case .noframes: end = endOfRawText("</noframes")
        case .plaintext: end = page.count
        case .svg, .math, .foreignObject, .desc, .other: return
        }
        add(position..<end, as: name == .title || name == .textarea ? .text : .rawText)
        position = end
    }

    private func endOfRawText(_ endTag: StaticString) -> Int {
        var i = position
        while let next = find(UInt8(ascii: "<"), from: i) {
            if isAt(endTag, next), isEndOfName(next + endTag.utf8CodeUnitCount) { return next }
            i = next + 1
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
    /// Whether libxml2 accepts the byte in names of tags and attributes: letters, digits and `-:_.`.
    @inline(__always) var isReadable: Bool { bits & 4 != 0 }

    /// The sum of these bits as a digit, for each byte. A literal is constant data, which is there without a check.
    @inline(__always) private static var table: StaticString {
        """
        0000000003303300000000000000000030000000000004434444444444400230\
        0444444444444444444444444440000404444444444444444444444444400000\
        0000000000000000000000000000000000000000000000000000000000000000\
        0000000000000000000000000000000000000000000000000000000000000000
        """
    }
}

/// The names that HTML's tokenizer distinguishes: elements whose text is not markup, and those of SVG and MathML.
enum TagName {
    case script, style, title, textarea, xmp, iframe, noembed, noframes, plaintext
    case svg, math, foreignObject, desc
    case other

    init(page: UnsafeBufferPointer<UInt8>, range: Range<Int>) {
        func `is`(_ name: StaticString) -> Bool { page[range].equalsIgnoringCase(name) }
        self = .other
        switch page[range.lowerBound] | 0x20 {
        case UInt8(ascii: "s"):
            if `is`("script") {
                self = .script
            } else if `is`("style") {
                self = .style
            } else if `is`("svg") {
                self = .svg
            }
        case UInt8(ascii: "t"):
            if `is`("title") { self = .title } else if `is`("textarea") { self = .textarea }
        case UInt8(ascii: "n"):
            if `is`("noframes") { self = .noframes } else if `is`("noembed") { self = .noembed }
        case UInt8(ascii: "i"): if `is`("iframe") { self = .iframe }
        case UInt8(ascii: "m"): if `is`("math") { self = .math }
        case UInt8(ascii: "x"): if `is`("xmp") { self = .xmp }
        case UInt8(ascii: "p"): if `is`("plaintext") { self = .plaintext }
        case UInt8(ascii: "f"): if `is`("foreignobject") { self = .foreignObject }
        case UInt8(ascii: "d"): if `is`("desc") { self = .desc }
        default: break
        }
    }
}

/// Whether the scanner is in SVG or MathML, where CDATA sections are text and `title` holds markup.
///
/// `TreeBuilder` knows exactly, but only after libxml2 has read the tags. The two differ only if an `svg` is never closed; then
/// the text of a `textarea` or the like may be lost.
private struct ForeignNesting {
    private enum Level {
        case svg, math
        /// HTML in SVG, inside this element.
        case html(in: TagName)
    }

    private var levels: [Level] = []
    /// Deeper levels are not distinguished; real pages have two.
    private static let maximumLevels = 64

    var isInside: Bool {
        switch levels.last {
        case .svg, .math: true
        case .html, nil: false
        }
    }

    var isEmpty: Bool { levels.isEmpty }

    mutating func start(_ name: TagName, isSelfClosing: Bool, spelling: Slice<UnsafeBufferPointer<UInt8>>) {
        switch name {
        case .svg: if !isSelfClosing { push(.svg) }
        case .math: if !isSelfClosing { push(.math) }
        case .title, .desc, .foreignObject:
            if case .svg = levels.last, !isSelfClosing { push(.html(in: name)) }
        default: leave(at: spelling)
        }
    }

    mutating func end(_ name: TagName, spelling: Slice<UnsafeBufferPointer<UInt8>>) {
        let index = levels.lastIndex { level in
            switch (level, name) {
            case (.svg, .svg), (.math, .math): true
            case (.html(let element), _): element == name
            default: false
            }
        }
        if let index { levels.removeSubrange(index...) } else { leave(at: spelling) }
    }

    private mutating func push(_ level: Level) {
        if levels.count < Self.maximumLevels { levels.append(level) }
    }

    private mutating func leave(at spelling: Slice<UnsafeBufferPointer<UInt8>>) {
        guard isInside else { return }
        let number = HTMLName.numbers[String(decoding: spelling, as: UTF8.self).asciiLowercased]
        if number.flatMap(HTMLName.init)?.rules.contains(.endsForeign) == true { levels.removeAll() }
    }
}
