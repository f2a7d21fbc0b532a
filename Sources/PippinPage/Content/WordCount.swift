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
            guard scalars.contains(where: WordBoundaries.areNeeded(for:)) else {
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
}
