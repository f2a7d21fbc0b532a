/// A page's text as valid UTF-8.
public struct DecodedText: Sendable, Equatable {
    /// Well-formed UTF-8 without byte order mark and without NUL.
    public let utf8: [UInt8]
    /// The number of U+FFFD in place of bytes that are invalid in the encoding, or of NUL.
    public let replacements: Int
}

extension CharacterEncoding {
    /// Converts the bytes to valid UTF-8 with the decoders of the Encoding Standard (error mode "replacement"): invalid bytes
    /// become U+FFFD, and decoding continues. NUL becomes U+FFFD too, because C would end the page there.
    ///
    /// A byte order mark of this encoding is dropped. Bytes that are valid UTF-8 already are returned without a copy.
    public func decode(_ bytes: [UInt8]) -> DecodedText {
        bytes.withUnsafeBufferPointer { buffer in
            if isASCIICompatible, UTF8Scan.endOfASCII(in: buffer, from: 0) == buffer.count {
                return DecodedText(utf8: bytes, replacements: 0)
            }
            return switch name {
            case "utf-8": Self.decodeUTF8(bytes, buffer)
            case "utf-16le": Self.decodeUTF16(buffer, bigEndian: false)
            case "utf-16be": Self.decodeUTF16(buffer, bigEndian: true)
            case "shift_jis": Self.decodeShiftJIS(buffer)
            case "euc-jp": Self.decodeEUCJP(buffer)
            case "iso-2022-jp": Self.decodeISO2022JP(buffer)
            case "gbk", "gb18030": Self.decodeGB18030(buffer)
            case "big5": Self.decodeBig5(buffer)
            case "euc-kr": Self.decodeEUCKR(buffer)
            case "replacement":
                // Encoding Standard §14.1: encodings that can hide markup from filters are not decoded.
                DecodedText(utf8: bytes.isEmpty ? [] : [0xEF, 0xBF, 0xBD], replacements: bytes.isEmpty ? 0 : 1)
            case "x-user-defined":
                Self.decodeSingleByte(buffer, table: (0..<128).map { 0xF780 + UInt16($0) })
            default:
                Self.decodeSingleByte(buffer, table: EncodingIndex.singleByte[name] ?? [])
            }
        }
    }

    /// Whether an ASCII byte always means the ASCII character, in any state of the decoder.
    private var isASCIICompatible: Bool {
        !isUTF16 && name != "iso-2022-jp" && name != "replacement"
    }

    private static func decodeUTF8(_ original: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>) -> DecodedText {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var multibyte = 0
        var fault = UTF8Scan.faultOffset(in: bytes, from: start, multibyte: &multibyte)
        if start == 0, fault == bytes.count { return DecodedText(utf8: original, replacements: 0) }
        var output = DecoderOutput(capacity: bytes.count)
        var copied = start
        while true {
            output.appendUTF8(bytes[copied..<fault])
            if fault == bytes.count { return output.text }
            output.appendReplacement()
            copied = fault
            copied &+= bytes[fault] == 0 ? 1 : -UTF8Scan.sequenceLength(in: bytes, at: fault)
            fault = UTF8Scan.faultOffset(in: bytes, from: copied, multibyte: &multibyte)
        }
    }

    /// Encoding Standard §14.2.1, shared UTF-16 decoder.
    private static func decodeUTF16(_ bytes: UnsafeBufferPointer<UInt8>, bigEndian: Bool) -> DecodedText {
        let high = bigEndian ? 0 : 1
        func unit(_ i: Int) -> UInt32 { UInt32(bytes[i &+ high]) << 8 | UInt32(bytes[i &+ (1 &- high)]) }
        var output = DecoderOutput(capacity: bytes.count / 2)
        var i = 0
        if bytes.count >= 2, unit(0) == 0xFEFF { i = 2 }
        while i &+ 1 < bytes.count {
            let first = unit(i)
            i &+= 2
            guard first & 0xF800 == 0xD800 else {
                output.append(first)
                continue
            }
            if first < 0xDC00 {
                // A lead surrogate at the end of the text and an odd byte after it are one error.
                guard i &+ 1 < bytes.count else {
                    output.appendReplacement()
                    return output.text
                }
                let second = unit(i)
                if second & 0xFC00 == 0xDC00 {
                    i &+= 2
                    output.append(0x10000 &+ (first &- 0xD800) << 10 &+ (second &- 0xDC00))
                    continue
                }
            }
            output.appendReplacement()
        }
        if i < bytes.count { output.appendReplacement() }
        return output.text
    }

    /// Encoding Standard §9.1.
    ///
    /// - Parameter table: the characters of 0x80...0xFF; 0 if a byte has none. The UTF-8 of every byte is looked up, so the
    ///   length of the result is known before writing.
    private static func decodeSingleByte(_ bytes: UnsafeBufferPointer<UInt8>, table: [UInt16]) -> DecodedText {
        // Up to three bytes of UTF-8, first one lowest, and their number in the highest byte.
        var packed = [UInt32](repeating: 0x03BD_BFEF, count: 256)
        for byte in 1..<UInt32(0x80) { packed[Int(byte)] = 0x0100_0000 | byte }
        for (index, unit) in table.prefix(128).enumerated() where unit != 0 {
            let scalar = UInt32(unit)
            packed[0x80 + index] =
                scalar < 0x800
                ? 0x0200_0000 | (0x80 | scalar & 0x3F) << 8 | 0xC0 | scalar >> 6
                : 0x0300_0000 | (0x80 | scalar & 0x3F) << 16 | (0x80 | scalar >> 6 & 0x3F) << 8 | 0xE0 | scalar >> 12
        }
        return packed.withUnsafeBufferPointer { packed in
            var length = 0
            var replacements = 0
            forEachRun(of: bytes) { ascii in
                length &+= ascii.count
            } other: { byte in
                length &+= Int(packed[Int(byte)] >> 24)
                if packed[Int(byte)] == 0x03BD_BFEF { replacements &+= 1 }
            }
            let utf8 = [UInt8](unsafeUninitializedCapacity: length) { output, count in
                forEachRun(of: bytes) { ascii in
                    _ = output[count...].update(fromContentsOf: ascii)
                    count &+= ascii.count
                } other: { byte in
                    var unit = packed[Int(byte)]
                    for _ in 0..<(unit >> 24) {
                        output[count] = UInt8(truncatingIfNeeded: unit)
                        unit >>= 8
                        count &+= 1
                    }
                }
            }
            return DecodedText(utf8: utf8, replacements: replacements)
        }
    }

    /// Copies runs of at least 16 ASCII bytes at once, other bytes one by one.
    @inline(__always)
    private static func forEachRun(
        of bytes: UnsafeBufferPointer<UInt8>, ascii: (Slice<UnsafeBufferPointer<UInt8>>) -> Void, other: (UInt8) -> Void
    ) {
        var i = 0
        while i < bytes.count {
            let end = UTF8Scan.endOfASCII(in: bytes, from: i)
            if end &- i >= 16 {
                ascii(bytes[i..<end])
            } else {
                for byte in bytes[i..<end] { other(byte) }
            }
            i = end
            while i < bytes.count, bytes[i] &- 1 >= 0x7F {
                other(bytes[i])
                i &+= 1
            }
        }
    }
}

/// The output of a decoder: well-formed UTF-8 and the count of replacements.
struct DecoderOutput {
    private var utf8: [UInt8] = []
    private var replacements = 0

    /// Starts with empty output.
    ///
    /// - Parameter capacity: the expected number of bytes.
    init(capacity: Int) {
        utf8.reserveCapacity(capacity &+ capacity / 8)
    }

    var text: DecodedText { DecodedText(utf8: utf8, replacements: replacements) }

    /// Copies the ASCII bytes from `i` on and moves `i` after them. Returns false at the end of the bytes; otherwise `bytes[i]`
    /// is then NUL or beyond ASCII.
    mutating func takeASCII(_ bytes: UnsafeBufferPointer<UInt8>, _ i: inout Int) -> Bool {
        guard i < bytes.count else { return false }
        if bytes[i] &- 1 < 0x7F {
            let end = UTF8Scan.endOfASCII(in: bytes, from: i)
            utf8.append(contentsOf: bytes[i..<end])
            i = end
        }
        return i < bytes.count
    }

    /// Appends bytes that are known to be well-formed.
    mutating func appendUTF8(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        utf8.append(contentsOf: bytes)
    }

    mutating func appendReplacement() {
        replacements &+= 1
        utf8.append(0xEF)
        utf8.append(0xBF)
        utf8.append(0xBD)
    }

    /// Writes a code point. NUL, surrogates and numbers beyond Unicode become U+FFFD.
    mutating func append(_ scalar: UInt32) {
        switch scalar {
        case 0x01...0x7F:
            utf8.append(UInt8(truncatingIfNeeded: scalar))
        case 0x80...0x7FF:
            utf8.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        case 0x800...0xD7FF, 0xE000...0xFFFF:
            utf8.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        case 0x10000...0x10FFFF:
            utf8.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
            utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            utf8.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        default:
            appendReplacement()
        }
    }
}
