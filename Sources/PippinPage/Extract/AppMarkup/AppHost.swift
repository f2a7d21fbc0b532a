/// Hosts whose addresses name an app, or did. Only this type decides which hosts these are; `StoreLink` reads a store's
/// addresses.
public enum AppHost: Sendable {
    /// The App Store or Google Play. Not each of their pages is one of an app.
    case store
    /// `appclip.apple.com`
    case appClip
    /// Firebase Dynamic Links: `*.page.link`, and `*.app.goo.gl`, which customers had before. They stopped on 25 August 2025
    /// (Firebase, Dynamic Links Deprecation FAQ).
    case endedDynamicLink

    /// Nil for other hosts. A page has hundreds of links, most of them to other hosts, so two letters of the host are tested
    /// first.
    public init?(of url: WebURL) {
        let host: AppHost? = url.withBytes { bytes in
            let start = Int(url.layout.hostStart)
            let end = Int(url.layout.hostEnd)
            guard end - start >= 10 else { return nil }
            let host = bytes[start..<end]
            switch bytes[end - 1] {
            case UInt8(ascii: "m"):
                // The letter before `.com`: apple, google, android.
                let letter = bytes[end - 5]
                guard letter == UInt8(ascii: "e") || letter == UInt8(ascii: "d") else { return nil }
                if Self.ends(host, ".apple.com") { return Self.ends(host, "appclip.apple.com") ? .appClip : .store }
                return Self.ends(host, "play.google.com") || Self.ends(host, "market.android.com") ? .store : nil
            case UInt8(ascii: "k"): return Self.ends(host, ".page.link") ? .endedDynamicLink : nil
            case UInt8(ascii: "l"):
                guard Self.ends(host, ".app.goo.gl"), !Self.isOfGoogle(host.dropLast(".app.goo.gl".utf8.count)) else {
                    return nil
                }
                return .endedDynamicLink
            default: return nil
            }
        }
        guard let host else { return nil }
        self = host
    }

    /// Names below `app.goo.gl` that Google's own apps share links with. They live on: `maps.app.goo.gl`, `photos.app.goo.gl`.
    private static func isOfGoogle(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        googleApps.contains { name.elementsEqual($0.utf8) }
    }

    private static let googleApps = ["maps", "photos", "search", "news", "earth", "translate"]

    private static func ends(_ host: Slice<UnsafeBufferPointer<UInt8>>, _ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        return host.count >= count
            && host.suffix(count).elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: count))
    }

    /// The App Clip's bundle ID in `https://appclip.apple.com/id?p=org.example.app.Clip`.
    static func appClip(_ url: WebURL) -> String? {
        guard url.host == "appclip.apple.com", let id = StoreLink.queryValue("p", of: url), id.utf8.count <= 255,
            ASCIIText.isReverseDomain(id, allowsHyphens: true)
        else { return nil }
        return id
    }
}
