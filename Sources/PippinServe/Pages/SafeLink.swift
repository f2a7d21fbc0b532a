import PippinPage

/// Decides whether an address from a record may be a link, because what it does is decided by its scheme.
///
/// - http and https: links.
/// - Schemes of apps (`clownapp://shows/1`): links, because that is what a deep link is for. The browser asks before it opens the
///   app. Schemes that are registered for something else, or that belong to a browser or system (`javascript:`, `data:`, `file:`,
///   `intent:` …, `CustomScheme.opensNoApp`), are none.
/// - Everything else is shown as text.
enum SafeLink {
    /// The address of a page; nil if it is not http or https, or holds a password.
    static func page(_ text: String?) -> String? {
        guard let text, let url = WebURL(text), url.isHTTP, url.username.isEmpty, url.password.isEmpty else {
            return nil
        }
        return url.href
    }

    /// The address of a page, or of a place in an app.
    static func app(_ text: String?) -> String? {
        if let page = page(text) { return page }
        guard let text, let url = WebURL(text), !url.isHTTP, !CustomScheme.opensNoApp(url.scheme),
            url.scheme.utf8.count >= 2
        else { return nil }
        return url.href
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
