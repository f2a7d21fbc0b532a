/// Words that are looked for in names: of classes, files and hosts. Letter case is ignored.
struct NameWords: Sendable {
    /// The words' hashes by their last bits, at most half of the places; 0 is none.
    private let places: [(hash: UInt64, meaning: UInt16)]

    /// - Parameter text: words in small letters with white space between them.
    init(_ text: String) { self.init([(1, text)]) }

    /// - Parameter rows: words, and what those of the row mean, as bits. Of a word in two rows, the first row counts.
    init(_ rows: [(meaning: UInt16, text: String)]) {
        let words = rows.flatMap { row in
            row.text.split(whereSeparator: \.isWhitespace).map { (hash: FNV1a.hash($0.utf8), meaning: row.meaning) }
        }
        var size = 16
        while size < 2 * words.count { size *= 2 }
        var places = [(hash: UInt64, meaning: UInt16)](repeating: (0, 0), count: size)
        for word in words {
            var place = Int(truncatingIfNeeded: word.hash) & (size - 1)
            while places[place].hash != 0 { place = (place + 1) & (size - 1) }
            places[place] = word
        }
        self.places = places
    }

    /// What a word means, by its hash; 0 for any other word.
    func meaning(of hash: UInt64) -> UInt16 {
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place].hash != 0 {
            if places[place].hash == hash { return places[place].meaning }
            place = (place + 1) & (places.count - 1)
        }
        return 0
    }

    /// Calls `body` with the hash of each word until it returns false. `shareButtons` and `share-buttons` are two words; single
    /// letters are none.
    ///
    /// - Parameter body: its second argument is whether the word is the first of a name, after white space.
    @inline(__always)
    static func forEachWord(in names: some Sequence<UInt8>, _ body: (_ hash: UInt64, _ beginsName: Bool) -> Bool) {
        var hash = FNV1a()
        var count = 0
        var wasSmall = false
        var beginsName = true
        for byte in names {
            let isLetter = byte.isASCIILetter
            if !isLetter || byte.isASCIIUppercase && wasSmall {
                if count > 1 {
                    guard body(hash.value, beginsName) else { return }
                    beginsName = false
                }
                if byte.isHTMLSpace { beginsName = true }
                hash = FNV1a()
                count = 0
            }
            if isLetter {
                hash.add(byte.asciiLowercased)
                count += 1
            }
            wasSmall = isLetter && !byte.isASCIIUppercase
        }
        if count > 1 { _ = body(hash.value, beginsName) }
    }
}
