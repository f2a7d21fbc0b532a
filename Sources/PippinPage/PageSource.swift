import Foundation

/// What a fetch hands over to be read: where the bytes were found in the end, what the server said of them, and when.
public struct PageSource: Sendable {
    /// The URL after redirects; the base of everything relative on the page.
    public let url: WebURL
    public let status: Int
    public let headers: HTTPHeaders
    /// The body as it came, content codings removed, still in the page's own character encoding.
    public let bytes: [UInt8]
    public let fetchedAt: Date

    /// Whether an answer with this status has the page that was asked for in its body.
    public static func hasPage(_ status: Int) -> Bool { status == 200 || status == 203 }

    public init(url: WebURL, status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), bytes: [UInt8], fetchedAt: Date) {
        self.url = url
        self.status = status
        self.headers = headers
        self.bytes = bytes
        self.fetchedAt = fetchedAt
    }
}
