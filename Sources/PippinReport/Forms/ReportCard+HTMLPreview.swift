import Foundation
import PippinCrawl
import PippinPage

// The search result as it would look: picture, title, site, snippet, stars, price, and buttons for its actions. After it the
// page as others show it (`SharePreview`).

extension ReportCard {
    func writePreview(to page: inout HTMLBuilder) {
        writePictures(to: &page)
        page.element("h2", text: "As a search result")
        page.element("section", [("class", "stage")]) { page in
            guard let record, let title = record.title else {
                let reason =
                    refusal != nil
                    ? "The page asks not to be indexed: there is no result."
                    : isPageRead
                        ? "Without a title there is no result." : "The page was not read: there is nothing to show."
                page.element("p", [("class", "note")], text: reason)
                return
            }
            page.element("div", [("class", "result")]) { page in
                page.element("div", [("class", "row")]) { page in
                    writeThumbnail(of: record, to: &page)
                    page.element("div", [("class", "words")]) { page in
                        page.element("div", [("class", "title"), ("dir", "auto")], text: title)
                        page.element(
                            "div", [("class", "site"), ("dir", "auto")], text: ResultFacts(record.json).siteLine)
                        if let snippet = record.snippet {
                            page.element("div", [("class", "snippet"), ("dir", "auto")], text: snippet)
                        }
                        Self.writeFacts(of: record, to: &page)
                    }
                }
                Self.writeButtons(of: record, to: &page)
            }
            page.element("p", [("class", "note")], text: pictureNote(of: record))
            if let note = Self.sourceNote(of: record) { page.element("p", [("class", "note sources")], text: note) }
            for note in previews.first(where: { $0.network == .spotlight })?.notes ?? [] {
                page.element("p", [("class", "note sources")], text: note)
            }
        }
        writeShared(to: &page)
    }

    // MARK: Shared

    private func writeShared(to page: inout HTMLBuilder) {
        let shared = previews.filter { $0.network != .spotlight }
        guard !shared.isEmpty else { return }
        page.element("h2", text: "As shared")
        page.element("section", [("class", "shared")]) { page in
            for preview in shared {
                page.element("figure", [("class", "card network")]) { page in
                    page.element("figcaption", text: preview.network.name)
                    page.element("div", [("class", "mock \(preview.network.rawValue)")]) { page in
                        write(preview, to: &page)
                    }
                    page.element("ul", [("class", "say-cut")]) { page in
                        for note in preview.notes { page.element("li", [("dir", "auto")], text: note) }
                        if preview.notes.isEmpty { page.element("li", [("class", "pass")], text: "Nothing is cut.") }
                    }
                }
            }
        }
    }

    private func write(_ preview: SharePreview, to page: inout HTMLBuilder) {
        if preview.layout == .link {
            page.element("p", [("class", "bare"), ("dir", "auto")], text: shown(url.href))
            return
        }
        page.element("div", [("class", "shape \(preview.layout.rawValue)")]) { page in
            // Slack and Discord have the picture below the words or after them.
            let isPictureLast = preview.network == .slack || preview.network == .discord
            if !isPictureLast { writePicture(of: preview, to: &page) }
            page.element("div", [("class", "words")]) { page in
                let site =
                    preview.siteName ?? preview.domain
                // Messages, LinkedIn and WhatsApp have the domain below the words.
                let isSiteLast = [.messages, .linkedin, .whatsapp].contains(preview.network)
                if !isSiteLast, !(preview.network == .x && preview.layout == .large) {
                    page.element("div", [("class", "site"), ("dir", "auto")], text: site)
                }
                page.element(
                    "div", [("class", "title"), ("dir", "auto")], text: preview.title?.text ?? preview.domain)
                if let description = preview.description {
                    page.element("div", [("class", "description"), ("dir", "auto")], text: description.text)
                }
                if isSiteLast {
                    page.element("div", [("class", "site"), ("dir", "auto")], text: site)
                }
            }
            if isPictureLast { writePicture(of: preview, to: &page) }
        }
        if preview.network == .x, preview.layout == .large {
            page.element("div", [("class", "from"), ("dir", "auto")], text: "From \(preview.domain)")
        }
    }

    private func writePicture(of preview: SharePreview, to page: inout HTMLBuilder) {
        guard preview.layout == .large || preview.layout == .small else { return }
        if let picture = preview.picture, let number = embedded.firstIndex(where: { $0.url == picture.url }) {
            return Self.write(picture: number, alt: picture.alt ?? "", class: "picture", to: &page)
        }
        let letter = preview.domain.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
        page.element("div", [("class", "picture absent"), ("aria-hidden", "true")], text: letter)
    }

    // MARK: Picture

    /// The pictures that previews show, each once. They are part of the report, so it never requests one.
    private var embedded: [ImageEvidence] {
        let used = previews.compactMap { $0.picture?.url }
        return (evidence.images.value ?? []).filter { used.contains($0.url) && Self.data(of: $0) != nil }
    }

    private static func data(of image: ImageEvidence) -> (type: String, bytes: [UInt8])? {
        guard let bytes = image.bytes, bytes.count <= ImageEvidence.maximumShownBytes,
            // The format comes from the first bytes and not from the server, because it becomes part of the report's markup.
            let format = ImageHeader(bytes)?.format, format.isRaster
        else { return nil }
        return (format.mediaType, bytes)
    }

    /// Several previews show the same picture. Each is embedded once, as a symbol.
    private func writePictures(to page: inout HTMLBuilder) {
        let images = embedded
        guard !images.isEmpty else { return }
        page.element("svg", [("class", "pictures"), ("aria-hidden", "true"), ("width", "0"), ("height", "0")]) { page in
            for (number, image) in images.enumerated() {
                guard let data = Self.data(of: image) else { continue }
                let (width, height) = (String(image.width ?? 1_200), String(image.height ?? 630))
                page.element(
                    "symbol",
                    [
                        ("id", "picture-\(number)"), ("viewBox", "0 0 \(width) \(height)"),
                        ("preserveAspectRatio", "xMidYMid slice"),
                    ]
                ) { page in
                    let address = "data:\(data.type);base64,\(Data(data.bytes).base64EncodedString())"
                    page.element("image", [("href", address), ("width", width), ("height", height)])
                }
            }
        }
    }

    private static func write(picture number: Int, alt: String, class name: String, to page: inout HTMLBuilder) {
        // A picture that the page does not describe is passed over by readers of the screen.
        var attributes: [HTMLBuilder.Attribute] = [("class", name)]
        if alt.isEmpty {
            attributes.append(("aria-hidden", "true"))
        } else {
            attributes += [("role", "img"), ("aria-label", alt)]
        }
        page.element("svg", attributes) { page in
            page.element("use", [("href", "#picture-\(number)"), ("width", "100%"), ("height", "100%")])
        }
    }

    private func writeThumbnail(of record: DeepLinkRecord, to page: inout HTMLBuilder) {
        if let number = embedded.firstIndex(where: { $0.url.href == record.thumbnailURL }) {
            return Self.write(picture: number, alt: record.images.first?.alt ?? "", class: "thumb", to: &page)
        }
        page.element("div", [("class", "thumb"), ("aria-hidden", "true")], text: ResultFacts(record.json).letter)
    }

    private func pictureNote(of record: DeepLinkRecord) -> String {
        guard let address = record.thumbnailURL else {
            return "The page names no picture; the letter stands in its place."
        }
        let seen = evidence.images.value?.first { $0.url.href == address }
        if let seen, Self.data(of: seen) != nil {
            let size = seen.width.flatMap { width in seen.height.map { "\(width)×\($0) pixels" } }
            let facts = [seen.format?.name, size, seen.byteCount.map(Presentation.bytes)].compactMap { $0 }
            return "Picture: \(address) (\(facts.joined(separator: ", ")))"
        }
        let reason =
            switch (seen?.status, seen?.format) {
            case (nil, _): seen?.failure?.reason ?? "it was not fetched"
            case (200?, let format?): "a report does not show \(format.name) of this size"
            case (200?, nil): "what its address answers is no picture"
            case (let status?, _): "its address answers with status \(status)"
            }
        return "The letter stands in the place of the picture \(address): \(reason)."
    }

    /// The source of each part of the result.
    private static func sourceNote(of record: DeepLinkRecord) -> String? {
        let parts = [
            ("title", "Title"), ("snippet", "snippet"), ("thumbnailURL", "picture"), ("rating", "rating"),
            ("offers", "price"),
        ]
        let named = parts.compactMap { field, label in
            record.provenance.first { $0.field == field }.map { "\(label) from \($0.source.rawValue)" }
        }
        return named.isEmpty ? nil : named.joined(separator: ", ").sentenceStart + "."
    }

    // MARK: Facts and buttons

    private static func writeFacts(of record: DeepLinkRecord, to page: inout HTMLBuilder) {
        let facts = ResultFacts(record.json)
        let (stars, price, availability, event, time) = (
            facts.stars, facts.price, facts.availability, facts.event, facts.time
        )
        guard stars != nil || price != nil || time != nil || availability != nil || event != nil else { return }
        page.element("div", [("class", "facts")]) { page in
            if let stars {
                page.element("span") { page in
                    page.element("span", [("class", "stars"), ("aria-hidden", "true")]) { page in
                        page.text("★★★★★")
                        page.element("span", [("class", "w\(stars.percent)")], text: "★★★★★")
                    }
                    page.text(stars.text)
                }
            }
            if let price { page.element("span", [("class", "price")], text: price) }
            if let availability {
                page.element(
                    "span", [("class", availability.canBeHad ? "pass" : "error")], text: availability.words)
            }
            if let event { page.element("span", text: event) }
            if let time { page.element("span", text: time) }
        }
    }

    private static func writeButtons(of record: DeepLinkRecord, to page: inout HTMLBuilder) {
        var labels: [String] = []
        if record.opensInApp { labels.append("Open in app") }
        for action in record.actions {
            let label =
                switch action {
                case .call: "Call"
                case .directions: "Directions"
                case .play(let media, _): media == .audio ? "Listen" : "Play"
                case .search: "Search"
                }
            if !labels.contains(label) { labels.append(label) }
        }
        guard !labels.isEmpty else { return }
        page.element("div", [("class", "buttons")]) { page in
            for label in labels.prefix(5) { page.element("span", [("class", "button")], text: label) }
        }
    }
}
