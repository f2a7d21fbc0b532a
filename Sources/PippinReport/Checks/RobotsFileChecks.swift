// Checks of robots.txt: whether the crawler of the card's profile may fetch the page (D01…D04), and what is said to
// Applebot-Extended (D17).
//
// All checks of whether a page can be found and indexed: D01…D04 and D17 in RobotsFileChecks, D05 and D06 in ResourceChecks, D07…D09
// in PermissionChecks, D10…D14 in AmongPages, D15 and D16 in AccessChecks, D18 in IntrusionChecks, D19 in LanguageVersionChecks.

import PippinPage

enum Discoverability {
    static func place(_ robots: RobotsEvidence, line: Int? = nil) -> Finding.Place {
        Finding.Place(.file, robots.url.href, line: line)
    }

    static func notSeen<Value>(_ observation: PageEvidence.Observation<Value>) -> [Verdict] {
        [.unknown("Not seen: \(observation.reason ?? "it was not looked at").")]
    }

    static let d01 = CheckJudge(
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
                        "Allow the path for \(crawler.name). A crawler with a group of its own follows no other group: repeat in it the rules that should stay.",
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
            let page =
                site.facts == nil ? " So the page was not fetched, and only what is known without it is judged." : ""
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

    static let d02 = CheckJudge(
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
        case nil: return [.pass("No rules apply to Applebot here.", at: place(robots))]
        default: return [.pass("The rules for everyone decide.", at: place(robots))]
        }
    }

    private static func rules(of group: RobotsFile.Group) -> String {
        let lines = group.rules.prefix(20).map { ($0.kind == .allow ? "Allow: " : "Disallow: ") + $0.pattern }
        return lines.isEmpty ? "Allow: /" : lines.joined(separator: "\n")
    }

    static let d03 = CheckJudge(
        .d03, .discoverability, .error, "robots.txt can be fetched",
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
                "robots.txt cannot be fetched: \(robots.seen). Crawlers must then fetch nothing from the site.",
                at: place(robots),
                Finding.Remedy("Serve the file with status 200; if there is none, answer 404."))
        ]
    }

    static let d04 = CheckJudge(
        .d04, .discoverability, .warning, "robots.txt is well formed",
        problem: "robots.txt has mistakes",
        why: "Lines that crawlers read differently, or not at all, do not do what their author meant.",
        site: robotsIsWellFormed,
        noteRemedy: { _, _ in Finding.Remedy("Correct the line in robots.txt.") })

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

    static let d17 = CheckJudge(
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
}
