// Checks of whether Applebot finds the page and may index it (D01…D17), in the order of the table.

enum Discoverability {
    // MARK: robots.txt

    static func robotsAllow(_ site: SiteExamination) -> [Verdict] {
        guard let robots = site.evidence.robots.value else { return notSeen(site.evidence.robots) }
        let path = site.url.pathAndQuery
        var verdicts: [Verdict] = []
        if robots.applebot.reason == .unreachable {
            verdicts.append(
                .error("Nothing may be fetched, because robots.txt cannot be had (see D03).", at: place(robots)))
        } else if let rule = robots.applebot.rule, !robots.applebot.isAllowed {
            verdicts.append(
                .error(
                    "Applebot may not fetch \(Markup.quoted(path)): line \(rule.line) of the rules for "
                        + "\(robots.applebot.agent ?? "*") says Disallow: \(Markup.quoted(rule.pattern)).",
                    at: place(robots, line: rule.line),
                    Finding.Remedy(
                        "Allow the path for Applebot. A group of its own holds all of Applebot's rules: repeat those that shall stay.",
                        code: "User-agent: Applebot\nAllow: \(site.url.path)")))
        } else {
            verdicts.append(
                .pass(
                    "Applebot may fetch the page. \(robots.applebot.sentence)",
                    at: place(robots, line: robots.applebot.rule?.line)))
        }
        if !robots.pippin.isAllowed, robots.pippin.reason != .unreachable {
            let page = site.facts == nil ? " The page was not fetched, and nothing else of it is judged." : ""
            verdicts.append(
                .warning(
                    "Pippin, whose report this is, may not fetch the page. \(robots.pippin.sentence)\(page)",
                    at: place(robots, line: robots.pippin.rule?.line),
                    Finding.Remedy(
                        "To have the page judged, allow Pippin too, or save the page and validate the file.",
                        code: "User-agent: Pippin\nAllow: \(site.url.path)")))
        }
        return verdicts
    }

    static func rulesAreApplebots(_ site: SiteExamination) -> [Verdict] {
        guard let robots = site.evidence.robots.value else { return notSeen(site.evidence.robots) }
        switch robots.applebot.agent?.asciiLowercased {
        case "applebot": return [.pass("robots.txt has rules for Applebot.", at: place(robots))]
        case "googlebot":
            let group = robots.file.groups.first { $0.agents.contains { $0.asciiLowercased == "googlebot" } }
            return [
                .warning(
                    "robots.txt does not name Applebot, so Googlebot's rules decide.",
                    at: place(robots, line: group?.line),
                    Finding.Remedy(
                        "Give Applebot a group of its own.",
                        code: "User-agent: Applebot\n" + (group.map(rules) ?? "Allow: /")))
            ]
        case nil: return [.pass("No rules bind Applebot here.", at: place(robots))]
        default: return [.pass("The rules for everyone decide.", at: place(robots))]
        }
    }

    private static func rules(of group: RobotsFile.Group) -> String {
        let lines = group.rules.prefix(20).map { ($0.kind == .allow ? "Allow: " : "Disallow: ") + $0.pattern }
        return lines.isEmpty ? "Allow: /" : lines.joined(separator: "\n")
    }

    static func robotsIsReachable(_ site: SiteExamination) -> [Verdict] {
        guard let robots = site.evidence.robots.value else { return notSeen(site.evidence.robots) }
        guard robots.applebot.reason == .unreachable else {
            return [
                .pass(
                    robots.status.map { "robots.txt answers with status \($0)." } ?? "robots.txt was read.",
                    at: place(robots))
            ]
        }
        let seen = robots.status.map { "It answers with status \($0)." } ?? "It gives no answer."
        return [
            .error(
                "robots.txt cannot be had. \(seen) Crawlers must take that as “nothing is allowed”.", at: place(robots),
                Finding.Remedy("Serve the file with status 200; without one, answer 404."))
        ]
    }

    static func robotsIsWellFormed(_ site: SiteExamination) -> [Verdict] {
        guard let robots = site.evidence.robots.value else { return notSeen(site.evidence.robots) }
        guard robots.applebot.reason != .unreachable else { return [.unknown("Not seen: robots.txt cannot be had.")] }
        guard robots.applebot.reason != .unavailable else {
            return [.pass("The site has no robots.txt.", at: place(robots))]
        }
        var verdicts: [Verdict] = []
        if let bytes = robots.bytes, bytes > RobotsFile.maximumBytes {
            verdicts.append(
                .warning(
                    "robots.txt has \(bytes) bytes; crawlers read the first \(RobotsFile.maximumBytes).",
                    at: place(robots),
                    Finding.Remedy("Shorten the file; patterns with * stand for many paths.")))
        }
        if let type = robots.contentType, !type.asciiLowercased.hasPrefix("text/plain") {
            verdicts.append(
                .warning(
                    "robots.txt is served as \(Markup.quoted(type)).", at: Finding.Place(.header, "Content-Type"),
                    Finding.Remedy("Serve it as plain text.", code: "Content-Type: text/plain; charset=utf-8")))
        }
        if let target = robots.redirects.last, !SiteIdentity.isSameSite(target.host, robots.url.host) {
            verdicts.append(
                .warning(
                    "robots.txt redirects to another site, \(target.href).", at: place(robots),
                    Finding.Remedy("Serve the rules from the host they are for.")))
        }
        verdicts.append(
            .pass(
                "robots.txt has \(Markup.count(robots.file.groups.count, "group")) and no mistakes.", at: place(robots))
        )
        return verdicts
    }

    // MARK: What the page needs

    static func resourcesAreAllowed(_ page: PageExamination) -> [Verdict] {
        guard let robots = page.evidence.robots.value else { return notSeen(page.evidence.robots) }
        let document = page.facts.document
        var blocked: [String] = []
        var line: Int?
        var seen = 0
        for (element, attribute) in [(HTMLName.script, HTMLName.src), (.link, .href), (.img, .src)] {
            for index in document.elements(named: element).prefix(200) {
                if element == .link, document.value(of: .rel, on: index)?.asciiLowercased.contains("stylesheet") != true
                {
                    continue
                }
                guard let written = document.value(of: attribute, on: index), !written.isEmpty,
                    let url = WebURL(written, base: page.facts.baseURL), url.origin == page.url.origin
                else { continue }
                seen += 1
                if !robots.file.decision(for: url, agents: RobotsEvidence.applebotAgents).isAllowed {
                    blocked.append(url.path)
                    if line == nil { line = Int(document.elements[index].line) }
                }
            }
        }
        guard !blocked.isEmpty else {
            return [
                .pass("All \(seen) of the page's scripts, styles and pictures on its own host are open to Applebot.")
            ]
        }
        return [
            .warning(
                "robots.txt closes \(blocked.count) of \(seen) scripts, styles and pictures to Applebot: "
                    + Markup.list(blocked.map { Markup.quoted($0, to: 60) }) + ".",
                at: .markup("page", line: line),
                Finding.Remedy(
                    "Allow them, or make a page that says the same without them.",
                    code: "User-agent: Applebot\n"
                        + Set(blocked.prefix(50).map(folder)).sorted().prefix(5).map { "Allow: \($0)" }.joined(
                            separator: "\n")))
        ]
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    static func imagesAreAllowed(_ page: PageExamination) -> [Verdict] {
        guard let address = page.record?.thumbnailURL, let url = WebURL(address) else { return [] }
        if url.origin == page.url.origin, let robots = page.evidence.robots.value {
            let decision = robots.file.decision(for: url, agents: RobotsEvidence.applebotAgents)
            if decision.isAllowed { return [.pass("Applebot may fetch \(address).")] }
            return [
                .warning(
                    "Applebot may not fetch the picture \(address). \(decision.sentence)",
                    at: place(robots, line: decision.rule?.line),
                    Finding.Remedy("Allow the picture.", code: "User-agent: Applebot\nAllow: \(url.path)"))
            ]
        }
        if let image = page.evidence.images.value?.first(where: { $0.url == url }), let isAllowed = image.isAllowed {
            return isAllowed
                ? [.pass("Applebot may fetch \(address).")]
                : [
                    .warning(
                        "The robots.txt of \(url.host ?? "its host") closes the picture \(address) to Applebot.",
                        at: nil,
                        Finding.Remedy("Allow the picture there.", code: "User-agent: Applebot\nAllow: \(url.path)"))
                ]
        }
        return [
            .unknown(
                "Not seen: "
                    + (url.origin == page.url.origin
                        ? (page.evidence.robots.reason ?? "robots.txt was not read")
                        : "the picture is on another host, \(url.host ?? ""), whose robots.txt was not asked for") + "."
            )
        ]
    }

    // MARK: What the page allows

    static func pageIsIndexable(_ page: PageExamination) -> [Verdict] {
        let directives = page.facts.directives
        if directives.noindex {
            return [
                .error(
                    "\(labels(directives, .noindex)) says noindex.", at: place(of: .noindex, page),
                    Finding.Remedy(
                        "Take the directive away, or say all.", code: Markup.meta(name: "robots", content: "all")))
            ]
        }
        if page.refusal == .unavailableAfter {
            return [
                .error(
                    "unavailable_after names a moment that has passed.", at: place(of: .unavailableAfter, page),
                    Finding.Remedy("Take the directive away, or name a later day."))
            ]
        }
        return [.pass("Nothing forbids indexing.")]
    }

    static func snippetIsAllowed(_ page: PageExamination) -> [Verdict] {
        let directives = page.facts.directives
        if directives.nosnippet {
            return [
                .warning(
                    "\(labels(directives, .nosnippet)) says nosnippet: a result has no description.",
                    at: place(of: .nosnippet, page), Finding.Remedy("Take the directive away."))
            ]
        }
        if let limit = directives.maxSnippet, limit < 50 {
            return [
                .warning(
                    "\(labels(directives, .maxSnippet)) leaves \(limit) characters for a snippet.",
                    at: place(of: .maxSnippet, page),
                    Finding.Remedy(
                        "Leave room for a sentence.", code: Markup.meta(name: "robots", content: "max-snippet:300")))
            ]
        }
        return [.pass("A snippet may be shown.")]
    }

    static func linksAreFollowed(_ page: PageExamination) -> [Verdict] {
        let directives = page.facts.directives
        guard directives.nofollow else { return [.pass("Links may be followed.")] }
        let count = page.facts.outlinks.links.count
        return [
            .warning(
                "\(labels(directives, .nofollow)) says nofollow; none of \(Markup.count(count, "link")) is followed.",
                at: place(of: .nofollow, page),
                Finding.Remedy("Take the directive away; single links can have rel=\"nofollow\"."))
        ]
    }

    private static func labels(_ directives: RobotsDirectives, _ directive: RobotsDirectives.Directive) -> String {
        var labels: [String] = []
        for source in directives.sources(of: directive) where !labels.contains(source.label) {
            labels.append(source.label)
        }
        return labels.isEmpty ? "The page" : labels.joined(separator: ", ")
    }

    private static func place(of directive: RobotsDirectives.Directive, _ page: PageExamination) -> Finding.Place? {
        switch page.facts.directives.sources(of: directive).first {
        case .meta(let name)?:
            // `none` is the other word for noindex, nofollow and nosnippet.
            let words = [directive.rawValue, "none"]
            let tag = page.facts.metadata.robots.first { tag in
                tag.name == name && words.contains { tag.content.asciiLowercased.contains($0) }
            }
            return .markup("meta \(name)", line: tag?.line)
        case .header?: return Finding.Place(.header, "X-Robots-Tag")
        case nil: return nil
        }
    }

    // MARK: The way here

    static func pageIsReachable(_ page: PageExamination) -> [Verdict] {
        guard let crawl = page.evidence.crawl.value else { return notSeen(page.evidence.crawl) }
        if crawl.isSeed { return [.pass("The crawl starts here.")] }
        let remedy = Finding.Remedy(
            "Link it from the support page or an index page near it.",
            code:
                "<a href=\"\(Markup.attribute(page.address))\">\(Markup.attribute(page.record?.title ?? "This page"))</a>"
        )
        guard let depth = crawl.depth else { return [.error("No link leads here from the seeds.", at: nil, remedy)] }
        let seen = "\(Markup.count(depth, "link")) from the start, \(Markup.count(crawl.inlinks, "page")) lead here."
        return depth > 4 ? [.warning(seen, at: nil, remedy)] : [.pass(seen)]
    }

    static func linksArePlain(_ page: PageExamination) -> [Verdict] {
        guard let crawl = page.evidence.crawl.value else { return notSeen(page.evidence.crawl) }
        if crawl.inlinks > 0, crawl.inlinks == crawl.nofollowInlinks {
            return [
                .warning(
                    "All \(crawl.inlinks) links that lead here are nofollow.", at: nil,
                    Finding.Remedy("Link the page without rel=\"nofollow\"."))
            ]
        }
        return crawl.inlinks > 0 || crawl.isSeed ? [.pass("Plain links lead here.")] : []
    }

    static func sitemapListsPage(_ page: PageExamination) -> [Verdict] {
        guard let crawl = page.evidence.crawl.value, let isListed = crawl.isInSitemap else {
            return notSeen(page.evidence.crawl)
        }
        if isListed {
            if let date = crawl.sitemapDate, W3CDateTime.date(from: date) == nil {
                return [
                    .info(
                        "The sitemap's lastmod \(Markup.quoted(date)) is no date.", at: nil,
                        Finding.Remedy("Write a W3C date.", code: "<lastmod>2026-11-20</lastmod>"))
                ]
            }
            return [.pass("A sitemap lists the page.")]
        }
        return [
            .info(
                "No sitemap lists the page.", at: nil,
                Finding.Remedy(
                    "Add it to the sitemap, and name the sitemap in robots.txt.",
                    code: "<url><loc>\(Markup.attribute(page.address))</loc></url>"))
        ]
    }

    static func sitemapIsClean(_ page: PageExamination) -> [Verdict] {
        guard let crawl = page.evidence.crawl.value, crawl.isInSitemap == true else {
            return page.evidence.crawl.value == nil ? notSeen(page.evidence.crawl) : []
        }
        if page.facts.directives.noindex {
            return [
                .warning(
                    "A sitemap lists the page, which forbids indexing.", at: nil,
                    Finding.Remedy("Take it out of the sitemap, or let it be indexed."))
            ]
        }
        if page.facts.source.status != 200 {
            return [
                .warning(
                    "A sitemap lists the page, which answers with status \(page.facts.source.status).", at: nil,
                    Finding.Remedy("Take it out of the sitemap."))
            ]
        }
        if let canonical = page.facts.metadata.canonical, URLKey(canonical) != URLKey(page.url) {
            return [
                .warning(
                    "A sitemap lists the page, whose canonical address is \(canonical.href).", at: nil,
                    Finding.Remedy("List the canonical address."))
            ]
        }
        return [.pass("The sitemap's entry can be indexed.")]
    }

    static func seedWorks(_ site: SiteExamination) -> [Verdict] {
        guard let crawl = site.evidence.crawl.value else { return notSeen(site.evidence.crawl) }
        guard crawl.isSeed else { return [] }
        if let facts = site.facts, facts.source.status == 200, site.url.scheme == "https" {
            return [.pass("The starting address answers over https with status 200.")]
        }
        return [
            .warning(
                "The starting address \(site.url.href) does not answer over https with status 200.", at: nil,
                Finding.Remedy("Mend the page, or name another address in App Store Connect."))
        ]
    }

    // MARK: What is behind doors

    static func contentIsOpen(_ page: PageExamination) -> [Verdict] {
        if [401, 402, 403].contains(page.facts.source.status) {
            return [
                .error(
                    "The page answers with status \(page.facts.source.status): it is not open.",
                    at: Finding.Place(.fetch, "status"),
                    Finding.Remedy("Give crawlers and people without an account a page that stands for the content."))
            ]
        }
        for item in page.structured.items.prefix(500) {
            guard let text = page.text(item, "isAccessibleForFree"), SchemaOrg.boolean(text) == false else { continue }
            let isPart = !item.isTopLevel
            return [
                .warning(
                    isPart
                        ? "A part of the page is marked isAccessibleForFree false; Apple reads the mark of a whole page only."
                        : "isAccessibleForFree is false: the page may be found, but Apple uses nothing of it beyond that.",
                    at: page.place(of: item),
                    Finding.Remedy(
                        "Mark the page as a whole; if it is open, say so.",
                        code: "\"isAccessibleForFree\": true"))
            ]
        }
        let document = page.facts.document
        let password = document.elements(named: .input).first {
            document.value(of: .type, on: $0)?.asciiLowercased == "password"
        }
        if let password, VisibleText(document).bytes.count < 400 {
            return [
                .warning(
                    "The page asks for a password and says little else: people who find it stand before a door.",
                    at: .markup("input", line: Int(document.elements[password].line)),
                    Finding.Remedy("Show the content, or a part of it, without an account."))
            ]
        }
        return [.pass("Nothing says that the content is closed.")]
    }

    static func addressIsWhole(_ page: PageExamination) -> [Verdict] {
        let addresses: [(String, WebURL?, Finding.Place?)] = [
            ("The page's address", page.url, nil),
            (
                "The canonical link", page.facts.metadata.canonical,
                .markup("link canonical", line: page.facts.metadata.canonicalLinks.first?.line)
            ),
            ("og:url", page.facts.openGraph?.url, page.place(ofMeta: "og:url")),
        ]
        for (name, url, place) in addresses {
            guard let fragment = url?.fragment, fragment.hasPrefix("!") || fragment.hasPrefix("/") else { continue }
            return [
                .warning(
                    "\(name) keeps its content behind #: \(Markup.quoted(url?.href ?? "")).", at: place,
                    Finding.Remedy(
                        "Give each state a path of its own (history.pushState) and answer it from the server.",
                        code: Markup.link(
                            "canonical", "\(page.url.origin ?? "")/\(fragment.drop { $0 == "!" || $0 == "/" })")))
            ]
        }
        return [.pass("The address is whole without a fragment.")]
    }

    static func extendedPolicy(_ site: SiteExamination) -> [Verdict] {
        guard let robots = site.evidence.robots.value else { return notSeen(site.evidence.robots) }
        guard
            let group = robots.file.groups.first(where: {
                $0.agents.contains { $0.asciiLowercased == "applebot-extended" }
            })
        else {
            return [.pass("robots.txt has no rules for Applebot-Extended: Apple may train its models with the site.")]
        }
        let closes = group.rules.contains { $0.kind == .disallow && $0.pattern == "/" }
        return [
            .info(
                "robots.txt has rules for Applebot-Extended"
                    + (closes ? ", which keep the site out of the training of Apple's models" : "")
                    + ". They change nothing in search: the pages stay findable.",
                at: place(robots, line: group.line))
        ]
    }

    // MARK: Pieces

    private static func place(_ robots: RobotsEvidence, line: Int? = nil) -> Finding.Place {
        Finding.Place(.file, robots.url.href, line: line)
    }

    private static func notSeen<Value>(_ observation: PageEvidence.Observation<Value>) -> [Verdict] {
        [.unknown("Not seen: \(observation.reason ?? "it was not looked at").")]
    }
}
