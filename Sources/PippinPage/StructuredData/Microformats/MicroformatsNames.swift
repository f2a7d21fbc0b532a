// Class names of microformats: those of microformats2, and those from before it with what they stand for.

/// A property of microformats2 as its class name says it: `dt-published`.
struct MicroformatsProperty: Hashable, Sendable {
    /// How the value is read.
    enum Kind: Int, Sendable {
        /// The last part of a link's address: `rel=tag` from before microformats2.
        case tag
        /// `p-`: text.
        case text
        /// `u-`: an address.
        case url
        /// `dt-`: a date or time.
        case time
        /// `e-`: markup.
        case markup
        /// Those that an item has without saying so: they are read from its element.
        case impliedName, impliedPhoto, impliedURL
    }

    let kind: Kind
    let name: String

    init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }

    /// The property of a class name; nil for all others.
    init?(class token: some Collection<UInt8>) {
        guard let first = token.first else { return nil }
        let kind: Kind
        switch first {
        case UInt8(ascii: "p"): kind = .text
        case UInt8(ascii: "u"): kind = .url
        case UInt8(ascii: "d"): kind = .time
        case UInt8(ascii: "e"): kind = .markup
        default: return nil
        }
        var rest = token.dropFirst()
        if kind == .time {
            guard rest.first == UInt8(ascii: "t") else { return nil }
            rest = rest.dropFirst()
        }
        guard rest.first == UInt8(ascii: "-") else { return nil }
        rest = rest.dropFirst()
        guard MicroformatsNames.isName(rest) else { return nil }
        self.init(kind: kind, name: String(decoding: rest, as: UTF8.self))
    }
}

enum MicroformatsNames {
    /// Names of CSS frameworks for heights: `h-full`. They are no vocabularies.
    private static let heights: Set = ["auto", "fit", "full", "max", "min", "px", "screen", "lh", "dvh", "lvh", "svh"]

    /// Whether a class name begins an item of microformats2: `h-card`.
    static func isRoot(_ token: some Collection<UInt8>) -> Bool {
        guard token.count > 2, token.starts(with: "h-".utf8) else { return false }
        let name = token.dropFirst(2)
        return isName(name) && !(name.count <= 6 && heights.contains(String(decoding: name, as: UTF8.self)))
    }

    /// Small letters in parts with hyphens between them. The first of several parts, a vendor's prefix, may have digits
    /// (microformats2 parsing, "parse an element for class microformats").
    static func isName(_ name: some Collection<UInt8>) -> Bool {
        var isFirst = true
        var hasDigit = false
        var isEmpty = true
        for byte in name {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): isEmpty = false
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard isFirst else { return false }
                (hasDigit, isEmpty) = (true, false)
            case UInt8(ascii: "-"):
                guard !isEmpty else { return false }
                (isFirst, hasDigit, isEmpty) = (false, false, true)
            default: return false
            }
        }
        return !isEmpty && !hasDigit
    }
}

/// A vocabulary from before microformats2, whose class names have no prefixes: hCard, hCalendar, hAtom and the like.
struct ClassicMicroformat: Sendable {
    /// What a class name stands for.
    struct Meaning: Sendable {
        let properties: [MicroformatsProperty]
        /// The vocabulary of the item that the element begins, if it begins one without saying so.
        let root: String?
    }

    /// The type in microformats2.
    let type: String
    let properties: [String: Meaning]
    /// Meanings of words in `rel`.
    let relations: [(words: [String], meaning: Meaning)]

    /// The vocabulary that a class name begins an item of.
    static func named(_ name: String) -> ClassicMicroformat? { all[name] }

    /// Whether a class name may begin an item: a quick test for names of which nearly none does.
    static func mayBeRoot(_ token: some Collection<UInt8>) -> Bool {
        switch (token.first, token.count) {
        case (UInt8(ascii: "v"), 5...6), (UInt8(ascii: "a"), 3), (UInt8(ascii: "g"), 3), (UInt8(ascii: "h"), 5...8),
            (UInt8(ascii: "h"), 17):
            true
        default: false
        }
    }

    /// Whether a class name begins an item.
    static func isRoot(_ token: some Collection<UInt8>) -> Bool {
        mayBeRoot(token) && all[String(decoding: token, as: UTF8.self)] != nil
    }

    /// The item that a review is of (`item`) begins no item by its class name alone.
    static let item = ClassicMicroformat("h-item", "fn:p-name url:u-url photo:u-photo")

    /// The rules of microformats.org's pages on each vocabulary ("backward compatibility").
    ///
    /// A row has the type, the properties, and the words of `rel`. `author:p-author+vcard`: the element begins an hCard even if it
    /// does not say so.
    private static let all: [String: ClassicMicroformat] = [
        "adr": ClassicMicroformat(
            "h-adr",
            """
            post-office-box:p-post-office-box extended-address:p-extended-address street-address:p-street-address
            locality:p-locality region:p-region postal-code:p-postal-code country-name:p-country-name
            """),
        "geo": ClassicMicroformat("h-geo", "latitude:p-latitude longitude:p-longitude"),
        "hentry": ClassicMicroformat(
            "h-entry",
            """
            entry-title:p-name entry-summary:p-summary entry-content:e-content published:dt-published updated:dt-updated
            author:p-author+vcard category:p-category geo:p-geo
            """, relations: "bookmark:u-url tag:tag-category"),
        "hfeed": ClassicMicroformat(
            "h-feed",
            """
            site-title:p-name title:p-name site-description:p-summary description:p-summary category:p-category
            """, relations: "tag:tag-category"),
        "hnews": ClassicMicroformat(
            "h-news",
            """
            entry:p-entry geo:p-geo latitude:p-latitude longitude:p-longitude source-org:p-source-org+vcard
            dateline:p-dateline+vcard item-license:u-item-license principles:u-principles
            """, relations: "principles:u-principles"),
        "hproduct": ClassicMicroformat(
            "h-product",
            """
            fn:p-name photo:u-photo brand:p-brand category:p-category description:p-description identifier:u-identifier
            url:u-url review:p-review+hreview price:p-price
            """),
        "hrecipe": ClassicMicroformat(
            "h-recipe",
            """
            fn:p-name ingredient:p-ingredient yield:p-yield instructions:e-instructions duration:dt-duration photo:u-photo
            summary:p-summary author:p-author+vcard nutrition:p-nutrition category:p-category
            """, relations: "tag:tag-category"),
        "hresume": ClassicMicroformat(
            "h-resume",
            """
            summary:p-summary contact:p-contact+vcard education:p-education+vevent experience:p-experience+vevent
            skill:p-skill affiliation:p-affiliation+vcard
            """),
        "hreview": ClassicMicroformat(
            "h-review",
            """
            summary:p-name fn:p-item+item photo:p-item+item url:p-item+item item:p-item+item reviewer:p-author+vcard
            dtreviewed:dt-reviewed rating:p-rating best:p-best worst:p-worst description:p-description
            """, relations: "self+bookmark:u-url tag:tag-category"),
        "hreview-aggregate": ClassicMicroformat(
            "h-review-aggregate",
            """
            summary:p-name fn:p-item+item photo:p-item+item url:p-item+item item:p-item+item
            reviewer:p-reviewer,p-author+vcard dtreviewed:dt-reviewed rating:p-rating average:p-average best:p-best
            worst:p-worst count:p-count votes:p-votes description:p-description
            """),
        "vcard": ClassicMicroformat(
            "h-card",
            """
            fn:p-name family-name:p-family-name given-name:p-given-name additional-name:p-additional-name
            honorific-prefix:p-honorific-prefix honorific-suffix:p-honorific-suffix nickname:p-nickname email:u-email
            logo:u-logo photo:u-photo url:u-url uid:u-uid category:p-category adr:p-adr extended-address:p-extended-address
            street-address:p-street-address locality:p-locality region:p-region postal-code:p-postal-code
            country-name:p-country-name label:p-label geo:p-geo latitude:p-latitude longitude:p-longitude tel:p-tel
            note:p-note bday:dt-bday key:u-key org:p-org organization-name:p-organization-name
            organization-unit:p-organization-unit title:p-job-title role:p-role
            """),
        "vevent": ClassicMicroformat(
            "h-event",
            """
            summary:p-name dtstart:dt-start dtend:dt-end duration:dt-duration description:p-description url:u-url
            category:p-category location:p-location geo:p-location attendee:p-attendee contact:p-contact
            organizer:p-organizer
            """),
    ]

    private init(_ type: String, _ properties: String, relations: String = "") {
        self.type = type
        self.properties = Dictionary(Self.meanings(properties)) { first, _ in first }
        self.relations = Self.meanings(relations).map { words, meaning in
            (words: words.split(separator: "+").map(String.init), meaning: meaning)
        }
    }

    private static func meanings(_ rows: String) -> [(String, Meaning)] {
        rows.split(whereSeparator: \.isWhitespace).map { row in
            let parts = row.split(separator: ":")
            let said = parts[1].split(separator: "+")
            let properties = said[0].split(separator: ",").compactMap { name in
                name.hasPrefix("tag-")
                    ? MicroformatsProperty(kind: .tag, name: String(name.dropFirst(4)))
                    : MicroformatsProperty(class: name.utf8)
            }
            return (
                String(parts[0]), Meaning(properties: properties, root: said.count > 1 ? String(said[1]) : nil)
            )
        }
    }
}
