/// What the word before a line's colon announces.
enum RobotsKey: Equatable {
    case userAgent, allow, disallow, sitemap, crawlDelay
    /// A record of other crawlers and conventions that we know and that says nothing to us.
    case otherConvention
    case unknown

    /// `canonical` is false when the key was understood by kindness.
    static func named(_ key: String) -> (key: RobotsKey, isCanonical: Bool) {
        for (known, name) in canonical where key == name { return (known, true) }
        // Before Google's prefixes, so that `crawl delay` or `useg-agent` need no look at them.
        for (known, spellings) in crawlerCommonsSpellings where spellings.contains(key) { return (known, false) }
        for (known, prefixes) in googlePrefixes where prefixes.contains(where: key.hasPrefix) { return (known, false) }
        if otherConventions.contains(key) || key.hasPrefix("acap-") { return (.otherConvention, true) }
        return (.unknown, true)
    }

    private static let canonical: [(RobotsKey, String)] = [
        (.userAgent, "user-agent"), (.allow, "allow"), (.disallow, "disallow"), (.sitemap, "sitemap"),
        (.crawlDelay, "crawl-delay"),
    ]

    /// google/robotstxt takes a key for one of these when it begins with it: `disallowed` is `disallow`.
    private static let googlePrefixes: [(RobotsKey, [String])] = [
        (.userAgent, ["user-agent", "useragent", "user agent"]),
        (.disallow, ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]),
        (.allow, ["allow"]),
        (.sitemap, ["sitemap", "site-map"]),
    ]

    /// Misspellings that crawler-commons met often enough to read, whole keys.
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
