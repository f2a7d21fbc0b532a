import Glibc

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
            // §3.2.3: members are sorted by UTF-16 code units.
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

    /// Writes a quoted string (§3.2.2.2).
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

/// JSON numbers in the canonical forms of XML Schema and ECMAScript.
enum CanonicalNumber {
    /// Canonical `xsd:integer`; nil for fractions and for numbers of 10^21 and more (JSON-LD 1.1 API §8.2.2 step 9).
    static func integer(_ text: String) -> String? {
        guard let value = Double(text), value.isFinite, value == value.rounded(), abs(value) < 1e21 else { return nil }
        if value == 0 { return "0" }
        // Integers that a Double cannot represent are kept as written.
        let utf8 = text.utf8
        if utf8.dropFirst(utf8.first == UInt8(ascii: "-") ? 1 : 0).allSatisfy(\.isASCIIDigit) { return text }
        return Int128(exactly: value).map(String.init)
    }

    /// Canonical `xsd:double`: one digit before the point, at most 15 after it (JSON-LD 1.1 API §8.6).
    static func double(_ text: String) -> String {
        guard let value = Double(text) else { return "NaN" }
        if !value.isFinite { return value < 0 ? "-INF" : "INF" }
        if value == 0 { return value.sign == .minus ? "-0.0E0" : "0.0E0" }
        var buffer = [CChar](repeating: 0, count: 40)
        let count = withVaList([value]) { vsnprintf(&buffer, buffer.count, "%.15e", $0) }
        let written = buffer.prefix(Int(max(0, min(count, 39)))).map { UInt8(bitPattern: $0) }
        guard let e = written.firstIndex(of: UInt8(ascii: "e")) else { return text }
        var mantissa = written[..<e]
        while mantissa.last == UInt8(ascii: "0"), mantissa.dropLast().last != UInt8(ascii: ".") {
            mantissa.removeLast()
        }
        let exponent = Int(String(decoding: written[(e + 1)...], as: UTF8.self)) ?? 0
        return String(decoding: mantissa, as: UTF8.self) + "E\(exponent)"
    }

    /// ECMAScript's `Number::toString` (RFC 8785 §3.2.2.3); nil for numbers beyond Double.
    static func ecmaScript(_ text: String) -> String? {
        guard let value = Double(text), value.isFinite else { return nil }
        if value == 0 { return "0" }
        // Swift's description has the same shortest digits; only point and exponent differ.
        var digits: [UInt8] = []
        var pointAt: Int?
        var exponent = 0
        let description = abs(value).description.utf8
        for (index, byte) in description.enumerated() {
            if byte == UInt8(ascii: ".") {
                pointAt = digits.count
            } else if byte == UInt8(ascii: "e") {
                exponent = Int(String(decoding: description.dropFirst(index + 1), as: UTF8.self)) ?? 0
                break
            } else {
                digits.append(byte)
            }
        }
        // The number is 0.DIGITS × 10^n.
        var n = (pointAt ?? digits.count) + exponent
        while digits.first == UInt8(ascii: "0"), digits.count > 1 {
            digits.removeFirst()
            n -= 1
        }
        while digits.last == UInt8(ascii: "0"), digits.count > 1 { digits.removeLast() }
        let k = digits.count
        let all = String(decoding: digits, as: UTF8.self)
        let sign = value < 0 ? "-" : ""
        if k <= n, n <= 21 { return sign + all + String(repeating: "0", count: n - k) }
        if n > 0, n <= 21 { return sign + all.prefix(n) + "." + all.dropFirst(n) }
        if n > -6, n <= 0 { return sign + "0." + String(repeating: "0", count: -n) + all }
        let power = n - 1
        let mantissa = k == 1 ? all : all.prefix(1) + "." + all.dropFirst()
        return sign + mantissa + "e" + (power < 0 ? "-" : "+") + String(abs(power))
    }
}
