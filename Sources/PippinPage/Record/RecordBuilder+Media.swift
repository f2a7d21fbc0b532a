// Images, audio and video: each address once, best source first.

extension RecordBuilder {
    private static let maximumImages = 20
    private static let maximumMedia = 10

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
                    alt: Self.line(image.alt)))
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
            images.add(url.href, DeepLinkRecord.Image(url: url.href, alt: Self.line(image.alt)))
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
                alt: Self.line(page.text(item, "caption") ?? page.text(item, "name")).map { Snippet.cut($0, to: 420) }))
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

    mutating func takeAudio() {
        var media = AddressedMedia<DeepLinkRecord.Media>(maximum: Self.maximumMedia)
        add(facts.openGraph?.audios ?? [], to: &media)
        let openGraph = media.elements.count
        addMedia(of: .audioObject, property: "audio", to: &media)
        addElements([.audio], to: &media)
        record.audio = media.elements
        tookMedia("audio", media, openGraph)
    }

    mutating func takeVideo() {
        var media = AddressedMedia<DeepLinkRecord.Media>(maximum: Self.maximumMedia)
        add(facts.openGraph?.videos ?? [], to: &media)
        let openGraph = media.elements.count
        addMedia(of: .videoObject, property: "video", to: &media)
        if let stream = facts.twitterCard?.player?.stream.flatMap(mediaAddress) {
            media.add(
                stream,
                DeepLinkRecord.Media(url: stream, type: Self.mediaType(facts.twitterCard?.player?.streamContentType)))
        }
        addElements([.video], to: &media)
        record.video = media.elements
        tookMedia("video", media, openGraph)
    }

    private mutating func tookMedia(_ field: String, _ media: AddressedMedia<DeepLinkRecord.Media>, _ openGraph: Int) {
        if openGraph > 0 {
            took(field, from: .openGraph)
        } else if let source = media.firstSource {
            took(field, from: source)
        }
    }

    private func add(_ objects: [OpenGraph.Media], to media: inout AddressedMedia<DeepLinkRecord.Media>) {
        for object in objects {
            guard let url = object.bestURL, url.isHTTP, object.type?.contains("flash") != true else { continue }
            media.add(url.href, DeepLinkRecord.Media(url: url.href, type: Self.mediaType(object.type)))
        }
    }

    /// The objects the main item has or is; of other items only where there is no main one.
    private func addMedia(
        of kind: ItemKind, property: String, to media: inout AddressedMedia<DeepLinkRecord.Media>
    ) {
        var objects = page.items(page.mainValues(property))
        objects += page.main.map { page.items[$0] }.filter { page.isItem($0, kind) }
        for name in ["associatedMedia", "encoding"] {
            objects += page.items(page.mainValues(name)).filter { page.isItem($0, kind) }
        }
        if objects.isEmpty { objects = page.items.filter { $0.isTopLevel && page.isItem($0, kind) } }
        for object in objects.prefix(Self.maximumMedia) {
            let format = page.text(object, "encodingFormat") ?? page.text(object, "fileFormat")
            if let url = page.text(object, "contentUrl").flatMap(mediaAddress) {
                media.add(url, DeepLinkRecord.Media(url: url, type: Self.mediaType(format)), from: .schemaOrg)
            } else if let url = page.text(object, "embedUrl").flatMap(mediaAddress) {
                media.add(url, DeepLinkRecord.Media(url: url, type: "text/html"), from: .schemaOrg)
            }
        }
        for value in page.mainValues(property) {
            if case .item = value { continue }
            if let url = page.text(of: value).flatMap(mediaAddress) {
                media.add(url, DeepLinkRecord.Media(url: url), from: .schemaOrg)
            }
        }
    }

    /// `<video src>`, and the sources inside.
    private func addElements(_ names: [HTMLName], to media: inout AddressedMedia<DeepLinkRecord.Media>) {
        let document = facts.document
        for name in names {
            for element in document.elements(named: name).prefix(Self.maximumMedia) {
                for part in [element] + document.children(of: element).prefix(Self.maximumMedia)
                where part == element || document.elements[part].name == .source {
                    guard let url = document.value(of: .src, on: part).flatMap(mediaAddress) else { continue }
                    let type = document.value(of: .type, on: part)
                    media.add(url, DeepLinkRecord.Media(url: url, type: Self.mediaType(type)), from: .mediaElement)
                }
            }
        }
    }

    /// The essence of a media type, lower case: `video/mp4` of `video/mp4; codecs="avc1"`. nil for what is none.
    private static func mediaType(_ text: String?) -> String? {
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
