/// Whether two hosts belong to one site.
public enum SiteIdentity {
    /// Same host, the same but for `www.`, `m.` and the like, or two hosts below one registered domain.
    public static func isSameSite(_ a: String?, _ b: String?) -> Bool {
        guard let a, let b else { return false }
        if a == b { return true }
        guard let domain = registeredDomain(of: a) else { return false }
        return domain == registeredDomain(of: b)
    }

    /// The part of a host that someone registered: `example.co.uk` of `shop.example.co.uk`. nil for addresses and for
    /// names without a dot.
    ///
    /// The Public Suffix List has 10,000 rules and changes weekly; these are the ones that pages are met under. A suffix
    /// that is missing here joins strangers of one registry, so the list leans to the long side.
    static func registeredDomain(of host: String) -> String? {
        guard let last = host.utf8.last, !last.isASCIIDigit, last != UInt8(ascii: "]") else { return nil }
        let labels = host.split(separator: ".")
        guard labels.count >= 2 else { return nil }
        let lastTwo = labels.suffix(2).joined(separator: ".")
        let isShared =
            sharedSuffixes.contains(lastTwo)
            || (labels[labels.count - 1].utf8.count == 2 && secondLevels.contains(String(labels[labels.count - 2])))
        guard isShared else { return lastTwo }
        return labels.count >= 3 ? labels.suffix(3).joined(separator: ".") : nil
    }

    /// Below a country's domain: `co.uk`, `com.au`, `or.jp`.
    private static let secondLevels: Set<String> = [
        "ac", "co", "com", "edu", "gob", "gov", "govt", "gv", "ltd", "mil", "me", "ne", "net", "nom", "or", "org",
        "plc",
        "sch", "go", "ed", "id", "info", "geek", "gen", "school",
    ]

    /// Where everyone may have a name of their own.
    private static let sharedSuffixes: Set<String> = [
        "github.io", "gitlab.io", "blogspot.com", "wordpress.com", "herokuapp.com", "netlify.app", "vercel.app",
        "pages.dev", "workers.dev", "web.app", "firebaseapp.com", "azurewebsites.net", "cloudfront.net", "appspot.com",
        "amazonaws.com", "myshopify.com", "wixsite.com", "weebly.com", "tumblr.com", "surge.sh", "glitch.me",
        "onrender.com", "fly.dev", "readthedocs.io", "squarespace.com", "webflow.io", "medium.com", "substack.com",
        "neocities.org", "bitbucket.io", "page.link", "app.link", "ghost.io", "repl.co", "typepad.com",
        "livejournal.com", "translate.goog", "duckdns.org", "ngrok.io", "run.app",
    ]
}
