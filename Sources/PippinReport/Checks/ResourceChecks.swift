// Checks of whether the crawler of the card's profile may fetch what the page consists of (D05), its picture (D06), and what
// its scripts need (T16).

import PippinCrawl
import PippinPage

extension Discoverability {
    static let d05 = CheckJudge(
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
            switch rules.file {
            case .success(let file):
                if let verdict = closed(theirs, by: file, of: host, to: crawler) { verdicts.append(verdict) }
            case .failure(let failure) where failure.isOwnDoing:
                verdicts.append(.unknown("The robots.txt of \(host) was not seen: \(failure.root.reason)."))
            case .failure(let failure):
                verdicts.append(
                    .info(
                        "The robots.txt of \(host) cannot be fetched, so crawlers may not fetch the \(theirs.count == 1 ? "script, style or picture" : "\(theirs.count) scripts, styles and pictures") from there.",
                        at: .markup("page", theirs.first?.place),
                        Finding.Remedy(
                            "Take them from another host, or make this one answer: with status 404 if it has no robots.txt. Now \(failure.root.reason)."
                        )
                    ))
            }
        }
        guard verdicts.isEmpty else { return verdicts }
        guard seen > 0 else { return [.pass("The page takes no scripts, styles or pictures from its own host.")] }
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
            "The robots.txt of \(host) closes \(resources.count == 1 ? "the script, style or picture" : "\(blocked.count) of \(resources.count) scripts, styles and pictures") to \(crawler.name): "
                + Wording.list(paths.map { Wording.quoted($0, to: 60) }) + ".",
            at: .markup("page", first.place),
            Finding.Remedy(
                "Allow them, or make the page readable without them.",
                code: "User-agent: \(crawler.name)\n" + folders.map { "Allow: \($0)" }.joined(separator: "\n")))
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    static let d06 = CheckJudge(
        .d06, .discoverability, .warning, "The picture of the result may be fetched",
        problem: "The picture of the result may not be fetched",
        why: "Fewer people open a result, or a shared link, that has no picture.",
        page: imagesAreAllowed)

    /// The picture that the reader of the profile shows: of a shared link that of its preview, of a result the record's.
    private static func picture(_ page: PageExamination) -> WebURL? {
        let shown: WebURL? =
            switch page.options.profile {
            case .facebook: SharePreview.preview(.facebook, of: page)?.picture?.url
            case .twitter: SharePreview.preview(.x, of: page)?.picture?.url
            case .all, .apple, .google: page.record?.thumbnailURL.flatMap { WebURL($0) }
            }
        return shown.flatMap { $0.isHTTP ? $0 : nil }
    }

    private static func imagesAreAllowed(_ page: PageExamination) -> [Verdict] {
        guard let url = picture(page) else { return [] }
        let address = url.href
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
            switch image.isAllowed {
            case .success(true)?: return [.pass("\(crawler.name) may fetch \(address).")]
            case .success(false)?:
                return [
                    .warning(
                        "The robots.txt of \(host) closes the picture \(address) to \(crawler.name).", at: nil,
                        Finding.Remedy(
                            "Allow the picture there.", code: "User-agent: \(crawler.name)\nAllow: \(url.path)"))
                ]
            case .failure(let failure)? where failure.isOwnDoing:
                return [.unknown("The robots.txt of \(host) was not seen: \(failure.root.reason).")]
            case .failure(let failure)?:
                return [
                    .warning(
                        "The robots.txt of \(host) cannot be fetched, so crawlers may not fetch the picture \(address).",
                        at: nil,
                        Finding.Remedy(
                            "Serve the file with status 200; if there is none, answer 404. Now \(failure.root.reason).")
                    )
                ]
            case nil: break
            }
        }
        let reason =
            url.origin == page.url.origin
            ? page.evidence.robots.reason ?? "robots.txt was not read"
            : "the picture is on another host, \(host), whose robots.txt was not asked for"
        return [.unknown("Not seen: \(reason).")]
    }
}

extension Technical {
    static let t16 = CheckJudge(
        .t16, .technical, .warning, "Crawlers may fetch the scripts that make the page",
        problem: "robots.txt forbids files that the page's scripts need",
        why: "A crawler that renders pages, as Applebot may, gets the page without what these files make.",
        page: scriptsMayBeFetched)

    private static func scriptsMayBeFetched(_ page: PageExamination) -> [Verdict] {
        guard let rendering = page.evidence.rendering.value else {
            let reason = page.evidence.rendering.reason
            return reason == RenderingEvidence.notAsked ? [] : [.unknown("Not seen: \(reason ?? "").")]
        }
        let forbidden = rendering.missing.filter(\.isForbidden)
        var verdicts: [Verdict] = forbidden.map { file in
            .warning(
                "\(file.url) may not be fetched: \(file.reason).", at: Finding.Place(.file, file.url),
                Finding.Remedy("Allow the file in robots.txt, at least for Applebot and Googlebot."))
        }
        if case .notSettled(.limited, let refused) = rendering.verdict {
            verdicts.append(
                .warning(
                    "\(Wording.count(refused, "file")) that the page's scripts asked for \(refused == 1 ? "was" : "were") above the limit of "
                        + "files for a page, so the page is judged as it was fetched.",
                    Finding.Remedy("Put the scripts into fewer files, or make the content on the server.")))
        }
        guard verdicts.isEmpty else { return verdicts }
        return rendering.fileCount == 0
            ? []
            : [.pass("Crawlers may fetch \(Wording.count(rendering.fileCount, "file")) that the page's scripts need.")]
    }
}
