/// The picture of a page that names none: the first large one of its main text.
///
/// It is looked for from the headline, or the start of the article, to the end of the main text; not in navigation, asides and
/// what is named after teasers, authors and the like; not in links to other pages. Images that load late have their address in
/// `data-src` and its kin, in `srcset`, or in a `source` beside them. Of a video, it is the poster.
///
/// If the main text has none, the poster of the page's first player counts, wherever it stands: a player shows content, and no
/// teaser has one.
struct PagePicture {
    private let facts: PageFacts
    private var document: HTMLDocument { facts.document }
    private let main: HTMLDocument.Index?
    private let subject: PictureSubject

    /// Images that are looked at.
    private static let maximumImages = 100
    /// Players that are looked at.
    private static let maximumPlayers = 20
    /// Elements of a section that are looked at for its heading.
    private static let maximumHeadingDistance = 100
    /// Elements around an image that are looked at.
    private static let maximumDepth = 40

    static func first(of facts: PageFacts, on subject: PictureSubject) -> DeepLinkRecord.Image? {
        let reader = PagePicture(facts, subject)
        if let region = reader.region() {
            let images = reader.elements(.img, in: region)
            let videos = reader.elements(.video, in: region)
            for element in (images + videos).sorted().prefix(maximumImages)
            where !reader.isBeside(element, in: region) {
                if let image = reader.image(of: element) { return image }
            }
        }
        for element in facts.document.elements(named: .video).prefix(maximumPlayers)
        where !reader.isInPartBeside(element) {
            if let image = reader.image(of: element) { return image }
        }
        return nil
    }

    private init(_ facts: PageFacts, _ subject: PictureSubject) {
        self.facts = facts
        self.subject = subject
        main = facts.mainText.element
    }

    private func elements(_ name: HTMLName, in region: Range<HTMLDocument.Index>) -> [HTMLDocument.Index] {
        let all = document.elements(named: name)
        guard let first = all.firstIndex(where: { $0 >= region.lowerBound }) else { return [] }
        return Array(all[first...].prefix { $0 < region.upperBound }.prefix(Self.maximumImages))
    }

    // MARK: Where

    /// A picture above the text stands between it and the headline, or in the article around both.
    private func region() -> Range<HTMLDocument.Index>? {
        guard let main else { return nil }
        var start = main
        var element = main
        while let parent = document.parent(of: element) {
            element = parent
            let name = document.elements[element].name
            if name == .article || name == .main {
                start = element
                break
            }
        }
        if let headline = document.elements(named: .h1).last(where: { $0 < main }) { start = min(start, headline) }
        return start..<Int(document.elements[main].subtreeEnd)
    }

    /// Whether the element stands in something that is no part of the text.
    private func isBeside(_ element: HTMLDocument.Index, in region: Range<HTMLDocument.Index>) -> Bool {
        var next = document.parent(of: element)
        for _ in 0..<Self.maximumDepth {
            guard let current = next, current >= region.lowerBound else { return false }
            if let main, current == main || document.isElement(main, inside: current) { return false }
            let name = document.elements[current].name
            if Self.isPartBeside(name) { return true }
            switch name {
            case .a where leadsElsewhere(current): return true
            case .section where hasHeading(current): return true
            case .body, .html: return false
            default: break
            }
            if document.has(.hidden, on: current) || NameHints.of(current, in: document).contains(.besidePicture) {
                return true
            }
            next = document.parent(of: current)
        }
        return false
    }

    private static func isPartBeside(_ name: HTMLName) -> Bool {
        switch name {
        case .nav, .aside, .footer, .form, .menu, .dialog, .button, .select, .svg: true
        default: false
        }
    }

    /// Whether the element stands in navigation, an aside and the like, or in something hidden.
    private func isInPartBeside(_ element: HTMLDocument.Index) -> Bool {
        var next = document.parent(of: element)
        for _ in 0..<Self.maximumDepth {
            guard let current = next else { return false }
            if Self.isPartBeside(document.elements[current].name) || document.has(.hidden, on: current) { return true }
            next = document.parent(of: current)
        }
        return false
    }

    /// Whether a section has a heading: if it holds neither headline nor text, it is about something else.
    private func hasHeading(_ section: HTMLDocument.Index) -> Bool {
        var has = false
        for element in document.descendants(of: section).prefix(Self.maximumHeadingDistance) {
            switch document.elements[element].name {
            case .h1: return false
            case .h2, .h3, .h4: has = true
            default: break
            }
        }
        return has
    }

    /// Whether a link leads to neither this page nor a larger form of the picture.
    private func leadsElsewhere(_ link: HTMLDocument.Index) -> Bool {
        guard let href = document.value(of: .href, on: link), href.utf8.count <= WrittenAddress.maximumBytes,
            let url = WebURL(written: href, base: facts.baseURL), url.isHTTP
        else { return false }
        if case .unplayable(.picture) = MediaKind(of: url, type: nil, saidToBe: .video) { return false }
        let own = facts.source.url
        // An attachment's page stands below its article's.
        return url.host != own.host || url.isHomePage || !url.path.hasPrefix(own.path)
    }

    private func isNamed(_ element: HTMLDocument.Index, after words: NameWords) -> Bool {
        for name in [HTMLName.class, .id] {
            if let value = document.bytes(of: name, on: element), words.haveOne(in: value.prefix(400)) { return true }
        }
        return false
    }

    /// Of classes of an image, and of names of files.
    private static let imageWords = NameWords(
        """
        avatar avatars emoji emojis smiley smilies icon icons logo logos tracking pixel sprite spacer badge flag placeholder author
        profile arrow button btn pdf modal rating stars autor autorin bio spinner loader captcha
        """)

    // MARK: What

    /// What an `img` or `video` says of itself.
    private struct Written {
        var address: String?
        var lateAddress: String?
        var set: String?
        var lateSet: String?
        var width: Int?
        var height: Int?
        var alt: String?
        var isNoPicture = false
    }

    private func image(of element: HTMLDocument.Index) -> DeepLinkRecord.Image? {
        let written = read(element)
        guard !written.isNoPicture, !isNamed(element, after: Self.imageWords) else { return nil }
        for choice in choices(written, element) {
            guard isLarge(choice.width ?? written.width, choice.height ?? written.height) else { continue }
            return DeepLinkRecord.Image(
                url: choice.url.href, width: choice.width ?? written.width, height: choice.height ?? written.height,
                alt: CleanText.line(written.alt).map { Snippet.cut($0, to: RecordBuilder.maximumAltCharacters) })
        }
        return nil
    }

    private func read(_ element: HTMLDocument.Index) -> Written {
        var written = Written()
        let isVideo = document.elements[element].name == .video
        for (name, value) in document.attributes(of: element) where !value.isEmpty {
            switch name {
            case "src": if !isVideo { written.address = value }
            case "poster": if isVideo { written.address = value }
            case "srcset": written.set = value
            case "width": written.width = RecordBuilder.pixels(written: value)
            case "height": written.height = RecordBuilder.pixels(written: value)
            case "alt": written.alt = value
            case "aria-hidden", "hidden": written.isNoPicture = written.isNoPicture || value.asciiLowercased != "false"
            case "style": if value.utf8.count < 1_000, value.has("none") { written.isNoPicture = true }
            default: Self.readLate(name, value, isVideo: isVideo, &written)
            }
        }
        return written
    }

    /// Libraries that load images late have names of their own for the address: `data-src`, `data-lazy-src`, `data-original` …
    private static func readLate(_ name: String, _ value: String, isVideo: Bool, _ written: inout Written) {
        guard name.hasPrefix("data-") else { return }
        if isVideo {
            if name.has("poster") { written.lateAddress = written.lateAddress ?? value }
        } else if name.hasSuffix("srcset") {
            written.lateSet = written.lateSet ?? value
        } else if name.hasSuffix("src") || lateNames.contains(name) {
            written.lateAddress = name == "data-src" ? value : written.lateAddress ?? value
        }
    }

    private static let lateNames: Set<String> = [
        "data-original", "data-lazy", "data-delayed-url", "data-url", "data-echo", "data-image", "data-img",
        "data-image-url",
        "data-img-url", "data-src-large", "data-src-medium", "data-full",
    ]

    private typealias Choice = (url: WebURL, width: Int?, height: Int?)

    /// The addresses of an image that can be one of a picture, best first.
    private func choices(_ written: Written, _ element: HTMLDocument.Index) -> [Choice] {
        var choices: [Choice] = []
        func add(_ address: String?, width: Int? = nil) {
            guard let address, address.utf8.count <= WrittenAddress.maximumBytes,
                let url = WebURL(written: address, base: facts.baseURL), url.isHTTP, url.host != nil,
                url.href != facts.source.url.href, url.href != facts.baseURL.href,
                PictureKind(of: url, width: width, on: subject) == .picture
            else { return }
            let size = Self.size(in: url)
            let file = url.path.utf8.suffix(400).split(separator: UInt8(ascii: "/")).last ?? url.path.utf8.prefix(0)
            // Drawings are icons, unless the page says how large they are.
            let isDrawing = file.suffix(4).elementsEqual(".svg".utf8)
            if Self.imageWords.haveOne(in: file, besides: subject) || isDrawing && (width ?? written.width) == nil {
                return
            }
            choices.append((url, width ?? size.width, size.height))
        }
        func add(_ set: String?) {
            if let best = ImageSet.best(of: set) { add(best.address, width: best.width) }
        }
        add(written.lateAddress)
        add(written.lateSet)
        if written.lateAddress == nil || choices.isEmpty { add(written.address) }
        add(written.set)
        if choices.isEmpty, let parent = document.parent(of: element), document.elements[parent].name == .picture {
            for source in document.children(of: parent).prefix(10) where document.elements[source].name == .source {
                for (name, value) in document.attributes(of: source) where name.hasSuffix("srcset") { add(value) }
            }
        }
        return choices
    }

    // MARK: Size

    private func isLarge(_ width: Int?, _ height: Int?) -> Bool {
        let weights = facts.weights.picture
        if let width, width < weights.width { return false }
        if let height, height < weights.height { return false }
        return true
    }

    /// The size that an address names: `photo-800x600.jpg`, `/800x600/photo.jpg`, `?w=800&h=600`, `?resize=800,600`.
    private static func size(in url: WebURL) -> (width: Int?, height: Int?) {
        let path = url.path.utf8.suffix(400)
        for part in path.split(separator: UInt8(ascii: "/")).suffix(4) {
            let stem = part.lastIndex(of: UInt8(ascii: ".")).map { part[..<$0] } ?? part
            let words = stem.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }.suffix(2)
            guard let last = words.last, let first = words.first else { continue }
            if let size = pair(last, UInt8(ascii: "x")) { return size }
            // `photo_640_480.jpg`
            if words.count == 2, first.count > 2, last.count > 2, let width = number(first), let height = number(last),
                width < 5_000, height < 5_000
            {
                return (width, height)
            }
        }
        var size: (width: Int?, height: Int?) = (nil, nil)
        for parameter in (url.query ?? "").utf8.prefix(400).split(separator: UInt8(ascii: "&")).prefix(20) {
            guard let mark = parameter.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = parameter[parameter.index(after: mark)...]
            switch String(Substring(parameter[..<mark])) {
            case "w", "width", "wid": size.width = number(value)
            case "h", "height", "hei": size.height = number(value)
            case "resize", "fit": if let both = pair(value, UInt8(ascii: ",")) { return both }
            default: break
            }
        }
        return size
    }

    private static func pair(
        _ text: some Collection<UInt8>, _ separator: UInt8
    ) -> (width: Int?, height: Int?)? {
        guard text.count <= 11, let mark = text.firstIndex(where: { $0.asciiLowercased == separator }),
            let width = number(text[..<mark]), let height = number(text[text.index(after: mark)...])
        else { return nil }
        return (width, height)
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard (2...5).contains(digits.count), digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

/// The candidates in `srcset` (WHATWG HTML §4.8.4.3.9): addresses with a width or a density.
public enum ImageSet {
    private static let maximumBytes = 20_000
    private static let maximumCandidates = 30
    /// Larger ones are for print.
    private static let maximumWidth = 2_048

    /// The largest candidate, and its width in pixels if it is stated.
    public static func best(of set: String?) -> (address: String, width: Int?)? {
        guard let set, set.utf8.count <= maximumBytes else { return nil }
        var best: (address: String, width: Int?, rank: Double)?
        var rest = set.utf8[...]
        for _ in 0..<maximumCandidates {
            rest = rest.drop { $0.isHTMLSpace || $0 == UInt8(ascii: ",") }
            let end = rest.firstIndex(where: \.isHTMLSpace) ?? rest.endIndex
            var address = rest[..<end]
            rest = rest[end...]
            var descriptor = rest[rest.startIndex..<rest.startIndex]
            if address.last == UInt8(ascii: ",") {
                while address.last == UInt8(ascii: ",") { address = address.dropLast() }
            } else {
                let comma = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
                descriptor = rest[..<comma]
                rest = rest[comma...]
            }
            guard !address.isEmpty else { break }
            let text = String(Substring(descriptor)).trimmingHTMLSpace()
            let value = Double(text.dropLast())
            let width = text.last == "w" ? value.flatMap { (1..<100_000).contains($0) ? Int($0) : nil } : nil
            let rank = width.map { $0 <= maximumWidth ? Double($0) : 1 / Double($0) } ?? value ?? 1
            if rank.isFinite, rank > best?.rank ?? -1 { best = (String(Substring(address)), width, rank) }
        }
        return best.map { ($0.address, $0.width) }
    }
}
