/// Words that are looked for in names: of classes, files and hosts. Letter case is ignored.
struct NameWords: Sendable {
    /// The words' hashes by their last bits, at most half of the places; 0 is none.
    private let places: [UInt64]

    /// - Parameter text: words in small letters with white space between them.
    init(_ text: String) {
        let hashes = text.split(whereSeparator: \.isWhitespace).map { FNV1a.hash($0.utf8) }
        var size = 16
        while size < 2 * hashes.count { size *= 2 }
        var places = [UInt64](repeating: 0, count: size)
        for hash in hashes {
            var place = Int(truncatingIfNeeded: hash) & (size - 1)
            while places[place] != 0 { place = (place + 1) & (size - 1) }
            places[place] = hash
        }
        self.places = places
    }

    private func has(_ hash: UInt64) -> Bool {
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place] != 0 {
            if places[place] == hash { return true }
            place = (place + 1) & (places.count - 1)
        }
        return false
    }

    /// Whether one of the words is in a name. `shareButtons` and `share-buttons` are two words; single letters are none.
    ///
    /// - Parameter subject: words that do not count.
    func haveOne(in name: some Sequence<UInt8>, besides subject: PictureSubject? = nil) -> Bool {
        func counts(_ hash: UInt64) -> Bool { has(hash) && !(subject?.has(hash: hash) ?? false) }
        var hash = FNV1a()
        var count = 0
        var wasSmall = false
        for byte in name {
            if byte.isASCIILetter, !(byte.isASCIIUppercase && wasSmall) {
                hash.add(byte.asciiLowercased)
                count += 1
            } else {
                if count > 1, counts(hash.value) { return true }
                hash = FNV1a()
                count = 0
                if byte.isASCIILetter {
                    hash.add(byte.asciiLowercased)
                    count = 1
                }
            }
            wasSmall = byte.isASCIILetter && !byte.isASCIIUppercase
        }
        return count > 1 && counts(hash.value)
    }
}
