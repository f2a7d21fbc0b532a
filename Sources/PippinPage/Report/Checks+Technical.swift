// Checks of how the page is addressed and written (T04…T14), in the order of the table.

enum Technical {
    // MARK: Address

    static func canonicalIsSound(_ page: PageExamination) -> [Verdict] {
        let links = page.facts.metadata.canonicalLinks
        guard let canonical = page.facts.metadata.canonical, let link = links.first else {
            guard links.isEmpty else { return [] }  // the notes say what is wrong with them
            let isNoted = page.facts.notes.contains { $0.code.hasPrefix("canonical-") }
            return isNoted
                ? []
                : [
                    .info(
                        "The page has no canonical link.", at: nil,
                        Finding.Remedy(
                            "Name the page's one address in the head.", code: Markup.link("canonical", page.address)))
                ]
        }
        let place = link.isFromHeader ? Finding.Place(.header, "Link") : .markup("link canonical", line: link.line)
        if canonical.scheme == "http", page.url.scheme == "https" {
            return [
                .warning(
                    "The canonical address is http, \(Markup.quoted(canonical.href)), the page is https.", at: place,
                    Finding.Remedy(
                        "Name the https address.", code: Markup.link("canonical", "https" + canonical.href.dropFirst(4))
                    ))
            ]
        }
        if canonical.path == "/", (canonical.query ?? "").isEmpty, !page.isHomePage, canonical.host == page.url.host {
            return [
                .warning(
                    "The canonical address is the home page, \(Markup.quoted(canonical.href)): this page would be filed under it.",
                    at: place,
                    Finding.Remedy(
                        "Name this page's own address.", code: Markup.link("canonical", URLKey(page.url).string)))
            ]
        }
        // Another site's address is a note of the record's.
        guard SiteIdentity.isSameSite(canonical.host, page.url.host) else { return [] }
        if URLKey(canonical) != URLKey(page.url), DeepLinks.comparable(canonical) != DeepLinks.comparable(page.url) {
            return [
                .info(
                    "The canonical address is another one, \(Markup.quoted(canonical.href)): the record is filed under it.",
                    at: place)
            ]
        }
        return [.pass("The canonical address is this page.", at: place)]
    }

    // MARK: Encoding and type

    static func encodingIsDeclared(_ page: PageExamination) -> [Verdict] {
        let detection = CharacterEncoding.detect(bytes: page.facts.source.bytes, headers: page.facts.source.headers)
        let encoding = page.facts.encoding.name
        let remedy = Finding.Remedy("Declare it in the header, or first in the head.", code: "<meta charset=\"utf-8\">")
        switch detection.source {
        case .validUTF8, .fallback:
            if page.facts.notes.contains(where: { $0.code.hasPrefix("charset-") }) { return [] }
            let isASCII = page.facts.source.bytes.allSatisfy { $0 < 0x80 }
            // A header may say what the markup does not; without the network it was not seen.
            let isHeaderSeen = page.evidence.fetch.value != nil
            let sentence =
                "The page's \(isHeaderSeen ? "header and markup declare" : "markup declares") no character encoding; it was read as \(encoding)."
            return [isASCII || !isHeaderSeen ? .info(sentence, at: nil, remedy) : .warning(sentence, at: nil, remedy)]
        default:
            if encoding != "utf-8" {
                return [.info("The page is in \(encoding); every other reader expects UTF-8.", at: nil, remedy)]
            }
            return [.pass("The page is UTF-8 and says so (\(detection.source.rawValue)).")]
        }
    }

    static func typeIsHTML(_ site: SiteExamination) -> [Verdict] {
        guard let fetch = site.evidence.fetch.value, let facts = site.facts else {
            return [.unknown("Not seen: \(site.evidence.fetch.reason ?? "the page was not fetched").")]
        }
        guard case .answered = fetch.ending else { return [.unknown("Not seen: the page was not fetched.")] }
        let type = facts.source.headers["Content-Type"] ?? ""
        let essence = type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        let place = Finding.Place(.header, "Content-Type")
        let remedy = Finding.Remedy("Serve pages as HTML.", code: "Content-Type: text/html; charset=utf-8")
        switch essence {
        case "text/html", "application/xhtml+xml": return [.pass("The content type is \(essence).", at: place)]
        case "": return [.warning("The server does not say what the page is.", at: place, remedy)]
        default: return [.error("The server says the page is \(Markup.quoted(essence)).", at: place, remedy)]
        }
    }

    static func contentIsSecure(_ page: PageExamination) -> [Verdict] {
        guard page.url.scheme == "https", let record = page.record else { return [] }
        var insecure: [(String, Finding.Place?)] = []
        for image in page.facts.openGraph?.images ?? [] where image.bestURL?.scheme == "http" {
            insecure.append((image.bestURL?.href ?? "", .markup("meta og:image", line: image.line)))
        }
        for media in record.audio + record.video where media.url.hasPrefix("http:") {
            insecure.append((media.url, nil))
        }
        for link in page.deepLinks {
            if let url = link.url, url.hasPrefix("http:"), !insecure.contains(where: { $0.0 == url }) {
                insecure.append((url, nil))
            }
        }
        for image in record.images
        where image.url.hasPrefix("http:") && !insecure.contains(where: { $0.0 == image.url }) {
            insecure.append((image.url, nil))
        }
        guard let first = insecure.first else { return [.pass("Pictures, media and deep links are https.")] }
        return [
            .warning(
                "\(Markup.list(insecure.map { Markup.quoted($0.0) })) \(insecure.count == 1 ? "is" : "are") http on a secure page.",
                at: first.1,
                Finding.Remedy("Name the https addresses.", code: "https" + first.0.dropFirst(4)))
        ]
    }

    // MARK: Markup

    static func headIsWhole(_ page: PageExamination) -> [Verdict] {
        let names: Set<String> = ["description", "viewport", "robots", "applebot", "keywords", "theme-color"]
        let displaced = page.meta.tags.filter { tag in
            tag.isInBody && (names.contains(tag.name) || tag.name.hasPrefix("twitter:") || tag.name.hasPrefix("al:"))
        }
        if let first = displaced.first {
            return [
                .warning(
                    "\(Markup.count(displaced.count, "meta tag")) stand\(displaced.count == 1 ? "s" : "") in the body, from \(Markup.quoted(first.written)) on: "
                        + "what a head may not hold, such as a div or img, ended the head before.",
                    at: .markup("meta \(first.name)", line: first.line, column: first.column),
                    Finding.Remedy("Move the stray element behind </head>, or the meta tags before it."))
            ]
        }
        return [.pass("\(Markup.count(page.meta.tags.count, "meta tag")) in the head.")]
    }

    static func fitsPhone(_ page: PageExamination) -> [Verdict] {
        let place = page.place(ofMeta: "viewport")
        let remedy = Finding.Remedy(
            "Let the page take the phone's width.",
            code: Markup.meta(name: "viewport", content: "width=device-width, initial-scale=1"))
        guard let viewport = page.facts.metadata.viewport else {
            let sentence = "The page has no viewport: a phone shows it as on a desk, in small print."
            return [page.options.isMobile ? .warning(sentence, at: nil, remedy) : .info(sentence, at: nil, remedy)]
        }
        let plain = viewport.lowercased().filter { !$0.isWhitespace }
        if !plain.contains("width=device-width"), !plain.contains("initial-scale=1") {
            return [.info("The viewport is \(Markup.quoted(viewport)).", at: place, remedy)]
        }
        if plain.contains("user-scalable=no") || plain.contains("user-scalable=0") || plain.contains("maximum-scale=1,")
            || plain.hasSuffix("maximum-scale=1") || plain.contains("maximum-scale=1.0")
        {
            return [.info("The viewport keeps people from zooming: \(Markup.quoted(viewport)).", at: place, remedy)]
        }
        return [.pass("The viewport is \(Markup.quoted(viewport)).", at: place)]
    }

    static func hasValidators(_ page: PageExamination) -> [Verdict] {
        guard page.evidence.fetch.value != nil else {
            return [.unknown("Not seen: \(page.evidence.fetch.reason ?? "the page was not fetched").")]
        }
        let headers = page.facts.source.headers
        if let tag = headers["ETag"] {
            return [.pass("ETag is \(Markup.quoted(tag, to: 60)).", at: Finding.Place(.header, "ETag"))]
        }
        if let date = headers["Last-Modified"] {
            return [
                .pass("Last-Modified is \(Markup.quoted(date, to: 60)).", at: Finding.Place(.header, "Last-Modified"))
            ]
        }
        return [
            .info(
                "The answer has neither ETag nor Last-Modified.", at: nil,
                Finding.Remedy(
                    "Send one of them, and 304 to who has the page already.",
                    code: "Last-Modified: Fri, 20 Nov 2026 20:00:00 GMT"))
        ]
    }

    static func isSameForAll(_ site: SiteExamination) -> [Verdict] {
        [.unknown("Not tested: Pippin never goes by another's name, so it sees the page that Pippin is shown.")]
    }

    static func contentIsUnique(_ page: PageExamination) -> [Verdict] {
        guard let crawl = page.evidence.crawl.value else {
            return [.unknown("Not seen: \(page.evidence.crawl.reason ?? "").")]
        }
        guard !crawl.sameContent.isEmpty else { return [.pass("No other page of the crawl has the same content.")] }
        if page.facts.metadata.canonical != nil {
            return [.pass("The copies \(Markup.list(crawl.sameContent)) have a canonical link to choose by.")]
        }
        return [
            .warning(
                "\(Markup.list(crawl.sameContent)) \(crawl.sameContent.count == 1 ? "has" : "have") the same content.",
                at: nil,
                Finding.Remedy("Name one address in all copies.", code: Markup.link("canonical", page.address)))
        ]
    }

    static func addressIsClean(_ site: SiteExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        let key = URLKey(site.url).string
        let own = site.url.removingFragment().href
        if key.utf8.count + 3 < own.utf8.count {
            verdicts.append(
                .info(
                    "The address has parts that name a visit, not a page: \(Markup.quoted(own)).", at: nil,
                    Finding.Remedy("Link to the address without them.", code: key)))
        }
        if own.utf8.count > 2_000 {
            verdicts.append(
                .info(
                    "The address has \(own.utf8.count) characters.", at: nil,
                    Finding.Remedy("Shorten it; many programs stop at 2,000.")))
        }
        if site.url.path.contains("%20") {
            verdicts.append(
                .info(
                    "The address has spaces in it: \(Markup.quoted(site.url.path)).", at: nil,
                    Finding.Remedy("Write hyphens for spaces.", code: site.url.path.replacing("%20", with: "-"))))
        }
        if let links = site.facts?.outlinks.links.prefix(2_000) {
            let tracked = links.filter { link in
                link.url.host == site.url.host && (link.url.query ?? "").asciiLowercased.contains("utm_")
            }
            if let first = tracked.first {
                verdicts.append(
                    .info(
                        "\(Markup.count(tracked.count, "link")) inside the site carr\(tracked.count == 1 ? "ies" : "y") tracking, such as \(Markup.quoted(first.url.href)).",
                        at: .markup("a", line: first.line),
                        Finding.Remedy("Leave utm_ parameters to links from outside.", code: URLKey(first.url).string)))
            }
        }
        return verdicts.isEmpty ? [.pass("The address is clean.")] : verdicts
    }
}
