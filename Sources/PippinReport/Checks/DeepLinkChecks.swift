// Checks of the page's links into apps (L01…L10, L18, L19, L21, L23), in the order of their codes.

import PippinPage

enum DeepLinks {
    static let l01 = CheckJudge(
        .l01, .deepLinks, .error, "The page leads into an app",
        problem: "The page leads into no app",
        why: "Only content with a deep link can open in the app from a search result.",
        page: leadsIntoApp, crawl: AmongPages.siteHasApp)

    private static func leadsIntoApp(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil else { return [] }
        let opening = page.deepLinks.filter(\.opensInApp)
        let byFile = opening.filter { $0.sources == [.association] }
        if !opening.isEmpty, byFile.count == opening.count {
            let apps = byFile.compactMap { $0.verification.applicationIdentifier }
            return [
                .pass(
                    "No markup leads into an app, but the site's association files open the page in \(Wording.list(apps))."
                )
            ]
        }
        if !opening.isEmpty {
            var names: [String] = []
            for source in opening.flatMap(\.sources) where !names.contains(source.rawValue) {
                names.append(source.rawValue)
            }
            return [
                .pass(
                    "\(Wording.count(opening.count, "deep link")), by \(Wording.list(names, shown: 5)).",
                    at: page.bannerPlace)
            ]
        }
        let remedy = Finding.Remedy(
            "Put a Smart App Banner into the head, with this page as its app-argument.", code: page.bannerMarkup)
        if page.namesAnApp {
            let named = appsNamed(page)
            let subject = named.isEmpty ? "an app" : Wording.list(named)
            if let reason = page.unseenAssociationFile {
                return [
                    .unknown(
                        "Not checked: the page names \(subject), and no markup opens this content there. Whether the site's association files do is not known. \(reason.sentenceStart)."
                    )
                ]
            }
            return [
                .error(
                    "The page names \(subject), but nothing on it opens this content there.", at: page.bannerPlace,
                    remedy)
            ]
        }
        let siteApps = page.siteApps
        if !siteApps.isEmpty {
            return [
                .error(
                    "Nothing on this page leads into an app, though the site's association file names \(Wording.list(siteApps)).",
                    at: nil, remedy)
            ]
        }
        // Nothing suggests that there is an app.
        return []
    }

    /// The apps that the page or the options name, with their sources.
    private static func appsNamed(_ page: PageExamination) -> [String] {
        var named: [String] = []
        for link in page.deepLinks {
            guard let app = link.storeIdentifier ?? link.packageName ?? link.bundleIdentifier ?? link.appName else {
                continue
            }
            named.append(
                "\(link.platform.name) app \(Wording.quoted(app, to: 60)) (\(link.sources.map(\.rawValue).joined(separator: ", ")))"
            )
        }
        if named.isEmpty, let id = page.storeIdentifier { named.append("App Store ID \(Wording.quoted(id, to: 60))") }
        return named
    }

    // MARK: Smart App Banner

    static let l02 = CheckJudge(
        .l02, .deepLinks, .info, "There is a Smart App Banner",
        problem: "There is no Smart App Banner",
        why: "It is the way to deep links that Apple names first, and the one Safari shows.",
        page: hasBanner)

    private static func hasBanner(_ page: PageExamination) -> [Verdict] {
        if let banner = page.facts.smartAppBanner, banner.isValid {
            return [.pass("The banner says \(Wording.quoted(banner.content)).", at: page.bannerPlace)]
        }
        guard page.namesAnApp, page.facts.smartAppBanner == nil,
            page.deepLinks.contains(where: { $0.platform.isApple })
                || page.options.appStoreIdentifier != nil || page.options.appIdentifier != nil
        else { return [] }
        let isFileAlone =
            page.markupLinks.isEmpty && page.options.appIdentifier == nil && page.options.appStoreIdentifier == nil
        // Only advice: whether the page opens in the app at all is L01's question.
        return [
            .info(
                isFileAlone
                    ? "The site's association file opens the page in an app, but the page has no Smart App Banner."
                    : "The page names an app for iOS, but has no Smart App Banner.", at: nil,
                Finding.Remedy("Add one to the head.", code: page.bannerMarkup))
        ]
    }

    /// The remedy for parse notes about the banner's tag.
    private static let bannerRemedy: CheckJudge.NoteRemedy = { note, page in
        guard let page, note.code != .banner(.repeated) else {
            return Finding.Remedy("Keep one banner tag a page, the one for this content.")
        }
        return Finding.Remedy("Write the banner like this, in the head.", code: page.bannerMarkup)
    }

    static let l03 = CheckJudge(
        .l03, .deepLinks, .error, "The banner tag is named right",
        problem: "The banner tag is written wrong",
        why: "Safari and Applebot look for meta name=\"apple-itunes-app\" and nothing else.",
        page: bannerIsNamed,
        noteRemedy: bannerRemedy)

    /// Passes if there is a banner. Parse notes about its tag are added to this.
    private static func bannerIsNamed(_ page: PageExamination) -> [Verdict] {
        page.facts.smartAppBanner.map { _ in [.pass("The tag is a meta named apple-itunes-app.", at: page.bannerPlace)]
        } ?? []
    }

    static let l04 = CheckJudge(
        .l04, .deepLinks, .error, "app-id is the App Store's number",
        problem: "app-id is not the App Store's number",
        why: "With another value no app is found.",
        page: appIDIsNumber,
        noteRemedy: bannerRemedy)

    private static func appIDIsNumber(_ page: PageExamination) -> [Verdict] {
        // A tag with another name is no banner. L03 reports it.
        guard let banner = page.facts.smartAppBanner, banner.hasTag else { return [] }
        guard let id = banner.appID else {
            let isNoted = banner.notes.contains { NoteMapping.entry(for: $0.code).check == .l04 }
            if isNoted || banner.appClipBundleID != nil { return [] }
            return [
                .error(
                    "The banner has no app-id: \(Wording.quoted(banner.content)).", at: page.bannerPlace,
                    Finding.Remedy("Name the app by its number in the App Store.", code: page.bannerMarkup))
            ]
        }
        if let wanted = page.options.appStoreIdentifier, wanted != id {
            return [
                .error(
                    "app-id is \(id), not \(wanted), the app that was asked about.", at: page.bannerPlace,
                    Finding.Remedy("Name that app.", code: page.bannerMarkup))
            ]
        }
        if let name = page.evidence.appStore.value?.app(storeIdentifier: id)?.name {
            return [.pass("app-id \(id) is \(Wording.quoted(name)) in the App Store.", at: page.bannerPlace)]
        }
        // App Store IDs have had nine and ten digits since 2008.
        if !(6...12).contains(id.utf8.count) {
            return [
                .warning(
                    "app-id \(id) has \(id.utf8.count) digits; App Store IDs have nine or ten.", at: page.bannerPlace,
                    Finding.Remedy(
                        "Take the number from the app's address in the App Store: apps.apple.com/…/id123456789."))
            ]
        }
        return [.pass("app-id is \(id).", at: page.bannerPlace)]
    }

    static let l05 = CheckJudge(
        .l05, .deepLinks, .warning, "The banner's content is well formed",
        problem: "The banner's content has mistakes",
        why: "Apple documents key=value pairs with commas between them; readers differ in what else they take.",
        page: bannerIsWellFormed,
        noteRemedy: bannerRemedy)

    /// Passes only if all of the content was understood. Otherwise L04 or L07 report it.
    private static func bannerIsWellFormed(_ page: PageExamination) -> [Verdict] {
        guard let banner = page.facts.smartAppBanner, banner.isValid else { return [] }
        let isDoubtful = banner.notes.contains { note in
            let entry = NoteMapping.entry(for: note.code)
            return entry.outcome >= .warning && [.l04, .l05, .l07, .l22].contains(entry.check)
        }
        return isDoubtful ? [] : [.pass("The content is written as Apple documents it.", at: page.bannerPlace)]
    }

    static let l06 = CheckJudge(
        .l06, .deepLinks, .warning, "The banner has an app-argument",
        problem: "The banner has no app-argument",
        why: "Without it the app opens, but not this content, and Apple cannot index the deep link.",
        page: hasArgument)

    private static func hasArgument(_ page: PageExamination) -> [Verdict] {
        guard let banner = page.facts.smartAppBanner, banner.appID != nil else { return [] }
        if let argument = banner.appArgument {
            return [.pass("app-argument is \(Wording.quoted(argument)).", at: page.bannerPlace)]
        }
        // An empty app-argument is reported by L07.
        if banner.notes.contains(where: { NoteMapping.entry(for: $0.code).check == .l07 }) { return [] }
        if page.isHomePage, page.hasAddress {
            return [.pass("The banner opens the app's first screen, as suits the home page.", at: page.bannerPlace)]
        }
        if page.hasAddress, let own = WebURL(page.universalLink),
            case .matched = page.coverage(of: own, page.associationApp).state
        {
            return [
                .pass("The banner needs no app-argument: the association file opens the page.", at: page.bannerPlace)
            ]
        }
        return [
            .warning(
                "The banner has no app-argument: \(Wording.quoted(banner.content)).", at: page.bannerPlace,
                Finding.Remedy("Add the address of this page.", code: page.bannerMarkup))
        ]
    }

    static let l07 = CheckJudge(
        .l07, .deepLinks, .error, "app-argument is a whole URL",
        problem: "app-argument is not a whole URL",
        why: "What is no URL cannot be handed to the app.",
        page: argumentIsURL,
        noteRemedy: bannerRemedy)

    private static func argumentIsURL(_ page: PageExamination) -> [Verdict] {
        guard let url = page.facts.smartAppBanner?.appArgumentURL else { return [] }
        return [.pass("app-argument is a URL with the scheme \(url.scheme).", at: page.bannerPlace)]
    }

    static let l08 = CheckJudge(
        .l08, .deepLinks, .warning, "app-argument is this page",
        problem: "app-argument is not this page",
        why: "People who tap a result want the content they saw, not the app's first screen.",
        page: argumentIsThisPage, crawl: AmongPages.argumentIsItsOwn)

    private static func argumentIsThisPage(_ page: PageExamination) -> [Verdict] {
        guard let url = page.facts.smartAppBanner?.appArgumentURL else { return [] }
        let remedy = Finding.Remedy("Hand over the address of this page.", code: page.bannerMarkup)
        guard url.isHTTP else {
            // Only the app knows what an address with its custom scheme means, but an empty one opens its first screen.
            let rest = url.href.dropFirst(url.scheme.utf8.count + 1).drop { $0 == "/" }
            if rest.isEmpty, !page.isHomePage {
                return [
                    .warning(
                        "app-argument \(Wording.quoted(url.href)) opens the app's first screen.", at: page.bannerPlace,
                        remedy)
                ]
            }
            return [
                .pass("app-argument has the app's own scheme; what it opens only the app knows.", at: page.bannerPlace)
            ]
        }
        guard page.hasAddress else { return [.unknown("Not seen: it is not known where the page is published.")] }
        if page.isAddress(url) { return [.pass("app-argument is this page.", at: page.bannerPlace)] }
        if url.path == "/", !page.isHomePage {
            return [
                .warning(
                    "app-argument is the site's home page, \(Wording.quoted(url.href)), on a page of its own content.",
                    at: page.bannerPlace, remedy)
            ]
        }
        let shown = Wording.quoted(apart: [url.href, page.address])
        return [
            .warning(
                "app-argument \(shown[0]) is neither this page's address nor its canonical one, \(shown[1]).",
                at: page.bannerPlace, remedy)
        ]
    }

    static let l09 = CheckJudge(
        .l09, .deepLinks, .warning, "app-argument is a universal link",
        problem: "app-argument is not a universal link",
        why: "Any app can claim a custom scheme; an https address is tied to the site and works without the app.",
        page: argumentIsUniversal,
        noteRemedy: { _, page in
            page.map {
                Finding.Remedy("Hand over the page's own address, a universal link.", code: $0.bannerMarkup)
            }
        })

    /// The parse note `banner-argument-scheme` adds the warning.
    private static func argumentIsUniversal(_ page: PageExamination) -> [Verdict] {
        guard let url = page.facts.smartAppBanner?.appArgumentURL else { return onlyScheme(page) }
        // A parse note tells of one that is no http address.
        guard url.isHTTP else { return [] }
        if url.scheme == "http" {
            return [
                .warning(
                    "app-argument is http, \(Wording.quoted(url.href)); universal links are https.",
                    at: page.bannerPlace,
                    Finding.Remedy("Write https.", code: page.bannerMarkup))
            ]
        }
        return [.pass("app-argument is an https address.", at: page.bannerPlace)]
    }

    /// App Intents open content by universal links alone ("URLRepresentableEntity": not with a custom URL scheme).
    private static func onlyScheme(_ page: PageExamination) -> [Verdict] {
        let urls = page.deepLinks.filter { $0.platform.isApple }.compactMap { $0.url.flatMap { WebURL($0) } }
        guard let scheme = urls.first, !urls.contains(where: \.isHTTP) else { return [] }
        return [
            .info(
                "The page leads into an app on iOS only by a custom scheme, \(Wording.quoted(scheme.href)); App Intents, by which Siri and Shortcuts open content, take universal links alone.",
                at: nil,
                Finding.Remedy(
                    "Let the app open the page's own address, a universal link, and hand it over in a Smart App Banner.",
                    code: page.bannerMarkup))
        ]
    }

    static let l10 = CheckJudge(
        .l10, .deepLinks, .warning, "Deep links stay on the page's site",
        problem: "Deep links leave the page's site",
        why: "An address of another site opens the app only if that site says so too.",
        page: linksStayOnSite)

    private static func linksStayOnSite(_ page: PageExamination) -> [Verdict] {
        var foreign: [String] = []
        var seen = 0
        for link in page.deepLinks {
            guard let text = link.url, let url = WebURL(text), url.isHTTP else { continue }
            seen += 1
            if !SiteIdentity.isSameSite(url.host, page.url.host), !foreign.contains(text) { foreign.append(text) }
        }
        guard seen > 0 else { return [] }
        guard page.hasAddress else { return [.unknown("Not seen: it is not known where the page is published.")] }
        if foreign.isEmpty { return [.pass("Deep links with https stay on \(page.url.host ?? "the site").")] }
        return [
            .warning(
                "\(Wording.list(foreign.map { Wording.quoted($0) })) \(foreign.count == 1 ? "is" : "are") on another site than the page.",
                at: page.bannerPlace,
                Finding.Remedy(
                    "Use an address of this site, or make sure the other site's association file names the app."))
        ]
    }

    // MARK: Other markup

    static let l18 = CheckJudge(
        .l18, .deepLinks, .warning, "twitter:app tags are complete",
        problem: "twitter:app tags are incomplete or wrong",
        why: "Name, ID and URL belong together; Apple reads exactly these three.",
        page: twitterIsComplete,
        noteRemedy: { _, _ in
            Finding.Remedy("Give each platform the app's name, its ID and the address of this content.")
        })

    private static func twitterIsComplete(_ page: PageExamination) -> [Verdict] {
        guard let apps = page.facts.twitterCard?.apps, !apps.isEmpty else { return [] }
        var verdicts: [Verdict] = []
        for app in apps {
            let platform = TwitterCard.word(for: app.platform)
            var missing: [String] = []
            var empty: [String] = []
            var lines: [String] = []
            func need(_ part: String, _ value: String?, _ known: String) {
                guard value == nil else { return }
                let name = "twitter:app:\(part):\(platform)"
                if let tag = page.meta.tags.first(where: { $0.name == name }) {
                    // If the tag has a text that cannot be read, a parse note reports it.
                    guard tag.text == nil else { return }
                    empty.append(name)
                } else {
                    missing.append(name)
                }
                lines.append(Markup.meta(name: name, content: known))
            }
            need("name", app.name, apps.compactMap(\.name).first ?? page.record?.containerTitle ?? "NAME OF THE APP")
            need("id", app.id, app.platform == .android ? "PACKAGE" : page.storeIdentifier ?? "YOUR-APP-STORE-ID")
            need("url", app.url, page.universalLink)
            let faults = [(missing, "missing"), (empty, "empty")].compactMap { names, word in
                names.isEmpty ? nil : "\(Wording.list(names)) \(names.count == 1 ? "is" : "are") \(word)"
            }
            guard !faults.isEmpty else { continue }
            verdicts.append(
                .warning(
                    faults.joined(separator: ", ") + ".",
                    at: .markup("meta twitter:app", line: app.line, column: app.column),
                    Finding.Remedy("Add what is missing.", code: lines.joined(separator: "\n"))))
        }
        return verdicts.isEmpty
            ? [
                .pass(
                    "\(Wording.list(apps.map { TwitterCard.word(for: $0.platform) })): name, id and url are there.",
                    at: .markup("meta twitter:app", line: apps.first?.line, column: apps.first?.column))
            ]
            : verdicts
    }

    static let l19 = CheckJudge(
        .l19, .deepLinks, .warning, "App Links are complete",
        problem: "App Links are incomplete or wrong",
        why: "A target needs its URL and its app.",
        page: appLinksAreComplete,
        noteRemedy: { note, page in
            guard note.code == .appLinks(.attribute) else {
                return Finding.Remedy("Give each App Links target its url, and app_store_id or package with it.")
            }
            return Finding.Remedy(
                "Name App Links with property.",
                code: page.map { Markup.meta(property: "al:ios:url", content: $0.universalLink) })
        })

    private static func appLinksAreComplete(_ page: PageExamination) -> [Verdict] {
        guard let links = page.facts.appLinks, !links.targets.isEmpty else { return [] }
        var verdicts: [Verdict] = []
        for target in links.targets.prefix(20) {
            let kind = target.kind.rawValue
            // If the tag has a number that cannot be read, a parse note reports it.
            let name = "al:\(kind):app_store_id"
            let isWritten =
                page.meta.tags.count { $0.name == name } >= links.targets.count { $0.kind == target.kind }
            if target.kind.platform.isApple, target.url != nil, target.appStoreID == nil, !isWritten {
                verdicts.append(
                    .warning(
                        "al:\(kind):url has no app_store_id with it.",
                        at: .markup("meta al:\(kind)", line: target.line, column: target.column),
                        Finding.Remedy(
                            "Name the app.",
                            code: Markup.meta(
                                property: "al:\(kind):app_store_id",
                                content: page.storeIdentifier ?? "YOUR-APP-STORE-ID"))))
            }
        }
        if let web = links.webURL, web.isHTTP, !SiteIdentity.isSameSite(web.host, page.url.host) {
            verdicts.append(
                .warning(
                    "al:web:url leads to another site, \(Wording.quoted(web.href)).",
                    at: page.place(ofMeta: "al:web:url"),
                    Finding.Remedy(
                        "Fall back to this page.",
                        code: Markup.meta(property: "al:web:url", content: page.universalLink))))
        }
        return verdicts.isEmpty
            ? [
                .pass(
                    "\(Wording.count(links.targets.count, "App Links target")), all with what they need.",
                    at: .markup("meta al:", line: links.targets.first?.line, column: links.targets.first?.column))
            ]
            : verdicts
    }

    static let l21 = CheckJudge(
        .l21, .deepLinks, .warning, "ios-app: and android-app: addresses are well formed",
        problem: "ios-app: or android-app: addresses are malformed",
        why: "A malformed one opens nothing.",
        page: alternatesAreWellFormed,
        noteRemedy: { _, _ in
            Finding.Remedy(
                "Write app addresses whole: scheme and path after the app.",
                code: Markup.link("alternate", "android-app://PACKAGE/https/HOST/PATH"))
        })

    private static func alternatesAreWellFormed(_ page: PageExamination) -> [Verdict] {
        let alternates = page.facts.appAlternates.alternates
        guard let first = alternates.first else { return [] }
        return [
            .pass(
                "\(Wording.quoted(first.href)) is well formed.",
                at: .markup("link alternate", line: first.line, column: first.column))
        ]
    }

    static let l23 = CheckJudge(
        .l23, .deepLinks, .warning, "No links through services that ended",
        problem: "Links go through services that ended",
        why: "Firebase Dynamic Links stopped in August 2025, Google's App Indexing before.",
        page: servicesLive)

    private static func servicesLive(_ page: PageExamination) -> [Verdict] {
        func isDead(_ url: WebURL) -> Bool { AppHost(of: url) == .endedDynamicLink }
        var own: [(address: String, place: Finding.Place?)] = []
        var others = own
        if let url = page.facts.smartAppBanner?.appArgumentURL, isDead(url) { own.append((url.href, page.bannerPlace)) }
        for link in page.deepLinks {
            if let text = link.url, let url = WebURL(text), isDead(url), !own.contains(where: { $0.address == text }) {
                own.append((text, nil))
            }
        }
        // Nobody can repair what visitors wrote.
        for link in page.facts.outlinks.links where link.isVouchedFor && isDead(link.url) {
            guard own.count + others.count < 20 else { break }
            guard !own.contains(where: { $0.address == link.url.href }) else { continue }
            let found = (address: link.url.href, place: Finding.Place?.some(.markup("page", link.place)))
            if isNamedAfterSite(link.url, page) { own.append(found) } else { others.append(found) }
        }
        if own.isEmpty, others.isEmpty {
            return page.namesAnApp ? [.pass("No link goes through a service that ended.")] : []
        }
        func verdict(_ dead: [(address: String, place: Finding.Place?)], _ remedy: Finding.Remedy) -> [Verdict] {
            guard let first = dead.first else { return [] }
            return [
                .warning(
                    "\(Wording.list(dead.map { Wording.quoted($0.address) })) \(dead.count == 1 ? "goes" : "go") through Firebase Dynamic Links, which stopped on 25 August 2025.",
                    at: first.place, remedy
                ).inPlaceOf(note: .deepLink(.dynamicLinkDead))
            ]
        }
        return verdict(
            own,
            Finding.Remedy(
                "Link to the universal link itself.", code: "<a href=\"\(Markup.attribute(page.universalLink))\">"))
            + verdict(
                others,
                Finding.Remedy(
                    "Remove the link, or replace it with the address that it led to: a page of the web, or the app's page in a store."
                ))
    }

    /// Whether the host of a dynamic link has the name of the page's site: `shop.page.link` on shop.example. Most others are of
    /// other people's apps.
    private static func isNamedAfterSite(_ link: WebURL, _ page: PageExamination) -> Bool {
        guard let name = link.host?.prefix(while: { $0 != "." }), let host = page.url.host, page.hasAddress else {
            return false
        }
        let site = SiteIdentity.site(of: host).prefix { $0 != "." }
        return name == site
    }
}
