import Foundation
import PippinPage

// The search result as it would look: picture, title, site, snippet, stars, price, and buttons for its actions.

extension ReportCard {
    func writePreview(to page: inout HTMLBuilder) {
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
        }
    }

    // MARK: Picture

    /// The picture of the record, if it was fetched. It is embedded in the page, so the report never requests one.
    private func picture(of record: DeepLinkRecord) -> (type: String, bytes: [UInt8])? {
        guard let address = record.thumbnailURL,
            let image = evidence.images.value?.first(where: { $0.url.href == address }),
            let bytes = image.bytes, bytes.count <= ImageEvidence.maximumShownBytes,
            // The format comes from the first bytes and not from the server, because it becomes part of the report's markup.
            let format = ImageHeader(bytes)?.format, format.isRaster
        else { return nil }
        return (format.mediaType, bytes)
    }

    private func writeThumbnail(of record: DeepLinkRecord, to page: inout HTMLBuilder) {
        if let picture = picture(of: record) {
            let address = "data:\(picture.type);base64,\(Data(picture.bytes).base64EncodedString())"
            page.void("img", [("class", "thumb"), ("alt", record.images.first?.alt ?? ""), ("src", address)])
            return
        }
        page.element("div", [("class", "thumb"), ("aria-hidden", "true")], text: ResultFacts(record.json).letter)
    }

    private func pictureNote(of record: DeepLinkRecord) -> String {
        guard let address = record.thumbnailURL else {
            return "The page names no picture; the letter stands in its place."
        }
        let seen = evidence.images.value?.first { $0.url.href == address }
        if picture(of: record) != nil, let seen {
            let size = seen.width.flatMap { width in seen.height.map { "\(width)×\($0) pixels" } }
            let facts = [seen.format?.name, size, seen.byteCount.map(Presentation.bytes)].compactMap { $0 }
            return "Picture: \(address) (\(facts.joined(separator: ", ")))"
        }
        let reason =
            switch (seen?.status, seen?.format) {
            case (nil, _): seen?.trouble ?? "it was not fetched"
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
