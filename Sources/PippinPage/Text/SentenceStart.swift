extension String {
    /// The text with a capital letter, for the beginning of a sentence. Words with a fixed spelling stay as they are:
    /// `https`, `iOS`, `og:title`, `robots.txt`, `app-argument`, `/path`.
    package var sentenceStart: String {
        let word = prefix { $0 != " " }
        let bare = word.drop { "“\"(".contains($0) }
        guard bare.startIndex == word.startIndex, !Self.keepsSpelling(bare) else { return self }
        return prefix(1).uppercased() + dropFirst()
    }

    /// Names of markup and protocols that look like words.
    private static let namesInSmallLetters: Set<Substring> = [
        "al", "applinks", "appclips", "canonical", "content", "hreflang", "href", "http", "https", "itemid", "itemprop",
        "itemref", "itemscope", "itemtype", "microdata", "nofollow", "noindex", "nosnippet", "og", "rel",
        "webcredentials",
        "www",
    ]

    private static func keepsSpelling(_ word: Substring) -> Bool {
        var name = word
        while let last = name.last, ",.;:?!)”\"".contains(last) { name.removeLast() }
        // A capital letter or a special character inside means that it is a name. Words may contain apostrophes and hyphens.
        let isWord = name.dropFirst().allSatisfy {
            $0.isLetter && !$0.isUppercase || $0 == "'" || $0 == "’" || $0 == "-"
        }
        if !isWord || name.hasPrefix("app-") || name == "affiliate-data" { return true }
        return namesInSmallLetters.contains(name)
    }
}
