import CLibXML2
import Glibc

// From bytes to the arena: libxml2's SAX events are written straight into flat arrays. No `xmlDoc` is built and no
// libxml2 pointer leaves this file.
//
// 1. The whole page goes to the push parser as one chunk, which is as fast as its pull parser.
// 2. A page nested deeper than `ReadingLimits.maximumDepth` is read again in small chunks: between chunks libxml2's
//    stack of open elements is cut to the limit. libxml2 searches that stack for every end tag, so that a page of a
//    million open elements and as many stray end tags would take hours otherwise.
// 3. Element indices are grouped by name.

extension HTMLDocument {
    /// Reads a page whose bytes are valid UTF-8 (see `CharacterEncoding`): libxml2 stops at the first byte that is not.
    ///
    /// - Parameter chunkBytes: hands the page over in pieces of this size; the document is the same but for limits.
    public init(utf8 bytes: [UInt8], limits: ReadingLimits = .standard, chunkBytes: Int? = nil) {
        let page = bytes.count > limits.maximumBodyBytes * 4 ? Array(bytes.prefix(limits.maximumBodyBytes * 4)) : bytes
        var builder = ArenaBuilder(limits: limits, expectedBytes: page.count)
        let crowded = ArenaBuilder.hasCrowdedTag(page, maximumAttributes: limits.maximumAttributesPerElement)
        let readable = crowded ? ArenaBuilder.thinned(page, limits.maximumAttributesPerElement) : page
        builder.parse(readable, chunkBytes: chunkBytes)
        if builder.isTooDeep {
            builder = ArenaBuilder(limits: limits, expectedBytes: page.count)
            builder.parse(readable, chunkBytes: 4096)
            builder.note(
                "document-too-deep",
                "Elements nest deeper than \(limits.maximumDepth); deeper ones were read as siblings.")
        }
        if crowded {
            builder.note(
                "too-many-attributes",
                "An element has more than \(limits.maximumAttributesPerElement) attributes; the rest of its tag was dropped."
            )
        }
        self = builder.finish()
    }
}

/// Receives libxml2's events and appends to the arena.
private final class ArenaBuilder {
    private var document = HTMLDocument()
    private let limits: ReadingLimits
    /// Open elements, outermost first.
    private var open: [UInt32] = []
    /// The open element below the depth limit whose text has not ended; it has no descendants in the arena.
    private var openBelowLimit: Int?
    private var names = NameCache()
    private var ownNumbers: [String: UInt16] = [:]
    private var context: htmlParserCtxtPtr?
    private var inChunks = false
    private(set) var isTooDeep = false
    private var limitReached = false

    init(limits: ReadingLimits, expectedBytes: Int) {
        self.limits = limits
        open.reserveCapacity(64)
        document.elements.reserveCapacity(expectedBytes / 160)
        document.attributes.reserveCapacity(expectedBytes / 80)
        document.text.reserveCapacity(expectedBytes / 2)
        document.attributeBytes.reserveCapacity(expectedBytes / 4)
        document.attributeNames = Array(repeating: false, count: HTMLName.allCases.count)
    }

    func note(_ code: String, _ message: String) {
        document.notes.append(ParseNote(code, message))
    }

    // MARK: Driving libxml2

    func parse(_ bytes: [UInt8], chunkBytes: Int?) {
        inChunks = chunkBytes != nil
        var handler = Self.makeHandler()
        let user = Unmanaged.passUnretained(self).toOpaque()
        guard let context = htmlCreatePushParserCtxt(&handler, user, nil, 0, nil, XML_CHAR_ENCODING_UTF8) else {
            return note("parser-unavailable", "libxml2 could not allocate a parser.")
        }
        self.context = context
        defer {
            htmlFreeParserCtxt(context)
            self.context = nil
        }
        // The bytes are UTF-8 already, whatever a meta element says.
        let options = HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
        htmlCtxtUseOptions(context, Int32(options | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue))
        context.pointee.options |= Int32(XML_PARSE_HUGE.rawValue)

        bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress?.assumingMemoryBound(to: CChar.self) else {
                htmlParseChunk(context, nil, 0, 1)
                return
            }
            guard let chunkBytes else {
                htmlParseChunk(context, base, Int32(raw.count), 1)
                return
            }
            var start = 0
            while start < raw.count && !limitReached {
                let length = min(max(chunkBytes, 1), raw.count - start)
                htmlParseChunk(context, base + start, Int32(length), 0)
                start += length
                closeElementsBelowLimit(context)
            }
            htmlParseChunk(context, nil, 0, 1)
        }
    }

    private func closeElementsBelowLimit(_ context: htmlParserCtxtPtr) {
        let surplus = Int(context.pointee.nameNr) - limits.maximumDepth
        guard surplus > 0, let stack = context.pointee.nameTab else { return }
        // The names belong to the parser's dictionary, so dropping them from the stack frees nothing and leaks nothing.
        context.pointee.nameNr -= Int32(surplus)
        context.pointee.name = stack[Int(context.pointee.nameNr) - 1]
        while open.count > limits.maximumDepth { closeInnermost() }
    }

    private static func makeHandler() -> htmlSAXHandler {
        var handler = htmlSAXHandler()
        handler.initialized = XML_SAX2_MAGIC
        handler.startElement = { user, name, attributes in
            guard let user, let name else { return }
            Unmanaged<ArenaBuilder>.fromOpaque(user)._withUnsafeGuaranteedRef { $0.start(name, attributes) }
        }
        handler.endElement = { user, name in
            guard let user, let name else { return }
            Unmanaged<ArenaBuilder>.fromOpaque(user)._withUnsafeGuaranteedRef { $0.end(name) }
        }
        handler.characters = { user, bytes, count in
            guard let user, let bytes else { return }
            Unmanaged<ArenaBuilder>.fromOpaque(user)._withUnsafeGuaranteedRef { $0.append(bytes, Int(count)) }
        }
        handler.cdataBlock = handler.characters
        return handler
    }

    // MARK: Events

    private func start(_ name: UnsafePointer<xmlChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
        if limitReached { return }
        guard document.elements.count < limits.maximumNodes else {
            return stop(
                "too-many-elements", "The page has more than \(limits.maximumNodes) elements; the rest was not read.")
        }
        endTextBelowLimit()
        let index = document.elements.count
        let isBelowLimit = open.count >= limits.maximumDepth
        if isBelowLimit && !inChunks {
            isTooDeep = true
            limitReached = true
            xmlStopParser(context)
            return
        }
        let parent = isBelowLimit ? open[limits.maximumDepth - 1] : open.last ?? 0
        let input = context?.pointee.input
        let text = UInt32(document.text.count)
        document.elements.append(
            HTMLDocument.Element(
                nameNumber: number(of: name), column: UInt16(clamping: input?.pointee.col ?? 0),
                line: UInt32(clamping: input?.pointee.line ?? 0), parent: parent, subtreeEnd: UInt32(index + 1),
                attributesStart: UInt32(document.attributes.count), textStart: text, textEnd: text))
        open.append(UInt32(index))
        if isBelowLimit { openBelowLimit = index }
        guard var pair = attributes else { return }
        while let attribute = pair.pointee {
            append(attribute, value: pair[1])
            pair += 2
        }
    }

    private func append(_ name: UnsafePointer<xmlChar>, value: UnsafePointer<xmlChar>?) {
        guard document.attributes.count < limits.maximumAttributes else {
            return stop(
                "too-many-attributes",
                "The page has more than \(limits.maximumAttributes) attributes; the rest was not read.")
        }
        let number = number(of: name)
        if Int(number) < document.attributeNames.count { document.attributeNames[Int(number)] = true }
        let start = UInt32(document.attributeBytes.count)
        if let value {
            document.attributeBytes.append(contentsOf: UnsafeBufferPointer(start: value, count: Int(xmlStrlen(value))))
        }
        document.attributes.append(
            HTMLDocument.Attribute(
                nameNumber: number, valueStart: start, valueEnd: UInt32(document.attributeBytes.count)))
    }

    private func end(_ name: UnsafePointer<xmlChar>) {
        if limitReached { return }
        endTextBelowLimit()
        let number = number(of: name)
        // libxml2 closes what it opened, innermost first; the search only goes further after the stack was cut.
        guard let depth = open.lastIndex(where: { document.elements[Int($0)].nameNumber == number }) else { return }
        while open.count > depth { closeInnermost() }
    }

    private func append(_ bytes: UnsafePointer<xmlChar>, _ count: Int) {
        if limitReached { return }
        document.text.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    }

    private func closeInnermost() {
        let depth = open.count
        let index = Int(open.removeLast())
        if depth > limits.maximumDepth { return }
        document.elements[index].subtreeEnd = UInt32(document.elements.count)
        document.elements[index].textEnd = UInt32(document.text.count)
    }

    private func endTextBelowLimit() {
        guard let index = openBelowLimit else { return }
        document.elements[index].textEnd = UInt32(document.text.count)
        openBelowLimit = nil
    }

    private func stop(_ code: String, _ message: String) {
        guard !limitReached else { return }
        limitReached = true
        note(code, message)
        xmlStopParser(context)
    }

    // MARK: Names

    /// libxml2 keeps one copy of every name for the life of a parser, so a name is known by its address.
    private func number(of name: UnsafePointer<xmlChar>) -> UInt16 {
        if let number = names[name] { return number }
        let spelling = String(cString: name)
        let number = HTMLName.numbers[spelling] ?? ownNumber(of: spelling)
        names[name] = number
        return number
    }

    private func ownNumber(of spelling: String) -> UInt16 {
        if let number = ownNumbers[spelling] { return number }
        // A page that makes up more names than 16 bits hold has them read as nameless.
        let next = Int(HTMLDocument.firstOwnName) + document.ownNames.count
        guard let number = UInt16(exactly: next) else { return HTMLName.other.rawValue }
        document.ownNames.append(spelling)
        ownNumbers[spelling] = number
        return number
    }

    func finish() -> HTMLDocument {
        endTextBelowLimit()
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

// MARK: - Crowded tags

extension ArenaBuilder {
    /// libxml2 compares every attribute of a tag with all earlier ones, so a tag of 100,000 attributes takes minutes.
    /// True when some tag may have more attributes than the limit; reads tags only, and a text quickly.
    static func hasCrowdedTag(_ bytes: [UInt8], maximumAttributes: Int) -> Bool {
        // The shortest attribute takes two bytes: ` a`.
        let longTag = maximumAttributes * 2
        return bytes.withUnsafeBufferPointer { bytes in
            var i = 0
            while let tag = nextTag(in: bytes, from: i) {
                if tag.count > longTag,
                    attributeStarts(in: bytes, tag, stopAfter: maximumAttributes).count > maximumAttributes
                {
                    return true
                }
                i = tag.upperBound
            }
            return false
        }
    }

    /// The page with every crowded tag cut after its last allowed attribute.
    static func thinned(_ bytes: [UInt8], _ maximumAttributes: Int) -> [UInt8] {
        bytes.withUnsafeBufferPointer { source in
            var result: [UInt8] = []
            result.reserveCapacity(source.count)
            var copied = 0
            var i = 0
            while let tag = nextTag(in: source, from: i) {
                i = tag.upperBound
                guard tag.count > maximumAttributes * 2 else { continue }
                let starts = attributeStarts(in: source, tag, stopAfter: maximumAttributes)
                guard starts.count > maximumAttributes, let cut = starts.last else { continue }
                result.append(contentsOf: UnsafeBufferPointer(rebasing: source[copied..<cut]))
                copied = max(cut, tag.upperBound - 1)
            }
            result.append(contentsOf: UnsafeBufferPointer(rebasing: source[copied...]))
            return result
        }
    }

    /// From a `<` that a letter follows to past the first `>`, or to the end.
    private static func nextTag(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int>? {
        guard let base = bytes.baseAddress else { return nil }
        var i = start
        while i < bytes.count, let found = memchr(base + i, 0x3C, bytes.count - i) {
            let at = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
            i = at + 1
            guard i < bytes.count, bytes[i] | 0x20 >= 0x61, bytes[i] | 0x20 <= 0x7A else { continue }
            let end = memchr(base + i, 0x3E, bytes.count - i)
                .map { UnsafeRawPointer(base).distance(to: UnsafeRawPointer($0)) + 1 }
            return at..<(end ?? bytes.count)
        }
        return nil
    }

    /// Where words begin outside quotes in a tag, at most one more than `stopAfter`.
    private static func attributeStarts(
        in bytes: UnsafeBufferPointer<UInt8>, _ tag: Range<Int>, stopAfter: Int
    ) -> [Int] {
        var starts: [Int] = []
        var quote: UInt8 = 0
        var isBetween = false
        for i in tag {
            let byte = bytes[i]
            if quote != 0 {
                if byte == quote {
                    quote = 0
                    isBetween = true
                }
            } else if byte == 0x22 || byte == 0x27 {
                quote = byte
            } else if byte <= 0x20 || byte == 0x2F {
                isBetween = true
            } else if isBetween {
                isBetween = false
                if byte != 0x3D {
                    starts.append(i)
                    if starts.count > stopAfter { return starts }
                }
            }
        }
        return starts
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
