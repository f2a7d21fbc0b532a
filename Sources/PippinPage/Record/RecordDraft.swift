/// A record that waits for its page's web manifest, which may name apps. It keeps nothing of the page but what the record says, so
/// that any number of pages can wait.
public struct RecordDraft: Sendable {
    private let record: DeepLinkRecord
    private let deepLinks: DeepLinkMerge
    private let linksBack: [DeepLinkMerge.Claim]
    private let linksToApp: PageLinks
    /// Of all links to apps.
    private let linked: [DeepLinkMerge.Claim]
    private let apps: [RecordBuilder.AppIdentity]
    private let structuredThings: Int
    private let iconPlace: Int
    private let hasTouchIcon: Bool
    private let notes: [ParseNote]
    private let laterNotes: [ParseNote]

    init(_ builder: RecordBuilder) {
        record = builder.record
        deepLinks = builder.deepLinks
        linksBack = builder.linksBack
        linksToApp = builder.linksToApp
        linked = builder.facts.appClaims.compactMap { claim in
            guard [.intentLink, .storeLink, .script].contains(claim.source) else { return nil }
            return claim.platform.map { DeepLinkMerge.Claim(claim, on: $0) }
        }
        apps = builder.apps
        structuredThings = builder.structuredThings()
        iconPlace = builder.iconPlace
        hasTouchIcon = builder.hasTouchIcon
        notes = Array(builder.notes.prefix(builder.notesBeforeDeepLinks))
        laterNotes = Array(builder.notes.dropFirst(builder.notesBeforeDeepLinks))
    }

    /// The record, with what the manifest says where there is one.
    public func record(manifest: WebAppManifest?) -> (record: DeepLinkRecord, notes: [ParseNote]) {
        var merge = deepLinks
        for claim in manifest?.appClaims ?? [] {
            if let platform = claim.platform { merge.add(DeepLinkMerge.Claim(claim, on: platform)) }
        }
        addLinks(to: &merge)
        var notes = notes
        var record = record
        record.deepLinks = merge.finish(notes: &notes)
        let known = KnownApps(seeds: apps)
        for index in record.deepLinks.indices { known.identify(&record.deepLinks[index]) }
        if !hasTouchIcon, let icon = manifest?.largestIcon {
            record.iconURL = icon.url.href
            record.provenance.removeAll { $0.field == "iconURL" }
            record.provenance.insert(DeepLinkRecord.Provenance(field: "iconURL", source: .webManifest), at: iconPlace)
        }
        record.structuredDataScore = Double(structuredThings + (record.opensInApp ? 1 : 0)) / 10
        return (record, notes + laterNotes)
    }

    // MARK: Links

    /// What leads back to this page first: it says more than a store does.
    private func addLinks(to merge: inout DeepLinkMerge) {
        for claim in linksBack { merge.add(claim) }
        addLone(.intentLink, on: .android, to: &merge)
        for platform in [Platform.iOS, .android] { addLone(.script, on: platform, to: &merge) }
        addLone(.storeLink, on: .iOS, to: &merge)
        addLone(.storeLink, on: .android, to: &merge)
        addClips(to: &merge)
        merge.add(linksToApp)
    }

    /// Links confirm the apps that other sources name. Where nothing else names an app of the platform, they show one only with
    /// a second witness (`KnownApps.isOfSite`): everybody links to stores, so a link alone says nothing about whose app it is.
    private func addLone(
        _ source: DeepLinkRecord.DeepLink.Source, on platform: Platform, to merge: inout DeepLinkMerge
    ) {
        let found = linked.filter { $0.source == source && $0.link.platform == platform && $0.link.identifier != nil }
        guard !found.isEmpty else { return }
        let named = Set(found.map(\.link.identifier))
        let confirmed = merge.confirm(source) { link in
            (link.platform == platform || link.platform.isApple && platform.isApple) && link.identifier != nil
                && named.contains(link.identifier)
        }
        let isKnown = merge.knowsApp(on: platform) || platform == .iOS && merge.knowsApp(on: .iPadOS)
        if !confirmed, !isKnown { addOwn(of: found, \.identifier, to: &merge) }
    }

    private func addClips(to merge: inout DeepLinkMerge) {
        let found = linked.filter { $0.link.appClipBundleIdentifier != nil }
        guard !found.isEmpty else { return }
        let named = Set(found.map(\.link.appClipBundleIdentifier))
        let confirmed = merge.confirm(.storeLink) {
            $0.appClipBundleIdentifier != nil && named.contains($0.appClipBundleIdentifier)
        }
        guard !confirmed, !merge.entries.contains(where: { $0.link.platform == .iOS }) else { return }
        addOwn(of: found, \.appClipBundleIdentifier, to: &merge)
    }

    /// Adds the site's app among those that links lead to, if it is one.
    private func addOwn(
        of found: [DeepLinkMerge.Claim], _ identifier: KeyPath<DeepLinkRecord.DeepLink, String?>,
        to merge: inout DeepLinkMerge
    ) {
        let known = KnownApps(seeds: apps)
        let own = found.filter { known.isOfSite($0.link, host: record.domainIdentifier) }
        guard let first = own.first, Set(own.map { $0.link[keyPath: identifier] }).count == 1 else { return }
        merge.add(first)
    }
}
