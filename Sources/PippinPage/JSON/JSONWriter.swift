/// Writes JSON (RFC 8259) as UTF-8, value by value, without building a tree first.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.member("title", "Apple pie")
///     writer.key("rating"); writer.double(4.5)
///     writer.endObject()
///     writer.bytes            // {"title":"Apple pie","rating":4.5}
///
/// The writer adds commas and indentation. The caller's begins and ends must match, and in an object a key precedes each value.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private let pretty: Bool
    private var depth = 0
    /// The last token decides what the next value needs before it.
    private var last = Last.opening

    private enum Last { case opening, key, value }

    /// - Parameters:
    ///   - pretty: one value per line, indented by two spaces.
    ///   - capacity: the expected length of the result in bytes.
    public init(pretty: Bool = false, reservingBytes capacity: Int = 0) {
        self.pretty = pretty
        bytes.reserveCapacity(capacity)
    }

    // MARK: Containers

    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    public mutating func endArray() { end(UInt8(ascii: "]")) }

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

    public mutating func string(_ value: String) {
        separate()
        quote(value)
        last = .value
    }

    /// Writes a string from UTF-8; invalid bytes become U+FFFD.
    public mutating func string(utf8 value: ArraySlice<UInt8>) {
        string(String(decoding: value, as: UTF8.self))
    }

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

    /// Writes the shortest text that reads back as the same number; infinities and NaN become `null`.
    public mutating func double(_ value: Double) {
        raw(Self.text(of: value) ?? "null")
    }

    public mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

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
        // Below 2^53 every whole number is exact; `5` is clearer than `5.0`.
        if value == value.rounded(), abs(value) < 0x1p53 { return String(Int(value)) }
        return value.description
    }

    // MARK: Members

    public mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    public mutating func member(_ key: String, _ value: Int) {
        self.key(key)
        integer(value)
    }

    public mutating func member(_ key: String, _ value: Double) {
        self.key(key)
        double(value)
    }

    public mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    public mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    /// Writes an array of strings; nothing if it is empty.
    public mutating func member(_ key: String, _ values: [String]) {
        guard !values.isEmpty else { return }
        self.key(key)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    // MARK: Escaping

    /// Writes a quoted string; runs of bytes without escapes are copied. Beyond JSON's rules, it escapes characters that a terminal
    /// obeys (`TerminalText`), and U+2028 and U+2029, which end a line in older JavaScript. The value stays the same.
    private mutating func quote(_ value: String) {
        var copy = value
        bytes.append(UInt8(ascii: "\""))
        copy.withUTF8 { utf8 in
            var start = 0
            var i = 0
            while i < utf8.count {
                let byte = utf8[i]
                let isPlain = byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                let length = isPlain ? TerminalText.lengthOfMark(in: utf8, at: i) : 1
                guard length > 0 else {
                    i += 1
                    continue
                }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<i]))
                escape(TerminalText.scalar(in: utf8[i..<i + length]))
                i += length
                start = i
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
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
