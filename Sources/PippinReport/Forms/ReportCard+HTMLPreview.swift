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
                        page.element("div", [("class", "site"), ("dir", "auto")], text: Self.siteLine(of: record))
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

    private static func siteLine(of record: DeepLinkRecord) -> String {
        guard let site = record.containerTitle, site.lowercased() != record.domainIdentifier.lowercased() else {
            return record.domainIdentifier
        }
        return "\(site) · \(record.domainIdentifier)"
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
        let name = record.containerTitle ?? record.domainIdentifier.replacing("www.", with: "", maxReplacements: 1)
        let letter = name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
        page.element("div", [("class", "thumb"), ("aria-hidden", "true")], text: letter)
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
        let price = price(of: record)
        let time = record.recipe?.totalTime.flatMap { SchemaOrg.duration($0, hoursFirst: true) } ?? record.duration
        let availability = record.offers.first?.availability
        let event = event(of: record)
        guard record.rating != nil || price != nil || time != nil || availability != nil || event != nil else { return }
        page.element("div", [("class", "facts")]) { page in
            if let rating = record.rating {
                page.element("span") { page in
                    let share = min(max(rating.value / rating.best, 0), 1)
                    page.element("span", [("class", "stars"), ("aria-hidden", "true")]) { page in
                        page.text("★★★★★")
                        page.element("span", [("style", "width:\(Int((share * 100).rounded()))%")], text: "★★★★★")
                    }
                    let value = (rating.value * 10).rounded() / 10
                    let scale = rating.best == 5 ? "" : " of \(Self.short(rating.best))"
                    let count = (rating.count ?? rating.reviewCount).map { " (\($0))" } ?? ""
                    page.text("\(Self.short(value))\(scale)\(count)")
                }
            }
            if let price { page.element("span", [("class", "price")], text: price) }
            if let availability {
                page.element(
                    "span", [("class", SchemaOrg.canBeHad(availability) ? "pass" : "error")],
                    text: SchemaOrg.words(ofMember: availability))
            }
            if let event { page.element("span", text: event) }
            if let time { page.element("span", text: DurationWords.text(seconds: time)) }
        }
    }

    /// `2026-12-06 19:30, Town Hall`; what has become of it, if it does not take place as planned.
    private static func event(of record: DeepLinkRecord) -> String? {
        guard let event = record.event else { return nil }
        let status = event.status.flatMap { $0 == "EventScheduled" ? nil : $0 }
        let start = event.startDate.map { date in
            let clock = date.utf8.firstIndex(of: UInt8(ascii: "T"))
            return clock.map { date[..<$0] + " " + date[$0...].dropFirst().prefix(5) } ?? date
        }
        let place = event.venue ?? event.address ?? event.url.map { _ in "online" }
        let parts = [status.map { SchemaOrg.words(ofMember: String($0.dropFirst(5))) }, start, place]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        return text.isEmpty ? nil : text
    }

    private static func short(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
    }

    private static func price(of record: DeepLinkRecord) -> String? {
        guard let offer = record.offers.first else { return record.priceRange }
        let currency = offer.currency.map { $0 + " " } ?? ""
        if let price = offer.price { return currency + price }
        if let low = offer.lowPrice, let high = offer.highPrice {
            return low == high ? currency + low : "\(currency)\(low)–\(high)"
        }
        return (offer.lowPrice.map { "from \(currency)\($0)" }) ?? record.priceRange
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
