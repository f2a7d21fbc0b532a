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

    /// Whether the options name files.
    var hasFiles: Bool { applePath != nil || assetLinksPath != nil }

    func lookup() throws -> AppLookup? {
        guard let lookupPath else { return nil }
        return try AppLookup(contentsOf: lookupPath)
    }
}
