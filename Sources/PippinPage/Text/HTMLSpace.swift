// HTML's white space (tab, line feed, form feed, carriage return, space): trimmed, split at, collapsed.

extension Collection<UInt8> where Self: BidirectionalCollection {
    /// The text without HTML's white space (tab, line feed, form feed, carriage return, space) at both ends.
    public func trimmingHTMLSpace() -> SubSequence {
        var start = startIndex
        var end = endIndex
        while start < end, self[start].isHTMLSpace { formIndex(after: &start) }
        while start < end, self[index(before: end)].isHTMLSpace { formIndex(before: &end) }
        return self[start..<end]
    }
}

extension UInt8 {
    /// Whether this is ASCII white space (Infra Standard §4.6).
    public var isHTMLSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D || self == 0x0C
    }
}

extension String {
    /// The text without HTML's white space at both ends.
    public func trimmingHTMLSpace() -> String {
        let trimmed = utf8.trimmingHTMLSpace()
        return trimmed.count == utf8.count ? self : String(Substring(trimmed))
    }
}

extension ArraySlice<UInt8> {
    /// The tokens between HTML white space (Infra "split on ASCII whitespace").
    func splitOnHTMLSpace() -> [ArraySlice<UInt8>] {
        split(whereSeparator: \.isHTMLSpace)
    }
}

// MARK: Collapsing

extension String {
    /// The trimmed text, with every inner run of white space as one space.
    public func collapsingHTMLSpace() -> String {
        var collector = CollapsingText()
        var copy = self
        copy.withUTF8 { collector.append($0) }
        return collector.string
    }
}

/// Collects pieces of text; every run of HTML white space and no-break spaces becomes one space.
struct CollapsingText {
    private(set) var bytes: [UInt8] = []
    private var needsSpace = false
    private let maximumBytes: Int

    init(maximumBytes: Int = .max) {
        self.maximumBytes = maximumBytes
    }

    var isFull: Bool { bytes.count >= maximumBytes }

    /// Removes all text and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsSpace = false
    }

    mutating func separate() {
        needsSpace = !bytes.isEmpty
    }

    mutating func append(_ piece: Slice<UnsafeBufferPointer<UInt8>>) {
        append(UnsafeBufferPointer(rebasing: piece))
    }

    mutating func append(_ piece: UnsafeBufferPointer<UInt8>) {
        var i = 0
        while i < piece.count && !isFull {
            let byte = piece[i]
            if byte <= 0x20 {
                separate()
                i = Self.endOfSpace(in: piece, from: i)
            } else if byte == 0xC2 && i + 1 < piece.count && piece[i + 1] == 0xA0 {
                separate()
                i += 2
            } else {
                var end = Self.endOfWords(in: piece, from: i)
                // A word may be as long as the page. It is cut a little beyond the limit, at a character.
                if end - i - Self.maximumRun > maximumBytes - bytes.count {
                    end = i + Self.maximumRun + maximumBytes - bytes.count
                    while end > i, piece[end] & 0xC0 == 0x80 { end -= 1 }
                }
                if needsSpace {
                    bytes.append(0x20)
                    needsSpace = false
                }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: piece[i..<end]))
                i = end
            }
        }
    }

    /// Where the white space at `start` ends.
    private static func endOfSpace(in piece: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(piece)
        var end = start &+ 1
        while end &+ 8 <= piece.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: end, as: UInt64.self))
            let black = ~white(word) & highs
            if black != 0 { return end &+ black.trailingZeroBitCount >> 3 }
            end &+= 8
        }
        while end < piece.count, piece[end] <= 0x20 { end &+= 1 }
        return end
    }

    private static let lows: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The high bit of each byte says whether it is white space.
    @inline(__always)
    private static func white(_ word: UInt64) -> UInt64 {
        ~(((word & lows) &+ 0x5F5F_5F5F_5F5F_5F5F) | word | lows)
    }

    /// Where the words that begin at `start` end: single spaces between them are copied together with them, up to a limit.
    private static func endOfWords(in piece: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(piece)
        let count = piece.count
        var end = start &+ 1
        // Eight bytes per step, while the byte behind them is there and a space is within the limit.
        while end &+ 9 <= count, end &+ 8 &- start < maximumRun {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: end, as: UInt64.self))
            // The high bit of each byte says whether it is white space, a space, or may begin a no-break space.
            let notSpace = word ^ 0x2020_2020_2020_2020
            let space = ~(((notSpace & lows) &+ lows) | notSpace | lows)
            let notLead = word ^ 0xC2C2_C2C2_C2C2_C2C2
            let odd = white(word) | ~(((notLead & lows) &+ lows) | notLead | lows)
            let next = raw[end &+ 8]
            let oddNext = (odd &>> 8) | (next <= 0x20 || next == 0xC2 ? 1 << 63 : 0)
            let stop = (odd & ~space) | (space & oddNext)
            if stop != 0 { return end &+ stop.trailingZeroBitCount >> 3 }
            end &+= 8
        }
        while end < count {
            if piece[end] <= 0x20 {
                guard piece[end] == 0x20, end - start < maximumRun, end + 1 < count, piece[end + 1] > 0x20,
                    piece[end + 1] != 0xC2
                else { break }
            } else if piece[end] == 0xC2 {
                break
            }
            end += 1
        }
        return end
    }

    /// Bytes that are copied at once, but for the rest of a word. A text with a limit has at most as many beyond it.
    private static let maximumRun = 1_024

    /// The text, cut at the limit between two characters.
    var string: String {
        var end = min(bytes.count, maximumBytes)
        while end > 0 && end < bytes.count && bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
