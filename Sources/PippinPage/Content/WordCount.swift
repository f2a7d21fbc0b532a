/// Counts the words of a text.
enum WordCount {
    /// Words stand between spaces, and hold a letter or a digit. Where a script writes no spaces (Chinese, Japanese, Thai, Lao, Khmer,
    /// Burmese), ICU's dictionaries part them (`WordBoundaries`).
    ///
    /// - Parameter text: UTF-8, words separated by single spaces.
    static func words(of text: [UInt8], limits: ReadingLimits = .standard) -> Int {
        text.withUnsafeBufferPointer { words(of: $0, limits: limits) }
    }

    private static func words(of text: UnsafeBufferPointer<UInt8>, limits: ReadingLimits) -> Int {
        var steps = InterruptibleSteps(limits)
        var count = 0
        var start = 0
        while start < text.count, !steps.isInterrupted() {
            var end = start
            var hasWord = false
            var isDense = false
            while end < text.count, text[end] != 0x20 {
                if text[end] < 0x80 {
                    hasWord = hasWord || text[end].isASCIIAlphanumeric
                    end += 1
                    continue
                }
                // Characters of two bytes are letters of scripts with spaces, or marks.
                if hasWord, text[end] < 0xE0 {
                    end += 2
                    continue
                }
                let (value, length) = text.character(at: end)
                let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
                isDense = isDense || WordBoundaries.areNeeded(for: scalar)
                hasWord = hasWord || isWordCharacter(scalar)
                end += length
            }
            if isDense {
                let run = String(decoding: text[start..<min(end, text.count)], as: UTF8.self)
                WordBoundaries.with {
                    $0.parts(of: run.unicodeScalars) { if $0.contains(where: isWordCharacter) { count += 1 } }
                }
            } else if hasWord {
                count += 1
            }
            start = end + 1
        }
        return count
    }

    private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}
