import ArgumentParser
import PippinCrawl
import PippinPage

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

    var hasFiles: Bool { applePath != nil || assetLinksPath != nil }

    func lookup() throws -> AppLookup? {
        guard let lookupPath else { return nil }
        return try AppLookup(contentsOf: lookupPath)
    }

    /// The files as if the page's host had served them; nil if no files were given.
    func files(for page: WebURL) throws -> SiteAssociations? {
        guard hasFiles else { return nil }
        func fetched(_ path: String?) throws -> AssociationFetch {
            guard let path else { return .notAsked }
            return .fetched(bytes: try InputFile.bytes(at: path), mediaType: "application/json")
        }
        let places = SiteAssociations.site(of: page).map(AppleAssociationOutcome.locations) ?? []
        guard let site = SiteAssociations.site(of: page), places.count == 2,
            let linksURL = AssetLinksOutcome.location(of: site)
        else {
            throw ConfigurationError(
                file: applePath == nil ? "--asset-links" : "--association",
                problem: "\(page.href) has no association files, as it is not on https; give --url")
        }
        let assetLinks = AssetLinksOutcome(try fetched(assetLinksPath), at: linksURL)
        var files = SiteAssociations()
        files[site] = HostAssociations(
            wellKnown: AppleAssociationOutcome(try fetched(applePath), at: places[0]),
            rootCopy: AppleAssociationOutcome(.notAsked, at: places[1]), assetLinks: assetLinks,
            included: assetLinks.isUsable ? assetLinks.links.map { AssetLinksGathering($0, at: linksURL) } : nil)
        return files
    }
}
