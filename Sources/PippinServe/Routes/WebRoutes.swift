import Hummingbird

/// All routes of the server, and the choice among them.
struct WebRoutes: Sendable {
    static let all: [WebRoute] =
        SearchPage.routes + RecordPage.routes + CardPage.routes + SitePage.routes + CrawlPage.routes + ClickRoute.routes
        + PictureRoute.routes + MCPRoute.routes + SearchAPI.routes + RecordAPI.routes + WhyAPI.routes + SiteAPI.routes
        + ChangesAPI.routes
        + APIDescription.routes + ServerPages.routes

    /// All that a server for pings has.
    static let ofPings: [WebRoute] = PingRoute.routes + ServerPages.health

    private let byPath: [String: [WebRoute]]

    init(_ routes: [WebRoute] = WebRoutes.all) {
        byPath = Dictionary(grouping: routes, by: \.path)
    }

    /// The route of a request. HEAD is answered by the route of GET.
    ///
    /// - Throws: `WebRefusal` if there is none.
    func route(_ method: HTTPRequest.Method, _ path: String) throws(WebRefusal) -> WebRoute {
        guard let routes = byPath[path] else {
            throw WebRefusal(.notFound, "There is nothing at this address.")
        }
        let wanted = method == .head ? HTTPRequest.Method.get.rawValue : method.rawValue
        if let route = routes.first(where: { $0.method.rawValue == wanted }) { return route }
        throw WebRefusal(
            .methodNotAllowed, "The method \(method.rawValue) is not for this address.",
            fields: [(.allow, methods(path).joined(separator: ", "))])
    }

    /// The methods for a path; empty if there is nothing.
    func methods(_ path: String) -> [String] {
        byPath[path, default: []].flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
    }

    /// The form of errors at a path.
    func form(of path: String) -> WebRoute.Form {
        byPath[path]?.first?.form ?? (path.hasPrefix("/api/") ? .json : .page)
    }
}
