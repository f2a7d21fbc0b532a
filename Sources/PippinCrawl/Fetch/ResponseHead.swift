import PippinPage

/// The status line and header fields of a response, read line by line within limits.
///
/// The next status line removes the fields of a 1xx response. The limits count all of them together, so endless 1xx responses end
/// too.
struct ResponseHead {
    enum Step: Equatable {
        /// More lines follow.
        case more
        /// The empty line was read: a body may follow.
        case complete
        case tooLarge
    }

    private enum State {
        case statusLine, fields, complete
    }

    let maximumBytes: Int
    let maximumCount: Int

    private(set) var status = 0
    /// The version of HTTP: `1.0`, `1.1`, `2`.
    private(set) var httpVersion = ""
    private(set) var receivedBytes = 0
    private var fields: [(name: String, value: String)] = []
    private var fieldCount = 0
    private var state = State.statusLine

    init(maximumBytes: Int, maximumCount: Int) {
        self.maximumBytes = maximumBytes
        self.maximumCount = maximumCount
    }

    var isComplete: Bool { state == .complete }
    var headers: HTTPHeaders { HTTPHeaders(fields) }

    /// Takes one line with its line end.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
        receivedBytes += line.count
        guard receivedBytes <= maximumBytes else { return .tooLarge }
        var end = line.count
        while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        let text = UnsafeRawBufferPointer(rebasing: line[..<end])
        switch state {
        case .statusLine:
            guard !text.isEmpty else { return .more }
            fields.removeAll(keepingCapacity: true)
            takeStatusLine(text)
            state = .fields
            return .more
        case .fields:
            guard text.isEmpty else { return takeField(text) }
            // RFC 9110 §15.2: any number of 1xx responses precede the final one.
            if (100..<200).contains(status) {
                state = .statusLine
                return .more
            }
            state = .complete
            return .complete
        case .complete:
            // Trailer fields (RFC 9110 §6.5.1) must not be merged into the header; only their length counts.
            return .more
        }
    }

    private mutating func takeStatusLine(_ text: UnsafeRawBufferPointer) {
        let space = text.firstIndex(of: 0x20) ?? text.count
        httpVersion = space > 5 ? String(decoding: text[5..<space], as: UTF8.self) : ""
        status = 0
        for byte in text[space...].dropFirst().prefix(3) {
            guard (0x30...0x39).contains(byte) else { break }
            status = status * 10 + Int(byte - 0x30)
        }
    }

    private mutating func takeField(_ text: UnsafeRawBufferPointer) -> Step {
        fieldCount += 1
        guard fieldCount <= maximumCount else { return .tooLarge }
        if text[0] == 0x20 || text[0] == 0x09 {
            // RFC 9112 §5.2: a folded line continues the value before it.
            if let last = fields.indices.last {
                fields[last].value += " " + Self.string(Self.trimmed(text))
            }
            return .more
        }
        guard let colon = text.firstIndex(of: 0x3A), colon > 0 else { return .more }
        fields.append(
            (
                name: Self.string(Self.trimmed(UnsafeRawBufferPointer(rebasing: text[..<colon]))),
                value: Self.string(Self.trimmed(UnsafeRawBufferPointer(rebasing: text[(colon + 1)...])))
            ))
        return .more
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = bytes.count
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// The text as UTF-8 if it is valid, or else as ISO-8859-1, because RFC 9110 §5.5 does not define bytes above 0x7F.
    private static func string(_ bytes: UnsafeRawBufferPointer) -> String {
        let units = bytes.bindMemory(to: UInt8.self)
        if let text = String(validating: units, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(units.map { Unicode.Scalar($0) }))
    }
}
