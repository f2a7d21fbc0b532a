// Images, audio and video: each address once, best source first.

extension RecordBuilder {
    private static let maximumImages = 20
    fileprivate static let maximumMedia = 10

    // MARK: Images

    /// Characters of a description that are kept.
    static let maximumAltCharacters = 420

    /// Pictures of the page, and logos, which count if there is no picture.
    private struct Pictures {
        private(set) var best = AddressedMedia<DeepLinkRecord.Image>(maximum: RecordBuilder.maximumImages)
        /// The lists whose elements were read.
        var lists: Set<Int> = []
        private(set) var logos = AddressedMedia<DeepLinkRecord.Image>(maximum: RecordBuilder.maximumImages)
        /// Whether the page is somebody's: their avatar is its picture.
        let isProfile: Bool
        private let makeSubject: () -> PictureSubject
        private(set) lazy var subject = makeSubject()
        private let emblems: () -> SiteEmblems
        private var keptEmblems: SiteEmblems?

        init(
            isProfile: Bool, subject: @escaping () -> PictureSubject, emblems: @escaping () -> SiteEmblems
        ) {
            self.isProfile = isProfile
            makeSubject = subject
            self.emblems = emblems
        }

        mutating func add(_ image: DeepLinkRecord.Image, from source: DeepLinkRecord.Source) {
            guard let url = WebURL(image.url) else { return }
            switch PictureKind(of: url, width: image.width, height: image.height, on: subject) {
            case .machinery: return
            case .logo: logos.add(image.url, image, from: source)
            case .avatar where !isProfile: return
            case .picture, .avatar:
                let emblems = keptEmblems ?? self.emblems()
                keptEmblems = emblems
                if emblems.contain(image.url) {
                    logos.add(image.url, image, from: source)
                } else {
                    best.add(image.url, image, from: source)
                }
            }
        }
    }

    /// `noimageindex` and `max-image-preview:none` ask that no picture of the page is shown.
    mutating func takeImages() {
        if facts.directives.noimageindex || facts.directives.maxImagePreview == RobotsDirectives.ImagePreview.none {
            return
        }
        var pictures = Pictures(
            isProfile: isProfile, subject: { [facts] in PictureSubject(facts) },
            emblems: { [facts, page] in SiteEmblems(facts, page) })
        for image in facts.openGraph?.images ?? [] {
            guard let url = image.bestURL, url.isHTTP, url.href != facts.baseURL.href else { continue }
            pictures.add(
                DeepLinkRecord.Image(
                    url: url.href, type: Self.imageType(image.type), width: Self.pixels(image.width),
                    height: Self.pixels(image.height), alt: CleanText.line(image.alt)), from: .openGraph)
        }
        addStructuredImages(to: &pictures)
        for image in facts.twitterCard?.images ?? [] {
            guard let url = image.url, url.isHTTP else { continue }
            pictures.add(DeepLinkRecord.Image(url: url.href, alt: CleanText.line(image.alt)), from: .twitterCard)
        }
        if let url = facts.metadata.imageSource, url.isHTTP {
            pictures.add(DeepLinkRecord.Image(url: url.href), from: .imageSource)
        }
        if pictures.best.elements.isEmpty { asMicroformats?.addStructuredImages(to: &pictures) }
        if pictures.best.elements.isEmpty, let image = PagePicture.first(of: facts, on: pictures.subject) {
            pictures.add(image, from: .mainText)
        }
        for image in sitemap.images {
            pictures.add(
                DeepLinkRecord.Image(url: image.url, alt: CleanText.line(image.alt)), from: .sitemap)
        }
        for video in sitemap.videos {
            if let url = video.thumbnail { pictures.add(DeepLinkRecord.Image(url: url), from: .sitemap) }
        }
        let chosen = pictures.best.elements.isEmpty ? pictures.logos : pictures.best
        record.images = chosen.elements
        if let first = chosen.elements.first, let source = chosen.firstSource {
            record.thumbnailURL = first.url
            took("thumbnailURL", from: source)
        }
    }

    private var isProfile: Bool {
        facts.openGraph?.type == "profile"
            || page.main.contains { page.items[$0].types.contains { $0 == "Person" || $0 == "ProfilePage" } }
    }

    /// The pictures of the main item; else of the page, of what it names as its main entity, and images that stand for
    /// themselves.
    private func addStructuredImages(to pictures: inout Pictures) {
        for name in ["image", "primaryImageOfPage", "thumbnailUrl", "photo"] {
            for value in page.mainValues(name) { add(value, to: &pictures) }
        }
        guard pictures.best.elements.isEmpty, !page.items.isEmpty else { return }
        if let webPage = page.firstItem(of: .webPage) {
            for name in ["primaryImageOfPage", "image", "thumbnailUrl"] {
                for value in webPage.values(name) { add(value, to: &pictures) }
            }
        }
        let entities = page.items(of: page.items.prefix(Self.maximumItems), "mainEntity")
        for value in page.values(of: entities, "image") { add(value, to: &pictures) }
        guard pictures.best.elements.isEmpty else { return }
        let others = itemsOfOthers()
        for (index, item) in page.items.prefix(Self.maximumItems).enumerated()
        where item.isTopLevel && item.types.contains("ImageObject") && !others.contains(index) {
            add(.item(index), to: &pictures)
        }
    }

    /// Items that are looked at for images.
    private static let maximumItems = 200

    /// The images of people and organizations on the page, such as its author and publisher.
    private func itemsOfOthers() -> Set<Int> {
        var found: Set<Int> = []
        for (index, item) in page.items.prefix(Self.maximumItems).enumerated()
        where !page.main.contains(index)
            && (item.types.contains("Person") || page.isItem(item, .organization))
        {
            for name in ["image", "logo", "photo"] {
                for case .item(let image) in item.values(name) { found.insert(image) }
            }
        }
        return found
    }

    /// A URL, or an ImageObject with `url`, `contentUrl` or an identifier; a list of them is an item with elements.
    private func add(_ value: StructuredItem.Value, to pictures: inout Pictures, depth: Int = 0) {
        guard case .item(let index) = value else {
            if let url = page.text(of: value).flatMap(mediaAddress) {
                pictures.add(DeepLinkRecord.Image(url: url), from: structuredSource)
            }
            return
        }
        guard page.items.indices.contains(index) else { return }
        let item = page.items[index]
        let elements = item.values("itemListElement")
        if !elements.isEmpty, depth < 2 {
            // Many lists may share their elements.
            guard pictures.lists.insert(index).inserted else { return }
            for element in elements.prefix(Self.maximumImages) { add(element, to: &pictures, depth: depth + 1) }
            return
        }
        let address =
            page.text(item, "contentUrl") ?? page.text(item, "url") ?? page.text(item, "thumbnailUrl") ?? item.id
        guard let url = address.flatMap(mediaAddress) else { return }
        pictures.add(
            DeepLinkRecord.Image(
                url: url, type: Self.imageType(page.text(item, "encodingFormat") ?? page.text(item, "fileFormat")),
                width: length(item, "width"), height: length(item, "height"),
                alt: CleanText.line(page.text(item, "caption") ?? page.text(item, "name")).map {
                    Snippet.cut($0, to: Self.maximumAltCharacters)
                }), from: structuredSource)
    }

    /// The media type of a picture; nil for other types.
    private static func imageType(_ text: String?) -> String? {
        mediaType(text).flatMap { $0.hasPrefix("image/") ? $0 : nil }
    }

    // MARK: Icon

    /// The icon that the page links to. An icon for home screens comes first; `RecordDraft` adds those of the web manifest, which
    /// come before the others.
    mutating func takeIcon() {
        iconPlace = record.provenance.count
        let icons = facts.metadata.icons.filter {
            $0.kind != .maskIcon && $0.url.isHTTP && $0.url.href.utf8.count <= WrittenAddress.maximumBytes
        }
        let touch = icons.filter { $0.kind == .appleTouchIcon }
        guard let best = Self.largest(touch.isEmpty ? icons : touch) else { return }
        hasTouchIcon = !touch.isEmpty
        record.iconURL = best.url.href
        took("iconURL", from: .iconLink)
    }

    /// The first of the largest ones; an icon that says no size counts as smaller than all that do.
    private static func largest(_ icons: [HTMLMetadata.Icon]) -> HTMLMetadata.Icon? {
        icons.enumerated().max { ($0.element.side, -$0.offset) < ($1.element.side, -$1.offset) }?.element
    }

    /// Pixels: `640`, `640px`, or a QuantitativeValue.
    private func length(_ item: StructuredItem, _ name: String) -> Int? {
        guard let text = page.text(item, name) else { return nil }
        return Self.pixels(SchemaOrg.decimal(text).flatMap { $0 < 100_000 && $0 > 0 ? Int($0) : nil })
    }

    fileprivate static func pixels(_ value: Int?) -> Int? {
        value.flatMap { (1..<100_000).contains($0) ? $0 : nil }
    }

    /// The length in an attribute, `640` or `640px`; nil for `100%` and `auto`.
    static func pixels(written text: String) -> Int? {
        text.utf8.contains(UInt8(ascii: "%")) ? nil : pixels(ASCIIText.leadingNumber(text))
    }

    /// An address of a file. An empty one resolves to the page itself, which is no picture and no sound.
    private func mediaAddress(_ text: String) -> String? {
        guard let address = webAddress(text), address != facts.source.url.href, address != facts.baseURL.href else {
            return nil
        }
        return address
    }

    // MARK: Audio and video

    /// What plays goes to the list of its kind, whichever property named it.
    private struct PlayableMedia {
        var audio = AddressedMedia<DeepLinkRecord.Media>(maximum: RecordBuilder.maximumMedia)
        var video = AddressedMedia<DeepLinkRecord.Media>(maximum: RecordBuilder.maximumMedia)

        /// - Returns: whether the address is of something that plays.
        @discardableResult
        mutating func add(
            _ address: String, type written: String?, width: Int? = nil, height: Int? = nil,
            saidToBe said: DeepLinkRecord.PlayedMedia, from source: DeepLinkRecord.Source
        ) -> Bool {
            guard let url = WebURL(address) else { return false }
            var type = RecordBuilder.mediaType(written)
            switch MediaKind(of: url, type: type, saidToBe: said) {
            case .unplayable: return false
            case .audio:
                if type?.hasPrefix("video/") == true { type = nil }
                audio.add(address, DeepLinkRecord.Media(url: address, type: type), from: source)
            case .player where said == .audio:
                audio.add(address, DeepLinkRecord.Media(url: address, type: type), from: source)
            case .video, .player:
                video.add(
                    address,
                    DeepLinkRecord.Media(
                        url: address, type: type, width: RecordBuilder.pixels(width),
                        height: RecordBuilder.pixels(height)), from: source)
            }
            return true
        }
    }

    mutating func takeAudioAndVideo() {
        var media = PlayableMedia()
        add(facts.openGraph?.audios ?? [], saidToBe: .audio, to: &media)
        add(facts.openGraph?.videos ?? [], saidToBe: .video, to: &media)
        addMedia(of: .audioObject, property: "audio", saidToBe: .audio, to: &media)
        addMedia(of: .videoObject, property: "video", saidToBe: .video, to: &media)
        if let player = facts.twitterCard?.player, let stream = player.stream.flatMap(mediaAddress) {
            media.add(
                stream, type: player.streamContentType, width: player.width, height: player.height, saidToBe: .video,
                from: .twitterCard)
        }
        addElements(.audio, saidToBe: .audio, to: &media)
        addElements(.video, saidToBe: .video, to: &media)
        for video in sitemap.videos {
            if let url = video.content, media.add(url, type: nil, saidToBe: .video, from: .sitemap) {
                continue
            }
            if let url = video.player {
                media.add(url, type: "text/html", saidToBe: .video, from: .sitemap)
            }
        }
        record.audio = media.audio.elements
        if let source = media.audio.firstSource { took("audio", from: source) }
        record.video = media.video.elements
        if let source = media.video.firstSource { took("video", from: source) }
    }

    private func add(
        _ objects: [OpenGraph.Media], saidToBe said: DeepLinkRecord.PlayedMedia, to media: inout PlayableMedia
    ) {
        for object in objects {
            // A secure address that is none leaves the other.
            for url in [object.secureURL, object.url] {
                guard let address = url.flatMap({ mediaAddress($0.href) }) else { continue }
                media.add(
                    address, type: object.type, width: object.width, height: object.height, saidToBe: said,
                    from: .openGraph)
                break
            }
        }
    }

    /// The objects the main item has or is; of other items only where there is no main one.
    private func addMedia(
        of kind: ItemKind, property: String, saidToBe said: DeepLinkRecord.PlayedMedia, to media: inout PlayableMedia
    ) {
        var objects = page.items(page.mainValues(property))
        objects += page.main.map { page.items[$0] }.filter { page.isItem($0, kind) }
        for name in ["associatedMedia", "encoding"] {
            objects += page.items(page.mainValues(name)).filter { page.isItem($0, kind) || played(by: $0) == said }
        }
        objects += page.playableParts(of: kind)
        if objects.isEmpty { objects = page.items.filter { $0.isTopLevel && page.isItem($0, kind) } }
        for object in objects.prefix(Self.maximumMedia) {
            let format = page.text(object, "encodingFormat") ?? page.text(object, "fileFormat")
            let (width, height) = (length(object, "width"), length(object, "height"))
            if let url = page.text(object, "contentUrl").flatMap(mediaAddress),
                media.add(url, type: format, width: width, height: height, saidToBe: said, from: .schemaOrg)
            {
                continue
            }
            if let url = page.text(object, "embedUrl").flatMap(mediaAddress) {
                media.add(
                    url, type: "text/html", width: width, height: height, saidToBe: said, from: .schemaOrg)
            }
        }
        for value in page.mainValues(property) {
            if case .item = value { continue }
            if let url = page.text(of: value).flatMap(mediaAddress) {
                media.add(url, type: nil, saidToBe: said, from: .schemaOrg)
            }
        }
    }

    /// What a MediaObject plays that is said to be neither audio nor video: its file decides, then the main item, since podcasts
    /// are heard. Nil for pictures, documents, and what may be anything.
    private func played(by object: StructuredItem) -> DeepLinkRecord.PlayedMedia? {
        guard object.types.contains("MediaObject"), !page.isItem(object, .audioObject),
            !page.isItem(object, .videoObject)
        else { return nil }
        let isHeard = page.main.contains { index in
            page.items[index].types.contains { type in
                ["PodcastEpisode", "RadioEpisode", "MusicRecording", "Audiobook"].contains {
                    SchemaOrg.isKind(type, of: $0)
                }
            }
        }
        guard let address = page.text(object, "contentUrl").flatMap(mediaAddress), let url = WebURL(address) else {
            return isHeard ? .audio : nil
        }
        let format = page.text(object, "encodingFormat") ?? page.text(object, "fileFormat")
        return MediaKind.played(at: url, writtenType: format, otherwise: isHeard ? .audio : nil)
    }

    /// Elements of a page that are looked at: pages with more are lists of previews.
    private static let maximumMediaElements = 100
    private static let maximumSources = 1_000

    /// `<video src>`, and the sources inside.
    private func addElements(
        _ name: HTMLName, saidToBe said: DeepLinkRecord.PlayedMedia, to media: inout PlayableMedia
    ) {
        let document = facts.document
        for element in document.elements(named: name).prefix(Self.maximumMediaElements) {
            if isDecoration(element, said) || isOfFeed(element) { continue }
            let sources = document.elements(named: .source).prefix(Self.maximumSources).lazy
                .filter { document.isElement($0, inside: element) }
            let width = document.value(of: .width, on: element).flatMap(Self.pixels(written:))
            let height = document.value(of: .height, on: element).flatMap(Self.pixels(written:))
            for part in [element] + sources.prefix(Self.maximumMedia) {
                guard let url = document.value(of: .src, on: part).flatMap(mediaAddress) else { continue }
                media.add(
                    url, type: document.value(of: .type, on: part), width: width, height: height, saidToBe: said,
                    from: .mediaElement)
            }
        }
    }

    /// A loop behind a heading, a sound in the background, a preview under the pointer: without `controls`, it plays by
    /// itself, silently or over and over, and nobody presses play. A player made with scripts has none of this, or one.
    private func isDecoration(_ element: HTMLDocument.Index, _ media: DeepLinkRecord.PlayedMedia) -> Bool {
        var signs = 0
        for (name, _) in facts.document.attributes(of: element) {
            switch name {
            case "controls": return false
            case "autoplay", "loop", "muted": signs += 1
            default: break
            }
        }
        return signs >= (media == .audio ? 1 : 2)
    }

    /// Whether it belongs to one of several posts that the page shows beside its topic: an `article` without the page's
    /// heading, next to others.
    private func isOfFeed(_ element: HTMLDocument.Index) -> Bool {
        let document = facts.document
        let articles = document.elements(named: .article).prefix(Self.maximumMediaElements)
        guard articles.count > 1, let own = articles.last(where: { document.isElement(element, inside: $0) }),
            !document.elements(named: .h1).prefix(Self.maximumMediaElements)
                .contains(where: { document.isElement($0, inside: own) })
        else { return false }
        // A feed has entries side by side; comments are inside of the article that they are about.
        return articles.contains {
            $0 != own && !document.isElement($0, inside: own) && !document.isElement(own, inside: $0)
        }
    }

    /// The essence of a media type, lower case: `video/mp4` of `video/mp4; codecs="avc1"`. nil for what is none.
    static func mediaType(_ text: String?) -> String? {
        guard let text else { return nil }
        let essence = String(Substring(text.utf8.prefix { $0 != UInt8(ascii: ";") })).trimmingHTMLSpace()
            .asciiLowercased
        guard essence.utf8.count <= 100, essence.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 1,
            !essence.hasPrefix("/"), !essence.hasSuffix("/"), !essence.contains(" ")
        else { return nil }
        return essence
    }
}

/// Media in order, each address once; http and https of one address are one.
struct AddressedMedia<Element> {
    private(set) var elements: [Element] = []
    private(set) var firstSource: DeepLinkRecord.Source?
    private var seen: Set<Substring> = []
    private let maximum: Int

    init(maximum: Int) {
        self.maximum = maximum
    }

    mutating func add(_ address: String, _ element: Element, from source: DeepLinkRecord.Source? = nil) {
        let key = address.utf8.firstIndex(of: UInt8(ascii: ":")).map { address[$0...] } ?? address[...]
        guard elements.count < maximum, seen.insert(key).inserted else { return }
        if elements.isEmpty { firstSource = source }
        elements.append(element)
    }
}
