import Foundation

/// The result of a fetch, to be read: the final address, the response, and its time.
public struct PageSource: Sendable {
    /// The URL after redirects. Relative URLs of the page are resolved against it.
    public let url: WebURL
    /// The HTTP status.
    public let status: Int
    /// The header fields of the response.
    public let headers: HTTPHeaders
    /// The body without content codings, still in the page's character encoding.
    public let bytes: [UInt8]
    /// The time of the fetch.
    public let fetchedAt: Date

    /// Where the page's scripts wanted to go, in order, if the page was rendered. None was followed.
    public var scriptNavigations: [String] = []
    /// The robots directives of the page's HTML, if it was rendered. Scripts cannot take them back.
    public var directivesBeforeScripts: [HTMLMetadata.RobotsTag] = []

    /// Creates a source.
    public init(url: WebURL, status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), bytes: [UInt8], fetchedAt: Date) {
        self.url = url
        self.status = status
        self.headers = headers
        self.bytes = bytes
        self.fetchedAt = fetchedAt
    }
}
