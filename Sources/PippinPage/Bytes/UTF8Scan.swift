/// Scans of all bytes of a page, many bytes per step.
///
/// The most important one finds the first byte that a decoder must replace: an ill-formed UTF-8 sequence, or NUL. Nearly every
/// page is valid UTF-8, so this is the whole cost of decoding.
enum UTF8Scan {
    /// The offset of the first NUL or ill-formed sequence from `start` on; `bytes.count` if there is none. Adds the number of
    /// characters beyond ASCII before it to `multibyte`.
    static func faultOffset(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, multibyte: inout Int
    ) -> Int {
        let count = bytes.count
        var i = start
        while i < count {
            i = endOfASCII(in: bytes, from: i)
            if i >= count { return count }
            if bytes[i] == 0 { return i }
            // Most text beyond ASCII is a run of such characters with single ASCII bytes (spaces, commas) between them.
            while i < count {
                let lead = bytes[i]
                if lead < 0x80 {
                    if lead == 0 { return i }
                    i &+= 1
                    if i < count, bytes[i] < 0x80 { break }
                    continue
                }
                let length = sequenceLength(in: bytes, at: i)
                if length <= 0 { return i }
                multibyte &+= 1
                i &+= length
            }
        }
        return count
    }

    /// The offset of the first byte from `start` on that is NUL or beyond ASCII.
    static func endOfASCII(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let count = bytes.count
        var i = start
        let raw = UnsafeRawBufferPointer(bytes)
        // A byte is 1...127 if neither it nor it minus one has the high bit set. The lowest flagged byte of a word is exact; a
        // borrow only affects bytes above it.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        while i &+ 32 <= count {
            let a = raw.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            let b = raw.loadUnaligned(fromByteOffset: i &+ 8, as: UInt64.self)
            let c = raw.loadUnaligned(fromByteOffset: i &+ 16, as: UInt64.self)
            let d = raw.loadUnaligned(fromByteOffset: i &+ 24, as: UInt64.self)
            let plain = (a | b | c | d) & highs
            let minusOne = ((a &- ones) | (b &- ones) | (c &- ones) | (d &- ones)) & highs
            if plain | minusOne != 0 { break }
            i &+= 32
        }
        while i &+ 8 <= count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            let flagged = (word | (word &- ones)) & highs
            if flagged != 0 { return i &+ flagged.trailingZeroBitCount >> 3 }
            i &+= 8
        }
        while i < count, bytes[i] &- 1 < 0x7F { i &+= 1 }
        return i
    }

    /// The number of line feeds of a text, eight bytes per step.
    static func lineFeedCount(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let lows: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        return count(
            in: bytes, where: { $0 == 0x0A },
            bits: { word in
                // A byte that is a line feed becomes zero, and zero alone keeps its high bit clear in both steps.
                let others = word ^ 0x0A0A_0A0A_0A0A_0A0A
                return ~(((others & lows) &+ lows) | others | lows)
            })
    }

    /// The offset of the last line feed; nil if there is none.
    static func lastLineFeed(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var i = bytes.count &- 1
        while i >= 0, bytes[i] != 0x0A { i &-= 1 }
        return i >= 0 ? i : nil
    }

    /// The number of characters in a UTF-8 text: its bytes without continuation bytes.
    static func characterCount(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let continuing = count(
            in: bytes, where: { $0 & 0xC0 == 0x80 }, bits: { $0 & ~($0 << 1) & 0x8080_8080_8080_8080 })
        return bytes.count &- continuing
    }

    /// Counts bytes, eight at a time: `bits` sets the high bit of each byte that counts.
    @inline(__always)
    private static func count(
        in bytes: UnsafeBufferPointer<UInt8>, where isCounted: (UInt8) -> Bool, bits: (UInt64) -> UInt64
    ) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var total = 0
        var i = 0
        while i &+ 8 <= bytes.count {
            // Eight sums in one word. After 255 steps a sum could overflow.
            var sums: UInt64 = 0
            let end = min(bytes.count &- 7, i &+ 8 &* 255)
            while i < end {
                sums &+= bits(raw.loadUnaligned(fromByteOffset: i, as: UInt64.self)) &>> 7
                i &+= 8
            }
            let pairs = (sums & 0x00FF_00FF_00FF_00FF) &+ ((sums &>> 8) & 0x00FF_00FF_00FF_00FF)
            total &+= Int((pairs &* 0x0001_0001_0001_0001) &>> 48)
        }
        while i < bytes.count {
            if isCounted(bytes[i]) { total &+= 1 }
            i &+= 1
        }
        return total
    }

    /// The length of the well-formed sequence that starts at `i` with a byte beyond ASCII. For an ill-formed one, minus the
    /// number of bytes that one U+FFFD replaces: the longest beginning of a well-formed sequence, at least one byte (Encoding
    /// Standard §8.1.1, Unicode's "maximal subpart").
    static func sequenceLength(in bytes: UnsafeBufferPointer<UInt8>, at i: Int) -> Int {
        let lead = bytes[i]
        let left = bytes.count &- i
        var lower: UInt8 = 0x80
        var upper: UInt8 = 0xBF
        let needed: Int
        switch lead {
        case 0xC2...0xDF: needed = 2
        case 0xE0...0xEF:
            needed = 3
            if lead == 0xE0 { lower = 0xA0 }
            if lead == 0xED { upper = 0x9F }
        case 0xF0...0xF4:
            needed = 4
            if lead == 0xF0 { lower = 0x90 }
            if lead == 0xF4 { upper = 0x8F }
        default: return -1
        }
        guard left >= 2, bytes[i &+ 1] >= lower, bytes[i &+ 1] <= upper else { return -1 }
        if needed == 2 { return 2 }
        guard left >= 3, bytes[i &+ 2] & 0xC0 == 0x80 else { return -2 }
        if needed == 3 { return 3 }
        guard left >= 4, bytes[i &+ 3] & 0xC0 == 0x80 else { return -3 }
        return 4
    }

    /// The number of characters beyond ASCII in a UTF-8 text; nil if it is not valid. NUL is allowed, and the last character
    /// may be cut, as in a limited body.
    static func multibyteCount(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var multibyte = 0
        var i = 0
        while true {
            i = faultOffset(in: bytes, from: i, multibyte: &multibyte)
            if i >= bytes.count { return multibyte }
            if bytes[i] == 0 {
                i &+= 1
                continue
            }
            let isCutShort =
                bytes[i] >= 0xC2 && bytes[i] <= 0xF4 && i &- sequenceLength(in: bytes, at: i) == bytes.count
            return isCutShort && multibyte > 0 ? multibyte : nil
        }
    }
}
