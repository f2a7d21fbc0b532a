import Glibc

/// The page in the form that libxml2 gets: rewritten so that libxml2 finds exactly the tags that HTML finds.
///
/// libxml2 has its own rules for which element closes which. `TreeBuilder` decides that by HTML's rules, so it needs every tag
/// as written, and none that libxml2 invents. Therefore tags get names for which libxml2 has no rules:
///
///     page       <html><!-- x --><p class=a @click="b > c">Tom &amp Jerry&quest;</p><script>…</script>
///     prepared   <div><z:html><p class=a >~0<z.p><script>~1<z.script>
///
/// - One `div` is opened first and stays open. Inside it, libxml2 implies no paragraph.
/// - An end tag becomes a start tag whose name begins with `z.`; `html` becomes `z:html`. No other name begins so.
/// - Comments, document types and processing instructions are left out.
/// - Longer texts, scripts and attribute values are cut out, because libxml2 reads them character by character. Each leaves a
///   mark, `~` with a number, and its text is later read from the page.
/// - In texts that stay, references are decoded as in HTML: all names, some without semicolon.
/// - Attributes whose names libxml2 cannot read (`@click`) are left out, and so are those beyond `maximumAttributes` of a
///   tag: libxml2 compares every attribute with all earlier ones of its tag, so that a tag of 100,000 attributes would take
///   minutes.
struct PreparedMarkup {
    /// A start tag: the offset of its end in the prepared markup, and those of its start and end in the page.
    struct Place {
        let prepared: UInt32
        let start: UInt32
        let page: UInt32
    }

    /// A piece of the page that is not in the prepared markup.
    struct CutText {
        var range: Range<Int>
        /// Whether references in it are decoded.
        let decodes: Bool
    }

    fileprivate(set) var bytes: [UInt8] = []
    /// The ends of start tags: at their `>`, or the `/` before it.
    fileprivate(set) var tagEnds: [Place] = []
    fileprivate var cutTexts: [CutText] = []
    /// The index of each mark's first cut text. A mark has several texts if there are comments between them.
    fileprivate var firstCutTexts: [UInt32] = []
    fileprivate(set) var hasCrowdedTag = false
    fileprivate(set) var documentType = DocumentType.none

    static let start: StaticString = "<div>"
    static let endTagSign: StaticString = "z."
    static let htmlSign: StaticString = "z:"
    fileprivate static let mark = UInt8(ascii: "~")

    init(_ page: UnsafeBufferPointer<UInt8>, maximumAttributes: Int, interruption: Interruption? = nil) {
        var scanner = MarkupScanner(page: page, maximumAttributes: maximumAttributes, interruption: interruption)
        scanner.scan()
        self = scanner.prepared
    }

    fileprivate init(expectedBytes: Int) {
        bytes.reserveCapacity(expectedBytes)
        Self.start.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// The cut texts of a mark; nil if the text or value is not a mark.
    func cutTexts(markedBy text: UnsafeBufferPointer<UInt8>) -> ArraySlice<CutText>? {
        guard text.first == Self.mark, text.count > 1, text.count <= 9 else { return nil }
        var number = 0
        for digit in text[1...] {
            guard digit.isASCIIDigit else { return nil }
            number = number * 10 + Int(digit - 0x30)
        }
        guard number < firstCutTexts.count else { return nil }
        let end = number + 1 < firstCutTexts.count ? Int(firstCutTexts[number + 1]) : cutTexts.count
        return cutTexts[Int(firstCutTexts[number])..<end]
    }
}

/// Scans a page like HTML's tokenizer (WHATWG HTML §13.2.5) and writes the prepared markup.
private struct MarkupScanner {
    private let page: UnsafeBufferPointer<UInt8>
    private let maximumAttributes: Int
    private let interruption: Interruption?
    private(set) var prepared: PreparedMarkup
    /// The offset up to which the page has been written or left out.
    private var copied = 0
    private var position = 0
    private var isBeforeContent = true
    /// The form in which the text since the last tag is written: not yet decided, as it is, or as a mark.
    private var run = TextRun.none

    private enum TextRun { case none, plain, marked }

    /// The shortest text or value that is replaced by a mark, in bytes.
    private static let shortestCutText = 16
    private var foreign = ForeignNesting()

    init(page: UnsafeBufferPointer<UInt8>, maximumAttributes: Int, interruption: Interruption?) {
        self.page = page
        self.maximumAttributes = maximumAttributes
        self.interruption = interruption
        prepared = PreparedMarkup(expectedBytes: page.count / 2 + 64)
    }

    // MARK: Looking

    private func find(_ byte: UInt8, from start: Int, before end: Int? = nil) -> Int? {
        let end = end ?? page.count
        guard let base = page.baseAddress, start < end, let found = memchr(base + start, Int32(byte), end - start)
        else { return nil }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }

    /// Whether this ASCII text is at `start`, in any letter case.
    private func isAt(_ text: StaticString, _ start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= page.count else { return false }
        for i in 0..<text.utf8CodeUnitCount where page[start + i].asciiLowercased != text.utf8Start[i] { return false }
        return true
    }

    private func isEndOfName(_ i: Int) -> Bool {
        i < page.count && (page[i].isHTMLSpace || page[i] == UInt8(ascii: "/") || page[i] == UInt8(ascii: ">"))
    }

    // MARK: Writing

    private mutating func copy(to end: Int) {
        if end > copied {
            prepared.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: page[copied..<end]))
        }
        copied = max(copied, end)
    }

    /// Writes the page up to `range`, and `text` instead of the range.
    private mutating func replace(_ range: Range<Int>, with text: StaticString) {
        copy(to: range.lowerBound)
        append(text)
        copied = max(copied, range.upperBound)
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { prepared.bytes.append(contentsOf: $0) }
    }

    private mutating func leaveOut(_ range: Range<Int>) { replace(range, with: "") }

    // MARK: Walking

    mutating func scan() {
        var pieces = 0
        while position < page.count {
            pieces &+= 1
            if pieces & 63 == 0, interruption?.isSet == true { break }
            let next = find(UInt8(ascii: "<"), from: position) ?? page.count
            if next > position { readText(to: next) }
            position = next
            if next < page.count { readMarkup() }
        }
        copy(to: page.count)
    }

    private mutating func readText(to end: Int) {
        let text = position..<end
        if isBeforeContent { isBeforeContent = page[text].allSatisfy(\.isHTMLSpace) }
        if run == .none {
            // A text of the page that looks like a mark is cut out too.
            let isCut = text.count >= Self.shortestCutText || page[position] == PreparedMarkup.mark
            run = isCut ? .marked : .plain
            if isCut { mark(text, decodes: true) }
        } else if run == .marked {
            addToMark(text, decodes: true)
        }
        if run == .plain { readReferences(in: text, isAttribute: false) }
    }

    /// Writes a mark instead of a part of the page.
    private mutating func mark(_ range: Range<Int>, decodes: Bool) {
        copy(to: range.lowerBound)
        copied = range.upperBound
        prepared.bytes.append(PreparedMarkup.mark)
        appendDigits(of: prepared.firstCutTexts.count)
        prepared.firstCutTexts.append(UInt32(prepared.cutTexts.count))
        prepared.cutTexts.append(PreparedMarkup.CutText(range: range, decodes: decodes))
    }

    /// Adds text to the last mark.
    private mutating func addToMark(_ range: Range<Int>, decodes: Bool) {
        leaveOut(range)
        let last = prepared.cutTexts.count - 1
        if prepared.cutTexts[last].range.upperBound == range.lowerBound, prepared.cutTexts[last].decodes == decodes {
            prepared.cutTexts[last].range = prepared.cutTexts[last].range.lowerBound..<range.upperBound
        } else {
            prepared.cutTexts.append(PreparedMarkup.CutText(range: range, decodes: decodes))
        }
    }

    private mutating func appendDigits(of number: Int) {
        var power = 1
        while number / power >= 10 { power *= 10 }
        while power > 0 {
            prepared.bytes.append(0x30 + UInt8(truncatingIfNeeded: number / power % 10))
            power /= 10
        }
    }

    private mutating func readReferences(in range: Range<Int>, isAttribute: Bool) {
        var i = range.lowerBound
        while let ampersand = find(UInt8(ascii: "&"), from: i, before: range.upperBound) {
            let text = UnsafeBufferPointer(rebasing: page[..<range.upperBound])
            guard let (value, end) = CharacterReferences.reference(in: text, at: ampersand, isAttribute: isAttribute)
            else {
                replace(ampersand..<ampersand + 1, with: "&amp;")
                i = ampersand + 1
                continue
            }
            i = end
            // `&amp;` is the most frequent reference, and libxml2 knows it.
            if end - ampersand == 5, value.first == "&", page[ampersand + 1] == UInt8(ascii: "a") { continue }
            leaveOut(ampersand..<end)
            append(value.first)
            if let second = value.second { append(second) }
        }
    }

    /// Writes the character of a reference. ASCII characters are written as numbers, so that none becomes markup.
    private mutating func append(_ scalar: Unicode.Scalar) {
        guard scalar.isASCII, scalar.value >= 0x20 || scalar.properties.isWhitespace else {
            prepared.bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            return
        }
        prepared.bytes.append(contentsOf: "&#\(scalar.value);".utf8)
    }

    private mutating func readMarkup() {
        let start = position
        guard start + 1 < page.count else { return escapeLessThan() }
        switch page[start + 1] {
        case let byte where byte.isASCIILetter:
            isBeforeContent = false
            readStartTag()
        case UInt8(ascii: "/"):
            guard start + 2 < page.count else { return escapeLessThan() }
            guard page[start + 2].isASCIILetter else { return skip(past: ">", from: start + 2) }
            isBeforeContent = false
            readEndTag()
        case UInt8(ascii: "!"):
            if isAt("--", start + 2) {
                skipComment()
            } else if isAt("doctype", start + 2) {
                readDocumentType()
            } else if isAt("[cdata[", start + 2), foreign.isInside {
                readCDATA()
            } else {
                skip(past: ">", from: start + 2)
            }
        case UInt8(ascii: "?"): skip(past: ">", from: start + 2)
        default: escapeLessThan()
        }
    }

    private mutating func escapeLessThan() {
        isBeforeContent = false
        let character = position..<position + 1
        position += 1
        if run == .marked { return addToMark(character, decodes: true) }
        run = .plain
        replace(character, with: "&lt;")
    }

    /// Leaves out a comment up to the byte `end`.
    private mutating func skip(past end: Unicode.Scalar, from start: Int) {
        let end = find(UInt8(ascii: end), from: start).map { $0 + 1 } ?? page.count
        leaveOut(position..<end)
        position = end
    }

    private mutating func skipComment() {
        let start = position
        position = HTMLComment.end(ofCommentAt: start, in: page)
        leaveOut(start..<position)
    }

    private mutating func readDocumentType() {
        let start = position
        skip(past: ">", from: start)
        // Only the first document type counts, and only before all content.
        guard isBeforeContent else { return }
        isBeforeContent = false
        prepared.documentType = DocumentType(page[start + 9..<max(start + 9, position - 1)])
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
        leaveOut(position..<start)
        if run == .marked {
            addToMark(start..<end, decodes: false)
        } else if end > start {
            run = .plain
        }
        var text = run == .marked ? end : start
        while text < end, let next = page[text..<end].firstIndex(where: { $0 == 0x26 || $0 == 0x3C }) {
            replace(next..<next + 1, with: page[next] == 0x26 ? "&amp;" : "&lt;")
            text = next + 1
        }
        position = min(end + 3, page.count)
        leaveOut(end..<position)
    }

    // MARK: Tags

    private mutating func readStartTag() {
        let start = position
        let written = (bytes: prepared.bytes.count, copied: copied)
        let nameEnd = readName(from: start + 1)
        let name = TagName(page: page, range: start + 1..<nameEnd)
        if name == .html {
            copy(to: start + 1)
            append(PreparedMarkup.htmlSign)
        }
        guard let end = readAttributes(from: nameEnd, isEndTag: false) else { return cutOff(start, written) }
        let isSelfClosing = end.isSelfClosing
        let place = isSelfClosing ? end.offset - 2 : end.offset - 1
        prepared.tagEnds.append(
            PreparedMarkup.Place(
                prepared: UInt32(clamping: prepared.bytes.count + place - copied), start: UInt32(clamping: start),
                page: UInt32(clamping: place)))
        position = end.offset
        run = .none
        let wasForeign = foreign.isInside
        foreign.start(name, isSelfClosing: isSelfClosing, spelling: page[start + 1..<nameEnd])
        // In SVG, `title` and `style` contain markup. By the standard `script` does too, but pages do not use it so.
        if wasForeign && (isSelfClosing || name != .script) { return }
        readRawText(of: name)
    }

    private mutating func readEndTag() {
        let start = position
        let written = (bytes: prepared.bytes.count, copied: copied)
        copy(to: start + 1)
        append(PreparedMarkup.endTagSign)
        copied = start + 2
        let nameEnd = readName(from: start + 2)
        guard let end = readAttributes(from: nameEnd, isEndTag: true) else { return cutOff(start, written) }
        leaveOut(nameEnd..<end.offset - 1)
        position = end.offset
        run = .none
        if !foreign.isEmpty {
            foreign.end(TagName(page: page, range: start + 2..<nameEnd), spelling: page[start + 2..<nameEnd])
        }
    }

    /// Drops a tag that is cut off by the end of the page (WHATWG HTML §13.2.5, "eof-in-tag").
    private mutating func cutOff(_ start: Int, _ written: (bytes: Int, copied: Int)) {
        prepared.bytes.removeLast(prepared.bytes.count - written.bytes)
        copied = written.copied
        leaveOut(start..<page.count)
        position = page.count
    }

    /// Writes a tag's name. libxml2 reads up to some hundred letters, digits and `:-_.`; other characters become `_`.
    private mutating func readName(from start: Int) -> Int {
        var end = start
        // A name of the page that begins with one of our signs is changed, so that it cannot be mistaken for a sign.
        var isReadable = !isAt(PreparedMarkup.endTagSign, start) && !isAt(PreparedMarkup.htmlSign, start)
        while end < page.count, !isEndOfName(end) {
            if !page[end].isInReadableName { isReadable = false }
            end += 1
        }
        if !isReadable || end - start > Self.longestName {
            copy(to: start)
            for byte in page[start..<end].prefix(Self.longestName) {
                prepared.bytes.append(byte.isASCIIAlphanumeric || byte == 0x2D ? byte : UInt8(ascii: "_"))
            }
            copied = end
        }
        return end
    }

    private static let longestName = 90

    /// Reads attributes from the end of the name to the end of the tag. Nil if the page ends first.
    private mutating func readAttributes(from start: Int, isEndTag: Bool) -> (offset: Int, isSelfClosing: Bool)? {
        var i = start
        var count = 0
        while true {
            skipSpace(&i)
            guard i < page.count else { return nil }
            if page[i] == UInt8(ascii: ">") { return (i + 1, false) }
            if page[i] == UInt8(ascii: "/") {
                if i + 1 < page.count, page[i + 1] == UInt8(ascii: ">") { return (i + 2, true) }
                replace(i..<i + 1, with: " ")
                i += 1
                continue
            }
            let nameStart = i
            var isReadable =
                page[i].isASCIILetter || page[i].isInReadableName && !page[i].isASCIIDigit && page[i] != 0x2D
            i += 1
            while i < page.count, page[i] != UInt8(ascii: "="), !isEndOfName(i) {
                if !page[i].isInReadableName { isReadable = false }
                i += 1
            }
            if i - nameStart > Self.longestName { isReadable = false }
            count += 1
            if count > maximumAttributes { prepared.hasCrowdedTag = true }
            let isKept = isReadable && count <= maximumAttributes && !isEndTag
            skipSpace(&i)
            if i < page.count, page[i] == UInt8(ascii: "=") {
                i += 1
                skipSpace(&i)
                guard let value = value(from: &i) else { return nil }
                if isKept { readValue(value) }
            }
            if !isKept { leaveOut(nameStart..<i) }
        }
    }

    private mutating func readValue(_ value: Range<Int>) {
        guard !value.isEmpty else { return }
        // A value of the page that looks like a mark is cut out too.
        if value.count >= Self.shortestCutText || page[value.lowerBound] == PreparedMarkup.mark {
            mark(value, decodes: find(UInt8(ascii: "&"), from: value.lowerBound, before: value.upperBound) != nil)
        } else {
            readReferences(in: value, isAttribute: true)
        }
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

    /// Skips white space and replaces form feeds, which libxml2 does not treat as white space.
    private mutating func skipSpace(_ i: inout Int) {
        while i < page.count, page[i].isHTMLSpace {
            if page[i] == 0x0C { replace(i..<i + 1, with: " ") }
            i += 1
        }
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
        case .html, .svg, .math, .foreignObject, .desc, .other: return
        }
        guard end > position else { return }
        mark(position..<end, decodes: name == .title || name == .textarea)
        run = .marked
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

extension UInt8 {
    /// Whether libxml2 accepts the byte in names of tags and attributes.
    fileprivate var isInReadableName: Bool {
        isASCIIAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: ":") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: ".")
    }
}

/// The names that HTML's tokenizer distinguishes: elements whose text is not markup, and those of SVG and MathML.
private enum TagName {
    case script, style, title, textarea, xmp, iframe, noembed, noframes, plaintext
    case html, svg, math, foreignObject, desc
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
        case UInt8(ascii: "h"): if `is`("html") { self = .html }
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
