// What each network reads of a page and where it cuts, and the previews made by these rules.

import PippinPage

extension SharePreview {
    /// What a network reads, in order, and where it cuts.
    struct Rules: Sendable {
        /// How much of a text is shown; the rest is cut.
        enum Limit: Sendable {
            /// Characters, in the network's documentation.
            case stated(Int)
            /// Bytes of UTF-8, in the network's documentation.
            case bytes(Int)
            /// Characters. Not published: what was seen on a phone. It depends on letters, screen and version.
            case about(Int)

            var maximum: Int {
                switch self {
                case .stated(let count), .bytes(let count), .about(let count): count
                }
            }

            func length(of text: String) -> Int {
                if case .bytes = self { text.utf8.count } else { text.count }
            }

            /// The start of a text that has the limit's length at most. Characters stay whole.
            func start(of text: String, reserving reserve: Int) -> Substring {
                guard case .bytes(let maximum) = self else { return text.prefix(max(0, maximum - reserve)) }
                var left = maximum - reserve
                return text.prefix {
                    left -= $0.utf8.count
                    return left >= 0
                }
            }

            /// The sentence about a text that is longer.
            func sentence(about what: String, _ length: Int) -> String {
                switch self {
                case .stated(let count):
                    "The \(what) has \(Wording.number(length)) characters and is cut after \(count)."
                case .bytes(let count): "The \(what) has \(Wording.number(length)) bytes and is cut after \(count)."
                case .about(let count):
                    "The \(what) has \(Wording.number(length)) characters and is cut after about \(count)."
                }
            }
        }

        let titles: [String]
        let descriptions: [String]
        let pictures: [String]
        let titleLimit: Limit
        /// nil if it shows no description.
        let descriptionLimit: Limit?
        /// In pixels: smaller pictures are not shown; smaller than `large` they stand beside the words.
        var smallest: (width: Int, height: Int)?
        var large: (width: Int, height: Int)?
        /// What the network asks for, though it also shows smaller ones.
        var asked: (width: Int, height: Int)?
        /// The greatest width for a height of 1.
        var widestShape: Int?
        var maximumPictureBytes: Int?
        /// Pictures beyond the limits may be shown all the same, or smaller.
        var mayRelaxLimits = false
        /// Addresses have to be written whole.
        var wantsWholeAddresses = false
        /// `<title>` and meta description count only together, and only on a page without tags of Open Graph and Twitter.
        var takesHTMLAsPair = false
        /// How many bytes of the page are read; nil if that is not published.
        var headBytes: Int?
    }

    /// The sources of the numbers: those with `stated`, and the order of tags.
    ///
    /// - Messages: Apple TN3156, “Create rich previews for Messages”, and the LinkPresentation framework.
    /// - X: “Cards markup tag reference”, “Summary Card”, “Summary Card with Large Image”: title 70, description 200
    ///   characters; pictures 144×144 or 300×157 at least, 5 MB.
    /// - Facebook: “A Guide to Sharing for Webmasters”, “Images in Link Shares”: pictures 200×200 at least, 600×315 for a
    ///   large one, 8 MB.
    /// - Slack: “Everything you ever wanted to know about unfurling”, “Slack robots”: Twitter tags, Open Graph, HTML, in the
    ///   first 32 KB of the page.
    /// - LinkedIn: LinkedIn Help a521928, “Make your website shareable on LinkedIn”: Open Graph; pictures of 1200×627 at least
    ///   and 5 MB. The page says of advertisements that pictures of less than 401 pixels in width are thumbnails; shared links
    ///   were seen to do the same. That the feed shows no description was seen, too.
    /// - WhatsApp: “Link Previews” of the WhatsApp Business Platform (May 2026): Open Graph within the first 300 KB of the page; a
    ///   title of two lines, a description of one or two; pictures under 600 KB, of at least 300 pixels in width, and at most
    ///   four times as wide as high. WhatsApp may relax these rules, or show a small preview.
    /// - Discord: “Link Previews” of the developer documentation (2026): the order of tags, `<title>` and meta description only as
    ///   a pair, 70 and 350 bytes, a large picture with `summary_large_image`, the picture alone with `photo`, a gallery for
    ///   two or more `og:image`.
    /// - Spotlight: App Search Programming Guide: title 90, description 300 characters.
    static func rules(of network: Network) -> Rules {
        switch network {
        case .messages:
            Rules(
                titles: ["og:title", "twitter:title", "title"], descriptions: [],
                pictures: ["og:image", "twitter:image", "apple-touch-icon", "icon"], titleLimit: .about(80),
                descriptionLimit: nil)
        case .x:
            Rules(
                titles: ["twitter:title", "og:title"], descriptions: ["twitter:description", "og:description"],
                pictures: ["twitter:image", "og:image"], titleLimit: .stated(70), descriptionLimit: .stated(200),
                smallest: (144, 144), large: (300, 157), maximumPictureBytes: 5_000_000, wantsWholeAddresses: true)
        case .facebook:
            Rules(
                titles: ["og:title", "title"], descriptions: ["og:description", "description"], pictures: ["og:image"],
                titleLimit: .about(88), descriptionLimit: .about(110), smallest: (200, 200), large: (600, 315),
                maximumPictureBytes: 8_000_000, wantsWholeAddresses: true)
        case .slack:
            Rules(
                titles: ["twitter:title", "og:title", "title"],
                descriptions: ["twitter:description", "og:description", "description"],
                pictures: ["twitter:image", "og:image"], titleLimit: .about(150), descriptionLimit: .about(300),
                headBytes: 32_768)
        case .linkedin:
            Rules(
                titles: ["og:title", "title"], descriptions: [], pictures: ["og:image"], titleLimit: .about(150),
                descriptionLimit: nil, large: (401, 1), asked: (1_200, 627), maximumPictureBytes: 5_000_000,
                wantsWholeAddresses: true)
        case .whatsapp:
            Rules(
                titles: ["og:title", "title"], descriptions: ["og:description", "description"], pictures: ["og:image"],
                titleLimit: .about(80), descriptionLimit: .about(80), smallest: (300, 1), widestShape: 4,
                maximumPictureBytes: 600_000, mayRelaxLimits: true, wantsWholeAddresses: true, headBytes: 300_000)
        case .discord:
            Rules(
                titles: ["og:title", "twitter:title", "title"],
                descriptions: ["og:description", "twitter:description", "description"],
                pictures: ["og:image", "twitter:image"], titleLimit: .bytes(70), descriptionLimit: .bytes(350),
                takesHTMLAsPair: true)
        case .spotlight:
            Rules(
                titles: ["record"], descriptions: ["record"], pictures: ["record"], titleLimit: .stated(90),
                descriptionLimit: .stated(300))
        }
    }

    /// All networks, in their order. Spotlight is left out if the page asks not to be indexed, or has no title.
    static func all(of page: PageExamination) -> [SharePreview] {
        Network.allCases.compactMap { preview($0, of: page) }
    }

    /// The preview of one network. nil for Spotlight if the page asks not to be indexed, or has no title.
    static func preview(_ network: Network, of page: PageExamination) -> SharePreview? {
        network == .spotlight ? page.record.flatMap(spotlight) : SharePreview(network, of: page)
    }
}

extension SharePreview {
    private static func spotlight(_ record: DeepLinkRecord) -> SharePreview? {
        guard let title = record.title else { return nil }
        let rules = rules(of: .spotlight)
        func source(_ field: String) -> String {
            record.provenance.first { $0.field == field }?.source.rawValue ?? "record"
        }
        var preview = SharePreview(network: .spotlight, domain: record.domainIdentifier)
        preview.siteName = record.containerTitle
        preview.title = preview.cut(title, source("title"), "title", rules.titleLimit)
        if let limit = rules.descriptionLimit, let snippet = record.snippet {
            preview.description = preview.cut(snippet, source("snippet"), "description", limit)
        }
        if let url = record.thumbnailURL.flatMap({ WebURL($0) }) {
            preview.picture = Picture(url: url, source: source("thumbnailURL"), alt: record.images.first?.alt)
            preview.layout = .small
        } else {
            preview.notes.append("There is no picture; a letter stands in its place.")
        }
        if preview.description == nil { preview.notes.append("There is no description.") }
        return preview
    }

    /// The preview of a network that reads the page's own tags.
    private init(_ network: Network, of page: PageExamination) {
        let rules = Self.rules(of: network)
        let host = page.url.host ?? ""
        self.init(network: network, domain: host.hasPrefix("www.") ? String(host.dropFirst(4)) : host)
        if network == .slack || network == .discord { siteName = page.text(ofTag: "og:site_name") }
        let titles = tags(rules.titles, rules, of: page)
        let descriptions = tags(rules.descriptions, rules, of: page)
        let isDescribed = descriptions.contains { page.text(ofTag: $0) != nil }
        if network == .x, let reason = page.lackOfCard {
            layout = .link
            notes.append(reason)
            return
        }
        title = text(titles, "title", rules.titleLimit, of: page)
        arrange(rules, of: page)
        if network == .x, layout == .large {
            // Since October 2023 (not in the documentation).
            if isDescribed { notes.append("Beside a large picture X shows no description.") }
        } else if network == .discord, picture != nil, page.text(ofTag: "twitter:card")?.lowercased() == "photo" {
            if isDescribed { notes.append("With twitter:card photo Discord shows the picture and no description.") }
        } else if let limit = rules.descriptionLimit {
            description = text(descriptions, "description", limit, of: page)
        }
        if rules.takesHTMLAsPair, title == nil, description == nil, picture == nil {
            layout = .link
            notes = [
                "There are no tags of Open Graph, and not both <title> and meta description: \(network.name) shows no preview."
            ]
        }
        if let limit = rules.headBytes { noteWhatIsFarDown(limit, of: page) }
    }

    /// The tags that the network reads on this page.
    private func tags(_ tags: [String], _ rules: Rules, of page: PageExamination) -> [String] {
        guard rules.takesHTMLAsPair else { return tags }
        let html = ["title", "description"]
        let own = (rules.titles + rules.descriptions).filter { !html.contains($0) }
        let isPair = html.allSatisfy { page.text(ofTag: $0) != nil }
        return isPair && own.allSatisfy { page.text(ofTag: $0) == nil } ? tags : tags.filter { !html.contains($0) }
    }

    /// The first of some tags that has a text.
    private mutating func text(
        _ tags: [String], _ what: String, _ limit: Rules.Limit, of page: PageExamination
    ) -> Part? {
        for (rank, tag) in tags.enumerated() {
            guard let text = page.text(ofTag: tag) else { continue }
            if rank > 0, tags.prefix(rank).allSatisfy({ $0.hasPrefix("og:") }) {
                notes.append("There is no \(tags[0]): the \(what) comes from \(Self.name(tag)).")
            }
            return cut(text, tag, what, limit)
        }
        notes.append(
            "There is no \(what): \(network.name) reads \(Wording.list(tags.map(Self.name), shown: 3)).")
        return nil
    }

    private static func name(_ tag: String) -> String {
        switch tag {
        case "title": "<title>"
        case "description": "meta description"
        default: tag
        }
    }

    private mutating func cut(_ text: String, _ source: String, _ what: String, _ limit: Rules.Limit) -> Part {
        let length = limit.length(of: text)
        guard length > limit.maximum else { return Part(text: text, source: source, wholeLength: nil) }
        let start = String(limit.start(of: text, reserving: limit.length(of: "…")))
        notes.append(limit.sentence(about: what, length))
        // After a word, if that costs little.
        let space = start.lastIndex { $0 == " " }.flatMap {
            start.distance(from: $0, to: start.endIndex) <= 20 ? $0 : nil
        }
        return Part(text: (space.map { String(start[..<$0]) } ?? start) + "…", source: source, wholeLength: text.count)
    }

    // MARK: Picture and layout

    private mutating func arrange(_ rules: Rules, of page: PageExamination) {
        let kind = page.text(ofTag: "twitter:card")?.lowercased()
        if network == .x, kind == nil { notes.append("There is no twitter:card: the picture is small.") }
        let found = page.pictures(of: rules.pictures)
        guard let first = found.first else {
            layout = .text
            notes.append("There is no picture: \(network.name) reads \(Wording.list(rules.pictures, shown: 4)).")
            return
        }
        let image = page.evidence.images.value?.first { $0.url == first.picture.url }
        let size = page.size(of: first.picture, image)
        let beyond = excess(image, size, rules)
        if let reason = refusal(of: first, image, rules) ?? (rules.mayRelaxLimits ? nil : beyond) {
            layout = .text
            notes.append("The picture is not shown: \(reason).")
            return
        }
        picture = first.picture
        let isIcon = ["apple-touch-icon", "icon"].contains(first.picture.source)
        let fitsLarge = size.map { size in
            rules.large.map { size.width >= $0.width && size.height >= $0.height } ?? true
        }
        switch network {
        case .messages:
            layout = isIcon ? .small : .large
            if isIcon { notes.append("There is no og:image: the site's icon stands in its place.") }
        case .x:
            layout = kind == "summary_large_image" && fitsLarge ?? true ? .large : .small
        case .facebook:
            layout = fitsLarge ?? true ? .large : .small
        case .slack:
            layout = kind == "summary" ? .small : .large
        case .linkedin:
            layout = fitsLarge ?? true ? .large : .small
        case .whatsapp:
            layout = beyond == nil ? .large : .small
            if let beyond { notes.append("WhatsApp may show the picture small, or not at all: \(beyond).") }
        case .discord:
            let count = page.facts.openGraph?.images.count ?? 0
            layout = count > 1 || kind == "summary_large_image" || kind == "photo" ? .large : .small
            if count > 1 { notes.append("Discord shows \(min(count, 4)) pictures as a gallery.") }
        case .spotlight: break
        }
        if fitsLarge == false, network != .x || kind == "summary_large_image", let size, let large = rules.large {
            let wanted = large.height > 1 ? "\(large.width)×\(large.height)" : "\(large.width) in width"
            notes.append("The picture has \(size.width)×\(size.height) pixels; \(wanted) would be shown large.")
        } else if let size, let asked = rules.asked, size.width < asked.width || size.height < asked.height {
            notes.append(
                "The picture has \(size.width)×\(size.height) pixels; \(network.name) asks for \(asked.width)×\(asked.height) at least."
            )
        }
    }

    /// Why a picture is beyond the network's limits; nil if it is within them, as far as is known.
    private func excess(_ image: ImageEvidence?, _ size: (width: Int, height: Int)?, _ rules: Rules) -> String? {
        if let bytes = image?.byteCount, let maximum = rules.maximumPictureBytes, bytes > maximum {
            return "it has \(Wording.bytes(bytes)), and \(Wording.bytes(maximum)) are allowed"
        }
        guard let size else { return nil }
        let pixels = "it has \(size.width)×\(size.height) pixels"
        if let smallest = rules.smallest, size.width < smallest.width || size.height < smallest.height {
            let least = smallest.height > 1 ? "\(smallest.width)×\(smallest.height)" : "\(smallest.width) in width"
            return "\(pixels), and \(least) are the least"
        }
        if let widest = rules.widestShape, Double(size.width) > Double(widest) * Double(size.height) {
            return "\(pixels), and it may be \(widest) times as wide as high"
        }
        return nil
    }

    /// Why a picture cannot be shown at all; nil if it can.
    private func refusal(
        of found: (picture: Picture, isWhole: Bool), _ image: ImageEvidence?, _ rules: Rules
    ) -> String? {
        let tag = found.picture.source
        if rules.wantsWholeAddresses, !found.isWhole { return "\(tag) is not a whole address" }
        if image?.format == .svg || found.picture.url.path.lowercased().hasSuffix(".svg") { return "it is an SVG" }
        if let status = image?.status, status != 200 { return "its address answers with status \(status)" }
        if image?.status == 200, image?.format == nil { return "what its address answers is no picture" }
        return nil
    }

    private mutating func noteWhatIsFarDown(_ limit: Int, of page: PageExamination) {
        let used = [title?.source, description?.source, picture?.source].compactMap { $0 }
        for tag in used {
            guard let offset = page.byteOffset(ofTag: tag), offset > limit else { continue }
            notes.append(
                "\(Self.name(tag)) stands after \(Wording.bytes(offset)) of the page; \(network.name) reads the first \(Wording.bytes(limit))."
            )
        }
    }
}

extension PageExamination {
    /// Why X shows no card of the page, as a sentence; nil if it shows one. “Getting started with Cards”: without twitter:card, a
    /// summary may be shown if og:type, og:title and og:description are there.
    var lackOfCard: String? {
        if let card = facts.twitterCard, let name = card.card {
            return card.isShownCard ? nil : "X shows no card \(Wording.quoted(name, to: 40))."
        }
        let graph = facts.openGraph
        guard graph?.type != nil, graph?.title != nil, graph?.description != nil else {
            return "There is no twitter:card, and not all of og:type, og:title and og:description: X shows no card."
        }
        return nil
    }

    /// The first text of a tag, in one line: a `meta` name, `title`.
    fileprivate func text(ofTag tag: String) -> String? {
        let text = tag == "title" ? facts.metadata.title : meta.tags.first { $0.name == tag && $0.text != nil }?.text
        // No network shows as much.
        let line = text?.prefix(2_000).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line?.isEmpty == false ? line : nil
    }

    /// Bytes of the decoded page before a tag.
    fileprivate func byteOffset(ofTag tag: String) -> Int? {
        tag == "title"
            ? facts.document.elements(named: .title).first.map { facts.document.place(of: $0).byteOffset }
            : meta.tags.first { $0.name == tag && $0.text != nil }?.place.byteOffset
    }

    /// The pictures that some tags name, and whether the address is written whole.
    fileprivate func pictures(of tags: [String]) -> [(picture: SharePreview.Picture, isWhole: Bool)] {
        tags.compactMap { tag in
            let address: (url: WebURL?, alt: String?)
            switch tag {
            case "og:image":
                let image = facts.openGraph?.images.first
                address = (image?.bestURL, image?.alt)
            case "twitter:image":
                let image = facts.twitterCard?.images.first
                address = (image?.url, image?.alt)
            case "apple-touch-icon": address = (facts.metadata.icons.first { $0.kind == .appleTouchIcon }?.url, nil)
            case "icon": address = (facts.metadata.icons.first { $0.kind == .icon }?.url, nil)
            default: address = (nil, nil)
            }
            guard let url = address.url, url.isHTTP else { return nil }
            let written = meta.tags.first { $0.name.hasPrefix(tag) && $0.text != nil }?.text?.lowercased() ?? ""
            return (
                SharePreview.Picture(url: url, source: tag, alt: address.alt),
                written.hasPrefix("http:") || written.hasPrefix("https:")
            )
        }
    }

    /// The size of a picture in pixels: its own if it was fetched, else what Open Graph says; nil if unknown.
    fileprivate func size(of picture: SharePreview.Picture, _ image: ImageEvidence?) -> (width: Int, height: Int)? {
        if let width = image?.width, let height = image?.height { return (width, height) }
        guard picture.source == "og:image", let stated = facts.openGraph?.images.first, let width = stated.width,
            let height = stated.height
        else { return nil }
        return (width, height)
    }
}

extension Wording {
    /// A size for people: `734 bytes`, `48 KB`, `1.2 MB`.
    static func bytes(_ count: Int) -> String {
        switch count {
        case ..<1_000: "\(count) bytes"
        case ..<1_000_000: "\((count + 500) / 1_000) KB"
        default: "\(count / 1_000_000).\(count % 1_000_000 / 100_000) MB"
        }
    }
}
