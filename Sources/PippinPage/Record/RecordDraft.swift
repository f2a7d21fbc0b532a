/// What the links of a page show of its apps, in little: the page itself is not needed to make a record of it.
struct AppLinksOfPage {
    typealias Place = (line: Int?, column: Int?)
    typealias Named = (id: String, place: Place, country: String?)

    /// Of intents that lead back to the page.
    var ofThisPage: [DeepLinkClaim] = []
    /// Packages that intents start.
    var packages: [Named] = []
    var appStore: [Named] = []
    var googlePlay: [Named] = []
    var clips: [(id: String, place: Place)] = []
}

/// A record that waits for its page's web manifest, which may name apps. It keeps nothing of the page but what the record says, so
/// that any number of pages can wait.
public struct RecordDraft: Sendable {
    private let record: DeepLinkRecord
    private let claims: DeepLinkMerge
    private let links: AppLinksOfPage
    private let apps: [RecordBuilder.AppIdentity]
    private let structuredThings: Int
    private let notes: [ParseNote]
    private let laterNotes: [ParseNote]

    init(_ builder: RecordBuilder) {
        record = builder.record
        claims = builder.claims
        links = builder.links
        apps = builder.apps
        structuredThings = builder.structuredThings()
        notes = Array(builder.notes.prefix(builder.notesBeforeDeepLinks))
        laterNotes = Array(builder.notes.dropFirst(builder.notesBeforeDeepLinks))
    }

    /// The record, with what the manifest says where there is one.
    public func conclusion(manifest: WebAppManifest?) -> RecordBuilder.Conclusion {
        var merge = claims
        if let manifest { add(manifest, to: &merge) }
        addLinks(to: &merge)
        var notes = notes
        var record = record
        record.deepLinks = merge.finish(notes: &notes)
        for index in record.deepLinks.indices { identify(&record.deepLinks[index]) }
        record.structuredDataScore = Double(structuredThings + (record.opensInApp ? 1 : 0)) / 10
        return .record(record, notes: notes + laterNotes)
    }

    /// What the seeds know of an app that the page names.
    private func identify(_ link: inout DeepLinkRecord.DeepLink) {
        guard link.platform == .iOS || link.platform == .iPadOS, link.bundleIdentifier == nil,
            let store = link.storeIdentifier
        else { return }
        link.bundleIdentifier =
            apps.first { $0.storeIdentifier == store && $0.bundleIdentifier != nil }?.bundleIdentifier
    }

    // MARK: Web manifest

    private func add(_ manifest: WebAppManifest, to merge: inout DeepLinkMerge) {
        for app in manifest.relatedApplications {
            var claim: DeepLinkClaim
            if let id = app.appStoreID {
                claim = DeepLinkClaim(.iOS, .webManifest)
                claim.link.storeIdentifier = id
                claim.link.storeCountry = app.storeCountry?.uppercased()
            } else if let package = app.packageName {
                claim = DeepLinkClaim(.android, .webManifest)
                claim.link.packageName = package
            } else if let id = app.microsoftStoreID {
                claim = DeepLinkClaim(.windows, .webManifest)
                claim.link.storeIdentifier = id
            } else {
                // A `webapp` is another site; Chrome's and Amazon's own identifiers open nothing on a platform we file.
                continue
            }
            claim.link.minimumVersion = RecordBuilder.line(app.minimumVersion)
            merge.add(claim)
        }
    }

    // MARK: Links

    /// What leads back to this page first: it says more than a store does.
    private func addLinks(to merge: inout DeepLinkMerge) {
        for claim in links.ofThisPage { merge.add(claim) }
        addLone(links.packages, .android, .intentLink, to: &merge)
        addLone(links.appStore, .iOS, .storeLink, to: &merge)
        addLone(links.googlePlay, .android, .storeLink, to: &merge)
        addClips(links.clips, to: &merge)
    }

    /// Links confirm the apps that other sources name. Where nothing else names an app of the platform, a single one that
    /// all links name is taken for the page's own; a page that links to several apps speaks about apps.
    private func addLone(
        _ found: [AppLinksOfPage.Named], _ platform: DeepLinkRecord.Platform,
        _ source: DeepLinkRecord.DeepLink.Source, to merge: inout DeepLinkMerge
    ) {
        guard let first = found.first else { return }
        let named = Set(found.map(\.id))
        let isApple = platform == .iOS
        let confirmed = merge.confirm(source) { link in
            isApple
                ? (link.platform == .iOS || link.platform == .iPadOS)
                    && link.storeIdentifier.map(named.contains) == true
                : link.platform == platform && link.packageName.map(named.contains) == true
        }
        let isKnown = merge.knowsApp(on: platform) || isApple && merge.knowsApp(on: .iPadOS)
        guard !confirmed, named.count == 1, !isKnown else { return }
        var claim = DeepLinkClaim(platform, source, line: first.place.line, column: first.place.column)
        if isApple {
            claim.link.storeIdentifier = first.id
            claim.link.storeCountry = first.country?.uppercased()
        } else {
            claim.link.packageName = first.id
        }
        merge.add(claim)
    }

    private func addClips(_ found: [(id: String, place: AppLinksOfPage.Place)], to merge: inout DeepLinkMerge) {
        guard let first = found.first else { return }
        let named = Set(found.map(\.id))
        let confirmed = merge.confirm(.storeLink) { $0.appClipBundleIdentifier.map(named.contains) == true }
        guard !confirmed, named.count == 1, !merge.entries.contains(where: { $0.link.platform == .iOS }) else { return }
        var claim = DeepLinkClaim(.iOS, .storeLink, line: first.place.line, column: first.place.column)
        claim.link.bundleIdentifier = first.id
        claim.link.appClipBundleIdentifier = first.id
        merge.add(claim)
    }
}
