/// What the status of an answer means (RFC 9110 §15), for pages and for all files of a site.
public enum StatusMeaning: Sendable, Hashable {
    /// 200 and 203: the body is what was asked for.
    case content
    /// 204 and 205: there is no body.
    case empty
    /// 304: our copy is valid.
    case notModified
    /// 301, 302, 303, 307 and 308, and 300 with a `Location`: "the user agent MAY use the Location field value for automatic
    /// redirection" (§15.4.1).
    case redirect(isPermanent: Bool)
    /// 404 and 410.
    case gone
    /// 429 and 503: the host wants fewer requests.
    case throttled
    /// Any other 5xx.
    case serverError
    /// Anything else: 401, 403, 451, 206, 305 …
    case refused

    /// - Parameter location: the `Location` field.
    public init(_ status: Int, location: String? = nil) {
        switch status {
        case 200, 203: self = .content
        case 204, 205: self = .empty
        case 304: self = .notModified
        case 301, 308: self = .redirect(isPermanent: true)
        case 302, 303, 307: self = .redirect(isPermanent: false)
        case 300 where location != nil: self = .redirect(isPermanent: false)
        case 404, 410: self = .gone
        case 429, 503: self = .throttled
        case 500...599: self = .serverError
        default: self = .refused
        }
    }

    /// Whether the host is in trouble, so that a later request may succeed.
    public var isTrouble: Bool { self == .throttled || self == .serverError }
}

/// Where an answer or a page sends its readers.
public struct Redirect: Sendable, Hashable {
    public enum Target: Sendable, Hashable {
        /// A page to be asked for.
        case page(WebURL)
        /// An app: `myapp://item/1`.
        case app(WebURL)
        /// There is no `Location`, or its address opens nothing: `javascript:`, `mailto:`, `about:blank`.
        case nowhere
    }

    public let isPermanent: Bool
    public let target: Target
    /// The `Location` field as written; empty without one.
    public let location: String

    /// The redirect of an answer; nil if it is none.
    ///
    /// - Parameter url: the address that answered.
    public init?(status: Int, location: String?, from url: WebURL) {
        guard case .redirect(let isPermanent) = StatusMeaning(status, location: location) else { return nil }
        self.isPermanent = isPermanent
        self.location = location ?? ""
        // An empty address would be the answer's own. Of controls and spaces an address parser leaves nothing.
        let isEmpty = self.location.utf8.allSatisfy { $0 <= 0x20 }
        target = isEmpty ? .nowhere : WebURL(self.location, base: url).map(Self.target) ?? .nowhere
    }

    /// The address of the page or app; nil if it leads nowhere.
    public var address: WebURL? {
        switch target {
        case .page(let url), .app(let url): url
        case .nowhere: nil
        }
    }

    /// The redirect of a page that refreshes at once, or whose scripts go on.
    public init(refreshTo url: WebURL) {
        isPermanent = false
        target = Self.target(url)
        location = url.href
    }

    private static let inertSchemes: Set<String> = [
        "about", "blob", "data", "file", "javascript", "mailto", "tel", "view-source",
    ]

    private static func target(_ url: WebURL) -> Target {
        if url.isHTTP { return .page(url) }
        return inertSchemes.contains(url.scheme) ? .nowhere : .app(url)
    }
}
