import CLibXML2
import Glibc

/// The distinct forms of a page's tags: a name and the names of the attributes, in the order in which they are written.
///
/// libxml2 reads each form once and says which names it has. It gets a form as a tag for which it has no rules of its own:
///
///     page       <A class="x" @click="b > c" href=/1>
///     written    <z.A z.=17 class=0 href=1>
///
/// - `z.` before the name keeps libxml2 from closing and implying elements, which `TreeBuilder` decides by HTML's rules.
/// - `z.=17` is the form's number.
/// - Each value is the attribute's position. libxml2 leaves out an attribute that is repeated, and then its position is
///   missing.
struct TagForms {
    /// The place of a name in the page.
    struct Name {
        let start: UInt32
        let end: UInt32
        let isReadable: Bool
        /// Its first eight bytes, filled up with zeros.
        let head: UInt64

        /// - Parameter isReadable: whether all its characters are some that libxml2 reads in names.
        init(_ range: Range<Int>, of page: UnsafeBufferPointer<UInt8>, isReadable: Bool) {
            start = UInt32(truncatingIfNeeded: range.lowerBound)
            end = UInt32(truncatingIfNeeded: range.upperBound)
            self.isReadable = isReadable && range.count <= TagForms.longestName
            head = Self.head(of: range, of: page)
        }

        var count: Int { Int(end &- start) }

        private static func head(of range: Range<Int>, of page: UnsafeBufferPointer<UInt8>) -> UInt64 {
            if range.lowerBound + 8 <= page.count {
                let word = UInt64(
                    littleEndian: UnsafeRawBufferPointer(page).loadUnaligned(
                        fromByteOffset: range.lowerBound, as: UInt64.self))
                return range.count < 8 ? word & ((1 &<< UInt64(8 &* range.count)) &- 1) : word
            }
            var word: UInt64 = 0
            for (place, byte) in page[range].prefix(8).enumerated() { word |= UInt64(byte) << UInt64(8 * place) }
            return word
        }
    }

    struct Attribute {
        let number: UInt16
        /// The position of its value among those of the tag.
        let value: UInt16
    }

    private struct Form {
        let tagName: TagName
        var number = HTMLName.other.rawValue
        /// Whether the page had too many names before it or in it.
        var isBeyondNames = false
        var attributes: Range<UInt32> = 0..<0
        /// The first of its names in `writtenNames`.
        let names: UInt32
        let hash: UInt64
    }

    /// The names of the tag that is being read.
    private let tag: NameBuffer
    private var forms: [Form] = []
    private var writtenNames: [Name] = []
    private var attributes: [Attribute] = []
    /// Numbers of forms plus 1, by hash; 0 if empty. At most half of them are full.
    private var slots: [UInt32] = []
    /// The first of the forms that are new since the last reading.
    private var firstNew = 0
    /// The new forms, as libxml2 gets them.
    private var unread: [UInt8] = []

    /// libxml2 reads names of some hundred bytes.
    private static let longestName = 90
    /// The most names in the forms of a page. With more, all forms are forgotten and collected again.
    private static let maximumWrittenNames = 100_000
    /// So many forms of similar hash are compared with a tag; then it counts as a new form, which is only slower.
    private static let maximumProbes = 16

    // MARK: Collecting

    /// - Parameter maximumAttributes: the most attributes that a tag gets.
    init(maximumAttributes: Int) { tag = NameBuffer(capacity: maximumAttributes + 1) }

    /// The names of one tag, in memory of a fixed size: an array would be asked for every name whether others share it.
    private final class NameBuffer {
        private let names: UnsafeMutableBufferPointer<Name>
        private(set) var count = 0

        init(capacity: Int) { names = .allocate(capacity: capacity) }

        deinit { names.deallocate() }

        func removeAll() { count = 0 }

        func append(_ name: Name) {
            precondition(count < names.count, "a tag has no more attributes than it may")
            names.initializeElement(at: count, to: name)
            count += 1
        }

        var all: UnsafeBufferPointer<Name> { UnsafeBufferPointer(rebasing: names[..<count]) }
    }

    /// Begins a tag.
    func begin(_ name: Name) {
        tag.removeAll()
        tag.append(name)
    }

    /// Adds an attribute to the tag. Its name must be readable.
    func add(_ name: Name) { tag.append(name) }

    /// The number of the tag's form.
    mutating func number(in page: UnsafeBufferPointer<UInt8>) -> UInt32 {
        if (forms.count + 1) * 2 > slots.count { growSlots() }
        let hash = hash(of: page)
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        var probes = 0
        while slots[slot] != 0, probes < Self.maximumProbes {
            let number = slots[slot] - 1
            if forms[Int(number)].hash == hash, isTag(Int(number), in: page) { return number }
            slot = (slot + 1) & mask
            probes += 1
        }
        let number = UInt32(truncatingIfNeeded: forms.count)
        if slots[slot] == 0 { slots[slot] = number + 1 }
        let names = tag.all
        forms.append(
            Form(
                tagName: TagName(page: page, range: Int(names[0].start)..<Int(names[0].end)),
                names: UInt32(truncatingIfNeeded: writtenNames.count), hash: hash))
        writtenNames.append(contentsOf: names)
        write(number, page)
        return number
    }

    private func hash(of page: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0
        for name in tag.all {
            hash = Self.mixed(hash, name.head)
            guard name.count > 8 else { continue }
            let bytes = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: page[Int(name.start)..<Int(name.end)]))
            var place = 8
            while place + 8 < bytes.count {
                hash = Self.mixed(hash, bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                place += 8
            }
            // The last eight bytes, some of them for the second time.
            hash = Self.mixed(hash, bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
        }
        return hash
    }

    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low ^ word
    }

    /// Whether the tag has this form.
    private func isTag(_ number: Int, in page: UnsafeBufferPointer<UInt8>) -> Bool {
        let first = Int(forms[number].names)
        let end = number + 1 < forms.count ? Int(forms[number + 1].names) : writtenNames.count
        let names = tag.all
        guard end - first == names.count, let base = page.baseAddress else { return false }
        for i in names.indices {
            let (mine, known) = (names[i], writtenNames[first + i])
            guard mine.head == known.head, mine.count == known.count,
                mine.count <= 8 || memcmp(base + Int(mine.start), base + Int(known.start), mine.count) == 0
            else { return false }
        }
        return true
    }

    private mutating func growSlots() {
        slots = Array(repeating: 0, count: max(256, slots.count * 4))
        for (number, form) in forms.enumerated() {
            var slot = Int(truncatingIfNeeded: form.hash) & (slots.count - 1)
            var probes = 0
            while slots[slot] != 0, probes < Self.maximumProbes {
                slot = (slot + 1) & (slots.count - 1)
                probes += 1
            }
            if slots[slot] == 0 { slots[slot] = UInt32(truncatingIfNeeded: number) + 1 }
        }
    }

    /// Forgets all forms if they have become many. Tokens that were read before must not ask for theirs any more.
    mutating func forgetMany() {
        guard writtenNames.count > Self.maximumWrittenNames else { return }
        forms.removeAll(keepingCapacity: true)
        writtenNames.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
        slots = []
        firstNew = 0
    }

    // MARK: Writing

    /// Writes the tag for libxml2.
    private mutating func write(_ number: UInt32, _ page: UnsafeBufferPointer<UInt8>) {
        if unread.isEmpty { Self.append("<div>", to: &unread) }
        Self.append("<z.", to: &unread)
        let names = tag.all
        let name = names[0]
        let bytes = page[Int(name.start)..<Int(name.end)]
        if name.isReadable {
            unread.append(contentsOf: UnsafeBufferPointer(rebasing: bytes))
        } else {
            // libxml2 does not read some characters of the name, or not all of them.
            for byte in bytes.prefix(Self.longestName) {
                unread.append(byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") ? byte : UInt8(ascii: "_"))
            }
        }
        Self.append(" z.=", to: &unread)
        Self.append(Int(number), to: &unread)
        for (position, name) in names.dropFirst().enumerated() {
            unread.append(UInt8(ascii: " "))
            unread.append(contentsOf: UnsafeBufferPointer(rebasing: page[Int(name.start)..<Int(name.end)]))
            unread.append(UInt8(ascii: "="))
            Self.append(position, to: &unread)
        }
        unread.append(UInt8(ascii: ">"))
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var power = 1
        while number / power >= 10 { power *= 10 }
        while power > 0 {
            bytes.append(0x30 + UInt8(truncatingIfNeeded: number / power % 10))
            power /= 10
        }
    }

    // MARK: Asking

    /// What the tokenizer must know of a form's name.
    func tagName(of form: UInt32) -> TagName { forms[Int(form)].tagName }

    /// The number of a form's name; nil if the page has too many names before it or in it.
    func name(of form: UInt32) -> UInt16? {
        forms[Int(form)].isBeyondNames ? nil : forms[Int(form)].number
    }

    /// The attributes of a form, each name once.
    func attributes(of form: UInt32) -> ArraySlice<Attribute> {
        let range = forms[Int(form)].attributes
        return attributes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    // MARK: Reading

    /// Learns the names of the forms that are new since the last time. False if libxml2 could not be started.
    mutating func readNew(numbering names: inout NameNumbers) -> Bool {
        if unread.isEmpty { return true }
        var reading = Reading(firstForm: firstNew, count: forms.count - firstNew)
        let isRead = withUnsafeMutablePointer(to: &reading) { Reading.read(unread, into: $0) }
        unread.removeAll(keepingCapacity: true)
        for (i, form) in reading.forms.enumerated() {
            if let form { take(form, as: firstNew + i, numbering: &names) }
        }
        firstNew = forms.count
        return isRead
    }

    private mutating func take(_ form: Reading.Names, as number: Int, numbering names: inout NameNumbers) {
        let start = UInt32(truncatingIfNeeded: attributes.count)
        forms[number].number = names.number(of: form.element)
        for attribute in form.attributes {
            attributes.append(Attribute(number: names.number(of: attribute.name), value: attribute.value))
        }
        forms[number].isBeyondNames = names.areTooMany
        forms[number].attributes = start..<UInt32(truncatingIfNeeded: attributes.count)
    }

    /// Receives libxml2's events. It is a struct behind a pointer, because the runtime would check every access to a class.
    private struct Reading {
        /// The names of a form in lower case, each attribute once, with the position of its value.
        struct Names {
            let element: SpelledName
            let attributes: [(name: SpelledName, value: UInt16)]
        }

        let firstForm: Int
        var forms: [Names?]
        /// Names by their addresses: libxml2 keeps one copy of every name per parser.
        var names: [UnsafePointer<xmlChar>: SpelledName] = [:]
        var context: htmlParserCtxtPtr?

        init(firstForm: Int, count: Int) {
            self.firstForm = firstForm
            forms = Array(repeating: nil, count: count)
        }

        static func read(_ text: [UInt8], into reading: UnsafeMutablePointer<Self>) -> Bool {
            LibXML2.isReady
            let context = text.withUnsafeBytes { raw in
                Int32(exactly: raw.count).flatMap {
                    htmlCreateMemoryParserCtxt(raw.baseAddress?.assumingMemoryBound(to: CChar.self), $0)
                }
            }
            guard let context else { return false }
            reading.pointee.context = context
            defer { htmlFreeParserCtxt(context) }
            var handler = htmlSAXHandler()
            handler.initialized = XML_SAX2_MAGIC
            handler.startElement = { user, name, attributes in
                guard let user, let name, let attributes else { return }
                user.assumingMemoryBound(to: Reading.self).pointee.take(name, attributes)
            }
            context.pointee.sax.pointee = handler
            context.pointee.userData = UnsafeMutableRawPointer(reading)
            let options =
                HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
                | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue | HTML_PARSE_NOIMPLIED.rawValue
            htmlCtxtUseOptions(context, Int32(options))
            context.pointee.options |= Int32(XML_PARSE_HUGE.rawValue)
            xmlSwitchEncoding(context, XML_CHAR_ENCODING_UTF8)
            htmlParseDocument(context)
            return true
        }

        /// Takes a form: its first attribute is its number.
        mutating func take(_ name: UnsafePointer<xmlChar>, _ pairs: UnsafeMutablePointer<UnsafePointer<xmlChar>?>) {
            closeInLibXML2()
            guard let number = Self.number(pairs[1]), forms.indices.contains(number - firstForm) else { return }
            // Behind the `z.`.
            let element = SpelledName(String(cString: name + 2))
            var attributes: [(name: SpelledName, value: UInt16)] = []
            var pair = pairs + 2
            while let attribute = pair[0] {
                if let value = Self.number(pair[1]) {
                    let name = names[attribute] ?? SpelledName(String(cString: attribute))
                    names[attribute] = name
                    attributes.append((name, UInt16(truncatingIfNeeded: value)))
                }
                pair += 2
            }
            forms[number - firstForm] = Names(element: element, attributes: attributes)
        }

        private static func number(_ digits: UnsafePointer<xmlChar>?) -> Int? {
            guard var digit = digits else { return nil }
            var number = 0
            while digit.pointee.isASCIIDigit, number < 1 << 40 {
                number = number * 10 + Int(digit.pointee - 0x30)
                digit += 1
            }
            return number
        }

        /// Empties libxml2's stack of open elements down to the `div`: it would search it for every tag, and grow with every
        /// form. The names on it belong to the parser's dictionary, so removing one neither frees nor leaks memory.
        private func closeInLibXML2() {
            guard let context, let stack = context.pointee.nameTab, context.pointee.nameNr >= 2 else { return }
            stack[1] = stack[0]
            context.pointee.nameNr = 1
            context.pointee.name = stack[0]
        }
    }
}

/// A name in lower case.
struct SpelledName {
    let spelling: String
    /// The number of an `HTMLName`; nil for another name, whose number is a page's own.
    let number: UInt16?

    init(_ spelling: String) {
        self.spelling = spelling
        number = HTMLName.numbers[spelling]
    }
}

/// The numbers of a page's names: those of `HTMLName`, and numbers of its own for the others.
struct NameNumbers {
    /// Spellings of the names that `HTMLName` does not list.
    private(set) var own: [String] = []
    private var ownNumbers: [String: UInt16] = [:]
    private let maximum: Int
    /// Whether the page has more names of its own than a page may have. Those beyond the limit count as nameless.
    private(set) var areTooMany = false

    init(maximum: Int) { self.maximum = maximum }

    mutating func number(of name: SpelledName) -> UInt16 {
        if let number = name.number ?? ownNumbers[name.spelling] { return number }
        // Names whose number does not fit into 16 bits count as nameless.
        guard own.count < maximum, let number = UInt16(exactly: Int(HTMLDocument.firstOwnName) + own.count) else {
            areTooMany = areTooMany || own.count >= maximum
            return HTMLName.other.rawValue
        }
        own.append(name.spelling)
        ownNumbers[name.spelling] = number
        return number
    }
}
