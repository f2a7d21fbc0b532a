import CLibXML2

/// HTML character references in text that HTML does not decode: `&quot;` in a script, `&amp;` in a string of JSON.
///
/// References are decoded once and need their semicolon, so that `&amp;amp;` is `&amp;` and `?a=1&copy=2` stays.
enum CharacterReferences {
    /// A text with its references decoded, which knows where each byte was written.
    struct Decoded {
        fileprivate(set) var bytes: [UInt8] = []
        /// One past each reference: in the decoded and in the written text. Between two the texts are equal.
        fileprivate var ends: [(decoded: Int, written: Int)] = []
        /// Where the first reference stands.
        fileprivate(set) var firstOffset = 0

        /// The place in the written text of a place in the decoded one.
        func writtenOffset(of offset: Int) -> Int {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle].decoded <= offset { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? offset : ends[low - 1].written + offset - ends[low - 1].decoded
        }
    }

    /// Nil when there is none to decode.
    static func decoded(_ text: ArraySlice<UInt8>) -> Decoded? {
        var result = Decoded()
        var copied = text.startIndex
        var i = text.startIndex
        while let ampersand = text[i...].firstIndex(of: UInt8(ascii: "&")) {
            guard let (scalar, end) = reference(in: text, at: ampersand) else {
                i = ampersand + 1
                continue
            }
            if result.ends.isEmpty { result.firstOffset = ampersand - text.startIndex }
            result.bytes.append(contentsOf: text[copied..<ampersand])
            result.bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            result.ends.append((result.bytes.count, end - text.startIndex))
            copied = end
            i = end
        }
        if result.ends.isEmpty { return nil }
        result.bytes.append(contentsOf: text[copied...])
        return result
    }

    /// Nil when there is none to decode.
    static func decoded(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return nil }
        return decoded(Array(text.utf8)[...]).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private static func reference(in text: ArraySlice<UInt8>, at start: Int) -> (Unicode.Scalar, end: Int)? {
        // The longest references looked for are `&thetasym;` and `&#x0010FFFF;`.
        guard let semicolon = text[start...].prefix(13).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = text[start + 1..<semicolon]
        guard name.first == UInt8(ascii: "#") else {
            return named[String(decoding: name, as: UTF8.self)].map { ($0, semicolon + 1) }
        }
        let isHexadecimal = name.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        var value: UInt32 = 0
        for byte in digits {
            guard let digit = byte.hexDigitValue, isHexadecimal || digit < 10 else { return nil }
            value = value &* (isHexadecimal ? 16 : 10) &+ UInt32(digit)
        }
        guard !digits.isEmpty, digits.count <= 8, value > 0 else { return nil }
        return (ControlReferences.scalar(of: value), semicolon + 1)
    }

    /// The names of HTML 4 (its 252, and `apos`) by libxml2's table, and four in capitals that HTML has too.
    private static let named: [String: Unicode.Scalar] = {
        var named: [String: Unicode.Scalar] = ["QUOT": "\"", "AMP": "&", "LT": "<", "GT": ">"]
        // The table ends with U+2666.
        for value in UInt32(34)...9_830 {
            guard let entry = htmlEntityValueLookup(value), let name = entry.pointee.name,
                let scalar = Unicode.Scalar(value)
            else { continue }
            named[String(cString: name)] = scalar
        }
        return named
    }()
}
