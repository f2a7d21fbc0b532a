/// A fingerprint of a text that changes little when the text does (Charikar 2002; for web pages: Manku, Jain and Das Sarma
/// 2007, who take two pages for near duplicates when at most three of 64 bits differ).
enum SimHash {
    /// Words of a shingle: enough that the order of words counts.
    static let shingleWords = 3
    /// Texts with fewer words say too little: a change of one word turns many bits.
    static let minimumWords = 24

    /// - Parameter text: UTF-8, words separated by single spaces.
    /// - Returns: nil for a text of few words.
    static func value(of text: [UInt8]) -> UInt64? { hashes(of: text).similar }

    /// The same, and the FNV-1a hash of the whole text. Both take as long as one: each step of a hash waits for the one before.
    static func hashes(of text: [UInt8]) -> (similar: UInt64?, whole: UInt64) {
        var whole = FNV1a()
        var counts = Counts()
        var words = 0
        var recent: (UInt64, UInt64) = (0, 0)
        text.withUnsafeBufferPointer { bytes in
            var position = 0
            while position < bytes.count {
                var word = FNV1a()
                let start = position
                while position < bytes.count, bytes[position] != 0x20 {
                    word.add(bytes[position])
                    whole.add(bytes[position])
                    position += 1
                }
                if position > start {
                    words += 1
                    if words >= shingleWords { counts.add(mixed(recent.0, recent.1, word.value)) }
                    recent = (recent.1, word.value)
                }
                if position < bytes.count { whole.add(0x20) }
                position += 1
            }
        }
        return (words >= minimumWords ? counts.majority() : nil, whole.value)
    }

    private static func mixed(_ a: UInt64, _ b: UInt64, _ c: UInt64) -> UInt64 {
        var hash = (a &* 0x9E37_79B9_7F4A_7C15 ^ b) &* 0xBF58_476D_1CE4_E5B9 ^ c
        hash ^= hash >> 31
        hash &*= 0x94D0_49BB_1331_11EB
        return hash ^ hash >> 29
    }

    /// How often each of 64 bits was set. Eight counters lie in one word, a byte each, and are emptied before they overflow.
    private struct Counts {
        private var packed = SIMD8<UInt64>(repeating: 0)
        private var sums = [Int](repeating: 0, count: 64)
        private var pending = 0
        private var total = 0

        mutating func add(_ hash: UInt64) {
            for bit in 0..<8 {
                // The bits at this place of all eight bytes, each at the foot of its byte.
                packed[bit] &+= hash >> UInt64(bit) & 0x0101_0101_0101_0101
            }
            pending += 1
            total += 1
            if pending == 255 { empty() }
        }

        private mutating func empty() {
            for bit in 0..<8 {
                for byte in 0..<8 { sums[8 * byte + bit] += Int(packed[bit] >> UInt64(8 * byte) & 0xFF) }
            }
            packed = SIMD8(repeating: 0)
            pending = 0
        }

        mutating func majority() -> UInt64 {
            empty()
            var value: UInt64 = 0
            for bit in 0..<64 where 2 * sums[bit] > total { value |= 1 << UInt64(bit) }
            return value
        }
    }
}
