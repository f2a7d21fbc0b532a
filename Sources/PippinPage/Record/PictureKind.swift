/// What an image is for, by its address: a picture of the page, or something that its site shows on every page.
enum PictureKind: Equatable {
    case picture
    /// The site's logo or icon, or a stand-in for a picture.
    case logo
    /// The picture of an account.
    case avatar
    /// Counts visitors, holds space, or holds many small pictures.
    case machinery

    /// A side of a picture has at least so many pixels; icons have 16 or 32.
    private static let minimumSide = 33

    /// - Parameters:
    ///   - width: in pixels, like `height`; nil if unknown.
    init(of address: WebURL, width: Int? = nil, height: Int? = nil) {
        if let width, width < Self.minimumSide {
            self = .machinery
        } else if let height, height < Self.minimumSide {
            self = .machinery
        } else {
            self.init(ofName: address)
        }
    }

    /// Of a path, that are looked at.
    private static let maximumPathBytes = 1_000

    private init(ofName address: WebURL) {
        let parts = address.path.utf8.prefix(Self.maximumPathBytes).split(separator: UInt8(ascii: "/"))
        let file = parts.last ?? address.path.utf8.prefix(0)
        let stem = file.lastIndex(of: UInt8(ascii: ".")).map { file[..<$0] } ?? file
        let host = (address.host ?? "").utf8
        if Self.fillerNames.contains(where: stem.isEqual) || Self.counters.haveOne(in: host)
            || Self.sprites.haveOne(in: file)
        {
            self = .machinery
        } else if Self.avatars.haveOne(in: host) || parts.contains(where: Self.avatars.haveOne) {
            self = .avatar
        } else if Self.logos.haveOne(in: stem) || Self.isDefault(stem)
            || parts.dropLast().contains(where: { part in Self.siteFolders.contains(where: part.isEqual) })
        {
            self = .logo
        } else {
            self = .picture
        }
    }

    /// `og-default.png`, `default-image.jpg`: what a site shows for pages without a picture. `default.jpg` is a size.
    private static func isDefault(_ stem: Substring.UTF8View) -> Bool {
        defaults.haveOne(in: stem) && defaultsOf.haveOne(in: stem)
    }

    private static let defaults = NameWords("default fallback")
    private static let defaultsOf = NameWords(
        "og social share sharing facebook twitter image img picture photo thumbnail thumb user profile post article")
    /// Folders of what a site shows on all pages.
    private static let siteFolders: [StaticString] = [
        "logo", "logos", "themes", "plugins", "skin", "favicon", "favicons",
    ]
    /// Whole names of files that are 1 pixel large, or nothing but a color.
    private static let fillerNames: [StaticString] = [
        "pixel", "1x1", "blank", "spacer", "transparent", "clear", "empty", "dot", "trans", "px", "tr", "loading",
        "grey",
        "gray", "white",
    ]
    private static let counters = NameWords(
        "pixel track tracking tracker beacon stats counter analytics scorecardresearch doubleclick")
    private static let sprites = NameWords("sprite sprites spritesheet spacer emoji emojis smiley smileys smilies")
    private static let avatars = NameWords("avatar avatars gravatar")
    private static let logos = NameWords("logo logos logotype favicon favicons placeholder noimage nopicture nophoto")
}

extension Sequence<UInt8> {
    /// Letter case aside.
    fileprivate func isEqual(_ text: StaticString) -> Bool {
        var count = 0
        for byte in self {
            guard count < text.utf8CodeUnitCount, text.utf8Start[count] == byte.asciiLowercased else { return false }
            count += 1
        }
        return count == text.utf8CodeUnitCount
    }
}

/// The addresses that a page gives for its site's logo and icons: a picture with one of them is none of the page's.
struct SiteEmblems {
    private var addresses: Set<Substring> = []

    /// Items that are looked at.
    private static let maximumItems = 200

    init(_ facts: PageFacts, _ page: StructuredPage) {
        for icon in facts.metadata.icons.prefix(Self.maximumItems) { addresses.insert(Self.key(icon.url.href)) }
        for item in page.items.prefix(Self.maximumItems) {
            for value in item.values("logo") {
                var text = page.text(of: value)
                if case .item(let index) = value, page.items.indices.contains(index) {
                    let logo = page.items[index]
                    text = page.text(logo, "contentUrl") ?? page.text(logo, "url") ?? logo.id
                }
                guard let text, text.utf8.count <= RecordBuilder.maximumAddressBytes,
                    let url = WebURL(written: text, base: facts.baseURL), url.isHTTP
                else { continue }
                addresses.insert(Self.key(url.href))
            }
        }
    }

    func contain(_ address: String) -> Bool { addresses.contains(Self.key(address)) }

    /// Without scheme and query: the query is the size or the version.
    private static func key(_ address: String) -> Substring {
        let start = address.utf8.firstIndex(of: UInt8(ascii: ":")) ?? address.startIndex
        let rest = address[start...]
        return rest.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }.map { rest[..<$0] } ?? rest
    }
}
