/// Counts the words of a text.
enum WordCount {
    /// Words stand between spaces, and hold a letter or a digit. Where a script writes no spaces (Chinese, Japanese, Thai, Lao, Khmer,
    /// Burmese), ICU's dictionaries part them (`WordBoundaries`).
    ///
    /// - Parameter text: UTF-8, words separated by single spaces.
    static func words(of text: [UInt8], limits: ReadingLimits = .standard) -> Int {
        var steps = InterruptibleSteps(limits)
        var boundaries: WordBoundaries?
        var count = 0
        var start = 0
        while start < text.count, !steps.isInterrupted() {
            var end = start
            var hasWord = false
            // Scripts without spaces begin with U+0E00.
            var mayBeDense = false
            while end < text.count, text[end] != 0x20 {
                hasWord = hasWord || text[end] >= 0x80 || text[end].isASCIIAlphanumeric
                mayBeDense = mayBeDense || text[end] >= 0xE0
                end += 1
            }
            let run = text[start..<end]
            start = end + 1
            guard mayBeDense else {
                if hasWord { count += 1 }
                continue
            }
            let scalars = String(decoding: run, as: UTF8.self).unicodeScalars
            guard scalars.contains(where: isDense) else {
                if scalars.contains(where: isWordCharacter) { count += 1 }
                continue
            }
            let iterator = boundaries ?? WordBoundaries()
            boundaries = iterator
            count += words(in: scalars, by: iterator)
        }
        return count
    }

    /// A run is cut for ICU: it looks at all that it gets at once.
    private static let maximumRun = 4_000

    private static func words(in scalars: String.UnicodeScalarView, by boundaries: WordBoundaries) -> Int {
        var count = 0
        var start = scalars.startIndex
        while start < scalars.endIndex {
            let end = scalars.index(start, offsetBy: maximumRun, limitedBy: scalars.endIndex) ?? scalars.endIndex
            let part = String(scalars[start..<end])
            let units = Array(part.utf16)
            var from = 0
            for to in boundaries.ends(in: units) {
                if String(decoding: units[from..<to], as: UTF16.self).unicodeScalars.contains(where: isWordCharacter) {
                    count += 1
                }
                from = to
            }
            start = end
        }
        return count
    }

    private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    /// Thai and Lao, Burmese, Khmer, kana, ideographs.
    private static func isDense(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x323AF:
            true
        default: false
        }
    }
}
