/// A page's wish to be left for another after some time: `<meta http-equiv=refresh>` or the `Refresh` header.
public struct Refresh: Sendable {
    /// Seconds, whole ones.
    public let delay: Int
    /// Nil when the page only reloads itself.
    public let url: WebURL?
    public let isFromHeader: Bool
    public let line: Int?

    /// An immediate refresh is a redirect; a later one is a link.
    public var isRedirect: Bool { delay == 0 && url != nil }
}
