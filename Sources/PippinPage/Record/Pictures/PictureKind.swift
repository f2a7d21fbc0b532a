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
    ///   - subject: what the page is about. It is asked for only if the address has one of the words that name a kind.
    init(of address: WebURL, width: Int? = nil, height: Int? = nil, on subject: @autoclosure () -> PictureSubject) {
        if let width, width < Self.minimumSide {
            self = .machinery
        } else if let height, height < Self.minimumSide {
            self = .machinery
        } else {
            let kind = Self.kind(ofName: address, on: nil)
            self = kind == .picture ? kind : Self.kind(ofName: address, on: subject())
        }
    }

    /// Of a path, that are looked at.
    private static let maximumPathBytes = 1_000

    /// A word that the page's title has names the subject of the picture and not its kind: a page about the film “Avatar” has
    /// `/avatar/poster.jpg`, and one about a new logo `new-logo.png`.
    private static func kind(ofName address: WebURL, on subject: PictureSubject?) -> PictureKind {
        let parts = address.path.utf8.prefix(maximumPathBytes).split(separator: UInt8(ascii: "/"))
        let file = parts.last ?? address.path.utf8.prefix(0)
        let stem = file.lastIndex(of: UInt8(ascii: ".")).map { file[..<$0] } ?? file
        let folders = parts.dropLast()
        let host = subject?.foreignPart(ofHost: address.host ?? "") ?? (address.host ?? "")[...]
        func isOther(_ word: Substring.UTF8View) -> Bool { !(subject?.has(word) ?? false) }
        if fillerNames.contains(where: { stem.isEqual($0) }) && isOther(stem) || counters.haveOne(in: host.utf8)
            || sprites.haveOne(in: file, besides: subject)
        {
            return .machinery
        }
        if avatars.haveOne(in: host.utf8) || isAvatar(stem, in: folders, on: subject) { return .avatar }
        let isLogo =
            logos.haveOne(in: stem, besides: subject) || isDefault(stem, on: subject)
            || folders.contains { part in siteFolders.contains { part.isEqual($0) } && isOther(part) }
        return isLogo ? .logo : .picture
    }

    /// `/avatars/jane.jpg`, `/avatar/7f3a`, `jane-avatar.png`, `avatar_150x150.png`; but not `/avatar/poster.jpg` and
    /// `avatar-the-way-of-water.jpg`, where the word begins the name of something.
    private static func isAvatar(
        _ stem: Substring.UTF8View, in folders: ArraySlice<Substring.UTF8View>, on subject: PictureSubject?
    ) -> Bool {
        if folders.contains(where: { manyAvatars.haveOne(in: $0, besides: subject) }) { return true }
        if avatars.haveOne(in: stem, besides: subject) { return isLastNamed(stem) }
        guard let folder = folders.lastIndex(where: { avatars.haveOne(in: $0, besides: subject) }) else { return false }
        guard isLastNamed(folders[folder]) else { return false }
        return !hasOwnName(stem) || folder > folders.startIndex && people.haveOne(in: folders[folder - 1])
    }

    /// Whether nothing but sizes, numbers and words like `small` follow the last `avatar`.
    private static func isLastNamed(_ name: Substring.UTF8View) -> Bool {
        let words = name.split { !$0.isASCIILetter }
        guard let last = words.lastIndex(where: { avatars.haveOne(in: $0) }) else { return true }
        return !words[(last + 1)...].contains(where: hasOwnName)
    }

    /// Whether one of the words says more than a size, a number or a hash.
    private static func hasOwnName(_ name: Substring.UTF8View) -> Bool {
        name.split { !$0.isASCIILetter }.contains { word in
            word.count > 2 && !generic.haveOne(in: word)
                && !word.allSatisfy { (0x61...0x66).contains($0.asciiLowercased) }
        }
    }

    /// `og-default.png`, `default-image.jpg`: what a site shows for pages without a picture. `default.jpg` is a size.
    private static func isDefault(_ stem: Substring.UTF8View, on subject: PictureSubject?) -> Bool {
        defaults.haveOne(in: stem, besides: subject) && defaultsOf.haveOne(in: stem)
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
    private static let manyAvatars = NameWords("avatars gravatar")
    private static let people = NameWords(
        "user users profile profiles member members author authors account accounts people person")
    /// What stands beside `avatar` in the name of an account's picture.
    private static let generic = NameWords(
        """
        user users default profile author member account img image images pic pics photo photos picture thumb thumbnail small medium
        large big mini tiny full size original orig resize resized crop cropped blank empty placeholder anonymous anon guest unknown
        person upload uploads file files circle round square standard normal retina jpg jpeg png gif webp
        """)
    private static let logos = NameWords("logo logos logotype favicon favicons placeholder noimage nopicture nophoto")
}

/// What a page is about, and whose it is: pictures named after either are no logos, avatars or counters for that.
struct PictureSubject {
    private var words: Set<UInt64> = []
    private let host: String
    private let domain: String?

    /// Bytes of a title that are looked at, and headings.
    private static let maximumBytes = 500
    private static let maximumHeadings = 3

    init(_ facts: PageFacts) {
        host = facts.source.url.host ?? ""
        domain = SiteIdentity.registeredDomain(of: host)
        add(facts.metadata.title ?? "")
        add(facts.openGraph?.title ?? "")
        for heading in facts.document.elements(named: .h1).prefix(Self.maximumHeadings) {
            add(facts.document.visibleText(of: heading, maximumBytes: Self.maximumBytes))
        }
    }

    private mutating func add(_ title: String) {
        for word in title.utf8.prefix(Self.maximumBytes).split(whereSeparator: { !$0.isASCIILetter }) {
            let word = word.map(\.asciiLowercased)
            words.insert(FNV1a.hash(word))
            // `logo` of `The best logos`, and the reverse.
            words.insert(FNV1a.hash(word.last == UInt8(ascii: "s") ? word.dropLast() : word + [UInt8(ascii: "s")]))
        }
    }

    func has(hash: UInt64) -> Bool { words.contains(hash) }

    func has(_ word: some Sequence<UInt8>) -> Bool { words.contains(FNV1a.hash(word.map(\.asciiLowercased))) }

    /// What of a picture's host does not name the page's own site: `pixel` of `pixel.example.org` on example.org, all of it
    /// elsewhere. A site called beacon.example counts nobody with its pictures.
    func foreignPart(ofHost host: String) -> Substring {
        if host == self.host { return host[..<host.startIndex] }
        guard let domain, host == domain || host.hasSuffix("." + domain) else { return host[...] }
        return host.dropLast(domain.count)
    }
}

extension NameWords {
    /// Whether one of the words is in a name.
    ///
    /// - Parameter subject: words that do not count.
    func haveOne(in name: some Sequence<UInt8>, besides subject: PictureSubject? = nil) -> Bool {
        var isFound = false
        Self.forEachWord(in: name) { hash, _ in
            isFound = meaning(of: hash) != 0 && !(subject?.has(hash: hash) ?? false)
            return !isFound
        }
        return isFound
    }
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
                guard let text, text.utf8.count <= WrittenAddress.maximumBytes,
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
