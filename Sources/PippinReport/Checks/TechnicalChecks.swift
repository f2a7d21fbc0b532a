// Checks of the page's address, encoding and markup (T04…T07, T12…T15; T16 is in ResourceChecks), in the order of their codes.

import PippinPage

enum Technical {
    // MARK: Address

    static let t04 = CheckJudge(
        .t04, .technical, .warning, "One canonical address",
        problem: "The canonical address is missing or unclear",
        why: "It joins what several addresses of one page earn (RFC 6596).",
        page: canonicalIsSound,
        noteRemedy: { _, page in
            page.map {
                Finding.Remedy(
                    "Keep one canonical link, in the head, with the whole address.",
                    code: Markup.link("canonical", $0.address))
            }
        })

    private static func canonicalIsSound(_ page: PageExamination) -> [Verdict] {
        let links = page.facts.metadata.canonicalLinks
        guard let canonical = page.facts.metadata.canonical, let link = links.first else {
            guard links.isEmpty else { return [] }  // the notes say what is wrong with them
            let isNoted = page.facts.notes.contains { if case .canonical = $0.code { true } else { false } }
            return isNoted
                ? []
                : [
                    .info(
                        "The page has no canonical link.", at: nil,
                        Finding.Remedy(
                            "Name the page's one address in the head.", code: Markup.link("canonical", page.address)))
                ]
        }
        guard page.hasAddress else { return [.unknown("Not seen: it is not known where the page is published.")] }
        let place = link.isFromHeader ? Finding.Place(.header, "Link") : .markup("link canonical", link.place)
        if canonical.scheme == "http", page.url.scheme == "https" {
            return [
                .warning(
                    "The canonical address is http, \(Wording.quoted(canonical.href)), the page is https.", at: place,
                    Finding.Remedy(
                        "Name the https address.", code: Markup.link("canonical", "https" + canonical.href.dropFirst(4))
                    ))
            ]
        }
        if canonical.path == "/", (canonical.query ?? "").isEmpty, !page.isHomePage, canonical.host == page.url.host {
            return [
                .warning(
                    "The canonical address is the home page, \(Wording.quoted(canonical.href)): this page would be filed under it.",
                    at: place,
                    Finding.Remedy(
                        "Name this page's own address.", code: Markup.link("canonical", URLKey(page.url).string)))
            ]
        }
        if let verdict = canonicalAnswer(page, place) { return [verdict] }
        // If it is on another site, a parse note of the record reports it.
        guard SiteIdentity.isSameSite(canonical.host, page.url.host) else { return [] }
        if URLKey(canonical) != URLKey(page.url),
            PageExamination.comparable(canonical) != PageExamination.comparable(page.url)
        {
            let seen = page.evidence.canonical.value.map { _ in " It answers, and may be indexed." } ?? ""
            return [
                .info(
                    "The canonical address is another one, \(Wording.quoted(canonical.href)): the record is filed under it.\(seen)",
                    at: place,
                    Finding.Remedy(
                        "If this page has content of its own, name its own address.",
                        code: Markup.link("canonical", URLKey(page.url).string)))
            ]
        }
        return [.pass("The canonical address is this page.", at: place)]
    }

    /// What is wrong with the answer of the canonical address, if that is another page's; nil if nothing is.
    private static func canonicalAnswer(_ page: PageExamination, _ place: Finding.Place?) -> Verdict? {
        guard let seen = page.evidence.canonical.value else { return nil }
        let address = Wording.quoted(seen.url.href)
        let own = Finding.Remedy(
            "Name the address where the content is.", code: Markup.link("canonical", URLKey(page.url).string))
        if let target = seen.location {
            return .warning(
                "The canonical address \(address) redirects (\(seen.status)) to \(Wording.quoted(target.href)).",
                at: place,
                Finding.Remedy("Name the last address.", code: Markup.link("canonical", target.href)))
        }
        guard seen.status == 200 else {
            return .error(
                "The canonical address \(address) answers with status \(seen.status): the page is filed under what is not there.",
                at: place, own)
        }
        if seen.isNoindex {
            return .error(
                "The canonical address \(address) forbids indexing: neither page is found.", at: place,
                Finding.Remedy("Let it be indexed, or name this page's own address.", code: own.code))
        }
        if let next = seen.canonical, URLKey(next) != URLKey(seen.url) {
            let isLoop = URLKey(next) == URLKey(page.url)
            return .warning(
                isLoop
                    ? "The canonical address \(address) names this page in turn: each says the other is the one."
                    : "The canonical address \(address) names yet another one, \(Wording.quoted(next.href)).",
                at: place,
                Finding.Remedy("Name the last address in all of them.", code: Markup.link("canonical", next.href)))
        }
        return nil
    }

    // MARK: Encoding and type

    static let t05 = CheckJudge(
        .t05, .technical, .warning, "The character encoding is declared",
        problem: "The character encoding is undeclared or wrong",
        why: "Otherwise readers guess, and letters go wrong.",
        page: encodingIsDeclared,
        noteRemedy: { _, _ in
            Finding.Remedy(
                "Save the page as UTF-8 and say so in the header and first in the head.",
                code: "<meta charset=\"utf-8\">")
        })

    private static func encodingIsDeclared(_ page: PageExamination) -> [Verdict] {
        let detection = CharacterEncoding.detect(bytes: page.facts.source.bytes, headers: page.facts.source.headers)
        let encoding = page.facts.encoding.name
        let remedy = Finding.Remedy("Declare it in the header, or first in the head.", code: "<meta charset=\"utf-8\">")
        switch detection.source {
        case .validUTF8, .fallback:
            if page.facts.notes.contains(where: { if case .charset = $0.code { true } else { false } }) { return [] }
            let isASCII = page.facts.source.bytes.allSatisfy { $0 < 0x80 }
            // A header may name an encoding that the markup does not. Without the network it was not seen.
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

    static let t06 = CheckJudge(
        .t06, .technical, .error, "The content type is HTML",
        problem: "The content type is not HTML",
        why: "Crawlers do not read other types as pages.",
        site: typeIsHTML)

    private static func typeIsHTML(_ site: SiteExamination) -> [Verdict] {
        let remedy = Finding.Remedy("Serve pages as HTML.", code: "Content-Type: text/html; charset=utf-8")
        guard let fetch = site.evidence.fetch.value else {
            if let type = site.evidence.foreignType {
                return [.error("What the file holds is \(Wording.quoted(type)), no page.", at: nil, remedy)]
            }
            return [.unknown("Not seen: \(site.evidence.fetch.reason ?? "the page was not fetched").")]
        }
        guard case .answered(let status) = fetch.ending else {
            return [.unknown("Not seen: the page was not fetched.")]
        }
        guard StatusMeaning(site.status ?? status) == .content else {
            return [.unknown("Not judged: the page answers with status \(site.status ?? status) (see T01).")]
        }
        let essence = (site.facts.map { $0.source.headers.mediaType } ?? fetch.mediaType) ?? ""
        let place = Finding.Place(.header, "Content-Type")
        if let foreign = site.evidence.foreignType, foreign != essence {
            let said =
                essence.isEmpty ? "The server does not say what it sends" : "The server says \(Wording.quoted(essence))"
            return [.error("\(said); it is \(Wording.quoted(foreign)), no page.", at: place, remedy)]
        }
        switch essence {
        case "text/html", "application/xhtml+xml": return [.pass("The content type is \(essence).", at: place)]
        case "": return [.warning("The server does not say what the page is.", at: place, remedy)]
        default: return [.error("The server says the page is \(Wording.quoted(essence)).", at: place, remedy)]
        }
    }

    static let t07 = CheckJudge(
        .t07, .technical, .warning, "Everything in the markup is https",
        problem: "The markup has http addresses",
        why:
            "Browsers block a secure page's http scripts, styles and frames, and may lose its http pictures and media.",
        page: contentIsSecure)

    private static func contentIsSecure(_ page: PageExamination) -> [Verdict] {
        guard page.url.scheme == "https", let record = page.record else { return [] }
        var seen: Set<String> = []
        var insecure: [(what: String, url: String, place: Finding.Place?)] = []
        func add(_ what: String, _ url: String, _ place: Finding.Place? = nil) {
            if url.hasPrefix("http:"), seen.insert(url).inserted { insecure.append((what, url, place)) }
        }
        let resources = PageResources(page.facts)
        let all = resources.resources + resources.embedded
        for resource in all where isBlocked(resource.kind) {
            add("the \(resource.kind.rawValue)", resource.url.href, .markup(tag(resource, page), resource.place))
        }
        let blocked = insecure
        insecure = []
        for image in page.facts.openGraph?.images ?? [] {
            add(
                "the picture", image.bestURL?.href ?? "",
                .markup("meta og:image", line: image.line, column: image.column))
        }
        for resource in all where !isBlocked(resource.kind) {
            add("the \(resource.kind.rawValue)", resource.url.href, .markup(tag(resource, page), resource.place))
        }
        for image in record.images { add("the picture", image.url) }
        for media in record.audio { add("the audio", media.url) }
        for media in record.video { add("the video", media.url) }
        for link in page.deepLinks {
            let source = link.sources.first.map { " of \($0.rawValue)" } ?? ""
            add("the deep link\(source)", link.url ?? "", page.bannerPlace)
        }
        var verdicts: [Verdict] = []
        for (list, end) in [
            (blocked, "http on a secure page, so browsers block \(blocked.count == 1 ? "it" : "them")"),
            (insecure, "http on a secure page"),
        ] {
            guard let first = list.first else { continue }
            let names = Wording.list(list.map { "\($0.what) \(Wording.quoted($0.url))" }).sentenceStart
            verdicts.append(
                .warning(
                    "\(names) \(list.count == 1 ? "is" : "are") \(end).", at: first.place,
                    Finding.Remedy("Name the https addresses.", code: "https" + first.url.dropFirst(4))))
        }
        return verdicts.isEmpty
            ? [.pass("Scripts, styles, pictures, media, frames and deep links are https.")] : verdicts
    }

    /// Mixed Content Level 2 §3: pictures, audio and video are asked for as https instead, all else is blocked.
    private static func isBlocked(_ kind: PageResources.Kind) -> Bool {
        switch kind {
        case .script, .style, .frame, .object: true
        case .picture, .audio, .video: false
        }
    }

    private static func tag(_ resource: PageResources.Resource, _ page: PageExamination) -> String {
        let document = page.facts.document
        return document.spelling(ofName: document.elements[resource.element].nameNumber)
    }

    // MARK: Other versions of the page

    static let t12 = CheckJudge(
        .t12, .technical, .info, "Every reader gets the same page",
        problem: "Readers may get different pages",
        why: "A page that differs by reader is not the one that people find.",
        site: isSameForAll)

    private static func isSameForAll(_ site: SiteExamination) -> [Verdict] {
        [.unknown("Not tested: Pippin never goes by another's name, so it sees the page that Pippin is shown.")]
    }

    static let t14 = CheckJudge(
        .t14, .technical, .info, "The address is clean",
        problem: "The address is not clean",
        why: "Sessions, tracking and overlong addresses make many addresses of one page.",
        site: addressIsClean)

    private static func addressIsClean(_ site: SiteExamination) -> [Verdict] {
        guard site.hasAddress else {
            return [.unknown("Not seen: it is not known where the page is published.")]
        }
        var verdicts: [Verdict] = []
        let key = URLKey(site.url).string
        let own = site.url.removingFragment().href
        if key.utf8.count + 3 < own.utf8.count {
            verdicts.append(
                .info(
                    "The address has parts that name a visit, not a page: \(Wording.quoted(own)).", at: nil,
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
                    "The address has spaces in it: \(Wording.quoted(site.url.path)).", at: nil,
                    Finding.Remedy("Write hyphens for spaces.", code: site.url.path.replacing("%20", with: "-"))))
        }
        if let links = site.facts?.outlinks.links.prefix(2_000) {
            let tracked = links.filter { link in
                guard link.url.host == site.url.host, let query = link.url.query?.asciiLowercased else { return false }
                return query.hasPrefix("utm_") || query.contains("&utm_")
            }
            if let first = tracked.first {
                verdicts.append(
                    .info(
                        "\(Wording.count(tracked.count, "link")) inside the site carr\(tracked.count == 1 ? "ies" : "y") tracking, such as \(Wording.quoted(first.url.href)).",
                        at: .markup("a", first.place),
                        Finding.Remedy("Leave utm_ parameters to links from outside.", code: URLKey(first.url).string)))
            }
        }
        if let verdict = site.facts.flatMap({ upperCaseHost($0) }) { verdicts.append(verdict) }
        return verdicts.isEmpty ? [.pass("The address is clean.")] : verdicts
    }

    /// Advice about a link that writes the page's own host with capitals. Browsers treat it as the same address, careless
    /// programs as another.
    private static func upperCaseHost(_ facts: PageFacts) -> Verdict? {
        let document = facts.document
        for index in document.elements(named: .a).prefix(2_000) {
            guard let href = document.bytes(of: .href, on: index), let slashes = doubleSlash(href) else { continue }
            let host = href[slashes...].prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 && $0 != 0x3A }
            guard host.contains(where: { (0x41...0x5A).contains($0) }) else { continue }
            let text = String(decoding: href.prefix(300), as: UTF8.self)
            guard let url = WebURL(text, base: facts.baseURL), url.host == facts.source.url.host else { continue }
            return .info(
                "A link writes the site's host with capitals: \(Wording.quoted(text)).",
                at: .markup("a", document.place(of: index)),
                Finding.Remedy("Write hosts in small letters.", code: "href=\"\(Markup.attribute(url.href))\""))
        }
        return nil
    }

    /// The index at which the host of an absolute address begins; nil if the address is relative.
    private static func doubleSlash(_ href: ArraySlice<UInt8>) -> Int? {
        let beginning = href.prefix(8)
        guard let colon = beginning.firstIndex(of: 0x3A), href.endIndex - colon > 3, href[colon + 1] == 0x2F,
            href[colon + 2] == 0x2F
        else { return nil }
        return colon + 3
    }

    // MARK: Scripts

    static let t15 = CheckJudge(
        .t15, .technical, .warning, "The content is in the page's HTML",
        problem: "Scripts make the content",
        why: "Not every reader runs scripts, and those that do read the page later.",
        page: contentIsInMarkup)

    private static func contentIsInMarkup(_ page: PageExamination) -> [Verdict] {
        // Of a rendered page its HTML before that is judged.
        let rendering = page.evidence.rendering.value
        guard let need = rendering == nil ? RenderNeed(page.facts) : rendering?.need else {
            return [.pass("The content can be read without scripts.")]
        }
        let shown =
            "without scripts the page shows \(Wording.count(need.characters, "character")) and \(Wording.count(need.links, "link"))"
        let document = page.facts.document
        let sign: String
        let name: String
        switch need.sign {
        case .emptyMount(let mount):
            sign = "\(Wording.quoted(mount)) is empty: \(shown)."
            name = mount
        case .showsPlaceholders:
            sign = "Placeholders are in the place of the content: \(shown)."
            name = document.elements[need.element].name.spelling
        case .demandsJavaScript:
            sign = "A noscript asks for JavaScript: \(shown)."
            name = "noscript"
        case .hardlyAnything:
            sign = "\(shown).".sentenceStart
            name = "script"
        }
        if let rendering {
            let names = rendering.namesOfOnlyRendered
            let only = names.isEmpty ? "" : " Only scripts make: \(names)."
            return [.warning(sign + only, at: Finding.Place(.markup, name), serverRemedy)]
        }
        let isBare = page.structured.items.isEmpty && page.markupLinks.isEmpty
        return [
            .warning(
                sign + (isBare ? " Deep links and structured data are not in the HTML either." : ""),
                at: .markup(name, line: document.line(of: need.element)), serverRemedy)
        ]
    }

    private static let serverRemedy = Finding.Remedy(
        "Make the HTML on the server or when the site is built. At least title, description, deep links and structured data belong there."
    )
}
