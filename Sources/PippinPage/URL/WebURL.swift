import Foundation

/// A URL of the web, parsed and serialised as the WHATWG URL Standard says.
public struct WebURL: Sendable, Hashable {
    public let href: String
    public init?(_ string: some StringProtocol, base: WebURL? = nil) {
        guard let url = URL(string: String(string), relativeTo: base.flatMap { URL(string: $0.href) })?.absoluteURL,
            url.scheme != nil
        else { return nil }
        href = url.absoluteString
    }
    private var url: URL? { URL(string: href) }
    /// Without the colon, lower case.
    public var scheme: String { url?.scheme ?? "" }
    public var username: String { url?.user ?? "" }
    public var password: String { url?.password ?? "" }
    /// Serialised host (`example.org`, `[::1]`), nil where the URL has none.
    public var host: String? { url?.host }
    /// Port when it is not the scheme's default.
    public var port: Int? { url?.port }
    /// Serialised path, percent-encoded.
    public var path: String { url?.path ?? "" }
    public var query: String? { url?.query }
    public var fragment: String? { url?.fragment }
    public var isHTTP: Bool { scheme == "http" || scheme == "https" }
    /// `https://example.org:8443`: scheme, host and port, the unit of robots.txt and association files; nil for other schemes than http(s).
    public var origin: String? { host.map { "\(scheme)://\($0)" + (port.map { ":\($0)" } ?? "") } }
}
