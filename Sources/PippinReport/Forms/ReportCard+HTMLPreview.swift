import Foundation
import PippinCrawl
import PippinPage

// The search result as it would look: picture, title, site, snippet, stars, price, and buttons for its actions. After it the
// page as others show it (`SharePreview`).

extension ReportCard {
    var preview: HTML {
        let stage: HTML =
            if let record, let title = record.title {
                result(of: record, title)
            } else {
                """
                <p class="note">\(
                    refusal != nil
                        ? "The page asks not to be indexed: there is no result."
                        : isPageRead
                            ? "Without a title there is no result."
                            : "The page was not read: there is nothing to show.")</p>
                """
            }
        return #"\#(pictures)<h2>As a search result</h2><section class="stage">\#(stage)</section>\#(shared)"#
    }

    private func result(of record: DeepLinkRecord, _ title: String) -> HTML {
        let notes =
            [Self.sourceNote(of: record)].compactMap { $0 }
            + (previews.first { $0.network == .spotlight }?.notes ?? [])
        return """
            <div class="result"><div class="row">\(thumbnail(of: record))<div class="words">\
            <div class="title" dir="auto">\(title)</div>\
            <div class="site" dir="auto">\(ResultFacts(record.json).siteLine)</div>\
            \(record.snippet.map { #"<div class="snippet" dir="auto">\#($0)</div>"# })\(Self.facts(of: record))</div></div>\
            \(Self.buttons(of: record))</div><p class="note">\(pictureNote(of: record))</p>\
            \(notes.map { #"<p class="note sources">\#($0)</p>"# })
            """
    }

    // MARK: Shared

    private var shared: HTML? {
        let shared = previews.filter { $0.network != .spotlight }
        guard !shared.isEmpty else { return nil }
        let figures: [HTML] = shared.map { preview in
            """
            <figure class="card network"><figcaption>\(preview.network.name)</figcaption>\
            <div class="mock \(preview.network.rawValue)">\(mock(of: preview))</div><ul class="say-cut">\
            \(preview.notes.map { #"<li dir="auto">\#($0)</li>"# })\
            \(#"<li class="pass">Nothing is cut.</li>"#, if: preview.notes.isEmpty)</ul></figure>
            """
        }
        return #"<h2>As shared</h2><section class="shared">\#(figures)</section>"#
    }

    private func mock(of preview: SharePreview) -> HTML {
        if preview.layout == .link { return #"<p class="bare" dir="auto">\#(shown(url.href))</p>"# }
        let isLargeOnX = preview.network == .x && preview.layout == .large
        let picture = picture(of: preview)
        let site: HTML = #"<div class="site" dir="auto">\#(preview.siteName ?? preview.domain)</div>"#
        // Slack and Discord have the picture below the words or after them.
        let isPictureLast = preview.network == .slack || preview.network == .discord
        // Messages, LinkedIn and WhatsApp have the domain below the words.
        let isSiteLast = [.messages, .linkedin, .whatsapp].contains(preview.network)
        return """
            <div class="shape \(preview.layout.rawValue)">\(picture, if: !isPictureLast)<div class="words">\
            \(site, if: !isSiteLast && !isLargeOnX)\
            <div class="title" dir="auto">\(preview.title?.text ?? preview.domain)</div>\
            \(preview.description.map { #"<div class="description" dir="auto">\#($0.text)</div>"# })\
            \(site, if: isSiteLast)</div>\(picture, if: isPictureLast)</div>\
            \(#"<div class="from" dir="auto">From \#(preview.domain)</div>"#, if: isLargeOnX)
            """
    }

    private func picture(of preview: SharePreview) -> HTML? {
        guard preview.layout == .large || preview.layout == .small else { return nil }
        if let picture = preview.picture, let number = embedded.firstIndex(where: { $0.url == picture.url }) {
            return Self.picture(number, alt: picture.alt ?? "", class: "picture")
        }
        let letter = preview.domain.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
        return #"<div class="picture absent" aria-hidden="true">\#(letter)</div>"#
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
    private var pictures: HTML? {
        let images = embedded
        guard !images.isEmpty else { return nil }
        let symbols: [HTML] = images.enumerated().compactMap { number, image in
            guard let data = Self.data(of: image) else { return nil }
            let (width, height) = (image.width ?? 1_200, image.height ?? 630)
            return """
                <symbol id="picture-\(number)" viewBox="0 0 \(width) \(height)" preserveAspectRatio="xMidYMid slice">\
                <image href="data:\(data.type);base64,\(Data(data.bytes).base64EncodedString())" width="\(width)" height="\(height)">\
                </image></symbol>
                """
        }
        return #"<svg class="pictures" aria-hidden="true" width="0" height="0">\#(symbols)</svg>"#
    }

    private static func picture(_ number: Int, alt: String, class name: String) -> HTML {
        // A picture that the page does not describe is passed over by readers of the screen.
        let words: HTML = alt.isEmpty ? #"aria-hidden="true""# : #"role="img" aria-label="\#(alt)""#
        return """
            <svg class="\(name)" \(words)><use href="#picture-\(number)" width="100%" height="100%"></use></svg>
            """
    }

    private func thumbnail(of record: DeepLinkRecord) -> HTML {
        if let number = embedded.firstIndex(where: { $0.url.href == record.thumbnailURL }) {
            return Self.picture(number, alt: record.images.first?.alt ?? "", class: "thumb")
        }
        return #"<div class="thumb" aria-hidden="true">\#(ResultFacts(record.json).letter)</div>"#
    }

    private func pictureNote(of record: DeepLinkRecord) -> String {
        guard let address = record.thumbnailURL else {
            return "The page names no picture; the letter stands in its place."
        }
        let seen = evidence.images.value?.first { $0.url.href == address }
        if let seen, Self.data(of: seen) != nil {
            let size = seen.width.flatMap { width in seen.height.map { "\(width)×\($0) pixels" } }
            let facts = [seen.format?.name, size, seen.byteCount.map(Wording.bytes)].compactMap { $0 }
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

    private static func facts(of record: DeepLinkRecord) -> HTML? {
        let facts = ResultFacts(record.json)
        let line: HTML = """
            \(facts.stars.map { stars in
                """
                <span><span class="stars" aria-hidden="true">★★★★★<span class="w\(stars.percent)">★★★★★</span></span>\(stars.text)</span>
                """
            })\
            \(facts.price.map { #"<span class="price">\#($0)</span>"# })\
            \(facts.availability.map { #"<span class="\#($0.canBeHad ? "pass" : "error")">\#($0.words)</span>"# })\
            \([facts.event, facts.time].compactMap { $0 }.map { "<span>\($0)</span>" })
            """
        return line.isEmpty ? nil : #"<div class="facts">\#(line)</div>"#
    }

    private static func buttons(of record: DeepLinkRecord) -> HTML? {
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
        guard !labels.isEmpty else { return nil }
        return #"<div class="buttons">\#(labels.prefix(5).map { #"<span class="button">\#($0)</span>"# })</div>"#
    }
}
