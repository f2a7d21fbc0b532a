/// Words that are looked for in names: of classes, files and hosts. Letter case is ignored.
struct NameWords: Sendable {
    private let hashes: Set<UInt64>

    /// - Parameter text: words in small letters with white space between them.
    init(_ text: String) {
        hashes = Set(text.split(whereSeparator: \.isWhitespace).map { FNV1a.hash($0.utf8) })
    }

    /// Whether one of the words is in a name. `shareButtons` and `share-buttons` are two words; single letters are none.
    func haveOne(in name: some Sequence<UInt8>) -> Bool {
        var hash = FNV1a()
        var count = 0
        var wasSmall = false
        for byte in name {
            if byte.isASCIILetter, !(byte.isASCIIUppercase && wasSmall) {
                hash.add(byte.asciiLowercased)
                count += 1
            } else {
                if count > 1, hashes.contains(hash.value) { return true }
                hash = FNV1a()
                count = 0
                if byte.isASCIILetter {
                    hash.add(byte.asciiLowercased)
                    count = 1
                }
            }
            wasSmall = byte.isASCIILetter && !byte.isASCIIUppercase
        }
        return count > 1 && hashes.contains(hash.value)
    }
}
