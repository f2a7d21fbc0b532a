/// A URL of any scheme, parsed and serialized by the WHATWG URL Standard.
///
/// It is one string and the offsets of its parts; nothing is stored twice. The string is always ASCII, so bytes and
/// characters coincide.
///
///     https://user:pass@example.org:8443/a/b?q=1#top
///          │      │    │          │   │    │   └ fragmentStart (end of the string when there is no fragment)
///          │      │    │          │   │    └ queryStart (same as fragmentStart when there is no query)
///          │      │    │          │   └ pathStart
///          │      │    │          └ hostEnd (before ":port", if any)
///          │      │    └ hostStart (after "@", if any)
///          │      └ usernameEnd
///          └ schemeEnd
///
/// Without a host (`mailto:x`, `app:/a`), usernameEnd, hostStart and hostEnd are all after the scheme's colon, and `/.` precedes
/// a path that begins with `//`, so that it is not read as a host.
public struct WebURL: Sendable {
    /// The offsets of the parts; see the drawing above.
    struct Layout: Sendable {
        var scheme = Scheme.other
        var hasHost = false
        var hasOpaquePath = false
        var schemeEnd: UInt32 = 0
        var usernameEnd: UInt32 = 0
        var hostStart: UInt32 = 0
        var hostEnd: UInt32 = 0
        var pathStart: UInt32 = 0
        var queryStart: UInt32 = 0
        var fragmentStart: UInt32 = 0
    }

    /// The special schemes (URL Standard §4.2), and all others.
    enum Scheme: UInt8, Sendable {
        case http, https, ws, wss, ftp, file, other

        var isSpecial: Bool { self != .other }

        var defaultPort: Int? {
            switch self {
            case .http, .ws: 80
            case .https, .wss: 443
            case .ftp: 21
            case .file, .other: nil
            }
        }
    }

    /// The serialized URL, ASCII only.
    public let href: String
    let layout: Layout

    init(href: String, layout: Layout) {
        self.href = href
        self.layout = layout
    }

    /// Parses `string` and resolves it against `base` if it is relative; nil if it is not a URL.
    public init?(_ string: String, base: WebURL? = nil) {
        let result = string.utf8.withContiguousStorageIfAvailable { WebURL.parse($0, as: string, base: base) }
        guard let url = result ?? Array(string.utf8).withUnsafeBufferPointer({ WebURL.parse($0, as: nil, base: base) })
        else { return nil }
        self = url
    }

    /// Parses `string` and resolves it against `base` if it is relative; nil if it is not a URL.
    public init?(_ string: some StringProtocol, base: WebURL? = nil) {
        self.init(utf8: string.utf8, base: base)
    }

    /// Parses bytes that should be UTF-8. Invalid bytes count as U+FFFD.
    public init?(utf8 bytes: UnsafeBufferPointer<UInt8>, base: WebURL? = nil) {
        guard let url = WebURL.parse(untrusted: bytes, base: base) else { return nil }
        self = url
    }

    /// Parses bytes that should be UTF-8. Invalid bytes count as U+FFFD.
    public init?(utf8 bytes: some Collection<UInt8>, base: WebURL? = nil) {
        let result = bytes.withContiguousStorageIfAvailable { WebURL.parse(untrusted: $0, base: base) }
        guard
            let url = result ?? Array(bytes).withUnsafeBufferPointer({ WebURL.parse(untrusted: $0, base: base) })
        else { return nil }
        self = url
    }
}

// MARK: - Parts

extension WebURL {
    /// The scheme in lower case, without the colon.
    public var scheme: String {
        switch layout.scheme {
        case .http: "http"
        case .https: "https"
        case .ws: "ws"
        case .wss: "wss"
        case .ftp: "ftp"
        case .file: "file"
        case .other: text(0, layout.schemeEnd)
        }
    }

    /// The user name, percent-encoded; empty if there is none.
    public var username: String {
        layout.hasHost ? text(layout.schemeEnd &+ 3, layout.usernameEnd) : ""
    }

    /// The password, percent-encoded; empty if there is none.
    public var password: String {
        layout.hostStart > layout.usernameEnd &+ 1 ? text(layout.usernameEnd &+ 1, layout.hostStart &- 1) : ""
    }

    /// The serialized host (`example.org`, `xn--bcher-kva.example`, `[::1]`); nil if the URL has none, or an empty one.
    public var host: String? {
        layout.hostEnd > layout.hostStart ? text(layout.hostStart, layout.hostEnd) : nil
    }

    /// Whether both URLs have the same host, or both have none.
    public func hasHost(of other: WebURL) -> Bool {
        let (mine, others) = (layout.hostStart..<layout.hostEnd, other.layout.hostStart..<other.layout.hostEnd)
        guard mine.count == others.count else { return false }
        return withBytes { mineBytes in
            other.withBytes { otherBytes in
                mineBytes[Int(mine.lowerBound)..<Int(mine.upperBound)]
                    .elementsEqual(otherBytes[Int(others.lowerBound)..<Int(others.upperBound)])
            }
        }
    }

    /// The port; nil if it is the scheme's default.
    public var port: Int? {
        guard layout.hasHost, layout.hostEnd < layout.pathStart else { return nil }
        return Int(text(layout.hostEnd &+ 1, layout.pathStart))
    }

    /// The path, percent-encoded. It begins with a slash in http and https URLs; it is opaque in URLs like `mailto:x`.
    public var path: String { text(layout.pathStart, layout.queryStart) }

    /// The query, percent-encoded, without the question mark; nil if there is none, empty for a bare `?`.
    public var query: String? {
        layout.queryStart < layout.fragmentStart ? text(layout.queryStart &+ 1, layout.fragmentStart) : nil
    }

    /// The fragment, percent-encoded, without the number sign; nil if there is none, empty for a bare `#`.
    public var fragment: String? {
        hasFragment ? text(layout.fragmentStart &+ 1, end) : nil
    }

    /// The request target: `/a/b?q=1`.
    public var pathAndQuery: String { text(layout.pathStart, layout.fragmentStart) }

    /// Whether the scheme is http or https.
    public var isHTTP: Bool { layout.scheme == .http || layout.scheme == .https }

    /// Scheme, host and port: `https://example.org:8443`. robots.txt and association files belong to an origin. Nil for schemes
    /// other than http and https.
    public var origin: String? {
        guard isHTTP else { return nil }
        if layout.hostStart == layout.schemeEnd &+ 3 { return text(0, layout.pathStart) }
        return text(0, layout.schemeEnd &+ 3) + text(layout.hostStart, layout.pathStart)
    }

    /// The URL without its fragment, as it is sent in a request.
    public func removingFragment() -> WebURL {
        hasFragment ? WebURL(href: text(0, layout.fragmentStart), layout: layout) : self
    }

    var hasFragment: Bool { layout.fragmentStart < end }

    private var end: UInt32 { UInt32(truncatingIfNeeded: href.utf8.count) }

    private func text(_ start: UInt32, _ end: UInt32) -> String {
        let bytes = href.utf8
        let first = bytes.index(bytes.startIndex, offsetBy: Int(start))
        return String(href[first..<bytes.index(first, offsetBy: Int(end) - Int(start))])
    }

    /// Calls `body` with the bytes of `href`.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        href.utf8.withContiguousStorageIfAvailable(body) ?? Array(href.utf8).withUnsafeBufferPointer(body)
    }
}

extension WebURL: Hashable, CustomStringConvertible {
    public static func == (a: WebURL, b: WebURL) -> Bool { a.href == b.href }

    public func hash(into hasher: inout Hasher) { hasher.combine(href) }

    public var description: String { href }
}
