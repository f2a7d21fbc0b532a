import CICU

/// Finds the words in text without spaces between them, with ICU's dictionaries: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
/// An object serves one thread at a time.
final class WordBoundaries {
    private let iterator: OpaquePointer?

    init() {
        var status: Int32 = 0
        let opened = pippin_ubrk_openWords(&status)
        iterator = status <= 0 ? opened : nil
    }

    deinit {
        if let iterator { pippin_ubrk_close(iterator) }
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
