import CLibXML2
import Glibc

/// Reads the tags of a page with libxml2.
///
/// Three readers share the work:
///
/// - `HTMLTokenizer` finds where tags, texts and comments begin and end, as browsers do. libxml2 2.9 is older than that
///   standard, and ends scripts, comments and odd tags elsewhere.
/// - libxml2 reads each tag: its names in lower case, and of attributes with the same name the first one.
/// - `TreeBuilder` builds the tree by the standard. libxml2's own tree is HTML 4's.
///
/// A page repeats its tags: 1,600 tags have 130 forms, which are the names of a tag in the order in which they are written.
/// libxml2 gets each form once, when it is new, and without values, which it would decode in another way than browsers do:
///
///     page       <A class="x" @click="b > c" href=/1 Class=y>
///     pushed     <A class z.300 href Class />
///     answer     a class z.300 href
///
/// - The names come back in their order, without those that came before, so the text that was pushed tells each one's position.
/// - `z.300` is the page's name number 300, `@click`. HTML takes any character in names (WHATWG HTML §13.2.5.8 and §13.2.5.33),
///   but libxml2 only some (`isPlain`).
/// - ` />` ends the element at once. Without open elements libxml2 implies and closes none.
struct TagReader {
    /// A name as it is written in the page.
    struct Name {
        let start: UInt32
        let end: UInt32
        /// Its first eight bytes, filled up with zeros.
        let head: UInt64

        init(_ range: Range<Int>, of page: UnsafeBufferPointer<UInt8>) {
            start = UInt32(truncatingIfNeeded: range.lowerBound)
            end = UInt32(truncatingIfNeeded: range.upperBound)
            head = Self.head(of: range, of: page)
        }

        var count: Int { Int(end &- start) }
        var range: Range<Int> { Int(start)..<Int(end) }

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
        let position: UInt16
    }

    /// What libxml2 says of a form: the number of the tag's name, and the attributes, each name once, in `attributes`.
    struct Form {
        let name: UInt16
        let attributes: Range<Int>
    }

    enum Failure { case noParser, tooManyNames }

    /// Why no further tag is read.
    private(set) var failure: Failure?

    private struct KnownForm {
        let form: Form
        let hash: UInt64
        /// Its names in `writtenNames`.
        let names: Range<Int>
    }

    private let page: UnsafeBufferPointer<UInt8>
    /// The current tag: its name, then its attributes.
    private let tag: Tag
    private var hash: UInt64 = 0
    /// The forms that were read, and a table of them by hash: their numbers plus 1, and 0 if there is none. A form has two places
    /// there. If both are taken it is only read again.
    private var forms: [KnownForm] = []
    private var places: [UInt32] = Array(repeating: 0, count: firstPlaceCount)
    private var writtenNames: [Name] = []
    private(set) var attributes: [Attribute] = []
    private var names: NameNumbers
    private var parser: TagParser?
    /// The numbers of libxml2's names. It keeps one copy of every name.
    private var numbers: [UnsafePointer<xmlChar>: UInt16] = [:]
    /// The text that is pushed, and how many bytes were.
    private var pushed: [UInt8] = []
    private var pushedBytes = 0

    /// Real pages have 130 forms on average. The table grows, so that it is never more than half full.
    private static let firstPlaceCount = 512
    /// After so many bytes all forms are forgotten, and libxml2 starts again, because it keeps all it reads. Real pages have
    /// about 4 kB.
    private static let maximumPushedBytes = 1_000_000

    /// Spellings of the names that `HTMLName` does not list, by number.
    var ownNames: [String] { names.own }

    init(_ page: UnsafeBufferPointer<UInt8>, limits: ReadingLimits) {
        self.page = page
        tag = Tag(capacity: limits.maximumAttributesPerElement + 1)
        names = NameNumbers(maximum: limits.maximumNames)
    }

    /// The names and values of a tag, in memory of a fixed size: an array would ask at every name whether others share it.
    private final class Tag {
        let names: UnsafeMutablePointer<Name>
        let values: UnsafeMutablePointer<Range<UInt32>>
        let capacity: Int
        var count = 0

        init(capacity: Int) {
            self.capacity = capacity
            names = .allocate(capacity: capacity)
            values = .allocate(capacity: capacity)
        }

        deinit {
            names.deallocate()
            values.deallocate()
        }
    }

    /// Begins a tag.
    mutating func begin(_ name: Name) {
        tag.count = 0
        hash = 0
        add(name, value: 0..<0)
    }

    /// Adds an attribute to the tag, which must not have more than the limit.
    ///
    /// - Parameter value: its place in the page; empty if there is none. It may contain references.
    @inline(__always)
    mutating func add(_ name: Name, value: Range<Int>) {
        let place = tag.count
        precondition(place < tag.capacity, "a tag has no more attributes than it may")
        (tag.names + place).initialize(to: name)
        (tag.values + place).initialize(
            to: UInt32(truncatingIfNeeded: value.lowerBound)..<UInt32(truncatingIfNeeded: value.upperBound))
        tag.count = place + 1
        hash = Self.mixed(hash, name.head)
        if name.count > 8 { addRest(of: name) }
    }

    private mutating func addRest(of name: Name) {
        let bytes = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: page[name.range]))
        var place = 8
        while place + 8 < bytes.count {
            hash = Self.mixed(hash, bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        // The last eight bytes, some of them for the second time.
        hash = Self.mixed(hash, bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
    }

    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low ^ word
    }

    /// The place in the page of an attribute's value in the current tag.
    func value(of attribute: Attribute) -> Range<Int> {
        let value = tag.values[Int(attribute.position) + 1]
        return Int(value.lowerBound)..<Int(value.upperBound)
    }

    /// The form of the tag; nil on failure.
    mutating func form() -> Form? {
        let place = place(of: hash)
        if let form = knownForm(at: place) ?? knownForm(at: place ^ 1) { return form }
        guard let form = readForm() else { return nil }
        if 2 * forms.count > places.count {
            places = Array(repeating: 0, count: 2 * places.count)
            for number in forms.indices { fillPlace(number) }
        } else {
            fillPlace(forms.count - 1)
        }
        return form
    }

    private func place(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (places.count - 1) }

    private mutating func fillPlace(_ number: Int) {
        let place = place(of: forms[number].hash)
        places[places[place] == 0 ? place : place ^ 1] = UInt32(truncatingIfNeeded: number + 1)
    }

    /// The form at a place of the table, if it is the tag's.
    private func knownForm(at place: Int) -> Form? {
        guard places[place] > 0, let base = page.baseAddress else { return nil }
        let known = forms[Int(places[place]) - 1]
        guard known.hash == hash, known.names.count == tag.count else { return nil }
        for i in 0..<tag.count {
            let (mine, other) = (tag.names[i], writtenNames[known.names.lowerBound + i])
            guard mine.head == other.head, mine.count == other.count,
                mine.count <= 8 || memcmp(base + Int(mine.start), base + Int(other.start), mine.count) == 0
            else { return nil }
        }
        return known.form
    }

    // MARK: Asking libxml2

    private mutating func readForm() -> Form? {
        if pushedBytes > Self.maximumPushedBytes { forgetAll() }
        if parser == nil { parser = TagParser() }
        writeTag()
        pushedBytes += pushed.count
        guard let parser, let answer = parser.read(pushed) else {
            failure = .noParser
            return nil
        }
        let start = attributes.count
        appendAttributes(parser.attributes)
        let name = number(of: answer)
        if names.areTooMany {
            failure = .tooManyNames
            return nil
        }
        let form = Form(name: name, attributes: start..<attributes.count)
        forms.append(
            KnownForm(form: form, hash: hash, names: writtenNames.count..<writtenNames.count + tag.count))
        writtenNames.append(contentsOf: UnsafeBufferPointer(start: tag.names, count: tag.count))
        return form
    }

    /// - Parameter answered: names of the tag's attributes in their order; those that came before are left out.
    private mutating func appendAttributes(_ answered: [UnsafePointer<xmlChar>]) {
        if answered.count == tag.count - 1 {
            for (position, name) in answered.enumerated() { append(name, position) }
            return
        }
        let written = pushed.split(separator: UInt8(ascii: " ")).map {
            String(decoding: $0, as: UTF8.self).asciiLowercased
        }
        var position = 0
        for name in answered {
            let spelling = String(cString: name)
            while position + 1 < tag.count, written[position + 1] != spelling { position += 1 }
            guard position + 1 < tag.count else { return }
            append(name, position)
            position += 1
        }
    }

    private mutating func append(_ name: UnsafePointer<xmlChar>, _ position: Int) {
        attributes.append(Attribute(number: number(of: name), position: UInt16(truncatingIfNeeded: position)))
    }

    private mutating func forgetAll() {
        forms.removeAll()
        places = Array(repeating: 0, count: Self.firstPlaceCount)
        writtenNames.removeAll()
        attributes.removeAll()
        numbers.removeAll()
        parser = nil
        pushedBytes = 0
    }

    private mutating func writeTag() {
        pushed.removeAll(keepingCapacity: true)
        pushed.append(UInt8(ascii: "<"))
        for i in 0..<tag.count {
            if i > 0 { pushed.append(UInt8(ascii: " ")) }
            let name = UnsafeBufferPointer(rebasing: page[tag.names[i].range])
            if Self.isPlain(name) {
                pushed.append(contentsOf: name)
            } else {
                let number = names.number(of: String(decoding: name, as: UTF8.self).asciiLowercased)
                pushed.append(UInt8(ascii: "z"))
                pushed.append(UInt8(ascii: "."))
                push(Int(number))
            }
        }
        for byte in " />".utf8 { pushed.append(byte) }
    }

    private mutating func push(_ number: Int) {
        if number >= 10 { push(number / 10) }
        pushed.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Whether libxml2 reads a name as browsers do: ASCII letters, digits and `-_:.`, no digit, `-` or `.` first, at most 100 bytes.
    /// Names that look like a number's are not plain, and neither is `head`, which libxml2 drops outside of `html`.
    private static func isPlain(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = name.first, first.isASCIILetter || first == UInt8(ascii: "_") || first == UInt8(ascii: ":"),
            name.count <= 100, !name.equalsIgnoringCase("head"), !name.prefix(2).equalsIgnoringCase("z.")
        else { return false }
        return name.allSatisfy {
            $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ":")
                || $0 == UInt8(ascii: ".")
        }
    }

    private mutating func number(of name: UnsafePointer<xmlChar>) -> UInt16 {
        if let number = numbers[name] { return number }
        let spelling = String(cString: name)
        let ownNumber = spelling.hasPrefix("z.") ? UInt16(spelling.dropFirst(2)) : nil
        let number = ownNumber ?? names.number(of: spelling)
        numbers[name] = number
        return number
    }
}

/// A parser of libxml2 that gets one tag after the other. No pointer of it is used longer than it lives.
private final class TagParser {
    private var context: htmlParserCtxtPtr?
    private var name: UnsafePointer<xmlChar>?
    /// The names of the last tag's attributes.
    private(set) var attributes: [UnsafePointer<xmlChar>] = []

    /// Nil if there is no memory for it.
    init?() {
        LibXML2.isReady
        var handler = htmlSAXHandler()
        handler.initialized = XML_SAX2_MAGIC
        handler.startElement = { user, name, attributes in
            guard let user, let name else { return }
            Unmanaged<TagParser>.fromOpaque(user).takeUnretainedValue().take(name, attributes)
        }
        context = htmlCreatePushParserCtxt(
            &handler, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil, XML_CHAR_ENCODING_UTF8)
        guard let context else { return nil }
        let options =
            HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue | HTML_PARSE_NONET.rawValue
            | HTML_PARSE_IGNORE_ENC.rawValue | HTML_PARSE_NOIMPLIED.rawValue
        htmlCtxtUseOptions(context, Int32(options))
    }

    deinit { htmlFreeParserCtxt(context) }

    /// Reads a tag, and returns its name. libxml2 calls back before `htmlParseChunk` returns, because the tag is complete.
    func read(_ tag: [UInt8]) -> UnsafePointer<xmlChar>? {
        name = nil
        attributes.removeAll(keepingCapacity: true)
        tag.withUnsafeBytes { bytes in
            _ = htmlParseChunk(context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 0)
        }
        return name
    }

    /// - Parameter pairs: names and values; no tag that is pushed has values.
    private func take(_ name: UnsafePointer<xmlChar>, _ pairs: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
        self.name = name
        var pair = pairs
        while let name = pair?[0] {
            attributes.append(name)
            pair = pair.map { $0 + 2 }
        }
    }
}

/// The numbers of a page's names: those of `HTMLName`, and numbers of its own for the others.
struct NameNumbers {
    /// Spellings of the names that `HTMLName` does not list.
    private(set) var own: [String] = []
    private var ownNumbers: [String: UInt16] = [:]
    private let maximum: Int
    /// Whether the page has more names of its own than it may. Those beyond the limit count as nameless.
    private(set) var areTooMany = false

    /// - Parameter maximum: the most names; never more than have a number of 16 bits.
    init(maximum: Int) { self.maximum = min(maximum, Int(UInt16.max - HTMLDocument.firstOwnName)) }

    /// - Parameter name: in lower case.
    mutating func number(of name: String) -> UInt16 {
        if let number = HTMLName.numbers[name] ?? ownNumbers[name] { return number }
        guard own.count < maximum else {
            areTooMany = true
            return HTMLName.other.rawValue
        }
        let number = HTMLDocument.firstOwnName + UInt16(truncatingIfNeeded: own.count)
        own.append(name)
        ownNumbers[name] = number
        return number
    }
}
