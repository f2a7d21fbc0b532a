/// The meaning of the word before a line's colon.
enum RobotsKey: Equatable {
    case userAgent, allow, disallow, sitemap, crawlDelay
    /// A known record for other crawlers or of other conventions. Pippin ignores it.
    case otherConvention
    case unknown

    /// The meaning of a key. `isCanonical` is false if the key is misspelled and was understood leniently.
    static func named(_ key: String) -> (key: RobotsKey, isCanonical: Bool) {
        for (known, name) in canonical where key == name { return (known, true) }
        // These come before Google's prefixes, so that `crawl delay` or `useg-agent` are found first.
        for (known, spellings) in crawlerCommonsSpellings where spellings.contains(key) { return (known, false) }
        for (known, prefixes) in googlePrefixes where prefixes.contains(where: key.hasPrefix) { return (known, false) }
        if otherConventions.contains(key) || key.hasPrefix("acap-") { return (.otherConvention, true) }
        return (.unknown, true)
    }

    private static let canonical: [(RobotsKey, String)] = [
        (.userAgent, "user-agent"), (.allow, "allow"), (.disallow, "disallow"), (.sitemap, "sitemap"),
        (.crawlDelay, "crawl-delay"),
    ]

    /// google/robotstxt recognizes a key by its beginning: `disallowed` is `disallow`.
    private static let googlePrefixes: [(RobotsKey, [String])] = [
        (.userAgent, ["user-agent", "useragent", "user agent"]),
        (.disallow, ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]),
        (.allow, ["allow"]),
        (.sitemap, ["sitemap", "site-map"]),
    ]

    /// Misspellings that crawler-commons accepts because they are frequent, as whole keys.
    private static let crawlerCommonsSpellings: [(RobotsKey, Set<String>)] = [
        (.userAgent, ["useg-agent", "ser-agent", "users-agent", "user-agnet", "user-agents"]),
        (.disallow, ["desallow", "dssalow", "dsallow", "diallow", "disallows", "disllow"]),
        (.sitemap, ["sitemaps"]),
        (.crawlDelay, ["crawl delay", "clawl-delay", "craw-delay", "crawl-deley"]),
    ]

    private static let otherConventions: Set<String> = [
        "host", "clean-param", "request-rate", "visit-time", "noindex", "nofollow", "noarchive", "nosnippet",
        "content-signal", "content-usage", "llm-policy", "comment", "robot-version",
    ]
}
