import CICU

/// A decimal digit of any script (Unicode's general category Nd): `4`, `٤`, `४`, `４`.
struct DecimalDigit {
    let value: Int
    /// In bytes.
    let length: Int

    /// The digit that begins at a byte of a text in UTF-8; nil if none does.
    @inline(__always)
    init?(in text: [UInt8], at index: Int) {
        guard index < text.count else { return nil }
        let byte = text[index]
        if byte.isASCIIDigit {
            self.init(value: Int(byte & 0xF), length: 1)
        } else {
            // Most letters need not be decoded: their lead bytes are none of a digit's.
            switch byte {
            case 0xD9, 0xDB, 0xDF, 0xE0, 0xE1, 0xEA, 0xEF, 0xF0: self.init(beyondASCII: text[index...].prefix(4))
            default: return nil
            }
        }
    }

    private init(value: Int, length: Int) {
        self.value = value
        self.length = length
    }

    private init?(beyondASCII text: ArraySlice<UInt8>) {
        var bytes = text.makeIterator()
        var decoder = UTF8()
        guard case .scalarValue(let scalar) = decoder.decode(&bytes), let value = Self.value(of: scalar) else {
            return nil
        }
        self.init(value: value, length: UTF8.width(scalar))
    }

    /// The value of a digit; nil for other characters.
    static func value(of scalar: Unicode.Scalar) -> Int? {
        let value = Int(pippin_u_charDigitValue(scalar.value))
        return value < 0 ? nil : value
    }

    /// Replaces digits of other scripts by ASCII digits, and also the Arabic decimal and thousands marks, the full-width comma
    /// and full stop, and minus signs (U+2212, and the small and the full-width one).
    static func folding(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if let digit = value(of: scalar) {
                result.append(0x30 + UInt8(digit))
                continue
            }
            switch scalar.value {
            case 0x66B, 0xFF0E: result.append(UInt8(ascii: "."))
            case 0x66C, 0xFF0C: result.append(UInt8(ascii: ","))
            case 0x2212, 0xFE63, 0xFF0D: result.append(UInt8(ascii: "-"))
            default: result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return result
    }
}
