// Checks of whether the crawler of the card's profile may fetch and index the page (D01…D09, D15…D17). AmongPages checks how
// visitors get to it.

import PippinPage

enum Discoverability {
    // MARK: robots.txt

    static let d01 = Check(
        .d01, .discoverability, .error, "robots.txt lets crawlers fetch the page",
        problem: "robots.txt closes the page to crawlers",
        why: "A page that a crawler may not fetch is neither indexed nor shown with title and picture.",
        site: robotsAllow)

    private static func robotsAllow(_ site: SiteExamination) -> [Verdict] {
        guard let robots = site.evidence.robots.value else { return notSeen(site.evidence.robots) }
        let path = site.url.pathAndQuery
        let crawler = site.options.profile.crawler
        let decision = robots.decision(for: site.options.profile)
        var verdicts: [Verdict] = []
        if decision.reason == .unreachable {
            verdicts.append(
                .error("Nothing may be fetched, because robots.txt cannot be fetched (see D03).", at: place(robots)))
        } else if let rule = decision.rule, !decision.isAllowed {
            verdicts.append(
                .error(
                    "\(crawler.name) may not fetch \(Wording.quoted(path)): line \(rule.line), in the rules for "
                        + "\(decision.agent ?? "*"), says Disallow: \(Wording.quoted(rule.pattern)).",
                    at: place(robots, line: rule.line),
                    Finding.Remedy(
                        "Allow the path for \(crawler.name). A group of its own holds all of \(crawler.name)'s rules: repeat those that shall stay.",
                        code: "User-agent: \(crawler.name)\nAllow: \(site.url.path)")))
        } else {
            verdicts.append(
                .pass(
                    "\(crawler.name) may fetch the page. \(decision.sentence)",
                    at: place(robots, line: decision.rule?.line)))
        }
        // A page from a file is judged anyway.
        let isFromFile = site.facts != nil && site.evidence.fetch.value == nil
        if !robots.pippin.isAllowed, robots.pippin.reason != .unreachable, !isFromFile {
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

    static let d02 = Check(
        .d02, .discoverability, .warning, "The rules name Applebot itself",
        problem: "The rules do not name Applebot",
        why: "Without a group of its own Applebot follows Googlebot's rules, which change for Google's sake.",
        site: rulesAreApplebots)

    private static func rulesAreApplebots(_ site: SiteExamination) -> [Verdict] {
        guard let robots = site.evidence.robots.value else { return notSeen(site.evidence.robots) }
        switch robots.decision(for: site.options.profile).agent?.asciiLowercased {
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

    static let d03 = Check(
        .d03, .discoverability, .error, "robots.txt can be had",
        problem: "robots.txt cannot be fetched",
        why: "A robots.txt that fails closes the whole site to crawlers (RFC 9309 §2.3.1.4).",
        site: robotsIsReachable)

    private static func robotsIsReachable(_ site: SiteExamination) -> [Verdict] {
        guard let robots = site.evidence.robots.value else { return notSeen(site.evidence.robots) }
        guard robots.decision(for: site.options.profile).reason == .unreachable else {
            return [
                .pass(
                    robots.status.map { "robots.txt answers with status \($0)." } ?? "robots.txt was read.",
                    at: place(robots))
            ]
        }
        return [
            .error(
                "robots.txt cannot be fetched: \(robots.seen). Crawlers must take that as “nothing is allowed”.",
                at: place(robots),
                Finding.Remedy("Serve the file with status 200; without one, answer 404."))
        ]
    }

    static let d04 = Check(
        .d04, .discoverability, .warning, "robots.txt is well formed",
        problem: "robots.txt has mistakes",
        why: "Lines that crawlers read differently, or not at all, do not do what their author meant.",
        site: robotsIsWellFormed,
        noteRemedy: { _, _ in Finding.Remedy("Mend the line in robots.txt.") })

    private static func robotsIsWellFormed(_ site: SiteExamination) -> [Verdict] {
        guard let robots = site.evidence.robots.value else { return notSeen(site.evidence.robots) }
        let reason = robots.decision(for: site.options.profile).reason
        guard reason != .unreachable else {
            return [.unknown("Not seen: robots.txt cannot be fetched.")]
        }
        guard reason != .unavailable else {
            return [.pass("The site has no robots.txt.", at: place(robots))]
        }
        var verdicts: [Verdict] = []
        if let bytes = robots.bytes, bytes > RobotsFile.maximumBytes {
            verdicts.append(
                .warning(
                    "robots.txt has more than \(RobotsFile.maximumBytes) bytes; crawlers read no more of it.",
                    at: place(robots),
                    Finding.Remedy("Shorten the file; patterns with * stand for many paths.")))
        }
        if let type = robots.mediaType, type != "text/plain" {
            verdicts.append(
                .warning(
                    "robots.txt is served as \(Wording.quoted(type)).", at: Finding.Place(.header, "Content-Type"),
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
                "robots.txt has \(Wording.count(robots.file.groups.count, "group")) and no mistakes.", at: place(robots)
            )
        )
        return verdicts
    }

    // MARK: Resources of the page

    static let d05 = Check(
        .d05, .discoverability, .warning, "Scripts, styles and pictures are open to crawlers",
        problem: "Scripts, styles or pictures are closed to crawlers",
        why: "A crawler may render a page; what it may not fetch is missing from what it sees.",
        page: resourcesAreAllowed)

    private static func resourcesAreAllowed(_ page: PageExamination) -> [Verdict] {
        guard let robots = page.evidence.robots.value else { return notSeen(page.evidence.robots) }
        let resources = PageResources(page.facts).resources
        let own = resources.filter { $0.url.origin == page.url.origin }
        var verdicts: [Verdict] = []
        let crawler = page.options.profile.crawler
        if let verdict = closed(own, by: robots.file, of: page.url.host ?? "the site", to: crawler) {
            verdicts.append(verdict)
        }
        var seen = own.count
        for rules in page.evidence.hostRules.value ?? [] {
            let theirs = resources.filter { $0.url.origin == rules.origin }
            guard let host = theirs.first?.url.host else { continue }
            seen += theirs.count
            guard let file = rules.file else {
                verdicts.append(
                    .info(
                        "The robots.txt of \(host) cannot be had, so crawlers may not fetch the \(theirs.count) scripts, styles and pictures from there.",
                        at: .markup("page", theirs.first?.place),
                        Finding.Remedy("Take them from a host that answers; without a robots.txt it should answer 404.")
                    ))
                continue
            }
            if let verdict = closed(theirs, by: file, of: host, to: crawler) { verdicts.append(verdict) }
        }
        guard verdicts.isEmpty else { return verdicts }
        guard seen > 0 else { return [.pass("The page needs no scripts, styles or pictures of its own host.")] }
        return [
            .pass(
                "\(crawler.name) may fetch \(seen == 1 ? "the one script, style or picture" : "all \(seen) scripts, styles and pictures") that \(seen == 1 ? "was" : "were") looked at."
            )
        ]
    }

    private static func closed(
        _ resources: [PageResources.Resource], by robots: RobotsFile, of host: String, to crawler: ReportCard.Crawler
    ) -> Verdict? {
        let blocked = resources.filter {
            !robots.decision(for: $0.url, agents: crawler.robotsAgents).isAllowed
        }
        guard let first = blocked.first else { return nil }
        let paths = blocked.map(\.url.path)
        let folders = Set(paths.prefix(50).map(folder)).sorted().prefix(5)
        return .warning(
            "The robots.txt of \(host) closes \(blocked.count) of \(resources.count) scripts, styles and pictures to \(crawler.name): "
                + Wording.list(paths.map { Wording.quoted($0, to: 60) }) + ".",
            at: .markup("page", first.place),
            Finding.Remedy(
                "Allow them, or make a page that says the same without them.",
                code: "User-agent: \(crawler.name)\n" + folders.map { "Allow: \($0)" }.joined(separator: "\n")))
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    static let d06 = Check(
        .d06, .discoverability, .warning, "The picture of the result may be fetched",
        problem: "The picture of the result may not be fetched",
        why: "A result without its picture is passed over.",
        page: imagesAreAllowed)

    private static func imagesAreAllowed(_ page: PageExamination) -> [Verdict] {
        guard let address = page.record?.thumbnailURL, let url = WebURL(address), url.isHTTP else { return [] }
        let crawler = page.options.profile.crawler
        if url.origin == page.url.origin, let robots = page.evidence.robots.value {
            let decision = robots.file.decision(for: url, agents: crawler.robotsAgents)
            if decision.isAllowed { return [.pass("\(crawler.name) may fetch \(address).")] }
            return [
                .warning(
                    "\(crawler.name) may not fetch the picture \(address). \(decision.sentence)",
                    at: place(robots, line: decision.rule?.line),
                    Finding.Remedy("Allow the picture.", code: "User-agent: \(crawler.name)\nAllow: \(url.path)"))
            ]
        }
        let host = url.host ?? "its host"
        if let image = page.evidence.images.value?.first(where: { $0.url == url }) {
            guard let isAllowed = image.isAllowed else {
                return [
                    .warning(
                        "The robots.txt of \(host) cannot be had, so crawlers may not fetch the picture \(address).",
                        at: nil,
                        Finding.Remedy("Serve it with status 200; without one, answer 404."))
                ]
            }
            return isAllowed
                ? [.pass("\(crawler.name) may fetch \(address).")]
                : [
                    .warning(
                        "The robots.txt of \(host) closes the picture \(address) to \(crawler.name).", at: nil,
                        Finding.Remedy(
                            "Allow the picture there.", code: "User-agent: \(crawler.name)\nAllow: \(url.path)"))
                ]
        }
        let reason =
            url.origin == page.url.origin
            ? page.evidence.robots.reason ?? "robots.txt was not read"
            : "the picture is on another host, \(host), whose robots.txt was not asked for"
        return [.unknown("Not seen: \(reason).")]
    }

    // MARK: Permissions

    static let d07 = Check(
        .d07, .discoverability, .error, "The page may be indexed",
        problem: "Indexing is forbidden, or its rules are unclear",
        why: "noindex and none keep a page out of search results, Spotlight and Siri.",
        page: pageIsIndexable,
        noteRemedy: { _, _ in Finding.Remedy("Separate directives by commas: noindex, nofollow.") })

    private static func pageIsIndexable(_ page: PageExamination) -> [Verdict] {
        let directives = page.directives
        if directives.noindex {
            return [
                .error(
                    "\(labels(directives, .noindex)) says noindex.", at: place(of: .noindex, directives, page),
                    Finding.Remedy(
                        "Take the directive away, or say all there.",
                        code: written("all", inPlaceOf: .noindex, directives)))
            ]
        }
        var verdicts = endOfIndexing(directives, page)
        if page.options.profile == .all { verdicts += closedToOthers(page) }
        guard verdicts.isEmpty else { return verdicts }
        let reader = page.options.profile == .all ? "" : " by \(page.options.profile.crawler.name)"
        return [.pass("Nothing forbids indexing\(reader).")]
    }

    /// Markup with another directive in the place of one. In any other place it would not overrule it.
    private static func written(
        _ content: String, inPlaceOf directive: RobotsDirectives.Directive, _ directives: RobotsDirectives
    ) -> String {
        switch directives.sources(of: directive).first {
        case .meta(let name)?: Markup.meta(name: name, content: content)
        case .header(let agent)?: "X-Robots-Tag: \(agent.map { $0 + ": " } ?? "")\(content)"
        case nil: Markup.meta(name: "robots", content: content)
        }
    }

    /// What `unavailable_after` does once its moment has passed. Google documents it, "About Applebot" does not; Pippin follows
    /// it for its own records.
    private static func endOfIndexing(_ directives: RobotsDirectives, _ page: PageExamination) -> [Verdict] {
        guard let end = directives.statements.compactMap(\.moment).min(), end <= page.now else { return [] }
        let what = "unavailable_after names a moment that has passed (\(SchemaOrg.internetTime(end)))"
        let place = place(of: .unavailableAfter, directives, page)
        let remedy = Finding.Remedy("Take the directive away, or name a later day.")
        return switch page.options.profile {
        case .apple:
            [
                .info(
                    "\(what). Applebot does not follow the directive; Google and others drop the page.", at: place,
                    remedy)
            ]
        case .google: [.error("\(what): Google no longer shows the page.", at: place, remedy)]
        default:
            [
                .error(
                    "\(what): Google no longer shows the page, and Pippin keeps no record of it. Applebot does not follow the directive.",
                    at: place, remedy)
            ]
        }
    }

    /// Search engines that the page asks by their own names not to index it.
    private static func closedToOthers(_ page: PageExamination) -> [Verdict] {
        ReportCard.Crawler.others.compactMap { engine, crawler in
            let theirs = page.facts.directives(readBy: crawler.directiveAgents)
            guard theirs.noindex else { return nil }
            return .warning(
                "\(labels(theirs, .noindex)) says noindex: \(engine) does not index the page.",
                at: place(of: .noindex, theirs, page),
                Finding.Remedy("If \(engine) is to show the page, take the directive away."))
        }
    }

    static let d08 = Check(
        .d08, .discoverability, .warning, "A snippet and a picture may be shown",
        problem: "The snippet or the picture is forbidden or limited",
        why:
            "With nosnippet a result has its title only, and without large pictures it is left out where pictures count.",
        page: previewIsAllowed)

    private static func previewIsAllowed(_ page: PageExamination) -> [Verdict] {
        let directives = page.directives
        var verdicts: [Verdict] = []
        if directives.nosnippet {
            verdicts.append(
                .warning(
                    "\(labels(directives, .nosnippet)) says nosnippet: a result has no description.",
                    at: place(of: .nosnippet, directives, page), Finding.Remedy("Take the directive away.")))
        } else if let limit = directives.maxSnippet, limit < 50 {
            verdicts.append(
                .warning(
                    "\(labels(directives, .maxSnippet)) leaves \(limit) characters for a snippet.",
                    at: place(of: .maxSnippet, directives, page),
                    Finding.Remedy(
                        "Leave room for a sentence.",
                        code: written("max-snippet:300", inPlaceOf: .maxSnippet, directives))))
        }
        verdicts += limitsOfPictures(directives, page)
        return verdicts.isEmpty ? [.pass("A snippet may be shown.")] : verdicts
    }

    /// What directives take from a result's picture. “Robots meta tag” of Google Search Central: `none` shows no picture,
    /// `standard`, and no directive, a picture of the usual size. “Get on Discover”: large pictures need `large`.
    private static func limitsOfPictures(_ directives: RobotsDirectives, _ page: PageExamination) -> [Verdict] {
        let remedy = Finding.Remedy(
            "Allow large pictures in its place.",
            code: written("max-image-preview:large", inPlaceOf: .maxImagePreview, directives))
        var verdicts: [Verdict] = []
        switch directives.maxImagePreview {
        case RobotsDirectives.ImagePreview.none?:
            verdicts.append(
                .warning(
                    "\(labels(directives, .maxImagePreview)) says max-image-preview:none: a result has no picture.",
                    at: place(of: .maxImagePreview, directives, page), remedy))
        case .standard?:
            verdicts.append(
                .info(
                    "\(labels(directives, .maxImagePreview)) says max-image-preview:standard: Google shows only a small picture, also in Discover.",
                    at: place(of: .maxImagePreview, directives, page), remedy))
        case .large?, nil: break
        }
        if directives.noimageindex {
            verdicts.append(
                .info(
                    "\(labels(directives, .noimageindex)) says noimageindex: searches for pictures do not find those of the page.",
                    at: place(of: .noimageindex, directives, page),
                    Finding.Remedy("If they are to be found, take the directive away.")))
        }
        guard verdicts.isEmpty else { return verdicts }
        let isArticle = page.structured.mainItem?.types.contains { SchemaOrg.isKind($0, of: "Article") } ?? false
        guard page.options.profile == .google, isArticle, directives.maxImagePreview == nil, page.refusal == nil else {
            return []
        }
        return [
            .info(
                "Nothing allows large pictures of the article, so Discover shows a small one.", at: nil,
                Finding.Remedy(
                    "Allow them.", code: Markup.meta(name: "robots", content: "max-image-preview:large")))
        ]
    }

    static let d09 = Check(
        .d09, .discoverability, .warning, "The page's links may be followed",
        problem: "The page's links may not be followed",
        why: "With nofollow a crawler finds no other page from here.",
        page: linksAreFollowed)

    private static func linksAreFollowed(_ page: PageExamination) -> [Verdict] {
        let directives = page.directives
        guard directives.nofollow else { return [.pass("Links may be followed.")] }
        let count = page.facts.outlinks.links.count
        return [
            .warning(
                "\(labels(directives, .nofollow)) says nofollow; none of \(Wording.count(count, "link")) is followed.",
                at: place(of: .nofollow, directives, page),
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

    static func place(
        of directive: RobotsDirectives.Directive, _ directives: RobotsDirectives, _ page: PageExamination
    ) -> Finding.Place? {
        switch directives.sources(of: directive).first {
        case .meta(let name)?:
            // `none` means noindex, nofollow and nosnippet together.
            let words = [directive.rawValue, "none"]
            let tag = page.facts.metadata.robots.first { tag in
                tag.name == name && words.contains { tag.content.asciiLowercased.contains($0) }
            }
            return .markup("meta \(name)", line: tag?.line, column: tag?.column)
        case .header?: return Finding.Place(.header, "X-Robots-Tag")
        case nil: return nil
        }
    }

    // MARK: Access

    static let d15 = Check(
        .d15, .discoverability, .warning, "The content is open to everyone",
        problem: "The content is closed to some people",
        why: "No crawler passes a login, and Applebot uses nothing behind a paywall.",
        site: contentIsOpen)

    private static func contentIsOpen(_ site: SiteExamination) -> [Verdict] {
        if let status = site.status, [401, 402, 403].contains(status) {
            return [
                .error(
                    "The page answers with status \(status): it is not open.", at: Finding.Place(.fetch, "status"),
                    Finding.Remedy("Give crawlers and people without an account a page that stands for the content."))
            ]
        }
        guard let page = site.page else { return [.unknown(site.unreadReason)] }
        // Google shows pages behind a paywall that mark what is paid for; S21 and S22 judge the marks.
        let readsMarks = page.options.profile != .google
        for item in page.structured.items.prefix(500) where readsMarks {
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
        if let password, page.facts.visibleText.bytes.count < 400 {
            return [
                .warning(
                    "The page asks for a password and says little else: people who find it stand before a door.",
                    at: .markup("input", document.place(of: password)),
                    Finding.Remedy("Show the content, or a part of it, without an account."))
            ]
        }
        return [.pass("Nothing says that the content is closed.")]
    }

    static let d16 = Check(
        .d16, .discoverability, .warning, "The address has no state behind #",
        problem: "The address keeps state behind #",
        why: "Crawlers ignore the fragment: all such addresses are one page to them.",
        page: addressIsWhole)

    private static func addressIsWhole(_ page: PageExamination) -> [Verdict] {
        let addresses: [(String, WebURL?, Finding.Place?)] = [
            ("The page's address", page.url, nil),
            (
                "The canonical link", page.facts.metadata.canonical,
                .markup("link canonical", page.facts.metadata.canonicalLinks.first?.place)
            ),
            ("og:url", page.facts.openGraph?.url, page.place(ofMeta: "og:url")),
        ]
        for (name, url, place) in addresses {
            guard let fragment = url?.fragment, fragment.hasPrefix("!") || fragment.hasPrefix("/") else { continue }
            return [
                .warning(
                    "\(name) keeps its content behind #: \(Wording.quoted(url?.href ?? "")).", at: place,
                    Finding.Remedy(
                        "Give each state a path of its own (history.pushState) and answer it from the server.",
                        code: Markup.link(
                            "canonical", "\(page.url.origin ?? "")/\(fragment.drop { $0 == "!" || $0 == "/" })")))
            ]
        }
        guard page.hasAddress else { return [.unknown("Not seen: it is not known where the page is published.")] }
        return [.pass("The address is whole without a fragment.")]
    }

    static let d17 = Check(
        .d17, .discoverability, .info, "The rules for Applebot-Extended mean what they say",
        problem: "The rules for Applebot-Extended can be misread",
        why: "That name never fetches: it decides on training Apple's models, not on search.",
        site: extendedPolicy)

    private static func extendedPolicy(_ site: SiteExamination) -> [Verdict] {
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

    // MARK: Shared parts

    static func place(_ robots: RobotsEvidence, line: Int? = nil) -> Finding.Place {
        Finding.Place(.file, robots.url.href, line: line)
    }

    static func notSeen<Value>(_ observation: PageEvidence.Observation<Value>) -> [Verdict] {
        [.unknown("Not seen: \(observation.reason ?? "it was not looked at").")]
    }
}
