/// Writes JSON (RFC 8259) as UTF-8, value by value, without building a tree first.
///
///     var writer = JSONWriter()
///     writer.object { writer in
///         writer.member("title", "Apple pie")
///         writer.object("rating") { $0.member("value", 4.5) }
///     }
///     writer.bytes            // {"title":"Apple pie","rating":{"value":4.5}}
///
/// The writer adds commas and indentation. The caller must match begins and ends, and in an object write a key before each
/// value.
public struct JSONWriter: Sendable {
    /// The text written so far.
    public private(set) var bytes: [UInt8] = []
    private let pretty: Bool
    private var depth = 0
    /// The last token. It decides what must come before the next value.
    private var last = Last.opening

    private enum Last { case opening, key, value }

    /// Starts with empty text.
    ///
    /// - Parameters:
    ///   - pretty: one value per line, indented by two spaces.
    ///   - capacity: the expected length of the result in bytes.
    public init(pretty: Bool = false, reservingBytes capacity: Int = 0) {
        self.pretty = pretty
        bytes.reserveCapacity(capacity)
    }

    // MARK: Containers

    /// Begins an object.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    /// Ends the innermost object.
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    /// Begins an array.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    /// Ends the innermost array.
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes an object; `write` writes its members.
    public mutating func object(_ write: (inout JSONWriter) -> Void) {
        beginObject()
        write(&self)
        endObject()
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        last = .opening
    }

    private mutating func end(_ bracket: UInt8) {
        depth -= 1
        if pretty && last == .value { breakLine() }
        bytes.append(bracket)
        last = .value
    }

    private mutating func separate() {
        switch last {
        case .key: return
        case .value: bytes.append(UInt8(ascii: ","))
        case .opening: break
        }
        if pretty && depth > 0 { breakLine() }
    }

    private mutating func breakLine() {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * max(depth, 0)))
    }

    /// Ends a line of NDJSON; the next value begins a new text.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        last = .opening
    }

    /// Removes everything written and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        depth = 0
        last = .opening
    }

    // MARK: Values

    /// Writes a key; its value must follow.
    public mutating func key(_ key: String) {
        separate()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        if pretty { bytes.append(UInt8(ascii: " ")) }
        last = .key
    }

    /// Writes a string.
    public mutating func string(_ value: String) {
        separate()
        quote(value)
        last = .value
    }

    /// Writes a string from UTF-8; invalid bytes become U+FFFD.
    public mutating func string(utf8 value: ArraySlice<UInt8>) {
        string(String(decoding: value, as: UTF8.self))
    }

    /// Writes a whole number.
    public mutating func integer(_ value: Int) {
        separate()
        var magnitude = value.magnitude
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10))
            magnitude /= 10
        } while magnitude > 0
        bytes[start...].reverse()
        last = .value
    }

    /// Writes the shortest text that reads back as the same number. Infinities and NaN become `null`.
    public mutating func double(_ value: Double) {
        raw(Self.text(of: value) ?? "null")
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    /// Writes `null`.
    public mutating func null() {
        raw("null")
    }

    /// Writes a value with everything in it.
    public mutating func value(_ value: JSONValue) {
        switch value.content {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .number(let text): raw(text)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            for member in object.members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        last = .value
    }

    static func text(of value: Double) -> String? {
        guard value.isFinite else { return nil }
        // Every whole number below 2^53 is exact; `5` is clearer than `5.0`.
        if value == value.rounded(), abs(value) < 0x1p53 { return String(Int(value)) }
        return value.description
    }

    // MARK: Members

    /// Writes a key and a string.
    public mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    /// Writes a key and a whole number.
    public mutating func member(_ key: String, _ value: Int) {
        self.key(key)
        integer(value)
    }

    /// Writes a key and a number.
    public mutating func member(_ key: String, _ value: Double) {
        self.key(key)
        double(value)
    }

    /// Writes a key and a Boolean.
    public mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    /// Writes a key and a value.
    public mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    /// Writes the value if there is one.
    public mutating func optional(_ key: String, _ value: String?) {
        if let value { member(key, value) }
    }

    public mutating func optional(_ key: String, _ value: Int?) {
        if let value { member(key, value) }
    }

    public mutating func optional(_ key: String, _ value: Double?) {
        if let value { member(key, value) }
    }

    /// Writes an object; `write` writes its members.
    public mutating func object(_ key: String, _ write: (inout JSONWriter) -> Void) {
        self.key(key)
        object(write)
    }

    /// Writes an array with an object for each element; `write` writes its members.
    public mutating func objects<Element>(
        _ key: String, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.key(key)
        beginArray()
        for element in elements { object { write(&$0, element) } }
        endArray()
    }

    /// Writes an object of counts, in the order of their keys.
    public mutating func counts(_ key: String, _ counts: [String: Int]) {
        object(key) { writer in
            for (key, count) in counts.sorted(by: { $0.key < $1.key }) { writer.member(key, count) }
        }
    }

    /// Writes a key and an array of strings; nothing if the array is empty.
    public mutating func member(_ key: String, _ values: [String]) {
        guard !values.isEmpty else { return }
        self.key(key)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    // MARK: Escaping

    /// Writes a quoted string. Runs of bytes without escapes are copied. In addition to JSON's rules, it escapes characters
    /// that control a terminal (`TerminalText`), and U+2028 and U+2029, which end a line in older JavaScript. The string's
    /// value is not changed.
    private mutating func quote(_ value: String) {
        var copy = value
        bytes.append(UInt8(ascii: "\""))
        copy.withUTF8 { utf8 in
            let raw = UnsafeRawBufferPointer(utf8)
            var start = 0
            /// Up to here bytes are looked at one by one.
            var single = 0
            var i = 0
            while i < utf8.count {
                if i >= single, i &+ 8 <= utf8.count {
                    if Self.isPlain(raw.loadUnaligned(fromByteOffset: i, as: UInt64.self)) {
                        i &+= 8
                        continue
                    }
                    single = i &+ 8
                }
                let byte = utf8[i]
                let isPlain = byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                let length = isPlain ? TerminalText.lengthOfMark(in: utf8, at: i) : 1
                guard length > 0 else {
                    i += 1
                    continue
                }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<i]))
                escape(utf8.character(at: i).value)
                i += length
                start = i
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether eight bytes are ASCII that needs no escape: no control, quotation mark, backslash or DEL.
    @inline(__always)
    private static func isPlain(_ word: UInt64) -> Bool {
        let lows: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        let notQuote = word ^ 0x2222_2222_2222_2222
        let notBackslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        // Each sum sets the high bit of a byte that is what it should be, as far as all bytes are ASCII.
        let plain =
            (word &+ 0x6060_6060_6060_6060) & (notQuote &+ lows) & (notBackslash &+ lows)
            & ~(word &+ 0x0101_0101_0101_0101)
        return (word | ~plain) & ~lows == 0
    }

    private mutating func escape(_ scalar: UInt32) {
        let letter: Unicode.Scalar
        switch scalar {
        case 0x08: letter = "b"
        case 0x09: letter = "t"
        case 0x0A: letter = "n"
        case 0x0C: letter = "f"
        case 0x0D: letter = "r"
        case 0x22: letter = "\""
        case 0x5C: letter = "\\"
        default: return TerminalText.appendEscape(scalar, to: &bytes)
        }
        bytes += [UInt8(ascii: "\\"), UInt8(ascii: letter)]
    }
}
