// Checks of the site's files on Android apps and App Clips (L20, L22).

import PippinPage

extension Association {
    // MARK: L20

    static let l20 = Check(
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
            verdicts.append(verdict(of: package, url, evidence.files[url], isLinked: linked != nil))
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

    private static func verdict(
        of package: String, _ url: WebURL, _ found: HostAssociations?, isLinked: Bool
    ) -> Verdict {
        let host = AppLinkVerification.hostName(of: url)
        let remedy = Finding.Remedy(
            "Vouch for the app at https://\(host)/.well-known/assetlinks.json, with the fingerprint that Play Console shows under App signing.",
            code: Markup.assetLinks(package))
        switch AppLinkVerification.assetLinks(of: found, host: host) {
        case .unseen(let reason): return .unknown("Not seen: \(reason)")
        case .none(let reason, let place):
            return .warning(
                "Links to \(host) open in the browser, not in \(package). \(reason)",
                at: Finding.Place(.file, place.href), remedy)
        case .inForce(let place, let links):
            let decision = links.decision(for: url, packageName: package)
            func at(_ place: WebURL) -> Finding.Place {
                Finding.Place(.file, place.href, line: decision.place?.line, column: decision.place?.column)
            }
            switch decision.outcome {
            case .vouched:
                return .pass("assetlinks.json names \(package); the app's manifest names its paths.", at: at(place))
            case .match:
                return .pass(
                    "assetlinks.json opens \(Wording.quoted(url.href)) in \(package), by \(Wording.quoted(decision.pattern ?? "")).",
                    at: at(place))
            case .block:
                let rule =
                    decision.pattern.map { Wording.quoted($0) + " keeps" } ?? "No dynamic rule matches, which keeps"
                return .warning(
                    "\(rule) \(Wording.quoted(url.href)) out of \(package), from Android 15 on.", at: at(place),
                    Finding.Remedy(
                        "Add a rule for the path before it; the first that matches decides.",
                        code: Markup.component(url.path)))
            case .unset:
                let names = links.appLinkPackages
                return .warning(
                    "assetlinks.json of \(host) does not name \(package)\(names.isEmpty ? ", nor any app" : ", only \(Wording.list(names))").",
                    at: at(place), remedy)
            }
        }
    }

    // MARK: L22

    static let l22 = Check(
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
        let host = AppLinkVerification.hostName(of: url)
        switch AppLinkVerification.appleFile(of: evidence.files[url], host: host) {
        case .unseen(let reason): verdicts.append(.unknown("Not seen: \(reason)"))
        case .none(let reason, let place):
            verdicts.append(
                .warning(
                    "Nothing lets people open the App Clip \(clip) from here. \(reason)",
                    at: Finding.Place(.file, place.href), remedy))
        case .inForce(let outcome, let file):
            let place = Finding.Place(.file, outcome.url.href)
            if let listed = file.appClips?.first(where: { ApplicationIdentifier($0)?.bundleIdentifier == clip }) {
                if verdicts.isEmpty {
                    verdicts.append(.pass("The association file lists the App Clip \(listed).", at: place))
                }
            } else {
                let others = file.appClips ?? []
                verdicts.append(
                    .warning(
                        "The association file of \(host) does not list the App Clip \(clip)\(others.isEmpty ? "; it has no “appclips”" : ", only \(Wording.list(others))").",
                        at: place, remedy))
            }
        }
        return verdicts
    }
}
