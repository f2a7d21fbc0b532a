/// A record that waits for its page's web manifest, which may name apps. It keeps nothing of the page but what the record says, so
/// that any number of pages can wait.
public struct RecordDraft: Sendable {
    private let record: DeepLinkRecord
    private let deepLinks: DeepLinkMerge
    private let linksBack: [DeepLinkMerge.Claim]
    private let linksToApp: PageLinks
    /// Of all links to apps, and of applications that the page describes.
    private let needingWitness: [DeepLinkMerge.Claim]
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
        needingWitness = builder.needingWitness
        apps = builder.apps
        structuredThings = builder.structuredThings()
        iconPlace = builder.iconPlace
        hasTouchIcon = builder.hasTouchIcon
        notes = Array(builder.notes.prefix(builder.notesBeforeDeepLinks))
        laterNotes = Array(builder.notes.dropFirst(builder.notesBeforeDeepLinks))
    }

    /// What the page may be used for, as far as files about use have no say in it.
    public var usage: PageUsage { record.usage }

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

    // MARK: Claims that need a witness

    /// What leads back to this page comes before what leads to a store: it says more.
    private func addLinks(to merge: inout DeepLinkMerge) {
        for claim in needingWitness where claim.source == .schemaOrg && merge.knowsApp(of: claim) { merge.add(claim) }
        for platform in [Platform.iOS, .android] { addLone(.schemaOrg, on: platform, to: &merge) }
        for claim in linksBack { addBack(claim, to: &merge) }
        addLone(.intentLink, on: .android, to: &merge)
        for platform in [Platform.iOS, .android] { addLone(.script, on: platform, to: &merge) }
        addLone(.storeLink, on: .iOS, to: &merge)
        addLone(.storeLink, on: .android, to: &merge)
        addClips(to: &merge)
        merge.add(linksToApp)
    }

    /// An intent that leads back to this page opens it in the app that other sources name. What the page's scripts open needs no
    /// other source, because the site wrote them.
    private func addBack(_ claim: DeepLinkMerge.Claim, to merge: inout DeepLinkMerge) {
        let isOfSite =
            claim.source == .script || claim.hasOwnScheme || merge.knowsApp(of: claim)
            || KnownApps(seeds: apps).isOfSite(claim.link, host: record.domainIdentifier)
        if isOfSite {
            merge.add(claim)
        } else if claim.link.packageName == nil {
            _ = merge.addToNamedApps(claim, on: [.android])
        }
    }

    /// Links and descriptions confirm the apps that other sources name. Where nothing else names an app of the platform, they show
    /// one only with a second witness (`KnownApps.isOfSite`): everybody links to stores and describes apps, so they alone say
    /// nothing about whose app it is.
    private func addLone(
        _ source: AppClaim.Source, on platform: Platform, to merge: inout DeepLinkMerge
    ) {
        let found = needingWitness.filter {
            $0.source == source && $0.link.platform == platform && $0.link.identifier != nil
        }
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
        let found = needingWitness.filter { $0.link.appClipBundleIdentifier != nil }
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
