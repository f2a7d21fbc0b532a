import ArgumentParser

/// What a page is compared with: copies elsewhere, and its past.
struct ComparisonOptions: ParsableArguments {
    @Flag(
        name: .customLong("apple-cdn"),
        help: "Ask Apple's CDN, from which devices get association files, for its copies (L26). With a URL.")
    var asksAppleCDN = false

    @Option(
        help: ArgumentHelp(
            "Storage of a crawl: deep links that worked then should work now (L27).", valueName: "folder"))
    var storage: String?
}
