import CLibXML2
import Glibc

/// Reads the names in a page's tags with libxml2, and gives them numbers.
///
/// Three readers share the work:
///
/// - `HTMLTokenizer` finds where tags, names, values, texts and comments begin and end, as browsers do. libxml2 2.9 is older than
///   that standard, and ends scripts, comments and odd tags elsewhere.
/// - libxml2 reads the names of elements and attributes, in whatever case they are written.
/// - `TreeBuilder` builds the tree by the standard. libxml2's own tree is HTML 4's.
///
/// A page has 1,600 tags with 4,000 names, but only 60 different ones. libxml2 gets each of them once, as it is written, when it is
/// new. Elements and attributes have the same kind of names, so all come as attributes of an element that libxml2 knows:
///
///     page       <A class="x" @click="b > c" href=/1 Class=y>
///     pushed     <p A /><p class /><p href /><p Class />
///     answers    a         class         href         class
///
/// ` />` ends the element at once. Without open elements libxml2 implies and closes none.
///
/// HTML takes any character in a name (WHATWG HTML §13.2.5.8 and §13.2.5.33), but libxml2 only some (`isPlain`). `@click` is put
/// into lower case here.
struct NameReader {
    /// A name as it is written in the page.
    struct Name {
        let start: UInt32
        let count: UInt32
        /// Its first eight bytes, filled up with zeros.
        let head: UInt64

        init(_ range: Range<Int>, of page: UnsafeBufferPointer<UInt8>) {
            start = UInt32(truncatingIfNeeded: range.lowerBound)
            count = UInt32(truncatingIfNeeded: range.count)
            head = Self.head(of: range, of: page)
        }

        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }

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

    enum Failure { case noParser, tooManyNames }

    /// Why no further name is read.
    private(set) var failure: Failure?
    /// Spellings of the names that `HTMLName` does not list, by number.
    private(set) var ownNames: [String] = []

    private let page: UnsafeBufferPointer<UInt8>
    private let maximumOwnNames: Int
    private var ownNumbers: [String: UInt16] = [:]
    /// The names that were read, each as it is written.
    private var known: [(name: Name, number: UInt16)] = []
    /// A table of `known` by hash, with open addressing: their indices plus 1, and 0 where there is none.
    private var places: [UInt32] = Array(repeating: 0, count: 256)
    private var parser: NameParser?
    private var pushedBytes = 0

    /// Different in each process, so that nobody can make a page whose names all have one hash.
    private let seed = Self.seed
    private static let seed = UInt64.random(in: 0...UInt64.max)

    /// After so many bytes libxml2 starts again, because it keeps all it reads. Real pages have about 500.
    private static let maximumPushedBytes = 1_000_000
    /// Ways of writing names that are remembered. A page with more has all of them read again.
    private static let maximumKnown = 200_000

    init(_ page: UnsafeBufferPointer<UInt8>, limits: ReadingLimits) {
        self.page = page
        maximumOwnNames = min(limits.maximumNames, Int(UInt16.max - HTMLDocument.firstOwnName))
    }

    /// The number of a name: that of `HTMLName`, or one of the page's own. `HTMLName.other` on failure.
    @inline(__always)
    mutating func number(of name: Name) -> UInt16 {
        var place = firstPlace(of: name)
        while places[place] > 0 {
            let (other, number) = known[Int(places[place]) - 1]
            if other.head == name.head, other.count == name.count, name.count <= 8 || hasSameBytes(name, other) {
                return number
            }
            place = (place + 1) & (places.count - 1)
        }
        return read(name, at: place)
    }

    private func firstPlace(of name: Name) -> Int {
        var hash = Self.mixed(name.head ^ seed, UInt64(name.count))
        if name.count > 8 { addRest(of: name, to: &hash) }
        return Int(truncatingIfNeeded: hash) & (places.count - 1)
    }

    private func addRest(of name: Name, to hash: inout UInt64) {
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

    private func hasSameBytes(_ name: Name, _ other: Name) -> Bool {
        guard let base = page.baseAddress else { return false }
        return memcmp(base + Int(name.start), base + Int(other.start), Int(name.count)) == 0
    }

    // MARK: New names

    private mutating func read(_ name: Name, at place: Int) -> UInt16 {
        guard failure == nil else { return HTMLName.other.rawValue }
        let bytes = UnsafeBufferPointer(rebasing: page[name.range])
        let lowercased = Self.isPlain(bytes) ? readPlain(bytes) : String(decoding: bytes, as: UTF8.self).asciiLowercased
        guard let spelling = lowercased else {
            failure = .noParser
            return HTMLName.other.rawValue
        }
        let number = number(of: spelling)
        known.append((name, number))
        places[place] = UInt32(truncatingIfNeeded: known.count)
        if known.count == Self.maximumKnown { known.removeAll() }
        // Never more than half full.
        if known.isEmpty || 2 * known.count > places.count { refill(known.isEmpty ? 256 : 2 * places.count) }
        return number
    }

    private mutating func refill(_ count: Int) {
        places = Array(repeating: 0, count: count)
        for (index, entry) in known.enumerated() {
            var place = firstPlace(of: entry.name)
            while places[place] > 0 { place = (place + 1) & (count - 1) }
            places[place] = UInt32(truncatingIfNeeded: index + 1)
        }
    }

    private mutating func number(of spelling: String) -> UInt16 {
        if let number = HTMLName.numbers[spelling] ?? ownNumbers[spelling] { return number }
        guard ownNames.count < maximumOwnNames else {
            failure = .tooManyNames
            return HTMLName.other.rawValue
        }
        let number = HTMLDocument.firstOwnName + UInt16(truncatingIfNeeded: ownNames.count)
        ownNames.append(spelling)
        ownNumbers[spelling] = number
        return number
    }

    private mutating func readPlain(_ name: UnsafeBufferPointer<UInt8>) -> String? {
        if pushedBytes > Self.maximumPushedBytes { (parser, pushedBytes) = (nil, 0) }
        if parser == nil { parser = NameParser() }
        pushedBytes += name.count
        return parser?.read(name)
    }

    /// Whether libxml2 reads a name as browsers do: ASCII letters, digits and `-_:.`, no digit, `-` or `.` first, at most 100 bytes.
    private static func isPlain(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = name.first, first.isASCIILetter || first == UInt8(ascii: "_") || first == UInt8(ascii: ":"),
            name.count <= 100
        else { return false }
        return name.allSatisfy {
            $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ":")
                || $0 == UInt8(ascii: ".")
        }
    }
}

/// A parser of libxml2 that gets one name after the other.
private final class NameParser {
    private var context: htmlParserCtxtPtr?
    private var tag: [UInt8] = []
    private var answer: String?

    /// Nil if there is no memory for it.
    init?() {
        LibXML2.isReady
        var handler = htmlSAXHandler()
        handler.initialized = XML_SAX2_MAGIC
        handler.startElement = { user, _, attributes in
            guard let user, let name = attributes?[0] else { return }
            Unmanaged<NameParser>.fromOpaque(user).takeUnretainedValue().answer = String(cString: name)
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

    /// The name as libxml2 reads it. It calls back before `htmlParseChunk` returns, because the tag is complete.
    func read(_ name: UnsafeBufferPointer<UInt8>) -> String? {
        answer = nil
        tag.removeAll(keepingCapacity: true)
        for byte in "<p ".utf8 { tag.append(byte) }
        tag.append(contentsOf: name)
        for byte in " />".utf8 { tag.append(byte) }
        tag.withUnsafeBytes { bytes in
            _ = htmlParseChunk(context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 0)
        }
        return answer
    }
}

/// libxml2's global state, shared by all readers of this target.
enum LibXML2 {
    /// Initializes libxml2; access it before every use. The library fills its tables at first use, and before version 2.12
    /// without a lock, so a second thread could see a missing entry. Here the first reader fills them while the others wait.
    static let isReady: Void = xmlInitParser()
}
