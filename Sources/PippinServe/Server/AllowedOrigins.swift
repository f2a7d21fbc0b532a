import Hummingbird
import PippinCrawl
import PippinPage

/// The origins whose pages may use the API from a browser (CORS protocol, Fetch Standard §3.3).
///
/// Their scripts send the token or a key in `Authorization`. Cookies of this server do not count in their requests, and browsers are never told
/// that they may send any.
public struct AllowedOrigins: Sendable {
    private let origins: Set<String>

    public static let none = AllowedOrigins()

    private init() { origins = [] }

    /// - Parameter texts: as browsers write them: `https://app.example`, `http://localhost:3000`.
    /// - Throws: `ReportedFailure` for anything else: a path, `null`, `*`.
    public init(_ texts: [String]) throws(ReportedFailure) {
        for text in texts where WebURL(text)?.origin != text {
            let meant = WebURL(text)?.origin.map { " Did you mean \($0)?" } ?? ""
            throw ReportedFailure(
                "--allow-origin \(text) is no origin, which is a scheme and a host, such as https://app.example.\(meant)",
                .usage)
        }
        origins = Set(texts)
    }

    var isEmpty: Bool { origins.isEmpty }

    static func concern(_ path: String) -> Bool {
        path.hasPrefix("/api/") || path == "/openapi.json" || path == "/mcp"
    }

    /// The origin of a request for the API, if it is one of these.
    func origin(of head: HTTPRequest, path: String) -> String? {
        guard Self.concern(path), let origin = head.headerFields[.origin], origins.contains(origin) else { return nil }
        return origin
    }

    /// The fields of an answer to a page of an allowed origin.
    static func fields(for origin: String) -> [(name: HTTPField.Name, value: String)] {
        [(.accessControlAllowOrigin, origin), (.accessControlExposeHeaders, "ETag, Retry-After")]
    }

    /// The answer to a browser that asks whether it may send a request; nil if the request asks something else.
    static func preflight(_ head: HTTPRequest, methods: [String]) -> WebAnswer? {
        guard head.method == .options, head.headerFields[.accessControlRequestMethod] != nil, !methods.isEmpty else {
            return nil
        }
        return WebAnswer(
            status: .noContent,
            fields: [
                (.accessControlAllowMethods, methods.joined(separator: ", ")),
                (
                    .accessControlAllowHeaders,
                    "Authorization, Content-Type, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
                ),
                (.accessControlMaxAge, "600"),
            ])
    }
}
