extension SchemaOrg {
    /// A point on Earth in degrees, WGS 84.
    public struct Coordinates: Sendable, Hashable {
        /// Degrees north; negative for south.
        public var latitude: Double
        /// Degrees east; negative for west.
        public var longitude: Double
    }

    /// Reads `40.7128`, `40,7128`, `40.7128° N`, `40°42′46″N`. Swapped values are exchanged if only that makes sense (a
    /// latitude beyond ±90). Nil for 0, 0, which templates write for unknown places.
    public static func coordinates(latitude: String, longitude: String) -> Coordinates? {
        guard var lat = degrees(latitude), var long = degrees(longitude) else { return nil }
        if abs(lat) > 90 && abs(long) <= 90 { swap(&lat, &long) }
        guard abs(lat) <= 90, abs(long) <= 180, lat != 0 || long != 0 else { return nil }
        return Coordinates(latitude: lat, longitude: long)
    }

    /// Reads degrees, or degrees, minutes and seconds, with a sign or a letter for the hemisphere.
    private static func degrees(_ text: String) -> Double? {
        let bytes = bytes(of: text)
        guard let first = number(in: bytes, singleMark: .decimal) else { return nil }
        var value = abs(first.value)
        var isNegative = first.isNegative
        var end = first.range.upperBound
        if let minutes = number(in: bytes, from: end, singleMark: .decimal), minutes.value < 60 {
            value += abs(minutes.value) / 60
            end = minutes.range.upperBound
            if let seconds = number(in: bytes, from: end, singleMark: .decimal), seconds.value < 60 {
                value += abs(seconds.value) / 3_600
                end = seconds.range.upperBound
            }
        }
        // `40.7° S`, or `S 40.7°` if nothing else is before the number.
        let before = bytes[..<first.range.lowerBound].filter(\.isASCIILetter)
        if let letter = (before.count == 1 ? before.first : bytes[end...].first(where: \.isASCIILetter))?
            .asciiLowercased,
            letter == UInt8(ascii: "s") || letter == UInt8(ascii: "w")
        {
            isNegative = true
        }
        return isNegative ? -value : value
    }

    /// A telephone number in dialable form and as written.
    public struct Telephone: Sendable, Hashable {
        /// Digits, with a `+` before an international number.
        var dialable: String
        /// The digits after `;ext=`, `x`, `ext.`.
        public var `extension`: String?
        /// The number as written.
        public var raw: String
    }

    /// Reads `+1 (650) 555-0100 ext. 12`, `tel:+49-30-123456;ext=7`, `1-800-FLOWERS`, `+49 (0)30 1234`. If the text has several
    /// numbers, the first. Nil with fewer than 3 digits or more than 20 (E.164 allows 15).
    public static func telephone(_ text: String) -> Telephone? {
        let bytes = bytes(of: text)
        var digits: [UInt8] = []
        var isInternational = false
        var i =
            bytes.firstIndex { $0.isASCIIDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "(") } ?? bytes.count
        while i < bytes.count {
            let byte = bytes[i]
            if byte.isASCIIDigit {
                digits.append(byte)
            } else if byte == UInt8(ascii: "+") {
                guard digits.isEmpty else { break }
                isInternational = true
            } else if byte == UInt8(ascii: "("), isInternational, bytes[i...].starts(with: "(0)".utf8) {
                i += 2  // the trunk prefix, which is not dialed after a country code
            } else if byte.isASCIILetter {
                let word = bytes[i...].prefix(while: \.isASCIILetter)
                // Letters of a keypad: upper-case words within the number, as in 1-800-FLOWERS.
                guard digits.count >= 3, word.count >= 3, word.allSatisfy({ $0 < 0x60 }) else { break }
                digits.append(contentsOf: word.map(keypadDigit))
                i = word.endIndex
                continue
            } else if byte == UInt8(ascii: "%"), i + 2 < bytes.count, bytes[i + 1] == 0x32, bytes[i + 2] == 0x30 {
                i += 2  // an escaped space in a `tel:` URL
            } else if byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "#") {
                break
            } else if byte == UInt8(ascii: "/"), digits.count >= 7 {
                break
            }
            i += 1
        }
        guard (3...20).contains(digits.count) else { return nil }
        let number = (isInternational ? "+" : "") + String(decoding: digits, as: UTF8.self)
        var raw = text.trimmingHTMLSpace()
        if raw.utf8.count >= 4, Array(raw.utf8.prefix(4)).map(\.asciiLowercased) == Array("tel:".utf8) {
            raw = String(raw.dropFirst(4))
        }
        return Telephone(dialable: number, extension: telephoneExtension(bytes[i...]), raw: raw)
    }

    private static func keypadDigit(_ letter: UInt8) -> UInt8 {
        let keys = Array("22233344455566677778889999".utf8)
        let index = Int(letter) - 0x41
        return keys.indices.contains(index) ? keys[index] : UInt8(ascii: "0")
    }

    /// The digits after a mark for extensions, if the text begins with such a mark.
    private static func telephoneExtension(_ rest: ArraySlice<UInt8>) -> String? {
        let rest = rest.drop { $0 == 0x20 || $0 == 0x3B || $0 == 0x2C }
        let word = rest.prefix { $0.isASCIILetter || $0 == 0x23 }.map(\.asciiLowercased)
        switch String(decoding: word, as: UTF8.self) {
        case "x", "ext", "extension", "extn", "durchwahl", "poste", "int", "#": break
        default: return nil
        }
        let digits = rest.dropFirst(word.count).drop { $0 == 0x20 || $0 == 0x2E || $0 == 0x3D || $0 == 0x3A }
            .prefix(while: \.isASCIIDigit)
        return (1...8).contains(digits.count) ? String(decoding: digits, as: UTF8.self) : nil
    }
}
