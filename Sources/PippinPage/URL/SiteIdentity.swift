import CPSL

/// Which hosts belong to one site: those below one registered domain of the Public Suffix List.
///
/// This is the only meaning of "site" in Pippin: it decides how wide `follow: domain` is, which canonical links and
/// manifests count, whose association files may be asked for, and what reports call another site.
public enum SiteIdentity {
    public static func isSameSite(_ a: String?, _ b: String?) -> Bool {
        guard let a, let b else { return false }
        return a == b || site(of: a) == site(of: b)
    }

    /// The site of a host: its registered domain, `example.co.uk` of `shop.example.co.uk`. A host that has none is a site
    /// alone: an address, `localhost`, `github.io`.
    ///
    /// Where everyone may have a name, `www` may be somebody's too, but nobody means another site by it: `www.gov.uk` is
    /// `gov.uk`, and `www.github.io` is `github.io`.
    public static func site(of host: String) -> String {
        let host = withoutFinalDot(host)
        return withoutWWW(registeredDomain(of: host) ?? host)
    }

    /// Whether an identifier in reverse order is named after the registered domain of a host: `com.example` and
    /// `com.example.shows` after `www.example.com`. Letter case is ignored; an identifier may have `_` for a hyphen, or before a digit (Java Language
    /// Specification §6.1).
    static func names(_ identifier: String, siteOf host: String) -> Bool {
        guard let domain = registeredDomain(of: host) else { return false }
        func plain(_ label: Substring) -> String {
            let label = label.lowercased()
            let bare = label.hasPrefix("_") ? String(label.dropFirst()) : label
            return String(bare.map { $0 == "-" ? "_" : $0 })
        }
        let labels = domain.split(separator: ".").reversed().map(plain)
        let parts = identifier.split(separator: ".", maxSplits: labels.count, omittingEmptySubsequences: false).map(
            plain)
        return parts.starts(with: labels)
    }

    /// A host without a leading `www.`, when something with a dot is left.
    public static func withoutWWW(_ host: String) -> String {
        guard host.hasPrefix("www."), host.utf8.dropFirst(4).contains(0x2E) else { return host }
        return String(host.dropFirst(4))
    }

    /// The part of a host that someone registered. nil for addresses, for names without a dot, and for public suffixes.
    ///
    /// - Parameter host: as `WebURL` has it: in ASCII, with small letters.
    static func registeredDomain(of host: String) -> String? {
        let host = withoutFinalDot(host)
        // RFC 1035 §2.3.4; a longer name has no address, and would keep libpsl busy with each of its labels.
        guard host.utf8.count <= 253, !isAddress(host) else { return nil }
        guard let domain = host.withCString({ psl_registrable_domain(publicSuffixes, $0).map(String.init(cString:)) })
        else { return nil }
        guard sharedHosts.contains(domain) else { return domain }
        guard domain.utf8.count < host.utf8.count else { return nil }
        let user = host.dropLast(domain.utf8.count + 1)
        return user[(user.lastIndex(of: ".").map(user.index(after:)) ?? user.startIndex)...] + "." + domain
    }

    private static func withoutFinalDot(_ host: String) -> String {
        host.utf8.last == 0x2E ? String(host.dropLast()) : host
    }

    /// `WebURL` writes an IPv4 address as four numbers, and no name ends in a number (URL Standard §3.5).
    static func isAddress(_ host: String) -> Bool {
        let host = withoutFinalDot(host)
        guard let last = host.utf8.last else { return true }
        if last == UInt8(ascii: "]") { return true }
        return host.utf8.reversed().prefix { $0 != 0x2E }.allSatisfy(\.isASCIIDigit)
    }

    /// The list that was compiled into libpsl. A libpsl that was built without one reads the system's file; where there is
    /// none either, every host is a site alone, with its `www.`.
    // Unsafe by its type, safe because the list is read only: libpsl's lookups keep no state.
    nonisolated(unsafe) private static let publicSuffixes: OpaquePointer? = psl_builtin() ?? psl_latest(nil)

    /// Where everyone may have a name, and libpsl's list does not say so.
    private static let sharedHosts: Set<String> = [
        // On the public list today, but not on Debian 12's, which is of February 2023.
        "amplifyapp.com", "base44.app", "bearblog.dev", "bubbleapps.io", "expo.app", "figma.site", "flutterflow.app",
        "framer.ai", "gitbook.io", "lovable.app", "my.canva.site", "notion.site", "replit.app", "surge.sh",
        "webflow.io", "wixstudio.com",
        // Their owners do not have them listed: a listed domain cannot set cookies for all of its users.
        "app.link", "ghost.io", "glitch.me", "livejournal.com", "medium.com", "neocities.org", "page.link",
        "squarespace.com", "substack.com", "tumblr.com", "typepad.com", "weebly.com", "wordpress.com",
    ]
}
