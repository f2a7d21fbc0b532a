// Checks of whether Applebot may index the page (D07…D09, D15…D17), in the order of the table; robots.txt is
// Checks+Robots.swift, the way to the page Checks+Crawl.swift.

import PippinPage

enum Discoverability {
    // MARK: What the page allows

    static let d07 = Check(
        .d07, .discoverability, .error, "The page may be indexed",
        problem: "Indexing is forbidden, or its rules are unclear",
        why: "noindex and none keep a page out of Spotlight and Siri.",
        page: pageIsIndexable,
        noteRemedy: { _, _ in Finding.Remedy("Separate directives by commas: noindex, nofollow.") })

    private static func pageIsIndexable(_ page: PageExamination) -> [Verdict] {
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

    static let d08 = Check(
        .d08, .discoverability, .warning, "A snippet may be shown",
        problem: "The snippet is forbidden or limited",
        why: "With nosnippet a result has its title only.",
        page: snippetIsAllowed)

    private static func snippetIsAllowed(_ page: PageExamination) -> [Verdict] {
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

    static let d09 = Check(
        .d09, .discoverability, .warning, "The page's links may be followed",
        problem: "The page's links may not be followed",
        why: "With nofollow Applebot finds no other page from here.",
        page: linksAreFollowed)

    private static func linksAreFollowed(_ page: PageExamination) -> [Verdict] {
        let directives = page.facts.directives
        guard directives.nofollow else { return [.pass("Links may be followed.")] }
        let count = page.facts.outlinks.links.count
        return [
            .warning(
                "\(labels(directives, .nofollow)) says nofollow; none of \(Wording.count(count, "link")) is followed.",
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

    static func place(of directive: RobotsDirectives.Directive, _ page: PageExamination) -> Finding.Place? {
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

    // MARK: What is behind doors

    static let d15 = Check(
        .d15, .discoverability, .warning, "The content is open to everyone",
        problem: "The content is closed to some people",
        why: "Applebot does not crawl behind logins or paywalls.",
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
                    at: .markup("input", line: document.line(of: password)),
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
                .markup("link canonical", line: page.facts.metadata.canonicalLinks.first?.line)
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

    // MARK: Pieces

    static func place(_ robots: RobotsEvidence, line: Int? = nil) -> Finding.Place {
        Finding.Place(.file, robots.url.href, line: line)
    }

    static func notSeen<Value>(_ observation: PageEvidence.Observation<Value>) -> [Verdict] {
        [.unknown("Not seen: \(observation.reason ?? "it was not looked at").")]
    }
}
