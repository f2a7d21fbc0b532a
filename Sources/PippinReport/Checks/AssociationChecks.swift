// Checks of whether the site's files back what the page says of its apps (L11, L12, L15, L20, L22, L25). The files themselves
// are looked at in AssociationFileChecks.

import PippinPage

enum Association {
    static func notLookedAt(_ evidence: PageEvidence) -> [Verdict] {
        [.unknown("Not seen: \(evidence.association.reason ?? "association files were not looked at").")]
    }

    /// iOS links of the markup to http and https addresses, each address and app once.
    private static func universalLinks(_ page: PageExamination) -> [(link: DeepLinkRecord.DeepLink, url: WebURL)] {
        var seen: Set<[String?]> = []
        return page.markupLinks.compactMap { link in
            guard link.platform.isApple, let text = link.url, let url = WebURL(text),
                SiteAssociations.site(of: url) != nil, !AssociationVerification.isAppleClipAddress(url),
                seen.insert([text, link.storeIdentifier, link.bundleIdentifier]).inserted
            else { return nil }
            return (link, url)
        }
    }

    private static func app(_ link: DeepLinkRecord.DeepLink, _ page: PageExamination) -> AssociationCoverage.App {
        if let appID = page.options.appIdentifier { return .identifier(appID) }
        return link.bundleIdentifier.map { .bundle($0) } ?? .any
    }

    // MARK: L11

    static let l11 = CheckJudge(
        .l11, .deepLinks, .error, "The association file covers the deep link",
        problem: "The association file does not cover the deep link",
        why: "iOS opens an https link in an app only where the site's file says so.",
        page: deepLinkIsCovered)

    private static func deepLinkIsCovered(_ page: PageExamination) -> [Verdict] {
        guard page.evidence.association.value != nil else { return notLookedAt(page.evidence) }
        return universalLinks(page).map { link, url in
            let coverage = page.coverage(of: url, app(link, page))
            return verdict(of: coverage, for: link, page)
        }
    }

    private static func verdict(
        of coverage: AssociationCoverage, for link: DeepLinkRecord.DeepLink, _ page: PageExamination
    ) -> Verdict {
        let address = Wording.quoted(coverage.url.href)
        switch coverage.state {
        case .matched(let match):
            return .pass(
                coverage.sentence(of: address, storeIdentifier: link.storeIdentifier) + pattern(match),
                at: place(in: coverage, match.place))
        case .unseen, .uncompared: return .unknown(coverage.sentence(of: address))
        case .blocked, .uncovered, .unnamed, .noFile:
            return .error(sentence(coverage, address), at: place(coverage), remedy(coverage, page))
        }
    }

    /// What the file says of an address that it does not open, and what to know of it.
    private static func sentence(_ coverage: AssociationCoverage, _ address: String) -> String {
        let verdict = coverage.sentence(of: address)
        return switch coverage.state {
        case .blocked(let block): verdict + pattern(block)
        case .uncovered: verdict + hint(coverage)
        case .unnamed, .noFile: "\(address) opens in the browser. \(verdict)".sentenceStart
        case .matched, .unseen, .uncompared: verdict
        }
    }

    /// The pattern that decided, and what it took beyond Apple's reference, as the end of a message.
    private static func pattern(_ verdict: AssociationTrace.AppVerdict) -> String {
        verdict.remarks.reduce(pattern(verdict.pattern)) { "\($0) \($1)" }
    }

    private static func pattern(_ text: String?) -> String {
        text.map { " Pattern: \(Wording.quoted($0))." } ?? ""
    }

    private static func place(_ coverage: AssociationCoverage) -> Finding.Place? {
        if case .blocked(let block) = coverage.state { return place(in: coverage, block.place) }
        return place(in: coverage, coverage.nearMiss?.place)
    }

    private static func place(in coverage: AssociationCoverage, _ place: TextPlace? = nil) -> Finding.Place? {
        coverage.file.map { Finding.Place(.file, $0.href, line: place?.line, column: place?.column) }
    }

    /// The near miss as the end of a message.
    private static func hint(_ coverage: AssociationCoverage) -> String {
        coverage.nearMiss.map { " \(Wording.quoted($0.pattern)) at line \($0.place.line) comes near: \($0.remark)" }
            ?? ""
    }

    /// The app as files write it, as far as it is known.
    private static func appID(_ coverage: AssociationCoverage) -> String {
        switch coverage.app {
        case .identifier(let text): text
        case .bundle(let bundle):
            coverage.association?.appLinkIdentifiers.first(where: coverage.app.isMeant) ?? "TEAMID.\(bundle)"
        case .any: coverage.association?.appLinkIdentifiers.first ?? "TEAMID.YOUR.BUNDLE.ID"
        }
    }

    private static func remedy(_ coverage: AssociationCoverage, _ page: PageExamination) -> Finding.Remedy {
        let path = coverage.url.path
        let component = Markup.component(path)
        switch coverage.state {
        case .matched, .unseen, .uncompared: return Finding.Remedy("")
        case .blocked(let block):
            let written = isPaths(coverage, block.appID) ? JSONValue.string(path).text() : component
            return Finding.Remedy(
                "The first pattern that matches decides: put this before line \(block.place.line), or make the pattern there narrower.",
                code: written)
        case .uncovered(let appID):
            let wanted = appID ?? Self.appID(coverage)
            if isPaths(coverage, wanted) {
                return Finding.Remedy(
                    "Add the path to “paths” of \(wanted); * stands for any run of characters.",
                    code: JSONValue.string(path).text())
            }
            return Finding.Remedy(
                "Add a component for the path to the entry of \(wanted); * stands for any run of characters.",
                code: component)
        case .unnamed:
            return Finding.Remedy(
                "Add an entry for the app to “details”.", code: Markup.associationEntry(appID(coverage), path))
        case .noFile:
            let url = AppleAssociationOutcome.locations(of: coverage.url).first?.href ?? ""
            return Finding.Remedy(
                "Serve this at \(url), with status 200 and without redirects.",
                code: Markup.associationFile(appID(coverage), path))
        }
    }

    private static func isPaths(_ coverage: AssociationCoverage, _ appID: String) -> Bool {
        coverage.association?.appLinks?.entries.first { $0.appIDs.contains(appID) }?.form == .paths
    }

    // MARK: L12

    static let l12 = CheckJudge(
        .l12, .deepLinks, .warning, "The association file covers the page's own address",
        problem: "The association file does not cover the page's own address",
        why: "Then results, messages and the camera open the app too.",
        page: pageIsCovered)

    private static func pageIsCovered(_ page: PageExamination) -> [Verdict] {
        guard page.evidence.association.value != nil else { return notLookedAt(page.evidence) }
        guard page.hasAddress, let url = WebURL(page.universalLink), SiteAssociations.site(of: url) != nil else {
            return [.unknown("Not seen: it is not known where the page is published.")]
        }
        let coverage = page.coverage(of: url, page.associationApp)
        let own = "the page's own address"
        switch coverage.state {
        case .matched(let match):
            return [.pass(coverage.sentence(of: own) + pattern(match), at: place(in: coverage, match.place))]
        case .unseen, .uncompared: return [.unknown(coverage.sentence(of: own))]
        case .noFile, .unnamed:
            // A site without an app needs no file.
            guard page.namesAppleApp else { return [] }
        case .blocked, .uncovered: break
        }
        let isTold = universalLinks(page).contains { $0.url.href == url.href }
        return [
            .warning(
                sentence(coverage, isTold ? own : Wording.quoted(url.href)), at: place(coverage),
                remedy(coverage, page))
        ]
    }

    // MARK: L15

    static let l15 = CheckJudge(
        .l15, .deepLinks, .error, "The association file names the banner's app",
        problem: "The association file does not name the banner's app",
        why: "If they differ, the banner offers one app and links open another.",
        page: appIsTheBanners)

    private static func appIsTheBanners(_ page: PageExamination) -> [Verdict] {
        guard page.evidence.association.value != nil else { return notLookedAt(page.evidence) }
        let named = page.markupLinks.first { link in
            link.platform.isApple
                && (link.storeIdentifier != nil || link.bundleIdentifier != nil)
        }
        guard named != nil || page.options.appIdentifier != nil, page.hasAddress else { return [] }
        let linked = named?.url.flatMap { WebURL($0) }
        guard let url = linked.flatMap({ $0.isHTTP ? $0 : nil }) ?? WebURL(page.universalLink) else { return [] }
        var verdicts: [Verdict] = []
        let known = named.flatMap { $0.bundleIdentifier }
        if let wanted = page.options.appIdentifier, let bundle = ApplicationIdentifier(wanted)?.bundleIdentifier,
            let known, known != bundle
        {
            verdicts.append(
                .error(
                    "The markup names \(appName(named)), whose bundle ID is \(known), not \(bundle), which was asked about.",
                    at: page.bannerPlace,
                    Finding.Remedy("Name the app that was meant.", code: page.bannerMarkup)))
        }
        let app: AssociationCoverage.App
        if let known {
            app = .bundle(known)
        } else if let wanted = page.options.appIdentifier {
            app = .identifier(wanted)
        } else {
            return [
                .unknown(
                    "Not known: which bundle ID belongs to \(appName(named)). Name the app with --app TEAMID.bundle and --app-store-id, or hand over the App Store's reply with --app-lookup."
                )
            ]
        }
        let coverage = page.coverage(of: url, app)
        switch coverage.state {
        case .matched(let verdict), .blocked(let verdict):
            verdicts.append(.pass("Markup and association file both name \(verdict.appID).", at: place(in: coverage)))
        case .uncovered(let appID):
            verdicts.append(
                .pass("Markup and association file both name \(appID ?? app.name).", at: place(in: coverage)))
        case .unnamed:
            verdicts.append(
                .error(
                    "The banner offers one app, and links do not open it. \(coverage.sentence())",
                    at: place(in: coverage),
                    Finding.Remedy(
                        "Add an entry for the app to “details”, with the prefix that its signature has.",
                        code: Markup.associationEntry(appID(coverage), url.path))))
        case .noFile: verdicts.append(.unknown("Nothing to compare with: \(coverage.sentence())"))
        case .unseen, .uncompared: verdicts.append(.unknown(coverage.sentence()))
        }
        return verdicts
    }

    private static func appName(_ link: DeepLinkRecord.DeepLink?) -> String {
        let name = link?.appName.map { "\(Wording.quoted($0)), " } ?? ""
        return name + (link?.storeIdentifier.map { "App Store ID \($0)" } ?? link?.bundleIdentifier ?? "the app")
    }

    // MARK: L25

    static let l25 = CheckJudge(
        .l25, .deepLinks, .warning, "Letter case and escapes match the file's patterns",
        problem: "Letter case or escapes miss the file's patterns",
        why: "Patterns are case-sensitive and compare escaped unless they say otherwise.",
        page: caseMatches)

    private static func caseMatches(_ page: PageExamination) -> [Verdict] {
        guard page.evidence.association.value != nil else { return notLookedAt(page.evidence) }
        var asked = universalLinks(page).map { ($0.url, app($0.link, page)) }
        if page.hasAddress, let own = WebURL(page.universalLink), !asked.contains(where: { $0.0 == own }) {
            asked.append((own, page.associationApp))
        }
        var verdicts: [Verdict] = []
        var isInForce = false
        for (url, app) in asked {
            let coverage = page.coverage(of: url, app)
            isInForce = isInForce || coverage.association != nil
            guard case .uncovered = coverage.state, let miss = coverage.nearMiss,
                miss.differsInCase || miss.differsInEncoding
            else { continue }
            let difference = miss.differsInCase ? "letter case" : "percent-encoding"
            verdicts.append(
                .warning(
                    "\(Wording.quoted(url.href)) differs from \(Wording.quoted(miss.pattern)) in \(difference) only, and so does not match.",
                    at: place(in: coverage, miss.place),
                    Finding.Remedy(
                        miss.differsInCase
                            ? "Write the address as the pattern has it, or let the pattern take both."
                            : "Write the pattern percent-encoded, or have the decoded address compared.",
                        code: miss.path.map {
                            Markup.component(
                                $0, caseSensitive: !miss.differsInCase, percentEncoded: !miss.differsInEncoding)
                        })))
        }
        if verdicts.isEmpty, isInForce {
            return [.pass("No address misses a pattern by its letter case or percent-encoding.")]
        }
        return verdicts
    }
}

// MARK: Android and App Clips

extension Association {
    // MARK: L20

    static let l20 = CheckJudge(
        .l20, .deepLinks, .warning, "assetlinks.json names the Android app",
        problem: "assetlinks.json does not vouch for the Android app",
        why: "Android opens https links in an app only where the site's file says so.",
        page: androidIsAssociated)

    private static func androidIsAssociated(_ page: PageExamination) -> [Verdict] {
        let named = page.deepLinks.filter { $0.platform == .android }
        guard let evidence = page.evidence.association.value else {
            return named.isEmpty ? [] : notLookedAt(page.evidence)
        }
        var verdicts: [Verdict] = []
        var sites: [WebURL] = []
        var seen: Set<[String]> = []
        for link in named {
            let linked = link.url.flatMap { WebURL($0) }.flatMap { SiteAssociations.site(of: $0) == nil ? nil : $0 }
            guard let url = linked ?? (page.hasAddress ? WebURL(page.universalLink) : nil),
                let site = SiteAssociations.site(of: url), let package = link.packageName,
                seen.insert([package, url.href]).inserted
            else { continue }
            if !sites.contains(site) { sites.append(site) }
            verdicts.append(verdict(of: package, url, evidence.files))
        }
        if let own = page.hasAddress ? WebURL(page.universalLink).flatMap(SiteAssociations.site) : nil,
            !sites.contains(own)
        {
            sites.append(own)
        }
        for site in sites {
            guard let found = evidence.files[site], found.assetLinks.links != nil else { continue }
            let outcome = found.assetLinks
            verdicts += Self.verdicts(of: outcome.notes, at: outcome.url, check: .l20)
            verdicts += Self.verdicts(
                of: found.notes.filter { $0.associationRemark?.check == .l20 }, at: outcome.url, check: .l20)
            for note in outcome.notes {
                guard let remark = note.associationRemark, remark.check == .l13 else { continue }
                verdicts.append(
                    verdict(of: note, remark, outcome.judgement, at: outcome.url, isNeeded: !named.isEmpty))
            }
        }
        return verdicts
    }

    private static func verdict(of package: String, _ url: WebURL, _ files: SiteAssociations) -> Verdict {
        let coverage = AssetLinksCoverage(url, package: package, in: files) { file, package in
            file.decision(for: url, packageName: package)
        }
        let sentence = coverage.sentence(of: Wording.quoted(url.href))
        let host = AssociationVerification.hostName(of: url)
        func place(_ place: TextPlace? = nil) -> Finding.Place? {
            coverage.file.map { Finding.Place(.file, $0.href, line: place?.line, column: place?.column) }
        }
        let remedy = Finding.Remedy(
            "Vouch for the app at https://\(host)/.well-known/assetlinks.json, with the fingerprint that Play Console shows under App signing.",
            code: Markup.assetLinks(package))
        switch coverage.state {
        case .opened(_, let decision): return .pass(sentence + pattern(decision.pattern), at: place(decision.place))
        case .blocked(_, let decision):
            return .warning(
                sentence + pattern(decision.pattern), at: place(decision.place),
                Finding.Remedy(
                    "Android 15 and later take the first rule that matches: add one for the path before it.",
                    code: Markup.component(url.path)))
        case .uncovered: return .warning(sentence, at: place(), remedy)
        case .noFile:
            return .warning("Links to \(host) open in the browser, not in \(package). \(sentence)", at: place(), remedy)
        case .unseen, .uncompared: return .unknown(sentence)
        }
    }

    // MARK: L22

    static let l22 = CheckJudge(
        .l22, .deepLinks, .warning, "The App Clip belongs to the app",
        problem: "The App Clip is named wrong or not by the site",
        why: "A clip's bundle ID begins with the app's, and the association file names it under appclips.",
        page: clipBelongsToApp)

    private static func clipBelongsToApp(_ page: PageExamination) -> [Verdict] {
        guard let banner = page.facts.smartAppBanner, let clip = banner.appClipBundleID else { return [] }
        var verdicts: [Verdict] = []
        let app =
            page.options.appIdentifier.flatMap { ApplicationIdentifier($0)?.bundleIdentifier }
            ?? page.deepLinks.first { $0.storeIdentifier != nil && $0.storeIdentifier == banner.appID }?
            .bundleIdentifier
        if let app, !clip.hasPrefix(app + ".") {
            verdicts.append(
                .warning(
                    "The App Clip's bundle ID \(Wording.quoted(clip)) does not begin with the app's, \(Wording.quoted(app)).",
                    at: page.bannerPlace,
                    Finding.Remedy(
                        "Name the app's own clip.",
                        code: "app-clip-bundle-id=\(app).Clip, app-clip-display=card")))
        }
        guard let evidence = page.evidence.association.value else { return verdicts + notLookedAt(page.evidence) }
        guard page.hasAddress, let url = WebURL(page.universalLink) else {
            return verdicts + [.unknown("Not seen: it is not known where the page is published.")]
        }
        let prefix = page.options.appIdentifier.flatMap { ApplicationIdentifier($0)?.prefix } ?? "TEAMID"
        let remedy = Finding.Remedy(
            "Name the clip in the association file, beside “applinks”.", code: Markup.appClips("\(prefix).\(clip)"))
        let coverage = AppClipCoverage(url, clip, in: evidence.files)
        let place = coverage.file.map { Finding.Place(.file, $0.href) }
        switch coverage.state {
        case .listed: if verdicts.isEmpty { verdicts.append(.pass(coverage.sentence, at: place)) }
        case .unlisted: verdicts.append(.warning(coverage.sentence, at: place, remedy))
        case .noFile:
            verdicts.append(
                .warning(
                    "Nothing lets people open the App Clip \(clip) from here. \(coverage.sentence)", at: place, remedy))
        case .unseen: verdicts.append(.unknown(coverage.sentence))
        }
        return verdicts
    }
}
