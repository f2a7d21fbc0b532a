import CICU

/// Finds the words in text without spaces between them, with ICU's dictionaries: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
/// An object serves one thread at a time: `with` lends one.
final class WordBoundaries {
    private let iterator: OpaquePointer?

    /// Whether a character is of a script without spaces.
    static func areNeeded(for scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Thai, Lao; Burmese; Khmer.
        case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF: true
        // Kana with its marks, ideographs, the long mark.
        case 0x3005...0x3007, 0x3041...0x309A, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x323AF:
            true
        default: false
        }
    }

    init() {
        var status: Int32 = 0
        let opened = pippin_ubrk_openWords(&status)
        iterator = status <= 0 ? opened : nil
    }

    deinit {
        if let iterator { pippin_ubrk_close(iterator) }
    }

    /// Lends an object to `body`: opening one takes ICU longer than most texts do.
    static func with<Value>(_ body: (WordBoundaries) throws -> Value) rethrows -> Value {
        try objects.with(body)
    }

    private static let objects = LentObjects { WordBoundaries() }

    /// A run is cut for ICU: it looks at all that it gets at once.
    private static let maximumRun = 4_000

    /// The words of a run, and what stands between them.
    func parts(of scalars: String.UnicodeScalarView, _ body: (String.UnicodeScalarView) -> Void) {
        var start = scalars.startIndex
        while start < scalars.endIndex {
            let end = scalars.index(start, offsetBy: Self.maximumRun, limitedBy: scalars.endIndex) ?? scalars.endIndex
            let units = Array(String(scalars[start..<end]).utf16)
            var from = 0
            for to in ends(in: units) {
                body(String(decoding: units[from..<to], as: UTF16.self).unicodeScalars)
                from = to
            }
            start = end
        }
    }

    /// Where the words of a run end, as numbers of UTF-16 units.
    func ends(in units: [UInt16]) -> [Int] {
        guard let iterator, !units.isEmpty else { return [units.count] }
        // The iterator keeps the address until it gets another text.
        return units.withUnsafeBufferPointer { buffer in
            var status: Int32 = 0
            pippin_ubrk_setText(iterator, buffer.baseAddress, Int32(buffer.count), &status)
            guard status <= 0 else { return [units.count] }
            var ends: [Int] = []
            while case let end = pippin_ubrk_next(iterator), end > 0 { ends.append(Int(end)) }
            return ends.last == units.count ? ends : ends + [units.count]
        }
    }
}
