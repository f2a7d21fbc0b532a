import PippinPage

/// Decides whether an address from a record may be a link, because what it does is decided by its scheme.
///
/// - http and https: links.
/// - The scheme of the app itself (`clownapp://shows/1`): a link, because that is what a deep link is for. The browser asks before it
///   opens the app. A page may write any scheme, so it counts as the app's own only if the record names the app and the scheme is
///   called like the app or its site (`CustomScheme.isOwn`), or if the site's association file confirms the app. It has only
///   letters, digits and dots: `search-ms`, `svn+ssh` and the like belong to systems. Schemes that are registered for something else,
///   or that belong to a browser or system (`CustomScheme.opensNoApp`), are never links.
/// - Everything else is shown as text.
enum SafeLink {
    /// The address of a page; nil if it is not http or https, or holds a password.
    static func page(_ text: String?) -> String? {
        guard let text, let url = WebURL(text), url.isHTTP, url.username.isEmpty, url.password.isEmpty else {
            return nil
        }
        return url.href
    }

    /// The address of a deep link: a page, or a place in the app that the link names.
    ///
    /// - Parameter record: the record that has the link.
    static func app(_ link: JSONValue, of record: JSONValue) -> String? {
        let text = link["url"]?.string
        if let page = page(text) { return page }
        guard let text, let url = WebURL(text), !url.isHTTP, isPlain(url.scheme),
            !CustomScheme.opensNoApp(url.scheme)
        else { return nil }
        let identifiers = identifiers(of: link)
        let isVerified = (record["deepLinks"]?.array ?? []).contains { other in
            ResultMarkup.isVerified(other) && !identifiers.isDisjoint(with: self.identifiers(of: other))
        }
        let names = [link["bundleIdentifier"]?.string, link["packageName"]?.string].compactMap(\.self)
        let host = WebURL(record["url"]?.string ?? "")?.host ?? ""
        guard
            isVerified
                || CustomScheme.isOwn(
                    url.scheme, host: host, appName: link["appName"]?.string, identifiers: names)
        else { return nil }
        return url.href
    }

    /// What names the app of a link.
    private static func identifiers(of link: JSONValue) -> Set<String> {
        Set(["storeIdentifier", "bundleIdentifier", "packageName"].compactMap { link[$0]?.string })
    }

    private static func isPlain(_ scheme: String) -> Bool {
        (2...64).contains(scheme.utf8.count)
            && scheme.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".")
            }
    }

    /// `tel:` with a number of digits and a plus sign at most; nil if it is something else.
    static func call(_ number: String?, extension: String?) -> String? {
        guard let number else { return nil }
        let digits = number.drop { $0 == "+" }
        guard (3...20).contains(digits.utf8.count), number.utf8.count - digits.utf8.count <= 1,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let inner = `extension`.map { $0.filter { $0.isASCII && $0.isNumber } } ?? ""
        return "tel:\(number)" + (inner.isEmpty ? "" : ";ext=\(inner.prefix(10))")
    }

    /// Directions in Apple Maps.
    static func directions(address: String?, latitude: Double?, longitude: Double?) -> String? {
        let place: String? =
            if let address { address } else if let latitude, let longitude { "\(latitude),\(longitude)" } else { nil }
        return place.map { LocalLink("https://maps.apple.com/", ["daddr": String($0.prefix(300))]).description }
    }
}
