/// What is known of apps beside the page: which App Store ID belongs to which bundle identifier. Seeds and a reply of the App Store
/// say so; it is never guessed.
struct KnownApps: Sendable {
    /// What the seeds say of their apps.
    let seeds: [RecordBuilder.AppIdentity]
    var lookup: AppLookup?

    /// Whether an app that a link leads to, or a page describes, is the site's: a seed names it, or it is named after the site's domain.
    ///
    /// - Parameter host: of the page.
    func isOfSite(_ link: DeepLinkRecord.DeepLink, host: String) -> Bool {
        let isSeeded = seeds.contains { seed in
            seed.storeIdentifier != nil && seed.storeIdentifier == link.storeIdentifier
                || seed.packageName != nil && seed.packageName == link.packageName
                || seed.bundleIdentifier != nil && seed.bundleIdentifier == link.bundleIdentifier
        }
        let names = [link.platform == .android ? link.packageName : nil, link.appClipBundleIdentifier]
        return isSeeded || names.compactMap(\.self).contains { SiteIdentity.names($0, siteOf: host) }
    }

    /// Adds what is known of the app to its deep link.
    func identify(_ link: inout DeepLinkRecord.DeepLink) {
        guard link.platform.isApple else { return }
        if link.bundleIdentifier == nil, let store = link.storeIdentifier {
            link.bundleIdentifier =
                seeds.first { $0.storeIdentifier == store && $0.bundleIdentifier != nil }?.bundleIdentifier
                ?? lookup?.app(storeIdentifier: store)?.bundleIdentifier
        }
        // A clip's own bundle identifier says nothing of the App Store.
        guard let bundle = link.bundleIdentifier, bundle != link.appClipBundleIdentifier else { return }
        if link.storeIdentifier == nil {
            link.storeIdentifier =
                seeds.first { $0.bundleIdentifier == bundle && $0.storeIdentifier != nil }?.storeIdentifier
                ?? lookup?.app(bundleIdentifier: bundle)?.storeIdentifier
        }
        if link.appName == nil { link.appName = lookup?.app(bundleIdentifier: bundle)?.name }
    }
}
