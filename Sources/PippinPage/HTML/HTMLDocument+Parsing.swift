import CLibXML2

// From bytes to the arena: libxml2's SAX events are written straight into flat arrays. No `xmlDoc` is built and no
// libxml2 pointer leaves this file.
//
// 1. What libxml2 need not read is cut out: scripts, styles, crowds of attributes (ThinnedMarkup.swift).
// 2. The page goes to the pull parser, whole. The push parser is as fast, but ends with `</html>`, and in chunks it ends
//    scripts early: it looks for their end in what it has got so far.
// 3. Elements deeper than `ReadingLimits.maximumDepth` take the place of their parent, here and in libxml2's stack of open
//    elements. libxml2 searches that stack for every end tag, so that a page of a million open elements and as many stray
//    end tags would take hours otherwise.
// 4. Where a script or style was cut out, its text goes into the arena from the page itself.
// 5. Element indices are grouped by name.

extension HTMLDocument {
    /// Reads a page whose bytes are valid UTF-8 without NUL, as `CharacterEncoding.decode` gives them: libxml2 stops at the
    /// first byte that is not, and takes a NUL for the end.
    public init(utf8 bytes: [UInt8], limits: ReadingLimits = .standard) {
        let markup = ThinnedMarkup(bytes, maximumAttributes: limits.maximumAttributesPerElement)
        var builder = ArenaBuilder(page: bytes, markup: markup, limits: limits)
        if markup.hasCrowdedTag {
            builder.note(
                .document(.tooManyAttributes),
                "An element has more than \(limits.maximumAttributesPerElement) attributes; the rest of its tag was dropped."
            )
        }
        builder.parse(markup.bytes)
        self = builder.finish()
    }
}

/// Receives libxml2's events and appends to the arena. A struct that libxml2 reaches through a pointer: a class would have
/// the runtime check every access of every event.
private struct ArenaBuilder {
    private var document = HTMLDocument()
    private let limits: ReadingLimits
    /// Open elements, outermost first.
    private var open: [UInt32] = []
    private var names = NameCache()
    private var ownNumbers: [String: UInt16] = [:]
    private var context: htmlParserCtxtPtr?
    private var isTooDeep = false
    private var limitReached = false
    private let page: [UInt8]
    private let markup: ThinnedMarkup
    /// Lines of the page that libxml2 has not seen, and columns of the line it is in.
    private var cutLines = 0
    private var cutColumns = (line: Int32(0), count: 0)

    init(page: [UInt8], markup: ThinnedMarkup, limits: ReadingLimits) {
        self.page = page
        self.markup = markup
        self.limits = limits
        let expectedBytes = markup.bytes.count
        open.reserveCapacity(64)
        document.elements.reserveCapacity(expectedBytes / 100)
        document.attributes.reserveCapacity(expectedBytes / 50)
        document.text.reserveCapacity(page.count - expectedBytes + expectedBytes / 2)
        document.attributeBytes.reserveCapacity(expectedBytes / 2)
        document.attributeNames = Array(repeating: false, count: HTMLName.allCases.count)
    }

    mutating func note(_ code: ParseNote.Code, _ message: String) {
        document.notes.append(ParseNote(code, message))
    }

    // MARK: Driving libxml2

    mutating func parse(_ bytes: [UInt8]) {
        withUnsafeMutablePointer(to: &self) { Self.parse(bytes, into: $0) }
    }

    private static func parse(_ bytes: [UInt8], into builder: UnsafeMutablePointer<Self>) {
        let length = bytes.withUnsafeBufferPointer { endOfLastWholeTag($0) }
        guard length > 0 else { return }
        LibXML2.isReady
        let context = bytes.withUnsafeBytes { raw in
            Int32(exactly: length).flatMap {
                htmlCreateMemoryParserCtxt(raw.baseAddress?.assumingMemoryBound(to: CChar.self), $0)
            }
        }
        guard let context else {
            return builder.pointee.note(
                .document(.parserUnavailable), "libxml2 could not take a page of \(length) bytes.")
        }
        builder.pointee.context = context
        defer {
            htmlFreeParserCtxt(context)
            builder.pointee.context = nil
        }
        context.pointee.sax.pointee = makeHandler()
        context.pointee.userData = UnsafeMutableRawPointer(builder)
        // The bytes are UTF-8 already, whatever a meta element says.
        let options = HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
        htmlCtxtUseOptions(context, Int32(options | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue))
        context.pointee.options |= Int32(XML_PARSE_HUGE.rawValue)
        xmlSwitchEncoding(context, XML_CHAR_ENCODING_UTF8)
        htmlParseDocument(context)
    }

    /// A tag that the end of the page cuts off is dropped (WHATWG HTML §13.2.5, "eof-in-tag"); libxml2 would make an element
    /// of it, with half an address in its last attribute.
    private static func endOfLastWholeTag(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard let start = bytes.lastIndex(of: 0x3C), start + 1 < bytes.count, !bytes[start...].contains(0x3E)
        else { return bytes.count }
        let next = bytes[start + 1]
        let isTag = next | 0x20 >= 0x61 && next | 0x20 <= 0x7A || next == 0x2F
        return isTag ? start : bytes.count
    }

    private static func makeHandler() -> htmlSAXHandler {
        var handler = htmlSAXHandler()
        handler.initialized = XML_SAX2_MAGIC
        handler.startElement = { user, name, attributes in
            guard let user, let name else { return }
            user.assumingMemoryBound(to: ArenaBuilder.self).pointee.start(name, attributes)
        }
        handler.endElement = { user, name in
            guard let user, let name else { return }
            user.assumingMemoryBound(to: ArenaBuilder.self).pointee.end(name)
        }
        handler.characters = { user, bytes, count in
            guard let user, let bytes else { return }
            user.assumingMemoryBound(to: ArenaBuilder.self).pointee.append(bytes, Int(count))
        }
        handler.cdataBlock = handler.characters
        return handler
    }

    // MARK: Events

    private mutating func start(
        _ name: UnsafePointer<xmlChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        if limitReached { return }
        guard document.elements.count < limits.maximumNodes else {
            return stop(
                .document(.tooManyElements),
                "The page has more than \(limits.maximumNodes) elements; the rest was not read.")
        }
        let nameNumber = number(of: name)
        // Behind `</html>` libxml2 begins a second tree; HTML goes on in the first one's body (WHATWG HTML §13.2.6.4.22).
        if isOpenForGood(nameNumber), open.contains(where: { document.elements[Int($0)].nameNumber == nameNumber }) {
            return
        }
        if open.count >= limits.maximumDepth { replaceInnermost() }
        let index = document.elements.count
        let place = place
        let text = UInt32(document.text.count)
        document.elements.append(
            HTMLDocument.Element(
                nameNumber: nameNumber, column: place.column,
                line: place.line, parent: open.last ?? 0, subtreeEnd: UInt32(index + 1),
                attributesStart: UInt32(document.attributes.count), textStart: text, textEnd: text))
        open.append(UInt32(index))
        guard var pair = attributes else { return }
        while let attribute = pair.pointee {
            append(attribute, value: pair[1])
            pair += 2
        }
    }

    /// `html` and `body` end with the page, whatever stands behind their end tags.
    private func isOpenForGood(_ number: UInt16) -> Bool {
        number == HTMLName.html.rawValue || number == HTMLName.body.rawValue
    }

    private mutating func append(_ name: UnsafePointer<xmlChar>, value: UnsafePointer<xmlChar>?) {
        guard document.attributes.count < limits.maximumAttributes else {
            return stop(
                .document(.tooManyAttributes),
                "The page has more than \(limits.maximumAttributes) attributes; the rest was not read.")
        }
        let number = number(of: name)
        if Int(number) < document.attributeNames.count { document.attributeNames[Int(number)] = true }
        let start = UInt32(document.attributeBytes.count)
        if let value {
            let text = UnsafeBufferPointer(start: value, count: Int(xmlStrlen(value)))
            if text.contains(0xC2) {
                ControlReferences.append(text, to: &document.attributeBytes)
            } else {
                document.attributeBytes.append(contentsOf: text)
            }
        }
        document.attributes.append(
            HTMLDocument.Attribute(
                nameNumber: number, valueStart: start, valueEnd: UInt32(document.attributeBytes.count)))
    }

    private mutating func end(_ name: UnsafePointer<xmlChar>) {
        if limitReached { return }
        let number = number(of: name)
        if isOpenForGood(number) { return }
        // libxml2 closes what it opened, innermost first; the search only goes further after the stack was cut.
        guard let depth = open.lastIndex(where: { document.elements[Int($0)].nameNumber == number }) else { return }
        while open.count > depth { closeInnermost() }
    }

    private mutating func append(_ bytes: UnsafePointer<xmlChar>, _ count: Int) {
        if limitReached { return }
        let text = UnsafeBufferPointer(start: bytes, count: count)
        if let innermost = open.last, let cut = markup.cutText(markedBy: text) {
            let name = document.elements[Int(innermost)].name
            if name == .script || name == .style { return appendCutText(cut, markLength: count) }
        }
        if ControlReferences.isReference(text) {
            ControlReferences.append(text, to: &document.text)
        } else {
            document.text.append(contentsOf: text)
        }
    }

    private mutating func appendCutText(_ cut: Range<Int>, markLength: Int) {
        let (lines, characters) = page.withUnsafeBufferPointer { bytes in
            let text = UnsafeBufferPointer(rebasing: bytes[cut])
            document.text.append(contentsOf: text)
            let lines = UTF8Scan.lineFeedCount(in: text)
            // libxml2 counts characters, so the bytes that continue one count for nothing.
            let lastLine = lines == 0 ? 0 : text.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            return (lines, UTF8Scan.characterCount(in: UnsafeBufferPointer(rebasing: text[lastLine...])))
        }
        cutLines += lines
        guard let input = context?.pointee.input else { return }
        let earlier = cutColumns.line == input.pointee.line ? cutColumns.count : 0
        cutColumns = (
            line: input.pointee.line,
            count: lines > 0 ? characters + 1 - Int(input.pointee.col) : earlier + characters - markLength
        )
    }

    /// Where libxml2 stands, as a place of the page.
    private var place: (line: UInt32, column: UInt16) {
        guard let input = context?.pointee.input else { return (0, 0) }
        let shift = cutColumns.line == input.pointee.line ? cutColumns.count : 0
        return (
            UInt32(clamping: Int(input.pointee.line) + cutLines), UInt16(clamping: Int(input.pointee.col) + shift)
        )
    }

    private mutating func closeInnermost() {
        let index = Int(open.removeLast())
        document.elements[index].subtreeEnd = UInt32(document.elements.count)
        document.elements[index].textEnd = UInt32(document.text.count)
    }

    /// The element that libxml2 just opened takes the place of its parent, here and on libxml2's stack. The names on it
    /// belong to the parser's dictionary, so dropping one frees nothing and leaks nothing.
    private mutating func replaceInnermost() {
        closeInnermost()
        if let context, let stack = context.pointee.nameTab, context.pointee.nameNr >= 2 {
            let top = Int(context.pointee.nameNr) - 1
            stack[top - 1] = stack[top]
            context.pointee.nameNr -= 1
        }
        if !isTooDeep {
            isTooDeep = true
            note(
                .document(.tooDeep),
                "Elements nest deeper than \(limits.maximumDepth); deeper ones were read as siblings.")
        }
    }

    private mutating func stop(_ code: ParseNote.Code, _ message: String) {
        guard !limitReached else { return }
        limitReached = true
        note(code, message)
        xmlStopParser(context)
    }

    // MARK: Names

    /// libxml2 keeps one copy of every name for the life of a parser, so a name is known by its address.
    private mutating func number(of name: UnsafePointer<xmlChar>) -> UInt16 {
        if let number = names[name] { return number }
        let spelling = String(cString: name)
        let number = HTMLName.numbers[spelling] ?? ownNumber(of: spelling)
        names[name] = number
        return number
    }

    private mutating func ownNumber(of spelling: String) -> UInt16 {
        if let number = ownNumbers[spelling] { return number }
        if document.ownNames.count >= limits.maximumNames {
            stop(
                .document(.tooManyNames),
                "The page has more than \(limits.maximumNames) names of elements and attributes; the rest was not read."
            )
            return HTMLName.other.rawValue
        }
        // More names than 16 bits hold are read as nameless.
        let next = Int(HTMLDocument.firstOwnName) + document.ownNames.count
        guard let number = UInt16(exactly: next) else { return HTMLName.other.rawValue }
        document.ownNames.append(spelling)
        ownNumbers[spelling] = number
        return number
    }

    mutating func finish() -> HTMLDocument {
        while !open.isEmpty { closeInnermost() }
        document.groupByName()
        return document
    }
}

/// Address of a name → its number: open addressing, because a dictionary's hashing would cost more than the event.
private struct NameCache {
    private var addresses: [UInt]
    private var numbers: [UInt16]
    private var count = 0

    init() {
        addresses = Array(repeating: 0, count: 512)
        numbers = Array(repeating: 0, count: 512)
    }

    private func slot(of address: UInt) -> Int {
        let mask = addresses.count - 1
        var slot = Int(truncatingIfNeeded: (address >> 1) &* 0x9E37_79B9_7F4A_7C15 >> 40) & mask
        while addresses[slot] != 0 && addresses[slot] != address { slot = (slot + 1) & mask }
        return slot
    }

    subscript(name: UnsafePointer<xmlChar>) -> UInt16? {
        get {
            let address = UInt(bitPattern: name)
            let slot = slot(of: address)
            return addresses[slot] == address ? numbers[slot] : nil
        }
        set {
            guard let newValue else { return }
            if (count + 1) * 2 > addresses.count { grow() }
            let address = UInt(bitPattern: name)
            let slot = slot(of: address)
            if addresses[slot] == 0 { count += 1 }
            addresses[slot] = address
            numbers[slot] = newValue
        }
    }

    private mutating func grow() {
        let old = (addresses, numbers)
        addresses = Array(repeating: 0, count: old.0.count * 2)
        numbers = Array(repeating: 0, count: old.0.count * 2)
        for (address, number) in zip(old.0, old.1) where address != 0 {
            let slot = slot(of: address)
            addresses[slot] = address
            numbers[slot] = number
        }
    }
}

extension HTMLDocument {
    /// Counting sort of the element indices by name, so that `elements(named:)` is a slice.
    fileprivate mutating func groupByName() {
        let known = HTMLName.allCases.count
        var starts = Array(repeating: 0, count: known + 1)
        for element in elements where element.nameNumber < known { starts[Int(element.nameNumber) + 1] += 1 }
        for i in 1...known { starts[i] += starts[i - 1] }
        groupStarts = starts
        indicesByName = Array(repeating: 0, count: starts[known])
        for (i, element) in elements.enumerated() where element.nameNumber < known {
            indicesByName[starts[Int(element.nameNumber)]] = i
            starts[Int(element.nameNumber)] += 1
        }
    }
}
