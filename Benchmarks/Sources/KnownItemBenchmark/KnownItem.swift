import PippinPage

/// A record that somebody is looking for.
struct KnownItem {
    let identifier: String
    /// Nobody may tune by what is asked of a kept one.
    let isKept: Bool
    let title: String
    /// Words of the title that queries are made of: folded, each once, no stop words and no numbers.
    let words: [String]
    /// As the page names its site; the host if it does not.
    let site: String
    let author: String?

    /// Records with the same title in folded words answer equally well.
    let name: String

    /// - Returns: nil if the title has no word, or if it is from a script without spaces: nobody knows where its words end.
    init?(identifier: String, record: JSONValue) {
        let title = record["title"]?.string ?? ""
        let found = SearchText.with { $0.words(of: title, limit: 80) }
        guard !found.isEmpty, !found.contains(where: \.isDense) else { return nil }
        self.identifier = identifier
        self.title = title
        name = Self.name(of: title)
        isKept = QuerySeed(identifier, "half").value % 2 == 1
        var known: Set<String> = []
        words = found.map(\.form).filter { form in
            form.count >= 3 && form.unicodeScalars.allSatisfy(\.properties.isAlphabetic)
                && !StopWords.contains(form) && known.insert(form).inserted
        }
        site =
            record["containerTitle"]?.string ?? record["domainIdentifier"]?.string ?? WebURL(identifier)?.host ?? ""
        author = record["authors"]?.array?.first?["name"]?.string
    }

    static func name(of title: String) -> String {
        SearchText.with { $0.words(of: title, limit: 80).map(\.form).joined(separator: " ") }
    }
}

/// The number that a text begins chance with: the same in every run and on every machine (FNV-1a).
struct QuerySeed {
    let value: UInt64

    init(_ parts: String...) {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in parts.joined(separator: "\n").utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        self.value = value ^ value >> 32
    }
}
