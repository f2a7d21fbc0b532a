/// A set of ASCII bytes, one bit each. Bytes from 0x80 on are in every percent-encode set, so they need no bits.
struct ASCIISet: Sendable {
    private let low: UInt64
    private let high: UInt64

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    init(_ bytes: some Sequence<UInt8>) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in bytes where byte < 0x80 {
            if byte < 64 { low |= 1 &<< UInt64(byte) } else { high |= 1 &<< UInt64(byte & 63) }
        }
        self.init(low: low, high: high)
    }

    func adding(_ characters: StaticString) -> ASCIISet {
        union(characters.withUTF8Buffer { ASCIISet($0) })
    }

    func union(_ other: ASCIISet) -> ASCIISet {
        ASCIISet(low: low | other.low, high: high | other.high)
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte < 0x80 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }

    /// Whether this percent-encode set encodes the byte: its members, and all bytes beyond ASCII.
    @inline(__always)
    func encodes(_ byte: UInt8) -> Bool {
        byte >= 0x80 || contains(byte)
    }
}

/// The percent-encode sets of the WHATWG URL Standard §1.3, each built on the one before it.
enum PercentEncodeSet {
    static let c0Control = ASCIISet(Array(0...0x1F) + [0x7F])
    static let fragment = c0Control.adding(" \"<>`")
    static let query = c0Control.adding(" \"#<>")
    static let specialQuery = query.adding("'")
    static let path = query.adding("?^`{}")
    static let userinfo = path.adding("/:;=@[\\]|")
}

extension Array where Element == UInt8 {
    /// Appends `%XX` with upper-case digits.
    public mutating func appendPercentEncoded(_ byte: UInt8) {
        append(0x25)
        append(.hexDigit(byte &>> 4))
        append(.hexDigit(byte & 15))
    }

    /// Appends `bytes` and percent-encodes the members of `set`; runs of other bytes are copied at once.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, percentEncoding set: ASCIISet) {
        var clean = 0
        for i in bytes.indices where set.encodes(bytes[i]) {
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[clean..<i]))
            appendPercentEncoded(bytes[i])
            clean = i + 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: bytes[clean...]))
    }

    /// Appends `bytes` with every valid `%XX` decoded. A stray `%` is kept.
    mutating func appendPercentDecoded(_ bytes: UnsafeBufferPointer<UInt8>) {
        var i = 0
        while i < bytes.count {
            if bytes[i] == 0x25, i + 2 < bytes.count, let high = bytes[i + 1].hexDigitValue,
                let low = bytes[i + 2].hexDigitValue
            {
                append(high &<< 4 | low)
                i += 3
            } else {
                append(bytes[i])
                i += 1
            }
        }
    }
}

extension StringProtocol {
    /// The text with `%XX` decoded; other `%` stay.
    var percentDecoded: String {
        let bytes = Array(utf8)
        guard bytes.contains(0x25) else { return String(self) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        bytes.withUnsafeBufferPointer { result.appendPercentDecoded($0) }
        return String(decoding: result, as: UTF8.self)
    }
}
