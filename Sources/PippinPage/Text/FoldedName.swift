/// A name as it is compared: its letters and digits, without case, accents, spaces and punctuation. `El País`, `EL PAIS` and
/// the `elpais` of a host are one name.
struct FoldedName: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ text: some StringProtocol) {
        bytes =
            text.utf8.withContiguousStorageIfAvailable(Self.folded)
            ?? Array(text.utf8).withUnsafeBufferPointer(Self.folded)
    }

    private static func folded(_ utf8: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        // No character is longer when it is folded.
        [UInt8](unsafeUninitializedCapacity: utf8.count) { bytes, count in
            var i = 0
            while i < utf8.count {
                var (rest, length) = next(utf8, &i)
                while length > 0 {
                    bytes[count] = UInt8(truncatingIfNeeded: rest)
                    rest >>= 8
                    count += 1
                    length -= 1
                }
            }
        }
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
        var text = text
        return text.withUTF8 { utf8 in
            var long: Set<UInt64> = []
            var short: Set<UInt64> = []
            var word = FNV1a()
            var count = 0
            func end() {
                if count > 2 { long.insert(word.value) } else if count > 0 { short.insert(word.value) }
                word = FNV1a()
                count = 0
            }
            var i = 0
            while i < utf8.count {
                var (rest, length) = next(utf8, &i)
                if length == 0 { end() }
                count += length
                while length > 0 {
                    word.add(UInt8(truncatingIfNeeded: rest))
                    rest >>= 8
                    length -= 1
                }
            }
            end()
            return long.isEmpty ? short : long
        }
    }

    /// The folded form of the character at `i`, which is moved behind it: bytes of UTF-8 from the lowest on, and how many.
    ///
    /// Letters and digits; of the rest of Unicode everything but the blocks of punctuation. Case and accents are removed where
    /// one character stands for one other: Latin, Greek and Cyrillic.
    ///
    /// - Parameter utf8: well-formed, as strings have it.
    @inline(__always)
    private static func next(_ utf8: UnsafeBufferPointer<UInt8>, _ i: inout Int) -> (bytes: UInt32, count: Int) {
        let lead = utf8[i]
        guard lead >= 0x80 else {
            i &+= 1
            return lead.isASCIIAlphanumeric ? (UInt32(lead.asciiLowercased), 1) : (0, 0)
        }
        return nextRare(utf8, &i)
    }

    private static func nextRare(_ utf8: UnsafeBufferPointer<UInt8>, _ i: inout Int) -> (bytes: UInt32, count: Int) {
        let lead = UInt32(utf8[i])
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        var value = lead & (0x7F >> UInt32(length))
        var bytes = lead
        for offset in 1..<length where i + offset < utf8.count {
            let byte = UInt32(utf8[i + offset])
            value = value << 6 | byte & 0x3F
            bytes |= byte << UInt32(8 * offset)
        }
        i += length
        switch value {
        case 0xC0...0x17F: return (UInt32(latin.utf8Start[Int(value - 0xC0)]), 1)
        case 0x80..<0xC0, 0x300...0x36F, 0x1C0...0x1C3, 0x2000...0x2BFF, 0x2E00...0x2E7F, 0x3000...0x3004,
            0x3008...0x3020,
            0xFE00...0xFE6F, 0xFEFF...0xFF0F, 0xFF1A...0xFF20, 0xFF3B...0xFF40, 0xFF5B...0xFF65, 0xFFE0...0xFFFF,
            0x1F000...0x1FAFF, 0xE0000...0xE0FFF:
            return (0, 0)
        case 0x391...0x3A9, 0x410...0x42F: return twoBytes(of: value + 0x20)
        case 0x400...0x40F: return twoBytes(of: value + 0x50)
        default: return (bytes, length)
        }
    }

    private static func twoBytes(of value: UInt32) -> (bytes: UInt32, count: Int) {
        (0xC0 | value >> 6 | (0x80 | value & 0x3F) << 8, 2)
    }

    /// The base letters of U+00C0 … U+017F.
    private static let latin: StaticString =
        "aaaaaaaceeeeiiiidnoooooxouuuuytsaaaaaaaceeeeiiiidnoooooxouuuuytyaaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
}
