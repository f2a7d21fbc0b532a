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
}

/// What a page is compared with: copies elsewhere, and its past.
struct ComparisonOptions: ParsableArguments {
    @Flag(
        name: .customLong("apple-cdn"),
        help: "Ask Apple's CDN, from which devices get association files, for its copies (L26). With a URL.")
    var asksAppleCDN = false

    @Option(
        name: .storage,
        help: ArgumentHelp(
            "Storage of a crawl: deep links that worked then should work now (L27).", valueName: "folder"))
    var storage: String?
}

/// What `pippin validate` goes by, listed instead of judging pages.
struct ListingOptions: ParsableArguments {
    @Flag(name: .customLong("checks"), help: "Every check, with how severe it is to fail.")
    var showsChecks = false

    @Flag(name: .customLong("types"), help: "What each type of structured data needs (S21, S22).")
    var showsTypes = false

    @Flag(name: .customLong("previews"), help: "What networks show of a page, with their limits.")
    var showsPreviews = false

    /// - Parameter ownChecks: the operator's own checks, which are listed too.
    func rules(for profile: ReportCard.Profile, ownChecks: [OwnCheck]) -> CardRules {
        CardRules(
            checks: showsChecks, types: showsTypes, previews: showsPreviews, for: profile, ownChecks: ownChecks)
    }

    /// Whether no page is to be judged.
    var isWanted: Bool { showsChecks || showsTypes || showsPreviews }
}
