// The apps that open the page: the page's claims, in order of precedence, joined by `DeepLinkMerge` to one deep link a platform
// and app. What the web manifest and the page's links add comes in `RecordDraft`.

extension RecordBuilder {
    mutating func takeDeepLinks() {
        for claim in claimsInOrder() {
            guard let platform = claim.platform else {
                addWithoutPlatform(claim)
                continue
            }
            var opened = DeepLinkMerge.Claim(claim, on: platform)
            open(claim, &opened)
            // An action that opens nothing says nothing.
            if claim.source == .schemaOrg, opened.link.url == nil { continue }
            if claim.source == .schemaOrg, !opened.link.namesApp { readPageTarget(&opened) }
            deepLinks.add(opened)
        }
        notes += facts.appClaimNotes
        takeLinks()
        notesBeforeDeepLinks = notes.count
    }

    /// Facebook's order of choice: `iphone` before `ios`; of the Windows kinds the newest first.
    private static let appLinksOrder = [
        AppLinks.Kind.iPhone, .iPad, .iOS, .android, .windowsUniversal, .windows, .windowsPhone,
    ].map(\.rawValue)

    /// What the page claims, without its links and the applications that it describes, and the alternates of sitemaps behind the page's own.
    private func claimsInOrder() -> [AppClaim] {
        let found = facts.appClaims.filter { !$0.needsWitness }
        guard !found.isEmpty || !sitemap.alternates.isEmpty else { return [] }
        func of(_ sources: AppClaim.Source...) -> [AppClaim] {
            found.filter { sources.contains($0.source) }
        }
        let appLinks = of(.appLinks)
        return of(.pageURL, .smartAppBanner, .twitterCard)
            + Self.appLinksOrder.flatMap { key in appLinks.filter { $0.key == key } }
            + appLinks.filter { $0.platform == .web } + of(.alternate)
            + sitemap.alternates.prefix(AppClaim.maximumOfSource).compactMap {
                AppAlternate($0)?.appClaim()
            }
            + of(.schemaOrg, .appMeta)
    }

    /// An app's own scheme belongs to the apps that other claims open with it.
    private mutating func addWithoutPlatform(_ claim: AppClaim) {
        guard let address = claim.address, let url = Self.launchURL(address), !url.isHTTP else { return }
        var opened = DeepLinkMerge.Claim(claim, on: .iOS)
        opened.link.url = url.href
        if !deepLinks.addWithoutPlatform(opened) {
            notes.append(
                ParseNote(
                    .deepLink(.actionPlatformMissing),
                    "An action's target “\(address.prefix(200))” says nothing of its platform: actionPlatform is missing.",
                    line: claim.line))
        }
    }

    /// What the page's links say, for `RecordDraft`.
    private mutating func takeLinks() {
        let claims = facts.appClaims.filter(\.needsWitness)
        guard !claims.isEmpty else { return }
        needingWitness = claims.compactMap { claim in
            guard claim.source != .pageLink else { return nil }
            return claim.platform.map { DeepLinkMerge.Claim(claim, on: $0) }
        }
        let names = namesOfSiteAndApps()
        linksBack = claims.compactMap(linkBack)
        for index in linksBack.indices {
            let scheme = linksBack[index].link.url.flatMap { ASCIIText.scheme(of: $0.utf8) } ?? "https"
            linksBack[index].hasOwnScheme =
                scheme != "http" && scheme != "https" && PageLinks.isNamed(scheme, by: names)
        }
        linksToApp = pageLinks(of: claims, names: names)
    }

    /// An intent opens this page when its web address or its fallback is this page's. One that the page's scripts start does, too.
    private func linkBack(_ claim: AppClaim) -> DeepLinkMerge.Claim? {
        guard claim.source == .intentLink || claim.source == .script,
            let intent = claim.address.flatMap({ IntentURI($0) }),
            let launch = intent.launchURL.flatMap(Self.launchURL)
        else { return nil }
        let fallback = intent.fallbackURL.flatMap { WebURL($0, base: facts.baseURL) }
        guard claim.source == .script || isThisPage(launch) || fallback.map(isThisPage) == true else { return nil }
        var opened = DeepLinkMerge.Claim(claim, on: .android)
        opened.link.url = launch.href
        return opened
    }

    private func isThisPage(_ url: WebURL) -> Bool {
        guard url.isHTTP else { return false }
        let key = URLKey(url).string
        return key == record.uniqueIdentifier || key == URLKey(facts.source.url).string
            || WebURL(record.uniqueIdentifier).map { URLKey($0).string == key } == true
    }

    /// A target that is the page itself has the page's address, without what a campaign adds. What else is added tells the app
    /// what to do there: `?autoplay=true`.
    private func readPageTarget(_ claim: inout DeepLinkMerge.Claim) {
        guard let url = claim.link.url.flatMap({ WebURL($0) }), url.isHTTP else { return }
        if isThisPage(url) {
            claim.opensPage = true
            if url.query != nil { claim.link.url = URLKey(url).string }
        } else if let address = WebURL(record.uniqueIdentifier), address.query == nil, url.host == address.host,
            url.path == address.path
        {
            claim.opensPage = true
        }
    }

    // MARK: Addresses

    private mutating func open(_ claim: AppClaim, _ opened: inout DeepLinkMerge.Claim) {
        switch claim.source {
        // The argument is not handed to App Clips.
        case .smartAppBanner where claim.storeIdentifier == nil: break
        case .appLinks where claim.platform == .web: opened.link.url = claim.address
        default: open(claim.address, &opened)
        }
    }

    /// Puts the address an app is said to be opened with into its deep link. An address may name the app besides, and one of a
    /// store opens the store, not the app.
    private mutating func open(_ text: String?, _ claim: inout DeepLinkMerge.Claim) {
        guard let text, let url = Self.launchURL(text) else { return }
        switch url.scheme {
        case "android-app", "ios-app":
            guard let alternate = AppAlternate(text.trimmingHTMLSpace()),
                (alternate.platform == .android) == (claim.link.platform == .android)
            else { return }
            if alternate.platform == .android {
                claim.link.packageName = claim.link.packageName ?? alternate.identifier
            } else {
                claim.link.storeIdentifier = claim.link.storeIdentifier ?? alternate.identifier
            }
            claim.link.url = alternate.launchURL.flatMap(Self.launchURL)?.href
        case "intent":
            guard let intent = IntentURI(text.trimmingHTMLSpace()) else { return }
            if claim.link.platform == .android {
                claim.link.packageName = claim.link.packageName ?? DeepLinkMerge.Claim.packageName(intent.packageName)
            }
            claim.link.url = intent.launchURL.flatMap(Self.launchURL)?.href
        case "http", "https": openWeb(url, &claim)
        case "itms-apps", "itms-appss", "itms", "itmss", "market", "macappstore", "macappstores":
            openStore(url, &claim)
        default: claim.link.url = url.href
        }
    }

    private mutating func openWeb(_ url: WebURL, _ claim: inout DeepLinkMerge.Claim) {
        switch AppHost(of: url) {
        case .store where StoreLink(url) != nil: openStore(url, &claim)
        case .appClip where claim.link.platform != .android:
            claim.link.appClipBundleIdentifier = claim.link.appClipBundleIdentifier ?? AppHost.appClip(url)
            claim.link.url = url.href
        case .endedDynamicLink:
            notes.append(
                ParseNote(
                    .deepLink(.dynamicLinkDead),
                    "\(claim.source.rawValue) opens the app with “\(url.href.prefix(200))”, but Firebase Dynamic Links stopped working in August 2025.",
                    line: claim.line, column: claim.column))
        default: claim.link.url = url.href
        }
    }

    private mutating func openStore(_ url: WebURL, _ claim: inout DeepLinkMerge.Claim) {
        notes.append(
            ParseNote(
                .deepLink(.toStore),
                "\(claim.source.rawValue) opens the app with its page in the store, “\(url.href.prefix(200))”: that is no deep link.",
                line: claim.line, column: claim.column))
        guard let store = StoreLink(url) else { return }
        if store.store == .googlePlay, claim.link.platform == .android {
            claim.link.packageName = claim.link.packageName ?? store.identifier
        } else if store.store == .appStore, claim.link.platform.isApple {
            claim.link.storeIdentifier = claim.link.storeIdentifier ?? store.identifier
            claim.link.storeCountry = claim.link.storeCountry ?? store.country?.uppercased()
        }
    }

    /// An absolute address that an app can be opened with. Scripts, data and bare schemes (`app://`) open no page.
    static func launchURL(_ text: String) -> WebURL? {
        let address = WrittenAddress(text)
        guard address.text.utf8.count <= WrittenAddress.maximumBytes, !ASCIIText.isBareScheme(address.text),
            !ASCIIText.hasTemplateMark(address.text), let url = WebURL(written: address)
        else { return nil }
        switch url.scheme {
        case "javascript", "data", "vbscript", "about", "blob", "file", "filesystem", "tel", "mailto", "sms": return nil
        case "http", "https": return url.host == nil ? nil : url
        default: return url
        }
    }
}
