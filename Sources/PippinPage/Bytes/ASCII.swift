/// What a byte is in ASCII. Locale and Unicode have no say in the syntax of URLs, markup and headers.
extension UInt8 {
    @inline(__always) var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }
    /// 0 to 9.
    @inline(__always) public var isASCIIDigit: Bool { self &- 0x30 < 10 }
    @inline(__always) var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }
    @inline(__always) var isASCIIUppercase: Bool { self &- 0x41 < 26 }
    /// A–Z as a–z, every other byte as it is.
    @inline(__always) public var asciiLowercased: UInt8 { isASCIIUppercase ? self | 0x20 : self }
    /// a–z as A–Z, every other byte as it is.
    var asciiUppercased: UInt8 { self >= 0x61 && self <= 0x7A ? self & 0xDF : self }

    /// 0 to 15 for a hexadecimal digit.
    @inline(__always) var hexDigitValue: UInt8? {
        if isASCIIDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// The upper-case digit for 0 to 15.
    @inline(__always) static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? value &+ 0x30 : value &+ 0x37
    }
}

extension String {
    /// A–Z as a–z, everything else as it is; the string itself where it has no capital, without a copy.
    public var asciiLowercased: String {
        guard utf8.contains(where: \.isASCIIUppercase) else { return self }
        return String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
    }
}

extension RandomAccessCollection<UInt8> {
    /// Whether the bytes are this ASCII text in any letter case. `text` must be lower case.
    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        var i = startIndex
        for offset in 0..<count {
            let byte = self[i]
            let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            if lower != text.utf8Start[offset] { return false }
            formIndex(after: &i)
        }
        return true
    }
}
