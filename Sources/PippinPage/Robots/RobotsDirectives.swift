import Foundation

/// A page's requests to crawlers: `<meta name="robots">`, a meta named after a crawler, and `X-Robots-Tag` headers.
///
/// All directives for everyone or for one of `agents` apply, and the most restrictive one counts, as Google documents for
/// itself. Applebot documents `noindex`, `nosnippet`, `nofollow`, `none` and `all` ("About Applebot"); the others are Google's
/// and Bing's. A reader with the single name `Applebot` follows only what Applebot documents; all other readers follow everything.
/// `statements` has all directives for the reader, followed or not.
public struct RobotsDirectives: Sendable, Hashable {
    /// The meta element or header that contains a directive.
    public enum Source: Sendable, Hashable {
        /// A meta element with this name, in lower case: `robots`, `applebot`.
        case meta(name: String)
        /// An `X-Robots-Tag` header, for this agent (lower case) or for everyone.
        case header(agent: String?)

        /// The source in words for people: `meta applebot`, `X-Robots-Tag`.
        public var label: String {
            switch self {
            case .meta(let name): "meta \(name)"
            case .header(let agent?): "X-Robots-Tag for \(agent)"
            case .header(nil): "X-Robots-Tag"
            }
        }

        /// The crawler that the directive is for; nil for everyone.
        var agent: String? {
            switch self {
            case .meta("robots"), .header(nil): nil
            case .meta(let name): name
            case .header(let agent): agent
            }
        }
    }

    /// The known directives. `none` is missing, because it stands for several of them.
    public enum Directive: String, Sendable, CaseIterable {
        case all, index, follow, noindex, nofollow, nosnippet, noarchive, noimageindex, notranslate, indexifembedded
        /// Bing's: less than `noarchive` for chat and training, and the same for a copy of the page.
        case nocache
        /// DeviantArt's of 2022, which no large crawler documents.
        case noai, noimageai
        case maxSnippet = "max-snippet"
        case maxImagePreview = "max-image-preview"
        case maxVideoPreview = "max-video-preview"
        case unavailableAfter = "unavailable_after"
    }

    /// One directive as found.
    public struct Statement: Sendable, Hashable {
        /// The directive.
        public let directive: Directive
        /// The text after the colon, if any.
        public let value: String?
        /// The place where the directive was found.
        public let source: Source
        /// Whether the page writes `none`, which is short for several directives.
        let isNone: Bool

        /// The moment that `unavailable_after` names; nil for other directives, and if it cannot be read.
        public var moment: Date? {
            directive == .unavailableAfter ? value.flatMap(RobotsDirectives.moment) : nil
        }
    }

    /// How large a picture in a result may be (`max-image-preview`).
    public enum ImagePreview: String, Sendable, Comparable {
        case none, standard, large

        public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

        private var rank: Int {
            switch self {
            case .none: 0
            case .standard: 1
            case .large: 2
            }
        }
    }

    /// All directives that apply, in order: metas first, then headers.
    public let statements: [Statement]
    /// Leniencies used and limits reached while reading.
    public let notes: [ParseNote]
    /// Whether the page must not be indexed.
    public private(set) var noindex = false
    /// Whether the page's links must not be followed.
    public private(set) var nofollow = false
    /// Whether no snippet may be shown.
    public private(set) var nosnippet = false
    private(set) var noarchive = false
    /// Whether the page's pictures must not be indexed.
    public private(set) var noimageindex = false
    private(set) var notranslate = false
    /// The longest allowed snippet in characters; nil without a limit, 0 for no snippet.
    public private(set) var maxSnippet: Int?
    /// How large the picture in a result may be; nil without a limit.
    public private(set) var maxImagePreview: ImagePreview?
    /// The longest allowed video preview in seconds; nil without a limit.
    private(set) var maxVideoPreview: Int?
    /// The moment after which the page must not be shown; nil if there is none.
    public private(set) var unavailableAfter: Date?

    /// The directives of "About Applebot" and their opposites. `none` stands for three of them.
    private static let followedByApplebot: Set<Directive> = [.all, .index, .follow, .noindex, .nofollow, .nosnippet]

    /// The sources of a directive; empty if the page does not have it.
    public func sources(of directive: Directive) -> [Source] {
        statements.filter { $0.directive == directive }.map(\.source)
    }

    /// Whether the page has a directive only as a part of `none`.
    public func isWrittenNone(_ directive: Directive) -> Bool {
        let found = statements.filter { $0.directive == directive }
        return !found.isEmpty && found.allSatisfy(\.isNone)
    }

    /// Whether a list of directives asks for anything: all but those that state what holds without them.
    static func asksAnything(_ content: String) -> Bool {
        RobotsDirectives(metas: [("robots", content)], agents: ["robots"]).statements.contains {
            ![.all, .index, .follow].contains($0.directive)
        }
    }

    /// Reads the directives of a page.
    ///
    /// - Parameters:
    ///   - metas: name and content of the page's meta elements. Elements with other names are ignored.
    ///   - agents: crawler names whose directives apply to the reader, in addition to `robots` and headers without a name. Empty
    ///     for a reader that does not index and so follows no directives.
    public init(
        metas: [(name: String, content: String)], headers: HTTPHeaders = HTTPHeaders(), agents: [String]
    ) {
        let names = Set(agents.map(\.asciiLowercased))
        guard !names.isEmpty else {
            (statements, notes) = ([], [])
            return
        }
        var reader = RobotsDirectivesReader(agents: names)
        for meta in metas {
            let name = meta.name.asciiLowercased
            guard name == "robots" || names.contains(name) else { continue }
            reader.read(meta.content, source: .meta(name: name))
        }
        reader.beginHeaders()
        for value in headers.values("X-Robots-Tag") { reader.read(value, source: .header(agent: nil)) }
        statements = reader.statements
        notes = reader.notes.finished()
        let isApplebotAlone = names == ["applebot"]
        for statement in statements where !isApplebotAlone || Self.followedByApplebot.contains(statement.directive) {
            apply(statement)
        }
    }

    private mutating func apply(_ statement: Statement) {
        let value = statement.value ?? ""
        switch statement.directive {
        case .all, .index, .follow, .indexifembedded, .noai, .noimageai: break
        case .noindex: noindex = true
        case .nofollow: nofollow = true
        case .nosnippet: nosnippet = true
        case .noarchive, .nocache: noarchive = true
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

    /// A limit as a number; nil for -1, which means "no limit", and for invalid text.
    static func limit(_ value: String) -> Int? {
        Int(value).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Reads RFC 822, RFC 850 and ISO 8601, as Google does. Nil for other text.
    static func moment(_ value: String) -> Date? {
        W3CDateTime.date(from: value) ?? HTTPDate.date(from: value)
    }
}

/// Reads lists of directives. Metas and headers share the grammar, except that a header may name agents.
struct RobotsDirectivesReader {
    private(set) var statements: [RobotsDirectives.Statement] = []
    var notes = BoundedNotes(
        maximum: ReadingLimits.standard.maximumNotes, leftOut: .robotsDirective(.notesLeftOut))
    /// The crawler names in lower case.
    private let agents: Set<String>

    /// The number of items that are read of one list. All existing directives, twice, are fewer than 40.
    private static let maximumItems = 200

    init(agents: Set<String>) {
        self.agents = agents
    }

    /// The directives of single words, for every crawler.
    private static let meaning: [String: [RobotsDirectives.Directive]] = [
        "none": [.noindex, .nofollow]
    ]

    /// Applebot's `none` includes more: "About Applebot" lists noindex, nosnippet and nofollow.
    private static let applebotMeaning: [String: [RobotsDirectives.Directive]] = [
        "none": [.noindex, .nosnippet, .nofollow]
    ]

    /// Words of closed search engines or catalogues. They have no effect.
    private static let withoutMeaning: Set<String> = [
        "noodp", "noydir", "nopreview", "imageindex", "archive", "snippet", "translate", "odp",
        "ydir",
        "noyaca", "max-snippet", "max-image-preview", "max-video-preview", "unavailable_after",
    ]

    private static let valued: Set<RobotsDirectives.Directive> = [
        .maxSnippet, .maxImagePreview, .maxVideoPreview, .unavailableAfter,
    ]

    /// The number of bytes that are read of one list.
    private static let maximumBytes = 8_192
    /// The number of bytes that are read of all lists in metas, and of all in headers: a server's word counts whatever its pages say.
    /// Real pages have some hundred.
    private static let maximumTotalBytes = 8 * maximumBytes
    /// Nil once a list was beyond the limit, which is noted once.
    private var remainingBytes: Int? = maximumTotalBytes

    /// Gives headers, which come after all metas, their own limit.
    mutating func beginHeaders() { remainingBytes = Self.maximumTotalBytes }

    /// The part of a list that is read: at most `maximumBytes`, and of all lists together `maximumTotalBytes`.
    private mutating func bounded(_ written: String) -> String {
        guard let remaining = remainingBytes else { return "" }
        let count = written.utf8.count
        let wanted = min(count, Self.maximumBytes)
        if wanted > remaining {
            remainingBytes = nil
            notes.add(
                .robotsDirective(.tooLong),
                "All lists have more than \(Self.maximumTotalBytes) bytes together; the first are read.")
        } else {
            remainingBytes = remaining - wanted
            if wanted == count { return written }
            notes.add(.robotsDirective(.tooLong), "A list has \(count) bytes; the first are read.")
        }
        return String(decoding: written.utf8.prefix(min(wanted, remaining)), as: UTF8.self)
    }

    mutating func read(_ written: String, source: RobotsDirectives.Source) {
        var source = source
        let list = bounded(written)
        var applies = true
        // Semicolons are not separators by the rules, but they cannot mean anything else.
        let items = list.split(maxSplits: Self.maximumItems) { $0 == "," || $0 == ";" }.map(Self.trimmed)
        var index = 0
        while index < items.count {
            var item = items[index]
            index += 1
            if item.isEmpty { continue }
            if let (name, rest) = Self.splitAtColon(item) {
                if let directive = RobotsDirectives.Directive(rawValue: name), Self.valued.contains(directive) {
                    let value = directive == .unavailableAfter ? Self.date(rest, items, &index) : rest
                    if applies { add(directive, value: value, source: source) }
                    continue
                }
                guard case .header = source else {
                    notes.add(.robotsDirective(.unknown), "“\(name)” is no directive for crawlers.")
                    continue
                }
                // `agent: directive` applies up to the next agent.
                applies = agents.contains(name)
                source = .header(agent: name)
                // The first item may itself contain a value: `googlebot: max-snippet: 5`.
                if let (inner, value) = Self.splitAtColon(rest),
                    let directive = RobotsDirectives.Directive(rawValue: inner), Self.valued.contains(directive)
                {
                    let value = directive == .unavailableAfter ? Self.date(value, items, &index) : value
                    if applies { add(directive, value: value, source: source) }
                    continue
                }
                item = rest
            }
            if applies { readWords(item, source: source) }
        }
    }

    /// Reads one word, or several without commas between them: `noindex nofollow`.
    private mutating func readWords(_ item: String, source: RobotsDirectives.Source) {
        let words = item.split(whereSeparator: \.isWhitespace).prefix(Self.maximumItems).map {
            String($0).asciiLowercased
        }
        if words.count > 1 {
            notes.add(
                .robotsDirective(.commaMissing),
                "Directives are separated by commas, not by white space: “\(item.prefix(100))”.")
        }
        let meaning = speaksToApplebot(source) ? Self.applebotMeaning : Self.meaning
        for word in words.map(Self.trimmed) {
            if let directives = meaning[word] {
                for directive in directives {
                    add(directive, value: nil, source: source, isNone: word == "none")
                }
            } else if let directive = RobotsDirectives.Directive(rawValue: word), !Self.valued.contains(directive) {
                add(directive, value: nil, source: source)
            } else if !Self.withoutMeaning.contains(word) {
                notes.add(.robotsDirective(.unknown), "“\(word.prefix(100))” is no directive for crawlers.")
            }
        }
    }

    /// Whether words from this source are read as Applebot reads them: if they are for Applebot, or for everyone while `agents`
    /// contains Applebot.
    private func speaksToApplebot(_ source: RobotsDirectives.Source) -> Bool {
        source.agent.map { $0 == "applebot" } ?? agents.contains("applebot")
    }

    private mutating func add(
        _ directive: RobotsDirectives.Directive, value: String?, source: RobotsDirectives.Source, isNone: Bool = false
    ) {
        if let value, !Self.isUnderstood(value, of: directive) {
            notes.add(.robotsDirective(.value), "“\(value.prefix(100))” is no value of \(directive.rawValue).")
        }
        statements.append(
            RobotsDirectives.Statement(directive: directive, value: value, source: source, isNone: isNone))
    }

    private static func isUnderstood(_ value: String, of directive: RobotsDirectives.Directive) -> Bool {
        switch directive {
        case .maxSnippet, .maxVideoPreview: value == "-1" || RobotsDirectives.limit(value) != nil
        case .maxImagePreview: RobotsDirectives.ImagePreview(rawValue: value.asciiLowercased) != nil
        case .unavailableAfter: RobotsDirectives.moment(value) != nil
        default: true
        }
    }

    /// A date may contain commas: `Wed, 03 Sep 2025 10:00:00 GMT`. Following items are added while that makes it a date.
    private static func date(_ value: String, _ items: [String], _ index: inout Int) -> String {
        var joined = value
        for next in index...min(index + 2, items.count) {
            if RobotsDirectives.moment(joined) != nil {
                index = next
                return joined
            }
            if next < items.count { joined += ", " + items[next] }
        }
        return value
    }

    private static func splitAtColon(_ item: String) -> (name: String, rest: String)? {
        guard let colon = item.firstIndex(of: ":") else { return nil }
        return (trimmed(item[..<colon]).asciiLowercased, trimmed(item[item.index(after: colon)...]))
    }

    /// The text without white space and quotation marks at its ends. An older page of Apple's printed its examples with curly
    /// quotes, and people copied them.
    private static func trimmed(_ text: some StringProtocol) -> String {
        func isMargin(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar {
            case "\u{201C}", "\u{201D}", "\u{2033}", "\"", "'": true
            default: scalar.properties.isWhitespace
            }
        }
        let scalars = text.unicodeScalars.drop(while: isMargin)
        guard let last = scalars.lastIndex(where: { !isMargin($0) }) else { return "" }
        return String(String.UnicodeScalarView(scalars[...last]))
    }
}
