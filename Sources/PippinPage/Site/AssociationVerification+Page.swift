// Deep links that no markup gives: the files of the page's host open its canonical address in an app.

extension AssociationVerification {
    /// The deep links with one for each app that the association files open the page in. An app that the markup names too
    /// gets the source `association` besides; which app that is, identifiers say, and where the markup names none, the
    /// address.
    mutating func withAssociatedApps(_ links: [DeepLinkRecord.DeepLink]) -> [DeepLinkRecord.DeepLink] {
        guard let page = WebURL(record.uniqueIdentifier), let site = SiteAssociations.site(of: page),
            let address = page.scheme == "https" ? page : WebURL(page.pathAndQuery, base: site)
        else { return links }
        let host = Self.hostName(of: address)
        var links = links
        if case .inForce(_, let file) = Self.appleFile(of: associations[address], host: host) {
            addAppleApps(of: file, address, to: &links)
        }
        if case .inForce(_, let file) = Self.assetLinks(of: associations[address], host: host) {
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
}
