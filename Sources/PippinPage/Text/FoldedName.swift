/// A name as it is compared: its letters and digits, without case, accents, spaces and punctuation. `El País`, `EL PAIS` and
/// the `elpais` of a host are one name.
struct FoldedName: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ text: some StringProtocol) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { Self.append(scalar, to: &bytes) }
        self.bytes = bytes
    }

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }
    var isNumber: Bool { bytes.allSatisfy(\.isASCIIDigit) }

    func starts(with other: FoldedName) -> Bool { bytes.starts(with: other.bytes) }

    func ends(with other: FoldedName) -> Bool {
        count >= other.count && bytes[(count - other.count)...].elementsEqual(other.bytes)
    }

    func contains(_ other: FoldedName) -> Bool { bytes.position(of: other.bytes) != nil }

    /// The words of a text, each as a hash; words of one or two bytes are left out unless there are no others.
    static func words(of text: String) -> Set<UInt64> {
        var long: Set<UInt64> = []
        var short: Set<UInt64> = []
        var word: [UInt8] = []
        func end() {
            guard !word.isEmpty else { return }
            let hash = word.withUnsafeBufferPointer { FNV1a.hash($0) }
            if word.count > 2 { long.insert(hash) } else { short.insert(hash) }
            word.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
            let before = word.count
            append(scalar, to: &word)
            if word.count == before { end() }
        }
        end()
        return long.isEmpty ? short : long
    }

    /// Letters and digits; of the rest of Unicode everything but the blocks of punctuation. Case and accents are removed where
    /// one character stands for one other: Latin, Greek and Cyrillic.
    private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        let value = scalar.value
        switch value {
        case 0..<0x80:
            let byte = UInt8(value)
            if byte.isASCIIAlphanumeric { bytes.append(byte.asciiLowercased) }
        case 0xC0...0x17F:
            bytes.append(latin.utf8Start[Int(value - 0xC0)])
        case 0x80..<0xC0, 0x300...0x36F, 0x1C0...0x1C3, 0x2000...0x2BFF, 0x2E00...0x2E7F, 0x3000...0x3004,
            0x3008...0x3020,
            0xFE00...0xFE6F, 0xFEFF...0xFF0F, 0xFF1A...0xFF20, 0xFF3B...0xFF40, 0xFF5B...0xFF65, 0xFFE0...0xFFFF,
            0x1F000...0x1FAFF, 0xE0000...0xE0FFF:
            break
        case 0x391...0x3A9, 0x410...0x42F: appendUTF8(Unicode.Scalar(value + 0x20) ?? scalar, to: &bytes)
        case 0x400...0x40F: appendUTF8(Unicode.Scalar(value + 0x50) ?? scalar, to: &bytes)
        default: appendUTF8(scalar, to: &bytes)
        }
    }

    private static func appendUTF8(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// The base letters of U+00C0 … U+017F.
    private static let latin: StaticString =
        "aaaaaaaceeeeiiiidnoooooxouuuuytsaaaaaaaceeeeiiiidnoooooxouuuuytyaaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
}
