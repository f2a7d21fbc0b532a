/// A path of the server and who answers it.
struct WebRoute: Sendable {
    /// In which form errors are answered.
    enum Form: Sendable {
        case page
        /// As a problem object, and the description of the API has it.
        case json
        /// As a problem object. What else is asked and answered, a standard says.
        case protocolOfItsOwn
    }

    let method: WebRequest.Method
    let path: String
    let form: Form
    /// Whether it is answered without a token.
    var isOpen = false
    /// Whether keys that may only search give access (`SearchKeys`).
    var isForSearchKeys = false
    /// Whether its work ends when the client goes away, because it costs others something.
    var endsWithClient = false
    /// The longest body that it takes.
    var maximumBodyBytes = WebLimits.bodyBytes
    /// What the description of the API says of it; nil for pages.
    var operation: APIOperation?
    let answer: @Sendable (WebRequest, WebContext) async throws -> WebAnswer

    /// The same route, whose work ends when the client goes away.
    var endingWithClient: WebRoute {
        var route = self
        route.endsWithClient = true
        return route
    }

    /// The same route, which keys that may only search give access to.
    var forSearchKeys: WebRoute {
        var route = self
        route.isForSearchKeys = true
        return route
    }

    /// A page for people.
    static func page(
        _ path: String, _ method: WebRequest.Method = .get, isOpen: Bool = false,
        _ answer: @escaping @Sendable (WebRequest, WebContext) async throws -> WebAnswer
    ) -> WebRoute {
        WebRoute(method: method, path: path, form: .page, isOpen: isOpen, answer: answer)
    }

    /// Something for programs. Its parameters, those of the query or of a POST's form, are checked before it is called.
    static func api(
        _ path: String, _ operation: APIOperation, method: WebRequest.Method = .get, isOpen: Bool = false,
        _ answer: @escaping @Sendable (WebRequest, WebContext) async throws -> WebAnswer
    ) -> WebRoute {
        WebRoute(
            method: method, path: path, form: .json, isOpen: isOpen, operation: operation, answer: answer)
    }
}
