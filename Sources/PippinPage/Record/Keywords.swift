/// The keywords of a page: words for people, without what its machinery keeps in the same place.
struct Keywords {
    private(set) var all: [String] = []
    private var seen: Set<String> = []
    private let title: FoldedName

    private static let maximumCount = 30
    private static let maximumBytes = 100
    /// A text of tags; more are not read.
    private static let maximumListBytes = 20_000

    /// - Parameter title: no keyword of its own page.
    init(title: String?) {
        self.title = FoldedName(title ?? "")
    }

    /// Adds a keyword, or each of a list with commas or semicolons.
    ///
    /// - Parameter isList: if not, a single comma belongs to the keyword: `Paris, Texas`.
    mutating func add(_ text: String, isList: Bool) {
        guard text.utf8.count <= Self.maximumListBytes, let text = CleanText.line(text) else { return }
        let parts = text.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
        guard isList || parts.count > 2 else { return add(text) }
        for part in parts { add(String(Substring(part))) }
    }

    private mutating func add(_ text: String) {
        guard all.count < Self.maximumCount else { return }
        var keyword = text.trimmingHTMLSpace()[...]
        while let first = keyword.first, Self.quotes.contains(first) || first == "#" { keyword.removeFirst() }
        while let last = keyword.last, Self.quotes.contains(last) { keyword.removeLast() }
        let result = String(keyword).trimmingHTMLSpace()
        let name = FoldedName(result)
        guard !name.isEmpty, name != title, result.utf8.count <= Self.maximumBytes, !Self.isJunk(result),
            seen.insert(result.lowercased()).inserted
        else { return }
        all.append(result)
    }

    private static let quotes: Set<Character> = ["\"", "“", "”", "„"]

    /// What content systems, advertisers and statistics write for themselves: `LockedPostSource:EditorialManager`, `@mlive-river`,
    /// `NO_ADS_PAGE`, `news@example.org`, `5f2b9c0e77d1a4c3`.
    private static func isJunk(_ keyword: String) -> Bool {
        if CleanText.isDamaged(keyword) || ASCIIText.hasTemplateMark(keyword) { return true }
        let bytes = keyword.utf8
        guard !bytes.contains(0x20), let first = bytes.first else { return false }
        if first == UInt8(ascii: "@") || keyword.has("://") { return true }
        if let at = bytes.firstIndex(of: UInt8(ascii: "@")), bytes[at...].contains(UInt8(ascii: ".")) { return true }
        let digits = bytes.count(where: \.isASCIIDigit)
        // A year is a keyword, a number in a database is none.
        if digits == bytes.count { return digits > 4 }
        let hasUnderscore = bytes.contains(UInt8(ascii: "_"))
        if hasUnderscore, !bytes.contains(where: { $0.isASCIILetter && !$0.isASCIIUppercase }) { return true }
        if bytes.count >= 16, digits * 4 >= bytes.count,
            bytes.allSatisfy({ $0.hexDigitValue != nil || $0 == UInt8(ascii: "-") })
        {
            return true
        }
        // `key:value` and `key=value`; `re:publica` is a name.
        guard let mark = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }),
            mark > bytes.startIndex, bytes.index(after: mark) < bytes.endIndex,
            bytes[..<mark].allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E })
        else { return false }
        return bytes[mark] == UInt8(ascii: "=") || hasUnderscore || digits > 0 && first.isASCIILetter
            || bytes.contains(UInt8(ascii: "-")) || bytes.dropFirst().contains(where: \.isASCIIUppercase)
    }
}
