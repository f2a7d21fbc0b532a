// Images, audio and video: each address once, best source first.

extension RecordBuilder {
    private static let maximumImages = 20
    fileprivate static let maximumMedia = 10

    // MARK: Images

    /// `noimageindex` and `max-image-preview:none` ask that no picture of the page is shown.
    mutating func takeImages() {
        if facts.directives.noimageindex || facts.directives.maxImagePreview == RobotsDirectives.ImagePreview.none {
            return
        }
        var images = AddressedMedia<DeepLinkRecord.Image>(maximum: Self.maximumImages)
        var source: DeepLinkRecord.Source?
        func sawFirst(_ candidate: DeepLinkRecord.Source) {
            if source == nil && !images.elements.isEmpty { source = candidate }
        }
        for image in facts.openGraph?.images ?? [] {
            guard let url = image.bestURL, url.isHTTP, url.href != facts.baseURL.href else { continue }
            images.add(
                url.href,
                DeepLinkRecord.Image(
                    url: url.href, width: Self.pixels(image.width), height: Self.pixels(image.height),
                    alt: CleanText.line(image.alt)))
        }
        sawFirst(.openGraph)
        for name in ["image", "primaryImageOfPage", "thumbnailUrl", "photo"] {
            for value in page.mainValues(name) { add(value, to: &images, depth: 0) }
        }
        if images.elements.isEmpty, let webPage = page.firstItem(of: .webPage) {
            for name in ["primaryImageOfPage", "image", "thumbnailUrl"] {
                for value in webPage.values(name) { add(value, to: &images, depth: 0) }
            }
        }
        sawFirst(.schemaOrg)
        for image in facts.twitterCard?.images ?? [] {
            guard let url = image.url, url.isHTTP else { continue }
            images.add(url.href, DeepLinkRecord.Image(url: url.href, alt: CleanText.line(image.alt)))
        }
        sawFirst(.twitterCard)
        if let url = facts.metadata.imageSource, url.isHTTP {
            images.add(url.href, DeepLinkRecord.Image(url: url.href))
        }
        sawFirst(.imageSource)
        record.images = images.elements
        if let first = images.elements.first, let source {
            record.thumbnailURL = first.url
            took("thumbnailURL", from: source)
        }
    }

    /// A URL, or an ImageObject with `url`, `contentUrl` or an identifier; a list of them is an item with elements.
    private func add(
        _ value: StructuredItem.Value, to images: inout AddressedMedia<DeepLinkRecord.Image>, depth: Int
    ) {
        guard case .item(let index) = value else {
            if let url = page.text(of: value).flatMap(mediaAddress) { images.add(url, DeepLinkRecord.Image(url: url)) }
            return
        }
        guard page.items.indices.contains(index) else { return }
        let item = page.items[index]
        let elements = item.values("itemListElement")
        if !elements.isEmpty, depth < 2 {
            for element in elements.prefix(Self.maximumImages) { add(element, to: &images, depth: depth + 1) }
            return
        }
        let address =
            page.text(item, "contentUrl") ?? page.text(item, "url") ?? page.text(item, "thumbnailUrl") ?? item.id
        guard let url = address.flatMap(mediaAddress) else { return }
        images.add(
            url,
            DeepLinkRecord.Image(
                url: url, width: length(item, "width"), height: length(item, "height"),
                alt: CleanText.line(page.text(item, "caption") ?? page.text(item, "name")).map {
                    Snippet.cut($0, to: 420)
                }))
    }

    /// Pixels: `640`, `640px`, or a QuantitativeValue.
    private func length(_ item: StructuredItem, _ name: String) -> Int? {
        guard let text = page.text(item, name) else { return nil }
        return Self.pixels(SchemaOrg.decimal(text).flatMap { $0 < 100_000 && $0 > 0 ? Int($0) : nil })
    }

    private static func pixels(_ value: Int?) -> Int? {
        value.flatMap { (1..<100_000).contains($0) ? $0 : nil }
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
            _ address: String, type written: String?, saidToBe said: DeepLinkRecord.PlayedMedia,
            from source: DeepLinkRecord.Source
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
                video.add(address, DeepLinkRecord.Media(url: address, type: type), from: source)
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
            media.add(stream, type: player.streamContentType, saidToBe: .video, from: .twitterCard)
        }
        addElements(.audio, saidToBe: .audio, to: &media)
        addElements(.video, saidToBe: .video, to: &media)
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
                media.add(address, type: object.type, saidToBe: said, from: .openGraph)
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
            objects += page.items(page.mainValues(name)).filter { page.isItem($0, kind) }
        }
        objects += page.playableParts(of: kind)
        if objects.isEmpty { objects = page.items.filter { $0.isTopLevel && page.isItem($0, kind) } }
        for object in objects.prefix(Self.maximumMedia) {
            let format = page.text(object, "encodingFormat") ?? page.text(object, "fileFormat")
            if let url = page.text(object, "contentUrl").flatMap(mediaAddress),
                media.add(url, type: format, saidToBe: said, from: .schemaOrg)
            {
                continue
            }
            if let url = page.text(object, "embedUrl").flatMap(mediaAddress) {
                media.add(url, type: "text/html", saidToBe: said, from: .schemaOrg)
            }
        }
        for value in page.mainValues(property) {
            if case .item = value { continue }
            if let url = page.text(of: value).flatMap(mediaAddress) {
                media.add(url, type: nil, saidToBe: said, from: .schemaOrg)
            }
        }
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
            for part in [element] + sources.prefix(Self.maximumMedia) {
                guard let url = document.value(of: .src, on: part).flatMap(mediaAddress) else { continue }
                media.add(url, type: document.value(of: .type, on: part), saidToBe: said, from: .mediaElement)
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
