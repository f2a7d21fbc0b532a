import Foundation
import PippinPage

/// Runs the scripts of pages. There are two implementations: the browser of PippinRender, and the tests' fake.
public protocol Renderer: Sendable {
    /// Runs the scripts of a page that was fetched.
    ///
    /// - Parameters:
    ///   - page: the answer to the page's request. Only its URL, fields and body are used.
    ///   - loader: answers the requests of the page's scripts. The renderer makes none itself.
    /// - Returns: the page as its scripts have made it. What a hostile page does is a failure of that page only.
    func render(_ page: FetchResponse, loading loader: any SubresourceLoader) async -> Result<
        RenderedPage, RenderFailure
    >
}

/// Answers the requests of rendered pages, under the same rules as all others.
public protocol SubresourceLoader: Sendable {
    /// Makes one exchange, without following redirects: the target comes back as a new request. Cancelling the task ends it.
    func load(_ request: Subresource) async -> SubresourceAnswer
}

/// The answer to a request of a page's scripts.
public enum SubresourceAnswer: Sendable {
    /// An answer with any status.
    ///
    /// - Parameter isKept: whether an earlier request had brought it.
    case response(FetchResponse, isKept: Bool)
    /// There is no answer, mostly because our rules forbid the request (`RequestFailure.refusalCode`).
    case failed(RequestFailure)

    init(_ result: Result<FetchResponse, RequestFailure>) {
        switch result {
        case .success(let response): self = .response(response, isKept: false)
        case .failure(let failure): self = .failed(failure)
        }
    }
}

/// A page as its scripts have made it.
public struct RenderedPage: Sendable {
    /// How the rendering ended.
    public enum Ending: String, Sendable, Hashable, CaseIterable {
        /// The page had the whole settling time.
        case settled
        /// Its scripts computed without end and were stopped.
        case stalled
        /// It was open for too long.
        case timedOut = "timed_out"
        /// It asked for far more than it may.
        case tooManyRequests = "too_many_requests"
        /// A limit of number or bytes kept files from it.
        case limited

        /// A clause about the page's scripts.
        var clause: String {
            switch self {
            case .settled: "it had its time"
            case .stalled: "they compute without end, so they were stopped"
            case .timedOut: "they were not ready in time"
            case .tooManyRequests: "they ask for far too many files"
            case .limited: "a limit kept files from them"
            }
        }
    }

    /// A request of the page's scripts.
    public struct Request: Sendable, Hashable {
        public enum Result: Sendable, Hashable {
            case answered(status: Int, bytes: Int, isKept: Bool)
            case failed(RequestFailure)
        }

        public let url: String
        public let kind: Subresource.Kind
        public let result: Result

        public init(url: String, kind: Subresource.Kind, result: Result) {
            self.url = url
            self.kind = kind
            self.result = result
        }
    }

    /// What its scripts say went wrong. The words are the page's own: one line without control characters, 300 of them at most.
    public struct ScriptError: Sendable, Hashable {
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// `console.error(…)`.
            case console
            /// An exception that nothing caught.
            case exception
            /// A promise that failed, and nothing took it.
            case rejection
        }

        public let kind: Kind
        public let text: String
        /// The script's address with line and column, from 1; nil if it is not known.
        public let place: String?
        /// How often it came.
        public let count: Int

        public init(kind: Kind, text: String, place: String? = nil, count: Int = 1) {
            (self.kind, self.text, self.place, self.count) = (kind, text, place, count)
        }

        public var json: JSONValue {
            JSONObject.with {
                $0.put("kind", kind.rawValue)
                $0.put("text", text)
                $0.put("place", place)
                $0["count"] = .integer(count)
            }
        }
    }

    /// The document as HTML in UTF-8, with shadow trees in their place.
    public var html: [UInt8]
    public var elements: Int
    /// Whether the document was cut, because it has too many elements or bytes.
    public var isCut: Bool
    public var ending: Ending
    /// The requests of its scripts, in order; the first 500.
    public var requests: [Request]
    /// Where its scripts wanted to go: other pages, apps (`shop://item/1`, `intent://…`), stores. None was followed.
    public var navigations: [String]
    /// The page that its scripts put in their own page's place (`location = …`), the first one.
    public var redirect: WebURL?
    /// Requests that the limits of number and bytes kept from it.
    public var refusedByLimits: Int
    /// What its scripts say went wrong, in order; the first 20 that differ.
    public var errors: [ScriptError]
    /// How often something went wrong. It is counted up to `maximumErrorCount`.
    public var errorCount: Int

    public static let maximumErrorCount = 1_000

    /// What a person sees of it at first on a phone, as JPEG, whose bytes nobody has looked at.
    public struct Screenshots: Sendable, Hashable {
        /// The fetched page without scripts, and with them; nil if the browser did not take it.
        public var before: [UInt8]?
        public var after: [UInt8]?

        public init(before: [UInt8]? = nil, after: [UInt8]? = nil) { (self.before, self.after) = (before, after) }

        /// In pixels: a common phone's.
        public static let width = 390
        public static let height = 844
        public static let maximumBytes = 400_000
    }

    /// Only if the renderer is told to take them.
    public var screenshots: Screenshots?

    public init(
        html: [UInt8], elements: Int = 0, isCut: Bool = false, ending: Ending = .settled, requests: [Request] = [],
        navigations: [String] = [], redirect: WebURL? = nil, refusedByLimits: Int = 0, errors: [ScriptError] = [],
        errorCount: Int = 0
    ) {
        self.html = html
        self.elements = elements
        self.isCut = isCut
        self.ending = ending
        self.requests = requests
        self.navigations = navigations
        self.redirect = redirect
        self.refusedByLimits = refusedByLimits
        (self.errors, self.errorCount) = (errors, errorCount)
    }

    /// The rendered page in the place of the fetched one: same URL, fields and time, with the body of the rendering. Its fields say
    /// UTF-8, in which the rendering is written.
    ///
    /// - Parameter directives: the robots directives that the page had before. Scripts cannot take them back.
    public func source(of raw: FetchResponse, directives: [HTMLMetadata.RobotsTag]) -> PageSource {
        var headers = HTTPHeaders(
            raw.headers.fields.filter { $0.name.asciiLowercased != "content-type" }.map { ($0.name, $0.value) })
        headers.append(name: "Content-Type", value: "text/html; charset=utf-8")
        var source = PageSource(
            url: raw.url, status: raw.status, headers: headers, bytes: html, fetchedAt: raw.fetchedAt)
        source.scriptNavigations = navigations
        source.directivesBeforeScripts = directives
        return source
    }
}

/// Why a page could not be rendered. The fetched page is used as it is.
public enum RenderFailure: Error, Sendable, Hashable {
    /// The browser could not be started; with its words.
    case browserUnavailable(String)
    /// The browser ended while the page was open, twice.
    case browserEnded
    /// The page's process ended: it took too much memory, or made the browser fail.
    case pageCrashed
    /// The page did not let itself be read even with its scripts stopped.
    case hung
    /// The page's document could not be opened.
    case notOpened(String)
    /// Its scripts put another document in its place.
    case replaced
    case cancelled

    /// Stable name of the failure.
    public var code: String {
        switch self {
        case .browserUnavailable: "browser_unavailable"
        case .browserEnded: "browser_ended"
        case .pageCrashed: "page_crashed"
        case .hung: "hung"
        case .notOpened: "not_opened"
        case .replaced: "replaced"
        case .cancelled: "cancelled"
        }
    }

    /// One sentence without its full stop.
    public var sentence: String {
        switch self {
        case .browserUnavailable(let words): "the browser could not be started: \(words)"
        case .browserEnded: "the browser ended while the page was open"
        case .pageCrashed: "the page's process in the browser ended, mostly for want of memory"
        case .hung: "the page did not let itself be read even with its scripts stopped"
        case .notOpened(let words): "the browser did not open the page: \(words)"
        case .replaced: "its scripts put another document in its place"
        case .cancelled: "the rendering was stopped"
        }
    }
}

/// Why a page is rendered.
public enum RenderReason: Sendable {
    /// The configuration says so.
    case always
    /// Its scripts make its content.
    case need(RenderNeed.Sign)

    /// `the page was rendered, because #root is empty`, with nothing before and after it.
    var clause: String {
        switch self {
        case .always: "the configuration says so"
        case .need(.emptyMount(let name)): "\(name) is empty in its HTML"
        case .need(.showsPlaceholders): "its HTML has placeholders for its content"
        case .need(.demandsJavaScript): "its HTML asks for JavaScript"
        case .need(.hardlyAnything): "its HTML says hardly anything"
        }
    }
}

/// What a crawl renders with.
struct CrawlRendering: Sendable {
    let renderer: any Renderer
    let desk: SubresourceDesk
    let lessons = RenderLessons()
}
