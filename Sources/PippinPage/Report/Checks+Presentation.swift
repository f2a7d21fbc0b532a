// Checks of what a result shows (S01…S04, S18, S20).

enum Presentation {
    /// ASPG's advice.
    static let maximumTitleCharacters = 90
    static let descriptionCharacters = 50...300
    /// Pixels of a square thumbnail, and of the shorter side of others.
    static let minimumImageSide = 180

    // MARK: Texts

    static func titleIsGood(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil else { return [] }
        let written = page.facts.metadata.title
        let place = page.place(ofElement: .title)
        guard let title = written ?? page.record?.title, !title.isEmpty else {
            return [
                .error(
                    "The page has no title.", at: place,
                    Finding.Remedy(
                        "Say in the head what the page is about.", code: "<title>What this page is about</title>"))
            ]
        }
        var verdicts: [Verdict] = []
        if written == nil {
            verdicts.append(
                .warning(
                    "The page has no title element; \(Markup.quoted(title)) was taken from elsewhere.", at: nil,
                    Finding.Remedy("Add one.", code: "<title>\(Markup.attribute(title))</title>")))
        }
        if ASCIIText.hasTemplateMark(title) {
            verdicts.append(
                .error(
                    "The title is a template that was never filled in: \(Markup.quoted(title)).", at: place,
                    Finding.Remedy("Fill it in on the server.")))
        } else if ["untitled", "document", "home", "index", "untitled document", "loading...", "loading…"].contains(
            title.lowercased())
        {
            verdicts.append(
                .warning(
                    "The title \(Markup.quoted(title)) says nothing of the page.", at: place,
                    Finding.Remedy("Say what the page is about.")))
        }
        let length = title.count
        if length > maximumTitleCharacters {
            verdicts.append(
                .warning(
                    "The title has \(length) characters; results cut it: \(Markup.quoted(title, to: 160)).", at: place,
                    Finding.Remedy(
                        "Say it in \(maximumTitleCharacters) characters, the important words first.",
                        code: "<title>\(Markup.attribute(Snippet.cut(title, to: maximumTitleCharacters)))</title>")))
        }
        if let site = page.record?.containerTitle, !page.isHomePage, site.lowercased() == title.lowercased() {
            verdicts.append(
                .warning(
                    "The title is the name of the site, \(Markup.quoted(title)); all pages look alike in a list.",
                    at: place,
                    Finding.Remedy(
                        "Put the page's own subject first.",
                        code: "<title>Subject of this page – \(Markup.attribute(site))</title>")))
        }
        if let crawl = page.evidence.crawl.value, !crawl.sameTitle.isEmpty {
            verdicts.append(
                .warning(
                    "\(Markup.list(crawl.sameTitle)) \(crawl.sameTitle.count == 1 ? "has" : "have") the same title.",
                    at: place, Finding.Remedy("Give each page its own.")))
        }
        return verdicts.isEmpty ? [.pass("The title is \(Markup.quoted(title)).", at: place)] : verdicts
    }

    static func descriptionIsGood(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil, !page.facts.directives.nosnippet else { return [] }
        let place = page.place(ofMeta: "description") ?? page.place(ofMeta: "og:description")
        func remedy(_ text: String) -> Finding.Remedy {
            Finding.Remedy(
                text,
                code: Markup.meta(
                    name: "description", content: "Two sentences that say what people find here and what for."))
        }
        guard let description = page.record?.contentDescription else {
            let snippet =
                page.record?.snippet.map { " A snippet was taken from the text: \(Markup.quoted($0, to: 80))." } ?? ""
            return [.error("The page has no description.\(snippet)", at: nil, remedy("Describe the page in its head."))]
        }
        if ASCIIText.hasTemplateMark(description) {
            return [
                .error(
                    "The description is a template that was never filled in: \(Markup.quoted(description)).", at: place,
                    remedy("Fill it in on the server."))
            ]
        }
        if let title = page.record?.title, title.lowercased() == description.lowercased() {
            return [.warning("The description repeats the title.", at: place, remedy("Say more than the title does."))]
        }
        var verdicts: [Verdict] = []
        let length = description.count
        if length < descriptionCharacters.lowerBound, !isDense(description) {
            verdicts.append(
                .warning(
                    "The description has \(length) characters: \(Markup.quoted(description)).", at: place,
                    remedy("Use the room: 50 to 300 characters.")))
        } else if length > descriptionCharacters.upperBound {
            verdicts.append(
                .info(
                    "The description has \(length) characters; results cut it after 300.", at: place,
                    Finding.Remedy("Put what matters first.")))
        }
        if let crawl = page.evidence.crawl.value, !crawl.sameDescription.isEmpty {
            verdicts.append(
                .warning(
                    "\(Markup.list(crawl.sameDescription)) \(crawl.sameDescription.count == 1 ? "has" : "have") the same description.",
                    at: place, Finding.Remedy("Give each page its own.")))
        }
        return verdicts.isEmpty
            ? [.pass("The description has \(length) characters: \(Markup.quoted(description, to: 80)).", at: place)]
            : verdicts
    }

    /// Chinese, Japanese and Korean say in 20 characters what takes 50 in Latin script.
    private static func isDense(_ text: String) -> Bool {
        let wide = text.unicodeScalars.prefix(200).count { $0.value >= 0x2E80 }
        return wide >= 15
    }

    // MARK: Picture

    static func imageIsGood(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil else { return [] }
        guard let image = page.record?.images.first, let url = WebURL(image.url) else {
            return [
                .warning(
                    "The page names no picture.", at: nil,
                    Finding.Remedy(
                        "Name one of this content, not the logo.",
                        code: Markup.meta(
                            property: "og:image",
                            content: "\(page.url.origin ?? "https://example.org")/path/to/picture.jpg")))
            ]
        }
        let place = page.place(ofMeta: "og:image") ?? page.place(ofMeta: "twitter:image")
        var verdicts: [Verdict] = []
        if url.scheme == "http", page.url.scheme == "https" {
            verdicts.append(
                .warning(
                    "The picture \(Markup.quoted(image.url)) is http on a secure page.", at: place,
                    Finding.Remedy(
                        "Name its https address.",
                        code: Markup.meta(property: "og:image", content: "https" + image.url.dropFirst(4)))))
        }
        if url.path.asciiLowercased.hasSuffix(".svg") {
            verdicts.append(
                .warning(
                    "The picture \(Markup.quoted(image.url)) is an SVG, which results do not show.", at: place,
                    Finding.Remedy("Name a JPEG, PNG or WebP.")))
        }
        let seen = page.evidence.images.value?.first { $0.url == url }
        if let seen, seen.status != 200 {
            verdicts.append(
                .error(
                    "The picture \(Markup.quoted(image.url)) answers with status \(seen.status).", at: place,
                    Finding.Remedy("Name a picture that is there.")))
        }
        if let seen, let type = seen.mediaType, !type.asciiLowercased.hasPrefix("image/") {
            verdicts.append(
                .warning(
                    "The picture \(Markup.quoted(image.url)) is served as \(Markup.quoted(type)).", at: place,
                    Finding.Remedy("Name a picture.")))
        }
        if let width = seen?.width ?? image.width, let height = seen?.height ?? image.height, width > 0, height > 0,
            min(width, height) < minimumImageSide
        {
            verdicts.append(
                .warning(
                    "The picture is \(width)×\(height) pixels; results want \(minimumImageSide) on the shorter side.",
                    at: place,
                    Finding.Remedy("Name a larger one: 1200×630 serves everyone.")))
        }
        if verdicts.isEmpty { return [.pass("The picture is \(Markup.quoted(image.url)).", at: place)] }
        return verdicts
    }

    static func imageIsDescribed(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil, let image = page.facts.openGraph?.images.first, let url = image.bestURL else {
            return []
        }
        let place = Finding.Place.markup("meta og:image", line: image.line)
        var lines: [String] = []
        if image.width == nil { lines.append(Markup.meta(property: "og:image:width", content: "1200")) }
        if image.height == nil { lines.append(Markup.meta(property: "og:image:height", content: "630")) }
        if image.alt == nil { lines.append(Markup.meta(property: "og:image:alt", content: "What the picture shows")) }
        var verdicts: [Verdict] = []
        if !lines.isEmpty {
            var missing: [String] = []
            if image.width == nil { missing.append("og:image:width") }
            if image.height == nil { missing.append("og:image:height") }
            if image.alt == nil { missing.append("og:image:alt") }
            verdicts.append(
                .info(
                    "\(Markup.list(missing)) \(missing.count == 1 ? "is" : "are") not given.", at: place,
                    Finding.Remedy("Add what is missing behind og:image.", code: lines.joined(separator: "\n"))))
        }
        guard let images = page.evidence.images.value, let seen = images.first(where: { $0.url == url }) else {
            if verdicts.isEmpty { verdicts.append(.pass("The picture says its size and what it shows.", at: place)) }
            return verdicts + [
                .unknown(
                    "Not seen whether the size is true: \(page.evidence.images.reason ?? "this picture was not fetched")."
                )
            ]
        }
        if let width = image.width, let height = image.height, let trueWidth = seen.width, let trueHeight = seen.height,
            width != trueWidth || height != trueHeight
        {
            verdicts.append(
                .info(
                    "The markup says \(width)×\(height), the picture has \(trueWidth)×\(trueHeight) pixels.", at: place,
                    Finding.Remedy(
                        "Say its size.",
                        code: Markup.meta(property: "og:image:width", content: "\(trueWidth)") + "\n"
                            + Markup.meta(property: "og:image:height", content: "\(trueHeight)"))))
        }
        return verdicts.isEmpty ? [.pass("The picture says its size and what it shows.", at: place)] : verdicts
    }

    // MARK: Language and keywords

    static func languageIsDeclared(_ page: PageExamination) -> [Verdict] {
        let metadata = page.facts.metadata
        guard let language = metadata.language else {
            let known = page.record?.languages.first ?? "en"
            return [
                .info(
                    "The page does not say its language.", at: page.place(ofElement: .html),
                    Finding.Remedy("Say it on the html element.", code: "<html lang=\"\(Markup.attribute(known))\">"))
            ]
        }
        if let locale = page.facts.openGraph?.locale {
            let parts = locale.split(separator: "_", omittingEmptySubsequences: false)
            if parts.count != 2 || parts[1].count < 2 {
                return [
                    .info(
                        "og:locale \(Markup.quoted(locale)) is not written language_TERRITORY.",
                        at: page.place(ofMeta: "og:locale"),
                        Finding.Remedy(
                            "Write it like en_US.",
                            code: Markup.meta(property: "og:locale", content: "\(language.prefix(2).lowercased())_US")))
                ]
            }
            if let tag = SchemaOrg.languageTag(locale), let own = SchemaOrg.languageTag(language),
                tag.prefix(2) != own.prefix(2)
            {
                return [
                    .info(
                        "The page says it is in \(Markup.quoted(language)), og:locale \(Markup.quoted(locale)).",
                        at: page.place(ofMeta: "og:locale"), Finding.Remedy("Name one language."))
                ]
            }
        }
        return [.pass("The language is \(Markup.quoted(language)).", at: page.place(ofElement: .html))]
    }

    static func keywordsAreFew(_ page: PageExamination) -> [Verdict] {
        let keywords = page.facts.metadata.keywords
        guard !keywords.isEmpty else { return [] }
        let place = page.place(ofMeta: "keywords")
        if keywords.count > 10 {
            return [
                .info(
                    "The page has \(keywords.count) keywords.", at: place,
                    Finding.Remedy(
                        "Keep the three to five that people would type.",
                        code: Markup.meta(name: "keywords", content: keywords.prefix(5).joined(separator: ", "))))
            ]
        }
        return [
            .pass(
                "\(Markup.count(keywords.count, "keyword")): \(Markup.quoted(keywords.joined(separator: ", "))).",
                at: place)
        ]
    }
}
