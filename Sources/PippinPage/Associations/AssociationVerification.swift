/// Says for every deep link of a record whether the site's own files back it, and adds the deep links that the files alone
/// give (step 8 of a visit).
///
/// A separate step after the record is built, because only the built record says which hosts' files are needed:
///
///     record ──► AssociationVerification.wanted(by:) ──► the caller fetches ──► SiteAssociations
///     record + SiteAssociations + what is known of apps ──► AssociationVerification ──► .record
///
/// From the web one proves that a site vouches for an app, not that the app takes the site's links: that is in the app's
/// entitlements. An App Store ID is tied to a bundle identifier by seeds and a lookup file only, never by guessing, and what
/// could not be seen never becomes a positive claim.
public struct AssociationVerification: Sendable {
    /// Hosts whose files are asked for on account of one page; real pages lead to one or two.
    static let maximumSites = 5
    /// Apps of each platform that the files of the page's host may add to its record.
    static let maximumAssociatedApps = 5
    /// Packages of a file that are asked about when nobody names one.
    static let maximumPackagesTried = 20

    /// The record with verified deep links.
    public private(set) var record: DeepLinkRecord

    private let associations: SiteAssociations
    private let known: KnownApps
    private let isTracing: Bool
    /// Of URLs that were matched already: links of one page mostly lead to one address.
    public private(set) var traces: [WebURL: AssociationTrace] = [:]
    /// All patterns of one page together: files are somebody else's, and a page may name many addresses.
    var budget: MatchingBudget

    /// - Parameters:
    ///   - record: as `RecordBuilder` made it.
    ///   - associations: what was found of the hosts that `wanted(by:)` names.
    ///   - apps: what the seeds say of their apps.
    ///   - lookup: what the App Store says of apps.
    ///   - tracing: whether traces list every comparison, which a report shows and a crawl does not need.
    public init(
        of record: DeepLinkRecord, associations: SiteAssociations, apps: [RecordBuilder.AppIdentity] = [],
        lookup: AppLookup? = nil, tracing: Bool = false
    ) {
        self.record = record
        self.associations = associations
        known = KnownApps(seeds: apps, lookup: lookup)
        isTracing = tracing
        // A crawl has thousands of pages to go; real files need some thousands of steps.
        budget = tracing ? .standard : MatchingBudget(steps: 10_000_000)
        for index in self.record.deepLinks.indices { known.identify(&self.record.deepLinks[index]) }
        self.record.deepLinks = withAssociatedApps(self.record.deepLinks)
        for index in self.record.deepLinks.indices {
            self.record.deepLinks[index].verification = verification(of: self.record.deepLinks[index])
        }
    }

    // MARK: What is needed

    /// The files that a record's verification needs: those of the page's own host, then those of the hosts that its deep
    /// links lead to, at most `maximumSites` hosts.
    public static func wanted(by record: DeepLinkRecord) -> [SiteAssociations.Want] {
        var wants: [SiteAssociations.Want] = []
        func want(_ url: WebURL, apple: Bool, android: Bool) {
            guard let site = SiteAssociations.site(of: url) else { return }
            if let index = wants.firstIndex(where: { $0.site == site }) {
                wants[index].apple = wants[index].apple || apple
                wants[index].android = wants[index].android || android
            } else if wants.count < maximumSites {
                wants.append(SiteAssociations.Want(site: site, apple: apple, android: android))
            }
        }
        if let page = WebURL(record.uniqueIdentifier) { want(page, apple: true, android: true) }
        for link in record.deepLinks {
            guard let text = link.url, let url = WebURL(text), !isAppleClipAddress(url) else { continue }
            switch link.platform {
            case .iOS, .iPadOS: want(url, apple: true, android: false)
            case .android: want(url, apple: false, android: true)
            case .windows, .web: break
            }
        }
        return wants
    }

    /// App Clips that Apple gives an address of its own.
    public static func isAppleClipAddress(_ url: WebURL) -> Bool { url.host == "appclip.apple.com" }

    // MARK: Apps that no markup names

    /// The deep links with one for each app that the association files open the page in. An app that the markup names too
    /// gets the source `association` besides; which app that is, identifiers say, and where the markup names none, the
    /// address.
    private mutating func withAssociatedApps(_ links: [DeepLinkRecord.DeepLink]) -> [DeepLinkRecord.DeepLink] {
        guard let page = WebURL(record.uniqueIdentifier), let site = SiteAssociations.site(of: page),
            let address = page.scheme == "https" ? page : WebURL(page.pathAndQuery, base: site)
        else { return links }
        var links = links
        if case .inForce(let file, _) = associations.appleFile(for: address) {
            addAppleApps(of: file, address, to: &links)
        }
        if case .inForce(let file, _) = associations.assetLinks(for: address) {
            var packages: [String] = []
            for package in file.appLinkPackages.prefix(Self.maximumPackagesTried)
            where file.decision(for: address, packageName: package, budget: &budget).isOpen {
                packages.append(package)
            }
            for package in packages.prefix(Self.maximumAssociatedApps) {
                var link = DeepLinkRecord.DeepLink(platform: .android, sources: [.association])
                link.packageName = package
                link.url = address.href
                DeepLinkMerge.add(associated: link, isOnly: packages.count == 1, to: &links)
            }
        }
        return links
    }

    private mutating func addAppleApps(
        of file: AppleAppSiteAssociation, _ address: WebURL, to links: inout [DeepLinkRecord.DeepLink]
    ) {
        let clips = Set(file.appClips ?? [])
        let matching = trace(address, in: file).apps.filter { $0.outcome == .match }.map(\.appID)
        var bundles: [String] = []
        for appID in matching where !clips.contains(appID) {
            // Several prefixes of one bundle are one app.
            guard let bundle = ApplicationIdentifier(appID)?.bundleIdentifier, !bundles.contains(bundle) else {
                continue
            }
            bundles.append(bundle)
        }
        for bundle in bundles.prefix(Self.maximumAssociatedApps) {
            var link = DeepLinkRecord.DeepLink(platform: .iOS, sources: [.association])
            link.bundleIdentifier = bundle
            link.url = address.href
            known.identify(&link)
            link.appClipBundleIdentifier = matching.lazy.filter(clips.contains)
                .compactMap { ApplicationIdentifier($0)?.bundleIdentifier }.first { $0.hasPrefix(bundle + ".") }
            DeepLinkMerge.add(associated: link, isOnly: bundles.count == 1, to: &links)
        }
    }

    // MARK: Link by link

    private mutating func verification(of link: DeepLinkRecord.DeepLink) -> DeepLinkRecord.Verification {
        func unverifiable(_ reason: String) -> DeepLinkRecord.Verification {
            DeepLinkRecord.Verification(status: .unverifiable, reason: reason)
        }
        switch link.platform {
        case .web: return unverifiable("A page on the web needs no app, so no association file speaks of it.")
        case .windows: return unverifiable("Windows ties apps to sites by files that are not looked at.")
        case .iOS, .iPadOS, .android: break
        }
        guard let text = link.url, let url = WebURL(text) else {
            // A clip alone is backed by the page's host, where its file lists it.
            if link.storeIdentifier == nil, let clip = link.appClipBundleIdentifier,
                let page = WebURL(record.uniqueIdentifier), SiteAssociations.site(of: page) != nil
            {
                return appClip(AppClipCoverage(page, clip, in: associations))
            }
            return unverifiable("The app is named, but no address that it is opened with.")
        }
        guard url.isHTTP else {
            let sentence =
                "Any app can claim the scheme “\(url.scheme):”; only https addresses are tied to a site."
            guard link.sources.contains(.association) else { return unverifiable(sentence) }
            return unverifiable(
                sentence + " The site's association file does tie the app to the page's own address.")
        }
        if Self.isAppleClipAddress(url), link.platform != .android {
            return unverifiable("Apple itself ties this address to the App Clip; no file of the site does.")
        }
        guard SiteAssociations.site(of: url) != nil else {
            return unverifiable("Devices ask for association files over https, and this address is http on a port.")
        }
        return link.platform == .android ? android(link, url) : apple(link, url)
    }

    /// Universal links: what Apple's file of the link's host says of the app that the markup names.
    private mutating func apple(_ link: DeepLinkRecord.DeepLink, _ url: WebURL) -> DeepLinkRecord.Verification {
        let coverage = AssociationCoverage(
            url, link.bundleIdentifier.map { .bundle($0) } ?? .any, in: associations
        ) { file in trace(url, in: file) }
        let sentence = coverage.sentence(storeIdentifier: link.storeIdentifier)
        let isUnnamed = coverage.app == .any && link.storeIdentifier == nil
        switch coverage.state {
        case .unseen, .uncompared: return DeepLinkRecord.Verification(status: .unchecked, reason: sentence)
        case .noFile, .unnamed, .uncovered:
            return DeepLinkRecord.Verification(status: .notCovered, reason: sentence)
        // Which app an App Store ID is stays open. Where the markup names no app at all, the file's app is the link's.
        case .matched where coverage.app == .any && !isUnnamed:
            return DeepLinkRecord.Verification(status: .unverifiable, reason: sentence)
        case .matched(let match):
            return DeepLinkRecord.Verification(
                status: .verified, applicationIdentifier: match.appID, pattern: match.pattern,
                reason: match.remarks.reduce(isUnnamed ? Self.ofUnnamedApp(sentence) : sentence) { "\($0) \($1)" })
        case .blocked(let block):
            // An app that is kept from the address is the link's only where the link's app is known.
            return DeepLinkRecord.Verification(
                status: .blocked, applicationIdentifier: coverage.app == .any ? nil : block.appID,
                pattern: block.pattern, reason: block.remarks.reduce(sentence) { "\($0) \($1)" })
        }
    }

    private func appClip(_ coverage: AppClipCoverage) -> DeepLinkRecord.Verification {
        let sentence = coverage.sentence
        return switch coverage.state {
        case .listed(let appID):
            DeepLinkRecord.Verification(status: .verified, applicationIdentifier: appID, reason: sentence)
        case .unlisted, .noFile: DeepLinkRecord.Verification(status: .notCovered, reason: sentence)
        case .unseen: DeepLinkRecord.Verification(status: .unchecked, reason: sentence)
        }
    }

    /// Android App Links: what the asset links of the link's host say of the package that the markup names.
    private mutating func android(_ link: DeepLinkRecord.DeepLink, _ url: WebURL) -> DeepLinkRecord.Verification {
        let coverage = AssetLinksCoverage(url, package: link.packageName, in: associations) { file, package in
            file.decision(for: url, packageName: package, budget: &budget)
        }
        let sentence = coverage.sentence()
        return switch coverage.state {
        case .unseen, .uncompared: DeepLinkRecord.Verification(status: .unchecked, reason: sentence)
        case .noFile, .uncovered: DeepLinkRecord.Verification(status: .notCovered, reason: sentence)
        case .opened(let package, let decision):
            DeepLinkRecord.Verification(
                status: .verified, applicationIdentifier: package, pattern: decision.pattern,
                reason: link.packageName == nil ? Self.ofUnnamedApp(sentence) : sentence)
        case .blocked(let package, let decision):
            DeepLinkRecord.Verification(
                status: .blocked, applicationIdentifier: package, pattern: decision.pattern, reason: sentence)
        }
    }

    private static func ofUnnamedApp(_ sentence: String) -> String {
        "The markup does not say which app; \(sentence.prefix(1).lowercased())\(sentence.dropFirst())"
    }

    private mutating func trace(_ url: WebURL, in file: AppleAppSiteAssociation) -> AssociationTrace {
        if let known = traces[url] { return known }
        let trace = file.decision(for: url, tracing: isTracing, budget: &budget)
        traces[url] = trace
        return trace
    }

    /// Host and port as sentences name them.
    public static func hostName(of url: WebURL) -> String {
        let host = url.host ?? ""
        guard url.scheme == "https", let port = url.port else { return host }
        return "\(host):\(port)"
    }
}
