import Hummingbird

typealias HTTPStatus = HTTPResponse.Status
typealias HTTPField = HTTPFields.Element

/// A path of the server and who answers it.
struct WebRoute: Sendable {
    /// In which form errors are answered.
    enum Form: Sendable { case page, json }

    let method: WebRequest.Method
    let path: String
    let form: Form
    /// Whether it is answered without a token.
    var isOpen = false
    /// What the description of the API says of it; nil for pages.
    var operation: APIOperation?
    /// Whether pages of other sites may not ask for it, as with forms: it costs something.
    var refusesForeignPages = false
    let answer: @Sendable (WebRequest, WebContext) async throws -> WebAnswer

    /// A page for people.
    static func page(
        _ path: String, _ method: WebRequest.Method = .get, isOpen: Bool = false,
        _ answer: @escaping @Sendable (WebRequest, WebContext) async throws -> WebAnswer
    ) -> WebRoute {
        WebRoute(method: method, path: path, form: .page, isOpen: isOpen, answer: answer)
    }

    /// Something for programs. Its parameters are checked before it is called.
    static func api(
        _ path: String, _ operation: APIOperation, method: WebRequest.Method = .get, isOpen: Bool = false,
        refusesForeignPages: Bool = false,
        _ answer: @escaping @Sendable (WebRequest, WebContext) async throws -> WebAnswer
    ) -> WebRoute {
        WebRoute(
            method: method, path: path, form: .json, isOpen: isOpen, operation: operation,
            refusesForeignPages: refusesForeignPages, answer: answer)
    }
}

/// All routes of the server, and the choice among them.
struct WebRoutes: Sendable {
    static let all: [WebRoute] =
        SearchPage.routes + RecordPage.routes + CardPage.routes + SitePage.routes + CrawlPage.routes + ClickRoute.routes
        + SearchAPI.routes + RecordAPI.routes + APIDescription.routes + ServerPages.routes

    /// Whether there is a page at a path.
    static func has(_ path: String) -> Bool { paths.contains(path) }

    private static let paths = Set(all.map(\.path))

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
        let allowed = routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
        throw WebRefusal(
            .methodNotAllowed, "The method \(method.rawValue) is not for this address.",
            fields: [(.allow, allowed.joined(separator: ", "))])
    }

    /// The form of errors at a path.
    func form(of path: String) -> WebRoute.Form {
        byPath[path]?.first?.form ?? (path.hasPrefix("/api/") ? .json : .page)
    }
}
