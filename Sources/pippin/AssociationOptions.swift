import ArgumentParser
import PippinCrawl
import PippinPage
import PippinReport

/// Files to use instead of requests about a page's apps.
struct AssociationOptions: ParsableArguments {
    @Option(
        name: .customLong("app-lookup"),
        help: ArgumentHelp(
            "Replies of the App Store's lookup API: they tie App Store IDs to bundle IDs and names.",
            valueName: "file"))
    var lookupPath: String?

    @Option(
        name: .customLong("association"),
        help: ArgumentHelp(
            "The apple-app-site-association of the page's host. Of a page read from a file.", valueName: "file"))
    var applePath: String?

    @Option(
        name: .customLong("asset-links"),
        help: ArgumentHelp("The assetlinks.json of the page's host. Of a page read from a file.", valueName: "file"))
    var assetLinksPath: String?

    /// Whether the options name files.
    var hasFiles: Bool { applePath != nil || assetLinksPath != nil }

    func lookup() throws -> AppLookup? {
        guard let lookupPath else { return nil }
        return try AppLookup(contentsOf: lookupPath)
    }

    /// The files as if the page's host had served them; nil if there are none.
    ///
    /// - Parameter folder: has what the options do not name.
    func files(for page: WebURL, in folder: SiteFolder? = nil) throws -> SiteAssociations? {
        let hasFolder = folder?.apple != nil || folder?.appleRootCopy != nil || folder?.assetLinks != nil
        guard hasFiles || hasFolder else { return nil }
        func fetched(_ path: String?, or file: SiteFolder.File?) throws -> AssociationFetch {
            if let path {
                return .fetched(bytes: try InputFile.bytes(at: path), mediaType: "application/json")
            }
            return file.map { .fetched(bytes: $0.bytes, mediaType: "application/json") } ?? .notAsked
        }
        if !hasFiles, SiteAssociations.site(of: page) == nil || UnknownAddress.isHost(of: page) { return nil }
        let places = SiteAssociations.site(of: page).map(AppleAssociationOutcome.locations) ?? []
        guard let site = SiteAssociations.site(of: page), places.count == 2,
            let linksURL = AssetLinksOutcome.location(of: site)
        else {
            throw ConfigurationError(
                file: applePath == nil ? "--asset-links" : "--association",
                problem: "\(page.href) has no association files, as it is not on https; give --url")
        }
        let assetLinks = AssetLinksOutcome(try fetched(assetLinksPath, or: folder?.assetLinks), at: linksURL)
        let copy = applePath == nil ? try fetched(nil, or: folder?.appleRootCopy) : .notAsked
        var wellKnown = try fetched(applePath, or: folder?.apple)
        // A folder with the copy alone has no other.
        if applePath == nil, folder?.apple == nil, folder?.appleRootCopy != nil { wellKnown = .status(404) }
        var files = SiteAssociations()
        files[site] = HostAssociations(
            wellKnown: AppleAssociationOutcome(wellKnown, at: places[0]),
            rootCopy: AppleAssociationOutcome(copy, at: places[1]), assetLinks: assetLinks,
            included: assetLinks.isUsable ? assetLinks.links.map { AssetLinksGathering($0, at: linksURL) } : nil)
        return files
    }
}
