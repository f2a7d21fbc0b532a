/// The string members of one JSON object; members of other types are checked and left out.
///
/// Unlike Foundation's decoder it takes lone surrogates (`"\ud800"`), which become U+FFFD as everywhere on the web.
struct FlatJSONObject {
    private var members: [String: String] = [:]

    subscript(name: String) -> String? { members[name] }

    /// Reads `text`; nil when it is not a JSON object.
    init?(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        reader.skipSpace()
        guard reader.take(0x7B) else { return nil }
        reader.skipSpace()
        if !reader.take(0x7D) {
            repeat {
                reader.skipSpace()
                guard let name = reader.string() else { return nil }
                reader.skipSpace()
                guard reader.take(0x3A) else { return nil }
                reader.skipSpace()
                if reader.peek == 0x22 {
                    guard let value = reader.string() else { return nil }
                    members[name] = value
                } else {
                    guard reader.skipValue() else { return nil }
                    members[name] = nil
                }
                reader.skipSpace()
            } while reader.take(0x2C)
            guard reader.take(0x7D) else { return nil }
        }
        reader.skipSpace()
        guard reader.peek == nil else { return nil }
    }

    private struct Reader {
        let bytes: [UInt8]
        var at = 0

        var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

        mutating func take(_ byte: UInt8) -> Bool {
            guard peek == byte else { return false }
            at += 1
            return true
        }

        mutating func skipSpace() {
            while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { at += 1 }
        }

        /// A string from its opening to its closing quote.
        mutating func string() -> String? {
            guard take(0x22) else { return nil }
            var units: [UInt8] = []
            while let byte = peek {
                at += 1
                switch byte {
                case 0x22:
                    return String(decoding: units, as: UTF8.self)
                case 0x5C:
                    guard let scalar = escape() else { return nil }
                    units.append(contentsOf: String(Character(scalar)).utf8)
                case 0..<0x20:
                    return nil
                default:
                    units.append(byte)
                }
            }
            return nil
        }

        /// What follows a backslash.
        private mutating func escape() -> Unicode.Scalar? {
            guard let byte = peek else { return nil }
            at += 1
            switch byte {
            case 0x22, 0x5C, 0x2F: return Unicode.Scalar(byte)
            case 0x62: return "\u{8}"
            case 0x66: return "\u{C}"
            case 0x6E: return "\n"
            case 0x72: return "\r"
            case 0x74: return "\t"
            case 0x75:
                guard let high = hexUnit() else { return nil }
                guard high & 0xFC00 == 0xD800 else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
                let mark = at
                if take(0x5C), take(0x75), let low = hexUnit(), low & 0xFC00 == 0xDC00 {
                    return Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + (low & 0x3FF))
                }
                at = mark
                return "\u{FFFD}"
            default: return nil
            }
        }

        private mutating func hexUnit() -> UInt32? {
            var value: UInt32 = 0
            for _ in 0..<4 {
                guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
                value = value << 4 | UInt32(digit)
                at += 1
            }
            return value
        }

        /// Passes over a value. Brackets are counted, not nested calls, so depth costs nothing.
        mutating func skipValue() -> Bool {
            var open: [UInt8] = []
            repeat {
                skipSpace()
                guard let byte = peek else { return false }
                switch byte {
                case 0x22:
                    guard string() != nil else { return false }
                case 0x5B, 0x7B:
                    open.append(byte + 2)
                    at += 1
                case 0x5D, 0x7D:
                    guard open.popLast() == byte else { return false }
                    at += 1
                case 0x2C, 0x3A:
                    guard !open.isEmpty else { return false }
                    at += 1
                default:
                    let start = at
                    while let next = peek, Self.isWordByte(next) { at += 1 }
                    guard Self.isLiteral(bytes[start..<at]) else { return false }
                }
            } while !open.isEmpty
            return true
        }

        private static func isWordByte(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
                || byte == 0x45
        }

        private static func isLiteral(_ word: ArraySlice<UInt8>) -> Bool {
            let text = String(decoding: word, as: UTF8.self)
            return ["null", "true", "false"].contains(text)
                || (word.first.map { $0 != 0x2B } ?? false) && Double(text) != nil
        }
    }
}
