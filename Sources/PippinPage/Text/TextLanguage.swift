import CLanguageDetection

/// The language that a text is written in, found from its letters by CLD2.
struct TextLanguage {
    /// BCP 47: `en`, `he`, `zh-Hant`.
    let tag: String
    /// How much of the letters are in it.
    let percent: Int
    /// The primary subtags of what else a tenth of the text or more is in.
    let others: [String]
    let letterBytes: Int

    /// Less is foreign words and names in a text of another language.
    private static let minimumPercent = 10

    /// Reads the first bytes of a text, which CLD2 takes 35 ns each for. Nil where it is not sure.
    init?(of text: String, maximumBytes: Int) {
        var text = text
        let found = text.withUTF8 { bytes -> detected_languages? in
            var end = min(bytes.count, maximumBytes)
            // The text is valid UTF-8, and has to stay so.
            while end > 0, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            guard end > 0, let base = bytes.baseAddress else { return nil }
            return base.withMemoryRebound(to: CChar.self, capacity: end) { detect_languages($0, Int32(end)) }
        }
        guard let found, found.is_reliable, let tag = Self.tag(found.first) else { return nil }
        self.tag = tag
        percent = Int(found.first.percent)
        letterBytes = Int(found.letter_bytes)
        others = [found.second, found.third].filter { $0.percent >= Self.minimumPercent }
            .compactMap { Self.tag($0).map(Self.primary) }
    }

    private static func tag(_ part: language_part) -> String? {
        let code = String(cString: part.code)
        return code == "un" ? nil : LanguageTag.normalized(code)
    }

    /// Whether a declared tag names this language, or one that CLD2 cannot tell from it.
    func agrees(with declared: String) -> Bool {
        let (own, declared) = (Self.primary(tag), Self.primary(declared))
        guard own != declared else { return true }
        return !Self.known.contains(declared)
            || Self.near.contains { $0.contains(own) && $0.contains(declared) }
    }

    func isSame(as declared: String) -> Bool { Self.primary(tag) == Self.primary(declared) }

    /// The first subtag; of a language that is one of several of a larger one (ISO 639-3), the larger one's.
    static func primary(_ tag: String) -> String {
        let first = String(tag.prefix { $0 != "-" })
        return larger[first] ?? first
    }

    private static let larger = [
        "nb": "no", "nn": "no", "cmn": "zh", "yue": "zh", "wuu": "zh", "nan": "zh", "hak": "zh", "fil": "tl",
        "prs": "fa",
        "pes": "fa", "arz": "ar", "ary": "ar", "arb": "ar", "apc": "ar", "zsm": "ms", "ekk": "et", "lvs": "lv",
        "als": "sq",
        "sh": "sr", "cnr": "sr", "mo": "ro",
    ]

    /// Languages that CLD2 takes for each other, even in long texts.
    private static let near: [Set<String>] = [
        ["no", "da"], ["id", "ms", "jv", "su"], ["bs", "hr", "sr"], ["cs", "sk"], ["gl", "es"], ["gl", "pt"],
        ["hi", "mr", "ne", "bh"], ["af", "nl"], ["bg", "mk"], ["ga", "gd"], ["kk", "ky"],
    ]

    /// The languages that CLD2 knows. It takes others for one of these: Low German for German.
    private static let known: Set<String> = Set(
        """
        af am ar az be bg bh bn bs ca ceb cs cy da de dv el en es et eu fa fi fr ga gd gl gu he hi hmn hr ht hu hy id is it ja
        jv ka kk km kn ko ku ky lg lo lt lv mg mk ml mn mr ms mt my ne nl no ny or pa pl pt ro ru rw si sk sl sq sr st su sv
        sw ta te tg th tl tr uk ur uz vi yi zh
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
