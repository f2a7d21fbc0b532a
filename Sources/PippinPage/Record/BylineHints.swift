/// What the names in `class`, `id`, `itemprop` and `rel` say of an element's text.
struct BylineHints: OptionSet, Hashable {
    let rawValue: UInt16

    static let beside = BylineHints(rawValue: 1 << 0)
    static let published = BylineHints(rawValue: 1 << 1)
    static let modified = BylineHints(rawValue: 1 << 2)
    static let date = BylineHints(rawValue: 1 << 3)
    static let meta = BylineHints(rawValue: 1 << 4)
    static let author = BylineHints(rawValue: 1 << 5)
    static let byline = BylineHints(rawValue: 1 << 6)
    static let link = BylineHints(rawValue: 1 << 7)
    static let time = BylineHints(rawValue: 1 << 8)
    /// `rel=author`, `itemprop=author`: no name that somebody chose, but a standard's.
    static let standard = BylineHints(rawValue: 1 << 9)
    /// In what may be another page's entry.
    static let listed = BylineHints(rawValue: 1 << 10)

    static let ofDays: BylineHints = [.published, .modified, .date, .time]
    static let ofWriters: BylineHints = [.author, .byline]

    /// Words of names, in lower case, by what they say. Of longer ones, the first eight letters count:
    /// `recommendations` is `recommended`.
    private static let words: [(BylineHints, String)] = [
        (
            .beside,
            """
            comment comments commentary kommentar comentarios respond reply replies sidebar related relatedposts recommended empfehlungen similar
            popular trending mostread nav navigation navbar menu cookie cookies consent newsletter promo carousel slider swiper disqus
            breadcrumbs crosslinks readmore morenews alsoread weitere infobox bday dtstart
            """
        ),
        (.listed, "teaser teasers recent card cards archive archives"),
        (
            .published,
            """
            published publication publicado publie publi pubdate postdate posted entrydate dateline datepublished datecreated created
            createdat creation veroffentlicht erstellt issued timestamp newsdate articledate publishdate publishtime postedon
            """
        ),
        (.modified, "modified modification updated update lastmod aktualisiert datemodified revised changed changedat"),
        (.date, "date dates datum fecha datetime time stamp dato datestamp"),
        (
            .meta,
            "meta metadata metainfo postmeta entrymeta postinfo info infos details submitted credit credits topline source"
        ),
        (
            .author,
            """
            author authors autor autoren autore auteur auteurs writer writers verfasser contributor coauthor creator redakteur reporter
            journalist columnist authorname forfatter skribent yazar fn
            """
        ),
        (.byline, "byline bylines writtenby wrote postedby postauth"),
    ]

    /// Open addressing; the key is the first eight letters of a word.
    private static let table: [(key: UInt64, hints: BylineHints)] = {
        var table = Array(repeating: (key: UInt64(0), hints: BylineHints()), count: 512)
        for (hints, text) in words {
            for word in text.split(whereSeparator: \.isWhitespace) {
                let key = word.utf8.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                var bucket = bucket(of: key)
                while table[bucket].key != 0, table[bucket].key != key { bucket = (bucket + 1) & 511 }
                table[bucket] = (key, table[bucket].hints.union(hints))
            }
        }
        return table
    }()

    private static func bucket(of key: UInt64) -> Int { Int((key &* 0x9E37_79B9_7F4A_7C15) >> 55) }

    /// What the words of an attribute's value say. Words end at what is no letter and before a capital: `entry-date`,
    /// `articleDate`.
    static func of(_ value: UnsafeBufferPointer<UInt8>) -> BylineHints {
        table.withUnsafeBufferPointer { table in
            var hints: BylineHints = []
            var key: UInt64 = 0
            var wasSmall = false
            /// `has-sidebar`, `no-comments`: says what is beside the element.
            var isOfOthers = false
            for byte in value.prefix(500) {
                let isLetter = byte.isASCIILetter
                if !isLetter || wasSmall && byte.isASCIIUppercase {
                    if key == has || key == with || key == no {
                        isOfOthers = true
                    } else if !isOfOthers {
                        hints.formUnion(found(key, in: table))
                    }
                    key = 0
                    if byte.isHTMLSpace { isOfOthers = false }
                }
                wasSmall = isLetter && !byte.isASCIIUppercase
                if isLetter, key >> 56 == 0 { key = key << 8 | UInt64(byte | 0x20) }
            }
            return isOfOthers ? hints : hints.union(found(key, in: table))
        }
    }

    private static let has: UInt64 = 0x68_6173
    private static let with: UInt64 = 0x7769_7468
    private static let no: UInt64 = 0x6E6F

    @inline(__always)
    private static func found(_ key: UInt64, in table: UnsafeBufferPointer<(key: UInt64, hints: BylineHints)>)
        -> BylineHints
    {
        guard key > 0xFF else { return [] }
        var bucket = bucket(of: key)
        while table[bucket].key != 0 {
            if table[bucket].key == key { return table[bucket].hints }
            bucket = (bucket + 1) & 511
        }
        return []
    }
}
