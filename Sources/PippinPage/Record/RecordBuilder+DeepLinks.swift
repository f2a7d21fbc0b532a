// The apps that open the page: claims of all sources, joined to one deep link a platform and app.

extension RecordBuilder {
    private static let maximumDeepLinks = 20
    /// Claims that are looked at; App Links allow any number of targets.
    private static let maximumClaims = 200

    mutating func takeDeepLinks() {
        var claims: [DeepLinkRecord.DeepLink] = []
        claims += bannerClaims()
        claims += twitterClaims()
        claims += appLinksClaims()
        claims += facts.appAlternates.alternates.map { Self.claim($0, .alternate) }
        claims += schemaOrgClaims()
        var links: [DeepLinkRecord.DeepLink] = []
        for claim in claims.prefix(Self.maximumClaims) { Self.join(claim, to: &links) }
        for claim in storeClaims(besides: links) { Self.join(claim, to: &links) }
        for index in links.indices { identify(&links[index]) }
        // Platforms in their fixed order, a platform's apps in the page's.
        record.deepLinks = DeepLinkRecord.Platform.allCases.flatMap { platform in
            links.filter { $0.platform == platform }
        }
    }

    // MARK: Claims

    private func bannerClaims() -> [DeepLinkRecord.DeepLink] {
        guard let banner = facts.smartAppBanner, banner.isValid else { return [] }
        return [
            DeepLinkRecord.DeepLink(
                platform: .iOS, url: banner.appArgumentURL.map(\.href).flatMap(Self.launchAddress),
                storeIdentifier: banner.appID,
                // An App Clip has a bundle of its own; it stands for the app only where no app is named.
                bundleIdentifier: banner.appID == nil ? banner.appClipBundleID : nil, sources: [.smartAppBanner])
        ]
    }

    private func twitterClaims() -> [DeepLinkRecord.DeepLink] {
        (facts.twitterCard?.apps ?? []).map { app in
            let isAndroid = app.platform == .googlePlay
            let platform: DeepLinkRecord.Platform =
                switch app.platform {
                case .iPhone: .iOS
                case .iPad: .iPadOS
                case .googlePlay: .android
                }
            return DeepLinkRecord.DeepLink(
                platform: platform, url: app.url.flatMap(Self.launchAddress),
                storeIdentifier: isAndroid ? nil : Self.storeIdentifier(app.id),
                packageName: isAndroid ? Self.packageName(app.id) : nil, appName: Self.line(app.name),
                sources: [.twitterCard])
        }
    }

    private func appLinksClaims() -> [DeepLinkRecord.DeepLink] {
        guard let appLinks = facts.appLinks else { return [] }
        var claims = appLinks.targets.prefix(Self.maximumClaims).map { target in
            let platform: DeepLinkRecord.Platform =
                switch target.platform {
                case .iOS, .iPhone: .iOS
                case .iPad: .iPadOS
                case .android: .android
                case .windowsPhone, .windows, .windowsUniversal: .windows
                }
            let isWindows = platform == .windows
            return DeepLinkRecord.DeepLink(
                platform: platform, url: target.url.flatMap(Self.launchAddress),
                storeIdentifier: isWindows ? Self.line(target.appID) : Self.storeIdentifier(target.appStoreID),
                packageName: Self.packageName(target.packageName), appName: Self.line(target.appName),
                sources: [.appLinks])
        }
        if appLinks.allowsWebFallback, let web = appLinks.webURL, web.isHTTP {
            claims.append(DeepLinkRecord.DeepLink(platform: .web, url: web.href, sources: [.appLinks]))
        }
        return claims
    }

    private static func claim(
        _ alternate: AppAlternate, _ source: DeepLinkRecord.DeepLink.Source
    ) -> DeepLinkRecord.DeepLink {
        let isAndroid = alternate.platform == .android
        return DeepLinkRecord.DeepLink(
            platform: isAndroid ? .android : .iOS, url: alternate.launchURL.flatMap(launchAddress),
            storeIdentifier: isAndroid ? nil : alternate.identifier,
            packageName: isAndroid ? alternate.identifier : nil, sources: [source])
    }

    // MARK: schema.org

    /// Targets of actions on what the page is about, and applications the page describes.
    private func schemaOrgClaims() -> [DeepLinkRecord.DeepLink] {
        guard !page.items.isEmpty else { return [] }
        var claims: [DeepLinkRecord.DeepLink] = []
        for (index, item) in page.items.enumerated() {
            guard claims.count < Self.maximumClaims else { break }
            // A WebSite's actions are about the site; those of other items count where the page is about them.
            if page.main.contains(index) || page.isItem(item, .webPage) {
                for value in item.values("potentialAction") { add(action: value, to: &claims) }
            }
            if page.isItem(item, .softwareApplication), item.isTopLevel { add(application: item, to: &claims) }
        }
        return claims
    }

    private func add(action value: StructuredItem.Value, to claims: inout [DeepLinkRecord.DeepLink]) {
        guard case .item(let index) = value, page.items.indices.contains(index),
            !page.isItem(index, .searchAction)
        else { return }
        for target in page.items[index].values("target").prefix(20) {
            guard case .item(let entryIndex) = target, page.items.indices.contains(entryIndex) else {
                if let address = page.text(of: target) { add(address: address, to: &claims) }
                continue
            }
            let entry = page.items[entryIndex]
            guard let address = page.text(entry, "urlTemplate") ?? page.text(entry, "url") ?? entry.id else { continue }
            let application = page.items(entry.values("actionApplication") + entry.values("application")).first
            let store = application.flatMap(storeLink)
            let platforms =
                entry.values("actionPlatform").compactMap(page.text(of:))
                + [
                    application.flatMap { page.text($0, "operatingSystem") }
                ].compactMap { $0 }
            if AppAlternate(address) != nil {
                add(address: address, to: &claims)
                continue
            }
            // A template with blanks to fill in opens no page as it stands.
            guard !address.utf8.contains(UInt8(ascii: "{")), let url = Self.launchAddress(address) else { continue }
            for platform in Set(platforms.compactMap(Self.platform)).sorted(by: { $0.rawValue < $1.rawValue })
            where platform != .web {
                claims.append(
                    DeepLinkRecord.DeepLink(
                        platform: platform, url: url,
                        storeIdentifier: platform == .android ? nil : store.flatMap(Self.appStoreID),
                        packageName: platform == .android ? store.flatMap(Self.googlePlayPackage) : nil,
                        appName: application.flatMap { Self.line(page.text($0, "name")) }, sources: [.schemaOrg]))
            }
        }
    }

    private func add(address: String, to claims: inout [DeepLinkRecord.DeepLink]) {
        if let alternate = AppAlternate(address) { claims.append(Self.claim(alternate, .schemaOrg)) }
    }

    private func add(application item: StructuredItem, to claims: inout [DeepLinkRecord.DeepLink]) {
        let name = Self.line(page.text(item, "name"))
        for store in storeLinks(of: item) {
            claims.append(Self.claim(store, name: name, .schemaOrg))
        }
    }

    private func storeLink(of item: StructuredItem) -> StoreLink? { storeLinks(of: item).first }

    private func storeLinks(of item: StructuredItem) -> [StoreLink] {
        var links: [StoreLink] = []
        for name in ["installUrl", "downloadUrl", "url", "sameAs", "identifier"] {
            for value in item.values(name).prefix(20) {
                guard let text = page.text(of: value), let link = StoreLink(href: text), !links.contains(link) else {
                    continue
                }
                links.append(link)
            }
        }
        return links
    }

    private static func platform(_ text: String) -> DeepLinkRecord.Platform? {
        let name = SchemaOrg.bareName(text).asciiLowercased
        if name.contains("ipad") { return .iPadOS }
        if name.contains("ios") || name.contains("iphone") { return .iOS }
        if name.contains("android") { return .android }
        if name.hasPrefix("windows") { return .windows }
        return name.contains("web") ? .web : nil
    }

    // MARK: Stores

    /// Apps that links into a store name. A page that links to several apps of a store speaks about apps; only a single
    /// one is taken for its own, and only where nothing else names an app for the platform.
    private func storeClaims(besides links: [DeepLinkRecord.DeepLink]) -> [DeepLinkRecord.DeepLink] {
        var found: [StoreLink] = []
        let outlinks = facts.outlinks.links
        for index in outlinks.indices where Self.mayBeStore(outlinks[index].url) {
            if let store = StoreLink(outlinks[index].url) { found.append(store) }
        }
        for link in facts.outlinks.schemeLinks where link.scheme.hasPrefix("itms") || link.scheme == "market" {
            if let store = StoreLink(href: link.href) { found.append(store) }
        }
        if let package = Self.packageName(facts.metadata.googlePlayPackage) {
            found.append(StoreLink(store: .googlePlay, identifier: package, country: nil))
        }
        var claims: [DeepLinkRecord.DeepLink] = []
        for store in [StoreLink.Store.appStore, .googlePlay] {
            let platform: DeepLinkRecord.Platform = store == .appStore ? .iOS : .android
            let ofStore = found.filter { $0.store == store }
            let known = links.filter { $0.platform == platform }.compactMap { $0.storeIdentifier ?? $0.packageName }
            let confirmed = ofStore.filter { known.contains($0.identifier) }
            if let link = confirmed.first {
                claims.append(Self.claim(link, name: nil, .storeLink))
            } else if known.isEmpty, Set(ofStore.map(\.identifier)).count == 1, let link = ofStore.first {
                claims.append(Self.claim(link, name: nil, .storeLink))
            }
        }
        if let windows = facts.metadata.windowsApp, windows.id != nil || windows.packageFamilyName != nil {
            claims.append(
                DeepLinkRecord.DeepLink(
                    platform: .windows, storeIdentifier: Self.line(windows.id),
                    packageName: Self.line(windows.packageFamilyName), sources: [.storeLink]))
        }
        return claims
    }

    /// Whether the host is worth looking at: a page has hundreds of links, and most lead elsewhere.
    private static func mayBeStore(_ url: WebURL) -> Bool {
        url.withBytes { bytes in
            let host = bytes[Int(url.layout.hostStart)..<Int(url.layout.hostEnd)]
            return storeHosts.contains { host.count >= $0.count && host.suffix($0.count).elementsEqual($0) }
        }
    }

    private static let storeHosts = [".apple.com", "play.google.com", "market.android.com"].map { Array($0.utf8) }

    private static func claim(
        _ store: StoreLink, name: String?, _ source: DeepLinkRecord.DeepLink.Source
    ) -> DeepLinkRecord.DeepLink {
        DeepLinkRecord.DeepLink(
            platform: store.store == .appStore ? .iOS : .android, storeIdentifier: appStoreID(store),
            packageName: googlePlayPackage(store), appName: name, sources: [source])
    }

    private static func appStoreID(_ store: StoreLink) -> String? {
        store.store == .appStore ? store.identifier : nil
    }

    private static func googlePlayPackage(_ store: StoreLink) -> String? {
        store.store == .googlePlay ? store.identifier : nil
    }

    // MARK: Joining

    /// Adds a claim, or what it knows more to the deep link of the same app. Earlier sources win.
    private static func join(_ claim: DeepLinkRecord.DeepLink, to links: inout [DeepLinkRecord.DeepLink]) {
        let namesApp = claim.storeIdentifier != nil || claim.packageName != nil || claim.bundleIdentifier != nil
        guard claim.url != nil || namesApp else { return }
        guard let index = links.firstIndex(where: { isSameApp($0, claim) }) else {
            if links.count < maximumDeepLinks { links.append(claim) }
            return
        }
        links[index].url = links[index].url ?? claim.url
        links[index].storeIdentifier = links[index].storeIdentifier ?? claim.storeIdentifier
        links[index].bundleIdentifier = links[index].bundleIdentifier ?? claim.bundleIdentifier
        links[index].packageName = links[index].packageName ?? claim.packageName
        links[index].appName = links[index].appName ?? claim.appName
        for source in claim.sources where !links[index].sources.contains(source) { links[index].sources.append(source) }
    }

    /// Identifiers decide where both have one of a kind; else the same address, app name or custom scheme does.
    private static func isSameApp(_ a: DeepLinkRecord.DeepLink, _ b: DeepLinkRecord.DeepLink) -> Bool {
        guard a.platform == b.platform else { return false }
        if a.platform == .web { return a.url == b.url }
        if let a = a.storeIdentifier, let b = b.storeIdentifier { return a == b }
        if let a = a.packageName, let b = b.packageName { return a == b }
        if let a = a.bundleIdentifier, let b = b.bundleIdentifier { return a == b }
        if let a = a.appName, let b = b.appName, a.asciiLowercased == b.asciiLowercased { return true }
        guard let first = a.url, let second = b.url else { return false }
        if first == second { return true }
        guard let scheme = ASCIIText.scheme(of: first.utf8), scheme != "http", scheme != "https" else { return false }
        return scheme == ASCIIText.scheme(of: second.utf8)
    }

    /// What the seeds know of an app that the page names.
    private func identify(_ link: inout DeepLinkRecord.DeepLink) {
        guard link.platform == .iOS || link.platform == .iPadOS, link.bundleIdentifier == nil,
            let store = link.storeIdentifier
        else { return }
        link.bundleIdentifier =
            apps.first { $0.storeIdentifier == store && $0.bundleIdentifier != nil }?.bundleIdentifier
    }

    // MARK: Values

    /// An absolute address that an app can be opened with. Scripts, data and bare schemes (`app://`) open no page.
    static func launchAddress(_ text: String) -> String? {
        let trimmed = text.trimmingHTMLSpace()
        guard trimmed.utf8.count <= maximumAddressBytes, !ASCIIText.isBareScheme(trimmed),
            !ASCIIText.hasTemplateMark(trimmed), let url = WebURL(trimmed)
        else { return nil }
        switch url.scheme {
        case "javascript", "data", "vbscript", "about", "blob", "file", "filesystem", "tel", "mailto", "sms": return nil
        case "http", "https": return url.host == nil ? nil : url.href
        default: return url.href
        }
    }

    /// Digits of an App Store ID; nil for placeholders and bundle identifiers.
    private static func storeIdentifier(_ text: String?) -> String? {
        text.flatMap { AppStoreID.reading($0.trimmingHTMLSpace())?.id }
    }

    private static func packageName(_ text: String?) -> String? {
        guard let text = line(text), text.utf8.count <= 255, ASCIIText.isReverseDomain(text) else { return nil }
        return text
    }
}
