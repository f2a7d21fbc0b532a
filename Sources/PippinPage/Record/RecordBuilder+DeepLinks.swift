// The apps that open the page. Every source makes claims, in order of precedence; `DeepLinkMerge` joins them to one deep
// link a platform and app. Here is what the page's own markup and the site's files say; `RecordBuilder+DeepLinkActions`
// has schema.org, `RecordBuilder+StoreLinks` what the page's links show.

extension RecordBuilder {
    /// Claims of one source that are looked at; App Links allow any number of targets.
    static let maximumClaims = 200

    mutating func takeDeepLinks() {
        var merge = DeepLinkMerge()
        addBanner(to: &merge)
        addTwitterApps(to: &merge)
        addAppLinks(to: &merge)
        addAlternates(to: &merge)
        addSchemaOrg(to: &merge)
        addAppMeta(to: &merge)
        claims = merge
        links = appLinksOfPage()
        notesBeforeDeepLinks = notes.count
    }

    // MARK: Banner, Twitter, App Links

    private mutating func addBanner(to merge: inout DeepLinkMerge) {
        guard let banner = facts.smartAppBanner, banner.isValid else { return }
        var claim = DeepLinkClaim(.iOS, .smartAppBanner, line: banner.line, column: banner.column)
        claim.link.storeIdentifier = banner.appID
        claim.link.appClipBundleIdentifier = banner.appClipBundleID
        if banner.appID == nil {
            // The argument is not handed to App Clips: the clip stands by itself.
            claim.link.bundleIdentifier = banner.appClipBundleID
        } else {
            open(banner.appArgumentURL?.href, &claim)
        }
        merge.add(claim)
    }

    private mutating func addTwitterApps(to merge: inout DeepLinkMerge) {
        guard let card = facts.twitterCard else { return }
        for app in card.apps {
            let platform: DeepLinkRecord.Platform =
                switch app.platform {
                case .iPhone: .iOS
                case .iPad: .iPadOS
                case .googlePlay: .android
                }
            var claim = DeepLinkClaim(platform, .twitterCard, line: app.line, column: app.column)
            if platform == .android {
                claim.link.packageName = Self.packageName(app.id)
            } else {
                claim.link.storeIdentifier = Self.storeIdentifier(app.id)
                claim.link.storeCountry = claim.link.storeIdentifier == nil ? nil : card.appCountry
            }
            claim.link.appName = Self.line(app.name)
            open(app.url, &claim)
            merge.add(claim)
        }
    }

    /// Facebook's order of choice: `iphone` before `ios`; of the Windows kinds the newest first.
    private static let appLinksOrder: [AppLinks.Platform] = [
        .iPhone, .iPad, .iOS, .android, .windowsUniversal, .windows, .windowsPhone,
    ]

    private mutating func addAppLinks(to merge: inout DeepLinkMerge) {
        guard let appLinks = facts.appLinks else { return }
        let targets = appLinks.targets.prefix(Self.maximumClaims)
        for platform in Self.appLinksOrder {
            for target in targets where target.platform == platform { add(target, to: &merge) }
        }
        if appLinks.allowsWebFallback, let web = appLinks.webURL, web.isHTTP {
            var claim = DeepLinkClaim(.web, .appLinks)
            claim.link.url = web.href
            merge.add(claim)
        }
    }

    private mutating func add(_ target: AppLinks.Target, to merge: inout DeepLinkMerge) {
        let platform: DeepLinkRecord.Platform =
            switch target.platform {
            case .iOS, .iPhone: .iOS
            case .iPad: .iPadOS
            case .android: .android
            case .windowsPhone, .windows, .windowsUniversal: .windows
            }
        var claim = DeepLinkClaim(platform, .appLinks, line: target.line, column: target.column)
        claim.link.storeIdentifier =
            platform == .windows ? Self.line(target.appID) : Self.storeIdentifier(target.appStoreID)
        claim.link.packageName = Self.packageName(target.packageName)
        claim.link.appName = Self.line(target.appName)
        open(target.url, &claim)
        merge.add(claim)
    }

    // MARK: Alternates

    /// Those of the page and its header, then those of the sitemaps that list it.
    private mutating func addAlternates(to merge: inout DeepLinkMerge) {
        for alternate in facts.appAlternates.alternates {
            merge.add(Self.claim(alternate, .alternate, line: alternate.line, column: alternate.column))
        }
        for address in sitemapAlternates.prefix(Self.maximumClaims) {
            if let alternate = AppAlternate(address) { merge.add(Self.claim(alternate, .alternate)) }
        }
    }

    static func claim(
        _ alternate: AppAlternate, _ source: DeepLinkRecord.DeepLink.Source, line: Int? = nil, column: Int? = nil
    ) -> DeepLinkClaim {
        var claim = DeepLinkClaim(alternate.platform == .android ? .android : .iOS, source, line: line, column: column)
        adopt(alternate, &claim)
        return claim
    }

    private static func adopt(_ alternate: AppAlternate, _ claim: inout DeepLinkClaim) {
        if alternate.platform == .android {
            claim.link.packageName = claim.link.packageName ?? alternate.identifier
        } else {
            claim.link.storeIdentifier = claim.link.storeIdentifier ?? alternate.identifier
        }
        claim.link.url = alternate.launchURL.flatMap(launchURL)?.href
    }

    // MARK: Meta tags that name an app

    private mutating func addAppMeta(to merge: inout DeepLinkMerge) {
        let metadata = facts.metadata
        if let package = Self.packageName(metadata.googlePlayPackage) {
            var claim = DeepLinkClaim(.android, .appMeta)
            claim.link.packageName = package
            merge.add(claim)
        }
        if let windows = metadata.windowsApp { add(windows, to: &merge) }
        if !metadata.branchParameters.isEmpty { addBranch(metadata.branchParameters, to: &merge) }
    }

    /// The package family names the app; an `ID` without it only where it is a product of the store.
    private func add(_ app: HTMLMetadata.WindowsApp, to merge: inout DeepLinkMerge) {
        guard app.optOut?.asciiLowercased != "both" else { return }
        var claim = DeepLinkClaim(.windows, .appMeta, line: app.line, column: app.column)
        claim.link.packageName = Self.line(app.packageFamilyName)
        claim.link.storeIdentifier =
            app.id.flatMap(Self.microsoftStoreIdentifier) ?? app.phonePackageURL.flatMap(Self.phoneStoreIdentifier)
        guard claim.namesApp else { return }
        claim.link.launchArguments = Self.line(app.arguments)
        claim.link.minimumVersion = Self.line(app.minimumVersion)
        claim.link.url = app.arguments.flatMap { $0.utf8.contains(0x3A) ? Self.launchURL($0)?.href : nil }
        merge.add(claim)
    }

    private static func microsoftStoreIdentifier(_ text: String) -> String? {
        let trimmed = text.trimmingHTMLSpace()
        return WebAppManifest.RelatedApplication.microsoftStoreID(trimmed) ?? uniqueIdentifier(trimmed)
    }

    /// `app-id=GUID`, the GUID alone, or a store's address that ends in it.
    private static func phoneStoreIdentifier(_ text: String) -> String? {
        let trimmed = text.trimmingHTMLSpace()
        if let url = WebURL(trimmed), let id = WebAppManifest.RelatedApplication.microsoftStoreID(in: url) { return id }
        let end = trimmed.utf8.lastIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "/") }
        return microsoftStoreIdentifier(end.map { String(trimmed[trimmed.utf8.index(after: $0)...]) } ?? trimmed)
    }

    /// A GUID, lower case.
    private static func uniqueIdentifier(_ text: String) -> String? {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12], groups.joined().allSatisfy({ $0.hexDigitValue != nil }) else {
            return nil
        }
        return text.asciiLowercased
    }

    /// Branch's keys hold addresses, or paths that only the app's own scheme makes into addresses: those open nothing as
    /// they stand.
    private mutating func addBranch(_ parameters: [HTMLMetadata.BranchParameter], to merge: inout DeepLinkMerge) {
        for parameter in parameters {
            let platforms: [DeepLinkRecord.Platform]
            switch parameter.key.asciiLowercased {
            case "$ios_deeplink_path": platforms = [.iOS]
            case "$android_deeplink_path": platforms = [.android]
            case "$deeplink_path": platforms = [.iOS, .android]
            default: continue
            }
            guard ASCIIText.scheme(of: parameter.value.utf8) != nil else {
                notes.append(
                    ParseNote(
                        .deepLink(.branchPathWithoutScheme),
                        "Branch's \(parameter.key) is a path, “\(parameter.value.prefix(200))”; without the app's scheme it is no deep link.",
                        line: parameter.line, column: parameter.column))
                continue
            }
            for platform in platforms {
                var claim = DeepLinkClaim(platform, .appMeta, line: parameter.line, column: parameter.column)
                open(parameter.value, &claim)
                merge.add(claim)
            }
        }
    }

    // MARK: Addresses

    /// Puts the address an app is said to be opened with into a claim. An address may name the app besides, and one of a
    /// store opens the store, not the app.
    mutating func open(_ text: String?, _ claim: inout DeepLinkClaim) {
        guard let text, let url = Self.launchURL(text) else { return }
        switch url.scheme {
        case "android-app", "ios-app":
            guard let alternate = AppAlternate(text.trimmingHTMLSpace()),
                (alternate.platform == .android) == (claim.link.platform == .android)
            else { return }
            Self.adopt(alternate, &claim)
        case "intent":
            guard let intent = IntentURI(text.trimmingHTMLSpace()) else { return }
            if claim.link.platform == .android {
                claim.link.packageName = claim.link.packageName ?? Self.packageName(intent.packageName)
            }
            claim.link.url = intent.launchURL.flatMap(Self.launchURL)?.href
        case "http", "https": openWeb(url, &claim)
        case "itms-apps", "itms-appss", "itms", "itmss", "market", "macappstore", "macappstores":
            openStore(url, &claim)
        default: claim.link.url = url.href
        }
    }

    private mutating func openWeb(_ url: WebURL, _ claim: inout DeepLinkClaim) {
        switch Self.appHost(of: url) {
        case .store where StoreLink(url) != nil: openStore(url, &claim)
        case .appClip where claim.link.platform != .android:
            claim.link.appClipBundleIdentifier = claim.link.appClipBundleIdentifier ?? Self.appClip(url)
            claim.link.url = url.href
        case .deadDynamicLink:
            notes.append(
                ParseNote(
                    .deepLink(.dynamicLinkDead),
                    "\(claim.source.rawValue) opens the app with “\(url.href.prefix(200))”, but links of page.link stopped working in August 2025.",
                    line: claim.line, column: claim.column))
        default: claim.link.url = url.href
        }
    }

    private mutating func openStore(_ url: WebURL, _ claim: inout DeepLinkClaim) {
        notes.append(
            ParseNote(
                .deepLink(.toStore),
                "\(claim.source.rawValue) opens the app with its page in the store, “\(url.href.prefix(200))”: that is no deep link.",
                line: claim.line, column: claim.column))
        guard let store = StoreLink(url) else { return }
        if store.store == .googlePlay, claim.link.platform == .android {
            claim.link.packageName = claim.link.packageName ?? store.identifier
        } else if store.store == .appStore, claim.link.platform == .iOS || claim.link.platform == .iPadOS {
            claim.link.storeIdentifier = claim.link.storeIdentifier ?? store.identifier
            claim.link.storeCountry = claim.link.storeCountry ?? store.country?.uppercased()
        }
    }

    /// An absolute address that an app can be opened with. Scripts, data and bare schemes (`app://`) open no page.
    static func launchURL(_ text: String) -> WebURL? {
        let address = WrittenAddress(text)
        guard address.text.utf8.count <= maximumAddressBytes, !ASCIIText.isBareScheme(address.text),
            !ASCIIText.hasTemplateMark(address.text), let url = WebURL(written: address)
        else { return nil }
        switch url.scheme {
        case "javascript", "data", "vbscript", "about", "blob", "file", "filesystem", "tel", "mailto", "sms": return nil
        case "http", "https": return url.host == nil ? nil : url
        default: return url
        }
    }

    // MARK: Values

    /// Digits of an App Store ID; nil for placeholders and bundle identifiers.
    static func storeIdentifier(_ text: String?) -> String? {
        text.flatMap { AppStoreID.reading($0.trimmingHTMLSpace())?.id }
    }

    static func packageName(_ text: String?) -> String? {
        guard let text = line(text), text.utf8.count <= 255, ASCIIText.isReverseDomain(text) else { return nil }
        return text
    }
}
