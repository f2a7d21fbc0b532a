import CLibXML2
import Glibc

// From bytes to the arena. No `xmlDoc` is built and no libxml2 pointer leaves this file.
//
// 1. `PreparedMarkup` rewrites the page so that libxml2 splits it into the tags of HTML.
// 2. libxml2's pull parser reads the whole page. The push parser is as fast, but stops at `</html>`.
// 3. libxml2's events become tags and texts. Its stack of open elements is kept empty, so that it neither closes nor implies
//    elements: it would follow HTML 4, and it would search its stack for every end tag, which takes hours for a page of a
//    million open elements.
// 4. `TreeBuilder` builds the tree in the arena, by HTML's rules.
// 5. Element indices are grouped by name.

extension HTMLDocument {
    /// Parses a page. Reached limits leave `notes`.
    ///
    /// - Parameter bytes: valid UTF-8 without NUL, as `CharacterEncoding.decode` returns it. libxml2 would stop at the first
    ///   invalid byte or NUL.
    public init(utf8 bytes: [UInt8], limits: ReadingLimits = .standard) {
        if bytes.isEmpty {
            self.init()
            return
        }
        self = bytes.withUnsafeBufferPointer { page in
            var reader = MarkupReader(page: page, limits: limits)
            return reader.parse()
        }
        lines = SourceLines(bytes)
    }
}

/// Receives libxml2's events and passes tags and texts to the builder. It is a struct behind a pointer, because the runtime
/// would check every access to a class.
private struct MarkupReader {
    private var builder: TreeBuilder
    private let limits: ReadingLimits
    private let page: UnsafeBufferPointer<UInt8>
    private let markup: PreparedMarkup
    private var names = NameCache()
    private var ownNumbers: [String: UInt16] = [:]
    private var unknownEndTags = 0
    private var context: htmlParserCtxtPtr?
    private var hasStarted = false
    /// Whether the last event was a tag. A mark can only follow a tag.
    private var isBehindTag = true
    private var nextTagEnd = 0
    private var tagStart: UInt32 = 0
    private var tagEnd: UInt32 = 0
    private var tagCount = 0

    init(page: UnsafeBufferPointer<UInt8>, limits: ReadingLimits) {
        self.page = page
        markup = PreparedMarkup(
            page, maximumAttributes: limits.maximumAttributesPerElement, interruption: limits.interruption)
        self.limits = limits
        builder = TreeBuilder(
            limits: limits, type: markup.documentType, expectedElements: markup.tagEnds.count + 8,
            expectedTextBytes: page.count / 2)
        if markup.hasCrowdedTag {
            builder.note(
                .document(.tooManyAttributes),
                "An element has more than \(limits.maximumAttributesPerElement) attributes; the rest of its tag was dropped."
            )
        }
    }

    // MARK: Driving libxml2

    mutating func parse() -> HTMLDocument {
        withUnsafeMutablePointer(to: &self) { Self.parse(into: $0) }
        builder.endOfPage()
        return builder.finish()
    }

    private static func parse(into reader: UnsafeMutablePointer<Self>) {
        LibXML2.isReady
        let length = reader.pointee.markup.bytes.count
        let context = reader.pointee.markup.bytes.withUnsafeBytes { raw in
            Int32(exactly: length).flatMap {
                htmlCreateMemoryParserCtxt(raw.baseAddress?.assumingMemoryBound(to: CChar.self), $0)
            }
        }
        guard let context else {
            return reader.pointee.builder.note(
                .document(.parserUnavailable), "libxml2 could not take a page of \(length) bytes.")
        }
        reader.pointee.context = context
        defer {
            htmlFreeParserCtxt(context)
            reader.pointee.context = nil
        }
        context.pointee.sax.pointee = makeHandler()
        context.pointee.userData = UnsafeMutableRawPointer(reader)
        // The bytes are UTF-8, whatever a meta element declares.
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
            | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue | HTML_PARSE_NOIMPLIED.rawValue
        htmlCtxtUseOptions(context, Int32(options))
        context.pointee.options |= Int32(XML_PARSE_HUGE.rawValue)
        xmlSwitchEncoding(context, XML_CHAR_ENCODING_UTF8)
        htmlParseDocument(context)
    }

    private static func makeHandler() -> htmlSAXHandler {
        var handler = htmlSAXHandler()
        handler.initialized = XML_SAX2_MAGIC
        handler.startElement = { user, name, attributes in
            guard let user, let name else { return }
            user.assumingMemoryBound(to: MarkupReader.self).pointee.tag(name, attributes)
        }
        handler.characters = { user, bytes, count in
            guard let user, let bytes else { return }
            user.assumingMemoryBound(to: MarkupReader.self).pointee.text(
                UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
        handler.cdataBlock = handler.characters
        handler.ignorableWhitespace = handler.characters
        return handler
    }

    // MARK: Events

    private mutating func tag(
        _ name: UnsafePointer<xmlChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        guard let context else { return }
        // The `div` that `PreparedMarkup` opens first.
        guard hasStarted else {
            hasStarted = true
            return
        }
        let isSelfClosing = context.pointee.input?.pointee.cur?.pointee == UInt8(ascii: "/")
        closeInLibXML2(context, isSelfClosing: isSelfClosing)
        tagCount &+= 1
        if tagCount & 63 == 0, limits.isInterrupted { return xmlStopParser(context) }
        if builder.isFull { return }
        isBehindTag = true
        if Self.isSigned(name, PreparedMarkup.endTagSign) {
            if let number = number(ofEndTag: name) { builder.end(number) }
        } else {
            start(name, attributes, isSelfClosing: isSelfClosing)
        }
        if builder.isFull { xmlStopParser(context) }
    }

    private static func isSigned(_ name: UnsafePointer<xmlChar>, _ sign: StaticString) -> Bool {
        name[0] == sign.utf8Start[0] && name[1] == sign.utf8Start[1]
    }

    /// Empties libxml2's stack down to the first `div`; after `/>` libxml2 removes the element itself. The names on the stack
    /// belong to the parser's dictionary, so removing one neither frees nor leaks memory.
    private func closeInLibXML2(_ context: htmlParserCtxtPtr, isSelfClosing: Bool) {
        guard let stack = context.pointee.nameTab, context.pointee.nameNr >= 2 else { return }
        stack[1] = stack[0]
        context.pointee.nameNr = isSelfClosing ? 2 : 1
        context.pointee.name = stack[0]
    }

    private mutating func start(
        _ name: UnsafePointer<xmlChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?,
        isSelfClosing: Bool
    ) {
        let number = Self.isSigned(name, PreparedMarkup.htmlSign) ? HTMLName.html.rawValue : number(of: name)
        builder.tagAttributes.removeAll(keepingCapacity: true)
        if var pair = attributes {
            while let attribute = pair.pointee {
                let number = self.number(of: attribute)
                let value = pair[1].map { UnsafeBufferPointer(start: $0, count: strlen($0)) }
                builder.tagAttributes.append(self.attribute(number, value ?? UnsafeBufferPointer(start: nil, count: 0)))
                pair += 2
            }
        }
        moveTagEnd()
        builder.start(
            TreeBuilder.StartTag(number: number, isSelfClosing: isSelfClosing, start: tagStart, end: tagEnd))
    }

    private func attribute(_ number: UInt16, _ value: UnsafeBufferPointer<UInt8>) -> TreeBuilder.TagAttribute {
        guard let cut = markup.cutTexts(markedBy: value)?.first else {
            return TreeBuilder.TagAttribute(number: number, written: value, decoded: nil)
        }
        let written = UnsafeBufferPointer(rebasing: page[cut.range])
        let decoded = cut.decodes ? CharacterReferences.decodedAsHTML(written, isAttribute: true) : nil
        return TreeBuilder.TagAttribute(number: number, written: written, decoded: decoded)
    }

    private mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        if builder.isFull { return }
        guard isBehindTag, let cutTexts = markup.cutTexts(markedBy: bytes) else {
            isBehindTag = false
            return builder.text(bytes)
        }
        isBehindTag = false
        for cut in cutTexts {
            let text = UnsafeBufferPointer(rebasing: page[cut.range])
            if cut.decodes, let decoded = CharacterReferences.decodedAsHTML(text) {
                decoded.withUnsafeBufferPointer { builder.text($0) }
            } else {
                builder.text(text)
            }
        }
    }

    /// Advances to the end of this event's start tag.
    private mutating func moveTagEnd() {
        guard let input = context?.pointee.input, let cursor = input.pointee.cur, let base = input.pointee.base else {
            return
        }
        let offset = Int(input.pointee.consumed) + base.distance(to: cursor)
        while nextTagEnd < markup.tagEnds.count, markup.tagEnds[nextTagEnd].prepared < offset { nextTagEnd += 1 }
        guard nextTagEnd < markup.tagEnds.count else { return }
        tagStart = markup.tagEnds[nextTagEnd].start
        tagEnd = markup.tagEnds[nextTagEnd].page
    }

    // MARK: Names

    /// The number of a name. libxml2 keeps one copy of every name per parser, so its address identifies it.
    private mutating func number(of name: UnsafePointer<xmlChar>) -> UInt16 {
        if let number = names[name] { return number }
        let spelling = String(cString: name)
        let number = HTMLName.numbers[spelling] ?? ownNumber(of: spelling)
        names[name] = number
        return number
    }

    /// The number of an end tag's name, without the sign of end tags; nil if no element has that name.
    private mutating func number(ofEndTag name: UnsafePointer<xmlChar>) -> UInt16? {
        if let number = names[name] { return number }
        let spelling = String(cString: name + PreparedMarkup.endTagSign.utf8CodeUnitCount)
        if let number = HTMLName.numbers[spelling] ?? ownNumbers[spelling] {
            names[name] = number
            return number
        }
        unknownEndTags += 1
        if unknownEndTags > limits.maximumNames { stopForNames() }
        return nil
    }

    private mutating func stopForNames() {
        builder.stop(
            .document(.tooManyNames),
            "The page has more than \(limits.maximumNames) names of elements and attributes; the rest was not read.")
    }

    private mutating func ownNumber(of spelling: String) -> UInt16 {
        if let number = ownNumbers[spelling] { return number }
        if builder.document.ownNames.count >= limits.maximumNames {
            stopForNames()
            return HTMLName.other.rawValue
        }
        // Names whose number does not fit into 16 bits count as nameless.
        let next = Int(HTMLDocument.firstOwnName) + builder.document.ownNames.count
        guard let number = UInt16(exactly: next) else { return HTMLName.other.rawValue }
        builder.document.ownNames.append(spelling)
        ownNumbers[spelling] = number
        return number
    }
}

/// Maps the address of a name to its number, by open addressing. Measured: 13 µs a page, against 77 µs with a dictionary.
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
    /// Sorts the element indices by name (counting sort), so that `elements(named:)` is a slice.
    mutating func groupByName() {
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
