// Checks of what a result shows (S01, S02, S18, S20).

enum Presentation {
    /// ASPG's advice.
    static let maximumTitleCharacters = 90
    static let descriptionCharacters = 50...300
    /// Of a title that one line or two of a phone hold.
    static let phoneTitleCharacters = 60

    // MARK: Texts

    static func titleIsGood(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil else { return [] }
        let written = page.facts.metadata.title
        let place = page.place(ofElement: .title)
        let isEmpty = page.facts.document.elements(named: .title).first.map {
            page.facts.document.textContent(of: $0).collapsingHTMLSpace().isEmpty
        }
        guard let title = written ?? page.record?.title, !title.isEmpty else {
            return [
                .error(
                    isEmpty == true ? "The title is empty." : "The page has no title.", at: place,
                    Finding.Remedy(
                        "Say in the head what the page is about.", code: "<title>What this page is about</title>"))
            ]
        }
        var verdicts: [Verdict] = []
        if written == nil {
            verdicts.append(
                .warning(
                    "\(isEmpty == true ? "The title element is empty" : "The page has no title element"); \(Markup.quoted(title)) was taken from elsewhere.",
                    at: place,
                    Finding.Remedy(
                        "Say in it what the page is about.", code: "<title>\(Markup.attribute(title))</title>")))
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
        if page.options.isMobile, (phoneTitleCharacters + 1...maximumTitleCharacters).contains(length) {
            verdicts.append(
                .info(
                    "The title has \(length) characters; a phone shows about \(phoneTitleCharacters): \(Markup.quoted(title)).",
                    at: place,
                    Finding.Remedy("Put the words that tell this page from others first.")))
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
            let isEmpty = page.facts.notes.contains { $0.code == .head(.descriptionEmpty) }
            return [
                !isEmpty
                    ? .error(
                        "The page has no description.\(snippet)", at: nil, remedy("Describe the page in its head."))
                    : Verdict.error(
                        "The description is empty.\(snippet)", at: place, remedy("Describe the page in its head.")
                    ).inPlaceOf(note: .head(.descriptionEmpty))
            ]
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
        if let title = page.record?.title, addsLittle(description, to: title) {
            return [
                .warning(
                    "The description \(Markup.quoted(description)) says hardly more than the title.", at: place,
                    remedy("Say more than the title does."))
            ]
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
        return verdicts.isEmpty
            ? [.pass("The description has \(length) characters: \(Markup.quoted(description, to: 80)).", at: place)]
            : verdicts
    }

    /// Whether a description is the title and a few signs or a word around it.
    private static func addsLittle(_ description: String, to title: String) -> Bool {
        guard title.count >= 10, let range = description.lowercased().range(of: title.lowercased()) else {
            return false
        }
        let lower = description.lowercased()
        let rest = lower[..<range.lowerBound] + lower[range.upperBound...]
        return rest.count { $0.isLetter || $0.isNumber } < 15
    }

    /// Chinese, Japanese and Korean say in 20 characters what takes 50 in Latin script.
    private static func isDense(_ text: String) -> Bool {
        let wide = text.unicodeScalars.prefix(200).count { $0.value >= 0x2E80 }
        return wide >= 15
    }

    // MARK: Language and keywords

    static func languageIsDeclared(_ page: PageExamination) -> [Verdict] {
        let metadata = page.facts.metadata
        guard let language = metadata.language else {
            // What cannot be read as a language is told by the note on it.
            if page.facts.notes.contains(where: { NoteMapping.entry(for: $0.code).check == .s18 }) { return [] }
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
        if let stray = strayKeywords(keywords, page) { return [stray] }
        return [
            .pass(
                "\(Markup.count(keywords.count, "keyword")): \(Markup.quoted(keywords.joined(separator: ", "))).",
                at: place)
        ]
    }

    /// Keywords that the page's text, title and description do not have; synonyms are welcome, so that most of several must be
    /// strange.
    private static func strayKeywords(_ keywords: [String], _ page: PageExamination) -> Verdict? {
        let text = page.shownText
        guard keywords.count >= 3, text.utf8.count >= 400 else { return nil }
        let stray = keywords.filter { keyword in
            let words = keyword.lowercased().split { !$0.isLetter && !$0.isNumber }
            return !words.isEmpty && !words.contains { text.contains($0) }
        }
        guard stray.count * 3 > keywords.count * 2 else { return nil }
        return .info(
            "\(stray.count) of \(keywords.count) keywords stand nowhere in the page: \(Markup.list(stray.map { Markup.quoted($0, to: 40) })).",
            at: page.place(ofMeta: "keywords"),
            Finding.Remedy("Keep the words that people would type to find this page."))
    }
}
