/// JSON Canonicalization Scheme (RFC 8785): equal values have equal bytes.
enum CanonicalJSON {
    /// Nil for values without a canonical form: numbers outside of IEEE 754.
    static func text(of value: JSONValue) -> String? {
        var bytes: [UInt8] = []
        guard append(value, to: &bytes) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ value: JSONValue, to bytes: inout [UInt8]) -> Bool {
        switch value.content {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .number(let text):
            guard let number = CanonicalNumber.ecmaScript(text) else { return false }
            bytes += number.utf8
        case .string(let text): quote(text, into: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                guard append(element, to: &bytes) else { return false }
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            // §3.2.3: by UTF-16 code units.
            let members = object.members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                quote(member.key, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                guard append(member.value, to: &bytes) else { return false }
            }
            bytes.append(UInt8(ascii: "}"))
        }
        return true
    }

    /// §3.2.2.2
    private static func quote(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: bytes += "\\b".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x00...0x1F:
                bytes += "\\u00".utf8
                for digit in [byte >> 4, byte & 0xF] {
                    bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                }
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
