/// Which check a parse note belongs to, and how grave it is.
///
/// A note says what a reader met; here it becomes a finding with its place. A code that is not listed is shown under T09,
/// so that nothing a reader says is lost; a test fails when a code that the fixtures give is not listed.
enum NoteMapping {
    struct Entry: Sendable {
        let check: String
        let outcome: Finding.Outcome
    }

    /// One line a check and outcome: the codes after the colon.
    private static let table = """
        D04 warning: robots-html robots-utf16 robots-too-long robots-key-misspelled robots-rule-outside-group \
        robots-agent-missing robots-colon-missing robots-pattern-not-a-path robots-several-agents \
        robots-sitemap-invalid robots-line-unreadable robots-line-too-long
        D04 info: robots-byte-order-mark robots-agent-cut robots-bare-sitemap robots-sitemap-relative \
        robots-record-unknown robots-crawl-delay-invalid
        D07 warning: robots-directive-value robots-directive-comma-missing
        D07 info: robots-directive-unknown
        L03 error: banner-attribute banner-lookalike
        L03 warning: banner-name-spelling banner-value-attribute banner-in-body
        L04 error: banner-app-id-bundle banner-app-id-empty banner-app-id-malformed banner-app-id-placeholder \
        banner-no-key banner-empty
        L04 warning: banner-app-id-prefix banner-id-attribute
        L05 warning: banner-separator-missing banner-separator-semicolon banner-leading-text banner-key-colon \
        banner-key-space banner-key-broken banner-key-repeated banner-key-unknown banner-quotes banner-repeated banner-affiliate-empty
        L05 info: banner-key-spelling
        L07 error: banner-argument-empty banner-argument-malformed banner-argument-placeholder \
        banner-argument-bare-scheme
        L07 warning: banner-argument-space banner-argument-attribute banner-argument-cut
        L09 warning: banner-argument-scheme
        L08 warning: deep-link-to-store
        L16 warning: deep-link-apps-differ
        L17 info: deep-link-urls-differ
        L23 warning: dynamic-link-dead
        S05 info: action-platform-missing
        L18 warning: twitter-app-bare-scheme twitter-app-id-malformed twitter-app-id-prefix twitter-app-unknown \
        twitter-country-malformed twitter-app-url-wrapped
        L18 info: twitter-app-order
        L19 warning: app-links-bare-scheme app-links-empty app-links-id-malformed app-links-id-prefix \
        app-links-package-missing app-links-uneven app-links-url-malformed app-links-url-missing \
        app-links-value-attribute app-links-attribute app-links-url-wrapped
        L19 info: branch-path-without-scheme app-links-unknown too-many-app-links
        L21 warning: app-alternate-malformed app-alternate-full-url app-alternate-id-prefix app-alternate-rel \
        too-many-app-alternates google-play-app-malformed app-alternate-wrapped
        L22 warning: banner-clip-malformed banner-clip-display
        L22 info: banner-clip-only
        S01 warning: title-repeated
        S02 warning: description-attribute description-empty description-repeated
        S05 error: json-ld-rejected
        S05 warning: json-bad-escape json-cdata-wrapper json-comment json-concatenated-values \
        json-control-character json-duplicate-key json-foreign-literal json-foreign-space json-html-comment \
        json-html-entities json-in-string json-ld-context-missing json-ld-invalid json-ld-keyword-case \
        json-ld-too-large json-ld-without-object json-lone-surrogate json-malformed-number json-missing-comma \
        json-semicolon json-single-quotes json-smart-quotes json-surplus-comma json-surplus-text \
        json-template-leftover json-truncated json-unquoted-key json-ld-url-wrapped
        S05 info: json-ld-empty
        S06 warning: microdata-itemprop-comma microdata-itemref-missing microdata-itemscope-missing \
        microdata-itemtype-invalid microdata-orphan-item microdata-orphan-property microdata-too-large \
        microdata-too-many-references microdata-texts-too-long too-many-items microdata-url-wrapped \
        rdfa-url-wrapped
        S14 warning: og-attribute og-content-missing og-empty og-in-body og-name-spelling og-number-malformed \
        og-url-wrapped og-root-missing og-url-malformed og-url-relative og-url-scheme og-value-attribute
        S14 info: og-repeated
        S15 warning: twitter-image-malformed twitter-url-wrapped
        S15 info: twitter-card-unknown twitter-card-retired twitter-attribute twitter-empty twitter-image-relative \
        twitter-repeated twitter-unknown twitter-value-attribute
        S18 info: language-malformed language-underscore
        S20 info: too-many-keywords
        T02 warning: refresh-malformed refresh-url-wrapped
        T04 warning: canonical-conflict canonical-empty canonical-in-body canonical-malformed canonical-elsewhere \
        canonical-relative canonical-wrapped
        T05 warning: charset-conflict charset-declared-late charset-overruled charset-unknown text-not-decodable
        T09 error: parser-unavailable
        T09 warning: page-too-large too-many-elements document-too-deep too-many-attributes too-many-meta \
        too-many-links notes-left-out link-url-wrapped base-wrapped
        """

    static let entries: [String: Entry] = {
        var entries: [String: Entry] = [:]
        for line in table.split(separator: "\n") {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            let head = halves[0].split(separator: " ")
            guard head.count == 2, let outcome = Finding.Outcome(rawValue: String(head[1])) else { continue }
            for code in halves[1].split(separator: " ") {
                entries[String(code)] = Entry(check: String(head[0]), outcome: outcome)
            }
        }
        return entries
    }()

    /// What a code is mapped to; families of codes by their beginning, all others to T09.
    static func entry(for code: String) -> Entry {
        if let entry = entries[code] { return entry }
        for (beginning, check) in families where code.hasPrefix(beginning) {
            return Entry(check: check, outcome: check == "T09" ? .info : .warning)
        }
        return Entry(check: "T09", outcome: .info)
    }

    /// Readers grow; a new code of a family still comes out where its family does.
    static let families: [(beginning: String, check: String)] = [
        ("json-", "S05"), ("microdata-", "S06"), ("rdfa-", "S06"), ("og-", "S14"), ("twitter-app-", "L18"),
        ("twitter-", "S15"), ("app-links-", "L19"), ("app-alternate-", "L21"), ("banner-", "L05"),
        ("robots-directive-", "D07"), ("robots-", "D04"), ("manifest-", "L16"), ("canonical-", "T04"),
        ("charset-", "T05"), ("sitemap-", "D12"),
    ]

    /// Findings of one code that are shown each; the last says how many more there are.
    private static let shownPerCode = 3

    /// Notes as verdicts, by check.
    static func verdicts(
        of notes: [ParseNote], page: PageExamination?, robots: RobotsEvidence?
    ) -> [String: [Verdict]] {
        var counts: [String: Int] = [:]
        for note in notes { counts[note.code, default: 0] += 1 }
        var seen: [String: Int] = [:]
        var verdicts: [String: [Verdict]] = [:]
        for note in notes {
            let number = seen[note.code, default: 0] + 1
            seen[note.code] = number
            guard number <= shownPerCode else { continue }
            let entry = entry(for: note.code)
            var sentence = note.message
            let more = (counts[note.code] ?? 0) - shownPerCode
            if number == shownPerCode, more > 0 { sentence += " (And \(more) more of this kind.)" }
            verdicts[entry.check, default: []].append(
                Verdict(
                    entry.outcome, sentence, at: place(of: note, robots: robots),
                    remedy(for: note, check: entry.check, page: page), noteCode: note.code))
        }
        return verdicts
    }

    private static func place(of note: ParseNote, robots: RobotsEvidence?) -> Finding.Place? {
        if note.code.hasPrefix("robots-"), !note.code.hasPrefix("robots-directive-"), let robots {
            return Finding.Place(.file, robots.url.href, line: note.line, column: note.column)
        }
        guard note.line != nil else { return nil }
        return Finding.Place(.markup, "page", line: note.line, column: note.column)
    }

    private static func remedy(for note: ParseNote, check: String, page: PageExamination?) -> Finding.Remedy? {
        switch check {
        case "S05" where note.code == "json-ld-url-wrapped", "S06" where note.code.hasSuffix("-url-wrapped"),
            "S14" where note.code == "og-url-wrapped", "S15" where note.code == "twitter-url-wrapped",
            "T02" where note.code == "refresh-url-wrapped",
            "T09" where note.code == "link-url-wrapped" || note.code == "base-wrapped":
            return Finding.Remedy("Write the address on one line, without white space.")
        case "L03", "L04", "L05", "L07":
            guard let page, note.code != "banner-repeated" else {
                return Finding.Remedy("Keep one banner tag a page, the one for this content.")
            }
            return Finding.Remedy("Write the banner like this, in the head.", code: page.bannerMarkup)
        case "L09":
            return page.map {
                Finding.Remedy("Hand over the page's own address, a universal link.", code: $0.bannerMarkup)
            }
        case "L17":
            return page.map {
                Finding.Remedy(
                    "If they are to open the same content, give them the same address.", code: $0.universalLink)
            }
        case "L18": return Finding.Remedy("Give each platform the app's name, its ID and the address of this content.")
        case "L19" where note.code == "app-links-attribute":
            return Finding.Remedy(
                "Name App Links with property.",
                code: page.map { Markup.meta(property: "al:ios:url", content: $0.universalLink) })
        case "L19": return Finding.Remedy("Give each App Links target its url, and app_store_id or package with it.")
        case "L21":
            return Finding.Remedy(
                "Write app addresses whole: scheme and path after the app.",
                code: Markup.link("alternate", "android-app://PACKAGE/https/HOST/PATH"))
        case "S01": return Finding.Remedy("Keep one title element, in the head.")
        case "S02":
            return Finding.Remedy(
                "Keep one description, with its own words.",
                code: Markup.meta(
                    name: "description", content: page?.record?.contentDescription ?? "What this page has to offer."))
        case "S05" where note.code.hasPrefix("json-ld-context"):
            return Finding.Remedy("Name schema.org as the context.", code: "\"@context\": \"https://schema.org\"")
        case "S05":
            return Finding.Remedy(
                "Let the program that makes the page write the JSON, so that quotes, commas and line breaks come out right."
            )
        case "S06":
            return Finding.Remedy("Put every itemprop inside an element with itemscope and an itemtype of schema.org.")
        case "S14" where note.code == "og-url-relative" || note.code == "og-url-scheme":
            return Finding.Remedy(
                "Write addresses in full, with https://.",
                code: page?.facts.openGraph?.images.first?.bestURL.map {
                    Markup.meta(property: "og:image", content: $0.href)
                })
        case "S14":
            return Finding.Remedy(
                "Open Graph tags stand in the head, with property and content, addresses in full.",
                code: Markup.meta(property: "og:title", content: page?.record?.title ?? "Title of this page"))
        case "S15": return Finding.Remedy("Name twitter tags with name, and give each a content.")
        case "S18": return Finding.Remedy("Name the language as BCP 47 does: en, pt-BR, zh-Hant.")
        case "T04":
            return page.map {
                Finding.Remedy(
                    "Keep one canonical link, in the head, with the whole address.",
                    code: Markup.link("canonical", $0.address))
            }
        case "T05":
            return Finding.Remedy(
                "Save the page as UTF-8 and say so in the header and first in the head.",
                code: "<meta charset=\"utf-8\">")
        case "D04": return Finding.Remedy("Mend the line in robots.txt.")
        case "D07": return Finding.Remedy("Separate directives by commas: noindex, nofollow.")
        default: return nil
        }
    }
}
