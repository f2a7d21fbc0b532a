// Checks of Open Graph and the Twitter card (S14, S15).

import PippinPage

extension Presentation {
    private static let knownTypes: Set<String> = [
        "article", "book", "books.book", "profile", "website", "product", "product.item", "product.group", "og:product",
        "music.song", "music.album", "music.playlist", "music.radio_station", "video.movie", "video.tv_show",
        "video.other", "video.episode", "payment.link", "blog", "movie", "song", "album", "hotel", "restaurant", "app",
        "restaurant.restaurant", "business.business", "place", "event", "game", "video", "tv_show", "object",
        "restaurant.menu_item", "fitness.course", "activity", "actor", "author", "band", "city", "company", "country",
        "drink", "food", "landmark", "musician", "non_profit", "politician", "public_figure", "school", "sport",
        "sports_league", "sports_team", "state_province", "university", "recipe",
    ]

    static let s14 = CheckJudge(
        .s14, .structuredData, .warning, "Open Graph is complete",
        problem: "Open Graph is incomplete or wrong",
        why: "Title, type, image and url are the four that ogp.me requires; Apple reads them.",
        page: openGraphIsComplete,
        noteRemedy: { note, page in
            guard note.code == .openGraph(.urlRelative) || note.code == .openGraph(.urlScheme) else {
                return Finding.Remedy(
                    "Open Graph tags stand in the head, with property and content, addresses in full.",
                    code: Markup.meta(property: "og:title", content: page?.record?.title ?? "Title of this page"))
            }
            let tag = page?.meta.tags.first { $0.line == note.line && $0.column == note.column }
            let known = tag?.name == "og:url" ? page?.address : page?.facts.openGraph?.images.first?.bestURL?.href
            return Finding.Remedy(
                "Write addresses in full, with https://.",
                code: known.map { Markup.meta(property: tag?.name == "og:url" ? "og:url" : "og:image", content: $0) })
        })

    private static func openGraphIsComplete(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil else { return [] }
        let graph = page.facts.openGraph
        let place = page.place(ofMeta: "og:title") ?? page.place(ofMeta: "og:type")
        let type = graph?.type.map { $0.hasPrefix("og:") ? String($0.dropFirst(3)) : $0 } ?? "website"
        var lines: [String] = []
        var missing: [String] = []
        func need(_ property: String, isMissing: Bool, _ content: String) {
            // If the tag is there and cannot be read, a parse note reports it.
            guard isMissing,
                !page.meta.tags.contains(where: { $0.name == property || $0.name.hasPrefix(property + ":") })
            else { return }
            missing.append(property)
            lines.append(Markup.meta(property: property, content: content))
        }
        need("og:title", isMissing: graph?.title == nil, page.record?.title ?? "Title of this page")
        need(
            "og:type", isMissing: graph?.type == nil,
            page.record?.types.contains { SchemaOrg.isKind($0, of: "Article") } == true ? "article" : "website")
        need(
            "og:image", isMissing: graph?.images.isEmpty ?? true,
            page.record?.thumbnailURL ?? "\(page.url.origin ?? "https://example.org")/PATH/TO/PICTURE.jpg")
        need("og:url", isMissing: graph?.url == nil, page.address)
        var verdicts: [Verdict] = []
        if missing.count == 4 {
            verdicts.append(
                .warning(
                    graph == nil
                        ? "The page has no Open Graph tags."
                        : "og:title, og:type, og:image and og:url are missing.", at: nil,
                    Finding.Remedy("Add the four that ogp.me requires.", code: lines.joined(separator: "\n"))))
            return verdicts
        }
        if !missing.isEmpty {
            verdicts.append(
                .warning(
                    "\(Wording.list(missing, shown: 4)) \(missing.count == 1 ? "is" : "are") missing.", at: place,
                    Finding.Remedy("Add what is missing.", code: lines.joined(separator: "\n"))))
        }
        if page.options.profile == .facebook, graph?.description == nil {
            verdicts.append(
                .info(
                    "og:description is missing: a shared link has no text.", at: place,
                    Finding.Remedy(
                        "Add it.",
                        code: Markup.meta(
                            property: "og:description", content: page.statedDescription ?? "What this page has."))))
        }
        for property in graph?.properties.prefix(300) ?? [] where ASCIIText.hasTemplateMark(property.content) {
            verdicts.append(
                .warning(
                    "\(property.name) is a template that was never filled in: \(Wording.quoted(property.content)).",
                    at: .markup("meta \(property.name)", line: property.line, column: property.column),
                    Finding.Remedy("Fill it in on the server.")))
            if verdicts.count >= 10 { break }
        }
        if graph?.type != nil, !knownTypes.contains(type), !type.utf8.contains(UInt8(ascii: ":")) {
            verdicts.append(
                .info(
                    "og:type \(Wording.quoted(type)) is not a type of ogp.me.", at: page.place(ofMeta: "og:type"),
                    Finding.Remedy(
                        "Use one of ogp.me's: website, article, book, profile, music.song, video.movie …",
                        code: Markup.meta(property: "og:type", content: "website"))))
        }
        if let url = graph?.url, let canonical = page.facts.metadata.canonical,
            page.hasAddress || !UnknownAddress.isHost(of: url),
            PageExamination.comparable(url) != PageExamination.comparable(canonical)
        {
            let shown = Wording.quoted(apart: [url.href, canonical.href])
            verdicts.append(
                .warning(
                    "og:url is \(shown[0]), the canonical link \(shown[1]).",
                    at: page.place(ofMeta: "og:url"),
                    Finding.Remedy(
                        "Name one address in both.", code: Markup.meta(property: "og:url", content: page.address))))
        }
        return verdicts.isEmpty ? [.pass("Title, type, image and url are there.", at: place)] : verdicts
    }

    static let s15 = CheckJudge(
        .s15, .structuredData, .info, "The Twitter card is known",
        problem: "The Twitter card is unknown or wrong",
        why: "An unknown card is shown as none.",
        page: twitterCardIsKnown,
        noteRemedy: { _, _ in Finding.Remedy("Name twitter tags with name, and give each a content.") })

    private static func twitterCardIsKnown(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        if page.options.profile == .twitter, let missing = missingCard(page) { verdicts.append(missing) }
        guard let card = page.facts.twitterCard else { return verdicts }
        if let title = card.title, title.count > 70 {
            verdicts.append(
                .info(
                    "twitter:title has \(title.count) characters; cards cut it after 70.",
                    at: page.place(ofMeta: "twitter:title"),
                    Finding.Remedy("Leave twitter:title out: og:title takes its place, or shorten it.")))
        }
        if let description = card.description, description.count > 200 {
            verdicts.append(
                .info(
                    "twitter:description has \(description.count) characters; cards cut it after 200.",
                    at: page.place(ofMeta: "twitter:description"), Finding.Remedy("Put what matters first.")))
        }
        if verdicts.isEmpty, let name = card.card {
            return [.pass("The card is \(name).", at: page.place(ofMeta: "twitter:card"))]
        }
        return verdicts
    }

    /// What X needs for a card and finds neither in Twitter's tags nor in Open Graph's. Only who asks for X wants to know.
    private static func missingCard(_ page: PageExamination) -> Verdict? {
        let card = page.facts.twitterCard
        let graph = page.facts.openGraph
        var missing: [(name: String, content: String)] = []
        if card?.card == nil, page.lackOfCard != nil {
            missing.append(("twitter:card", "summary"))
        }
        if card?.title == nil, graph?.title == nil {
            missing.append(("twitter:title", page.record?.title ?? "Title of this page"))
        }
        if card?.description == nil, graph?.description == nil {
            missing.append(("twitter:description", page.statedDescription ?? "What this page has."))
        }
        if card?.images.isEmpty ?? true, graph?.images.isEmpty ?? true {
            missing.append(
                (
                    "twitter:image",
                    page.record?.thumbnailURL ?? "\(page.url.origin ?? "https://example.org")/PATH/TO/PICTURE.jpg"
                ))
        }
        guard !missing.isEmpty else { return nil }
        return .warning(
            "\(Wording.list(missing.map(\.name), shown: 4)) \(missing.count == 1 ? "is" : "are") missing, and Open Graph has nothing in place of \(missing.count == 1 ? "it" : "them").",
            at: page.place(ofMeta: "twitter:card") ?? page.place(ofMeta: "twitter:title"),
            Finding.Remedy(
                "Add what is missing.",
                code: missing.map { Markup.meta(name: $0.name, content: $0.content) }.joined(separator: "\n")))
    }
}
