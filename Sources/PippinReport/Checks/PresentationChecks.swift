// Checks of the texts of a result (S01, S02, S18, S20).

import PippinPage

enum Presentation {
    /// Advised by ASPG.
    static let maximumTitleCharacters = 90
    static let descriptionCharacters = 50...300
    /// How many characters of a title fit into one or two lines on a phone.
    static let phoneTitleCharacters = 60

    // MARK: Texts

    static let s01 = CheckJudge(
        .s01, .structuredData, .error, "The page has a good title",
        problem: "The title is missing, poor or shared",
        why: "A result without a title is not shown; Apple advises 90 characters at most.",
        page: titleIsGood, crawl: AmongPages.titleIsItsOwn,
        noteRemedy: { _, _ in Finding.Remedy("Keep one title element, in the head.") })

    private static func titleIsGood(_ page: PageExamination) -> [Verdict] {
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
                    "\(isEmpty == true ? "The title element is empty" : "The page has no title element"); \(Wording.quoted(title)) was taken from elsewhere.",
                    at: place,
                    Finding.Remedy(
                        "Say in it what the page is about.", code: "<title>\(Markup.attribute(title))</title>")))
        }
        if ASCIIText.hasTemplateMark(title) {
            verdicts.append(
                .error(
                    "The title is a template that was never filled in: \(Wording.quoted(title)).", at: place,
                    Finding.Remedy("Fill it in on the server.")))
        } else if ["untitled", "document", "home", "index", "untitled document", "loading...", "loading…"].contains(
            title.lowercased())
        {
            verdicts.append(
                .warning(
                    "The title \(Wording.quoted(title)) says nothing of the page.", at: place,
                    Finding.Remedy("Say what the page is about.")))
        }
        let length = title.count
        if length > maximumTitleCharacters {
            verdicts.append(
                .info(
                    "The title has \(length) characters; results cut it: \(Wording.quoted(title, to: 160)).", at: place,
                    Finding.Remedy(
                        "Say it in \(maximumTitleCharacters) characters, the important words first.",
                        code: "<title>\(Markup.attribute(Snippet.cut(title, to: maximumTitleCharacters)))</title>")))
        }
        if page.options.isMobile, (phoneTitleCharacters + 1...maximumTitleCharacters).contains(length) {
            verdicts.append(
                .info(
                    "The title has \(length) characters; a phone shows about \(phoneTitleCharacters): \(Wording.quoted(title)).",
                    at: place,
                    Finding.Remedy("Put the words that tell this page from others first.")))
        }
        if let site = page.statedSite, !page.isHomePage, site.lowercased() == title.lowercased() {
            verdicts.append(
                .warning(
                    "The title is the name of the site, \(Wording.quoted(title)); all pages look alike in a list.",
                    at: place,
                    Finding.Remedy(
                        "Put the page's own subject first.",
                        code: "<title>Subject of this page – \(Markup.attribute(site))</title>")))
        }
        return verdicts.isEmpty ? [.pass("The title is \(Wording.quoted(title)).", at: place)] : verdicts
    }

    static let s02 = CheckJudge(
        .s02, .structuredData, .warning, "The page has a good description",
        problem: "The description is missing, poor or shared",
        why:
            "Without one, a result shows text out of the page. Apple advises 300 characters at most that do not repeat the title.",
        page: descriptionIsGood, crawl: AmongPages.descriptionIsItsOwn,
        noteRemedy: { _, page in
            Finding.Remedy(
                "Keep one description, with its own words.",
                code: Markup.meta(
                    name: "description", content: page?.record?.contentDescription ?? "What this page has to offer."))
        })

    private static func descriptionIsGood(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil, !page.directives.nosnippet else { return [] }
        let place = page.place(ofMeta: "description") ?? page.place(ofMeta: "og:description")
        func remedy(_ text: String) -> Finding.Remedy {
            Finding.Remedy(
                text,
                code: Markup.meta(
                    name: "description", content: "Two sentences that say what people find here and what for."))
        }
        guard let description = page.statedDescription else {
            let snippet =
                page.record?.snippet.map { " A snippet was taken from the text: \(Wording.quoted($0, to: 80))." } ?? ""
            let isEmpty = page.facts.notes.contains { $0.code == .head(.descriptionEmpty) }
            return [
                !isEmpty
                    ? .warning(
                        "The page has no description.\(snippet)", at: nil, remedy("Describe the page in its head."))
                    : Verdict.warning(
                        "The description is empty.\(snippet)", at: place, remedy("Describe the page in its head.")
                    ).inPlaceOf(note: .head(.descriptionEmpty))
            ]
        }
        if ASCIIText.hasTemplateMark(description) {
            return [
                .warning(
                    "The description is a template that was never filled in: \(Wording.quoted(description)).",
                    at: place,
                    remedy("Fill it in on the server."))
            ]
        }
        if let title = page.record?.title, title.lowercased() == description.lowercased() {
            return [.warning("The description repeats the title.", at: place, remedy("Say more than the title does."))]
        }
        if let title = page.record?.title, addsLittle(description, to: title) {
            return [
                .warning(
                    "The description \(Wording.quoted(description)) says hardly more than the title.", at: place,
                    remedy("Say more than the title does."))
            ]
        }
        var verdicts: [Verdict] = []
        let length = description.count
        if length < descriptionCharacters.lowerBound, !isDense(description) {
            verdicts.append(
                .warning(
                    "The description has \(Wording.count(length, "character")): \(Wording.quoted(description)).",
                    at: place,
                    remedy("Use the room: 50 to 300 characters.")))
        } else if length > descriptionCharacters.upperBound {
            verdicts.append(
                .info(
                    "The description has \(length) characters; results cut it after 300.", at: place,
                    Finding.Remedy("Put what matters first.")))
        }
        return verdicts.isEmpty
            ? [
                .pass(
                    "The description has \(Wording.count(length, "character")): \(Wording.quoted(description, to: 80)).",
                    at: place)
            ]
            : verdicts
    }

    /// Whether a description is the title with little more than a word around it.
    private static func addsLittle(_ description: String, to title: String) -> Bool {
        guard title.count >= 10, let range = description.lowercased().range(of: title.lowercased()) else {
            return false
        }
        let lower = description.lowercased()
        let rest = lower[..<range.lowerBound] + lower[range.upperBound...]
        return rest.count { $0.isLetter || $0.isNumber } < 15
    }

    /// Whether 20 characters say as much as 50 in Latin script, as in Chinese, Japanese and Korean.
    private static func isDense(_ text: String) -> Bool {
        let wide = text.unicodeScalars.prefix(200).count { $0.value >= 0x2E80 }
        return wide >= 15
    }

    // MARK: Language and keywords

    static let s18 = CheckJudge(
        .s18, .structuredData, .info, "The language is declared",
        problem: "The language is missing or unclear",
        why: "Results are chosen by language.",
        page: languageIsDeclared,
        noteRemedy: { _, _ in Finding.Remedy("Name the language as BCP 47 does: en, pt-BR, zh-Hant.") })

    private static func languageIsDeclared(_ page: PageExamination) -> [Verdict] {
        let metadata = page.facts.metadata
        guard let language = metadata.language else {
            // If something is given that is no language, a parse note reports it.
            if writesLanguage(page) { return [] }
            let known = page.record?.languages.first ?? "en"
            return [
                .info(
                    "The page does not say its language.", at: page.place(ofElement: .html),
                    Finding.Remedy("Say it on the html element.", code: "<html lang=\"\(Markup.attribute(known))\">"))
            ]
        }
        let flawed = flawedTags(page)
        if !flawed.isEmpty { return flawed }
        if let locale = page.facts.openGraph?.locale {
            let parts = locale.split(separator: "_", omittingEmptySubsequences: false)
            if parts.count != 2 || parts[1].count < 2 {
                return [
                    .info(
                        "og:locale \(Wording.quoted(locale)) is not written language_TERRITORY.",
                        at: page.place(ofMeta: "og:locale"),
                        Finding.Remedy(
                            "Write it like en_US.",
                            code: Markup.meta(property: "og:locale", content: "\(language.prefix(2).lowercased())_US")))
                ]
            }
            if !LanguageTag.isSameLanguage(locale, language) {
                return [
                    .info(
                        "The page says it is in \(Wording.quoted(language)), og:locale \(Wording.quoted(locale)).",
                        at: page.place(ofMeta: "og:locale"), Finding.Remedy("Name one language."))
                ]
            }
        }
        return [.pass("The language is \(Wording.quoted(language)).", at: page.place(ofElement: .html))]
    }

    /// Whether a language is given in any place for it.
    private static func writesLanguage(_ page: PageExamination) -> Bool {
        let document = page.facts.document
        let html = document.elements(named: .html).first.flatMap {
            document.value(of: .lang, on: $0) ?? document.value(of: .xmlLang, on: $0)
        }
        let meta = page.meta.tags.first { $0.name == "content-language" }?.text
        return [html, meta, page.facts.source.headers["Content-Language"]].contains {
            $0.map { !$0.trimmingHTMLSpace().isEmpty } ?? false
        }
    }

    /// Findings about languages that are no tags of BCP 47: of the page, of its main item and of its alternates.
    private static func flawedTags(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        func judge(_ name: String, _ tag: String, at place: Finding.Place?, code: (String) -> String) {
            guard let flaw = LanguageTag.flaw(of: tag) else { return }
            verdicts.append(
                .info(
                    "\(name) \(Wording.quoted(tag, to: 40)) is no language tag of BCP 47: \(flaw.reason).", at: place,
                    Finding.Remedy(
                        "Write the tag: en, pt-BR, zh-Hant.", code: flaw.instead.map { code(Markup.attribute($0)) })))
        }
        let metadata = page.facts.metadata
        if let language = metadata.language {
            switch metadata.languageSource {
            case .html, nil:
                judge("lang", language, at: page.place(ofElement: .html)) { "<html lang=\"\($0)\">" }
            case .metaContentLanguage:
                judge("content-language", language, at: page.place(ofMeta: "content-language")) {
                    "<html lang=\"\($0)\">"
                }
            case .header:
                judge("Content-Language", language, at: Finding.Place(.header, "Content-Language")) {
                    "Content-Language: \($0)"
                }
            }
        }
        if let item = page.structured.mainItem {
            for case .text(let text, _) in item.values("inLanguage").prefix(5) {
                judge("inLanguage", text, at: page.place(of: item)) {
                    Markup.property("inLanguage", $0, in: item.syntax)
                }
            }
        }
        for alternate in metadata.languageAlternates.prefix(CrawledPage.maximumVersions)
        where alternate.language.asciiLowercased != "x-default" {
            judge("hreflang", alternate.language, at: alternate.findingPlace) { "hreflang=\"\($0)\"" }
        }
        return verdicts.gravest(upTo: 5)
    }

    /// Advised by ASPG (TN2416).
    static let keywordCount = 3...5
    /// The most keywords of a tag that are counted.
    private static let countedKeywords = 1_000

    static let s20 = CheckJudge(
        .s20, .structuredData, .info, "Three to five keywords",
        problem: "Keywords are too few, too many or out of place",
        why: "Apple advises that many, with synonyms and the words of the category (TN2416).",
        page: keywordsAreFew)

    private static func keywordsAreFew(_ page: PageExamination) -> [Verdict] {
        // If there are several tags, the longest list counts, because they repeat each other on purpose.
        let lists = page.meta.tags.filter { $0.name == "keywords" || $0.name == "news_keywords" }.prefix(10)
            .compactMap(\.text).map { Array(HTMLMetadata.keywords(in: $0).prefix(countedKeywords)) }
        guard let written = lists.max(by: { $0.count < $1.count }), !written.isEmpty else { return [] }
        var seen: Set<String> = []
        let keywords = written.filter { seen.insert($0.lowercased()).inserted }
        let place = page.place(ofMeta: "keywords") ?? page.place(ofMeta: "news_keywords")
        var verdicts: [Verdict] = []
        let remedy = Finding.Remedy(
            "Keep the three to five that people would type.",
            code: Markup.meta(name: "keywords", content: keywords.prefix(5).joined(separator: ", ")))
        if let stuffed = stuffedKeyword(written, distinct: keywords.count) {
            verdicts.append(
                .info(
                    "\(Wording.quoted(stuffed.text, to: 40)) stands \(stuffed.count == 2 ? "twice" : "\(stuffed.count) times") among the keywords: once is enough.",
                    at: place, remedy))
        }
        if !keywordCount.contains(keywords.count) {
            let more = written.count == countedKeywords ? " or more" : ""
            verdicts.append(
                .info(
                    "The page has \(Wording.count(keywords.count, "keyword"))\(more); three to five are advised.",
                    at: place,
                    keywords.count > keywordCount.upperBound
                        ? remedy
                        : Finding.Remedy("Add synonyms, abbreviations and the words of the category.")))
        }
        if let stray = strayKeywords(keywords, page) { verdicts.append(stray) }
        return verdicts.isEmpty
            ? [
                .pass(
                    "\(Wording.count(keywords.count, "keyword")): \(Wording.quoted(keywords.joined(separator: ", "))).",
                    at: place)
            ] : verdicts
    }

    /// The most frequent keyword that is given more than once. If there is none, the most frequent word that occurs in too
    /// many keywords, or several times in one; nil if there is none.
    private static func stuffedKeyword(_ written: [String], distinct: Int) -> (text: String, count: Int)? {
        func mostFrequent(_ texts: some Sequence<String>) -> (text: String, count: Int)? {
            var counts: [String: Int] = [:]
            for text in texts { counts[text, default: 0] += 1 }
            return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { (text: $0.key, count: $0.value) }
        }
        if let keyword = mostFrequent(written.lazy.map { $0.lowercased() }), keyword.count > 1 { return keyword }
        let words = written.lazy.flatMap { $0.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init) }
            .filter { $0.count >= 3 }
        guard let word = mostFrequent(words), word.count >= 3,
            word.count > min(distinct, keywordCount.upperBound)
        else { return nil }
        return word
    }

    /// Advice if most keywords do not occur in the page's text, title or description. A few may be synonyms, which are
    /// welcome.
    private static func strayKeywords(_ keywords: [String], _ page: PageExamination) -> Verdict? {
        let text = page.shownText
        guard keywords.count >= 3, text.utf8.count >= 400 else { return nil }
        let stray = keywords.filter { keyword in
            let words = keyword.lowercased().split { !$0.isLetter && !$0.isNumber }
            return !words.isEmpty && !words.contains { text.contains($0) }
        }
        guard stray.count * 3 > keywords.count * 2 else { return nil }
        return .info(
            "\(stray.count) of \(keywords.count) keywords stand nowhere in the page: \(Wording.list(stray.map { Wording.quoted($0, to: 40) })).",
            at: page.place(ofMeta: "keywords"),
            Finding.Remedy("Keep the words that people would type to find this page."))
    }
}
