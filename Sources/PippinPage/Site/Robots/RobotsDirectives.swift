import Foundation

/// What a page asks of crawlers by `<meta name="robots">`, a meta named after a crawler, and `X-Robots-Tag` headers.
///
/// Everything that is addressed to everyone or to one of `agents` applies, and the most restrictive of it counts, as
/// Google documents for itself. Applebot documents `noindex`, `nosnippet`, `nofollow`, `none` and `all`; the rest are
/// Google's and Bing's and are recorded.
public struct RobotsDirectives: Sendable, Hashable {
    public enum Source: Sendable, Hashable {
        /// A meta element with this name, in lower case: `robots`, `applebot`.
        case meta(name: String)
        /// An `X-Robots-Tag` header, for this agent (lower case) or for everyone.
        case header(agent: String?)

        /// For a person to read: `meta applebot`, `X-Robots-Tag`.
        public var label: String {
            switch self {
            case .meta(let name): "meta \(name)"
            case .header(let agent?): "X-Robots-Tag for \(agent)"
            case .header(nil): "X-Robots-Tag"
            }
        }

        /// The agent that is spoken to; nil for everyone.
        var agent: String? {
            switch self {
            case .meta("robots"), .header(nil): nil
            case .meta(let name): name
            case .header(let agent): agent
            }
        }
    }

    /// What may be asked. `none` and `nocache` are not here: they are other words for these.
    public enum Directive: String, Sendable, CaseIterable {
        case all, index, follow, noindex, nofollow, nosnippet, noarchive, noimageindex, notranslate, indexifembedded
        case maxSnippet = "max-snippet"
        case maxImagePreview = "max-image-preview"
        case maxVideoPreview = "max-video-preview"
        case unavailableAfter = "unavailable_after"
    }

    /// One directive as it was found.
    public struct Statement: Sendable, Hashable {
        public let directive: Directive
        /// What follows the colon.
        public let value: String?
        public let source: Source
    }

    enum ImagePreview: String, Sendable, Comparable {
        case none, standard, large

        static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

        private var rank: Int {
            switch self {
            case .none: 0
            case .standard: 1
            case .large: 2
            }
        }
    }

    /// Everything that applies, in order: metas, then headers.
    public let statements: [Statement]
    public let notes: [ParseNote]
    public private(set) var noindex = false
    public private(set) var nofollow = false
    public private(set) var nosnippet = false
    private(set) var noarchive = false
    private(set) var noimageindex = false
    private(set) var notranslate = false
    /// Characters of a snippet; nil without a limit, 0 for none.
    public private(set) var maxSnippet: Int?
    private(set) var maxImagePreview: ImagePreview?
    /// Seconds of a video; nil without a limit.
    private(set) var maxVideoPreview: Int?
    /// The page must not be shown after this moment.
    public private(set) var unavailableAfter: Date?

    /// Where a directive comes from; empty when it was not given.
    public func sources(of directive: Directive) -> [Source] {
        statements.filter { $0.directive == directive }.map(\.source)
    }

    /// - Parameters:
    ///   - metas: name and content of a page's meta elements; those with other names are passed over.
    ///   - agents: the crawlers whose names bind us, besides `robots` and headers without a name.
    public init(
        metas: [(name: String, content: String)], headers: HTTPHeaders = HTTPHeaders(), agents: [String] = ["Applebot"]
    ) {
        let names = Set(agents.map(\.asciiLowercased))
        var reader = RobotsDirectivesReader(agents: names)
        for meta in metas {
            let name = meta.name.asciiLowercased
            guard name == "robots" || names.contains(name) else { continue }
            reader.read(meta.content, source: .meta(name: name))
        }
        for value in headers.values("X-Robots-Tag") { reader.read(value, source: .header(agent: nil)) }
        statements = reader.statements
        notes = reader.notes.finished()
        for statement in statements { apply(statement) }
    }

    private mutating func apply(_ statement: Statement) {
        let value = statement.value ?? ""
        switch statement.directive {
        case .all, .index, .follow, .indexifembedded: break
        case .noindex: noindex = true
        case .nofollow: nofollow = true
        case .nosnippet: nosnippet = true
        case .noarchive: noarchive = true
        case .noimageindex: noimageindex = true
        case .notranslate: notranslate = true
        case .maxSnippet: maxSnippet = Self.lower(maxSnippet, Self.limit(value))
        case .maxVideoPreview: maxVideoPreview = Self.lower(maxVideoPreview, Self.limit(value))
        case .maxImagePreview:
            maxImagePreview = Self.lower(maxImagePreview, ImagePreview(rawValue: value.asciiLowercased))
        case .unavailableAfter: unavailableAfter = Self.lower(unavailableAfter, Self.moment(value))
        }
    }

    private static func lower<Value: Comparable>(_ a: Value?, _ b: Value?) -> Value? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }

    /// -1 says "no limit"; nothing else below zero says anything.
    static func limit(_ value: String) -> Int? {
        Int(value).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Google takes RFC 822, RFC 850 and ISO 8601.
    static func moment(_ value: String) -> Date? {
        W3CDateTime.date(from: value) ?? HTTPDate.date(from: value)
    }
}
