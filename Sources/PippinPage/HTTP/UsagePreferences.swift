/// A use of content that a site may grant or refuse (draft-ietf-aipref-vocab-08 §4).
public enum ContentUse: String, Sendable, Hashable, CaseIterable {
    /// To be found: selected, linked to, shown with a short excerpt, without summaries.
    case search
    /// To be input of a generative model that answers somebody, called grounding.
    case aiInput = "ai-input"
    /// To change the parameters of a generative model.
    case aiTrain = "ai-train"
    /// The page's pictures, to change the parameters of a generative model. Only `noimageai` speaks of them alone.
    case aiTrainImages = "ai-train-images"

    /// The use in words for people.
    public var phrase: String {
        switch self {
        case .search: "search"
        case .aiInput: "answers of AI"
        case .aiTrain: "training of AI"
        case .aiTrainImages: "training of AI with its pictures"
        }
    }
}

/// Where words about use are written, and what they are.
public struct UsageSource: Sendable, Hashable {
    /// The kinds of places.
    public enum Carrier: String, Sendable, Hashable, CaseIterable {
        /// `Content-Usage` in robots.txt (draft-ietf-aipref-attach-05).
        case robotsContentUsage = "robots-content-usage"
        /// `Content-Signal` in robots.txt (Cloudflare).
        case robotsContentSignal = "robots-content-signal"
        /// `License` in robots.txt (RSL 1.0).
        case robotsLicense = "robots-license"
        /// `Allow` and `Disallow` for a product token that stands for a use, such as `Applebot-Extended`.
        case robotsRule = "robots-rule"
        /// The header `Content-Usage` (draft-ietf-aipref-attach-05).
        case contentUsageHeader = "content-usage-header"
        /// `<meta name="robots">`, or of a crawler's name.
        case metaRobots = "meta-robots"
        /// The header `X-Robots-Tag`.
        case robotsTagHeader = "x-robots-tag"
        /// `/.well-known/tdmrep.json` (TDMRep).
        case tdmrepFile = "tdmrep-file"
        /// The header `tdm-reservation` (TDMRep).
        case tdmrepHeader = "tdmrep-header"
        /// `<meta name="tdm-reservation">` (TDMRep).
        case tdmrepMeta = "tdmrep-meta"
        /// The header `Link` with `rel="license"` (RSL 1.0).
        case licenseHeader = "license-header"
        /// `<link rel="license" type="application/rsl+xml">` (RSL 1.0).
        case licenseLink = "license-link"
        /// What a licence of RSL says.
        case licenseFile = "license-file"
        /// `isAccessibleForFree` of schema.org.
        case isAccessibleForFree = "is-accessible-for-free"
    }

    /// The kind of place.
    public let carrier: Carrier
    /// The line, header or element that decides, as written, shortened if it is long.
    public let text: String
    /// Its line in the file, 1-based; nil in a page or header.
    public let line: Int?
    /// The address of the file or page that has it; nil until it is known.
    public var url: String?

    /// Creates a source.
    public init(_ carrier: Carrier, _ text: String, line: Int? = nil, url: String? = nil) {
        self.carrier = carrier
        self.text = Self.shortened(text)
        self.line = line
        self.url = url
    }

    /// The longest text of a source. It is kept in every record.
    static let maximumTextBytes = 200

    static func shortened(_ text: String) -> String {
        guard text.utf8.count > maximumTextBytes else { return text }
        // At most as long in bytes, whatever the letters.
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumTextBytes / 4 - 1))) + "…"
    }

    /// The source as a sentence's beginning: `Line 3 of robots.txt, “Content-Usage: train-ai=n”,`.
    public var phrase: String {
        let place = line.map { "Line \($0)" + (url.map { " of \($0)" } ?? "") }
        switch carrier {
        case .robotsContentUsage, .robotsContentSignal, .robotsLicense, .robotsRule:
            return "\(line.map { "Line \($0) of robots.txt" } ?? "robots.txt"), “\(text)”,"
        case .metaRobots, .tdmrepMeta, .licenseLink: return "The page’s “\(text)”"
        case .contentUsageHeader, .robotsTagHeader, .tdmrepHeader, .licenseHeader: return "The header “\(text)”"
        case .tdmrepFile: return "tdmrep.json, “\(text)”,"
        case .licenseFile: return "\(place ?? url.map { "The licence \($0)" } ?? "The licence"), “\(text)”,"
        case .isAccessibleForFree: return "The page’s “\(text)”"
        }
    }
}

/// One word about one use.
public struct UsageStatement: Sendable, Hashable {
    /// The use.
    public let use: ContentUse
    /// Whether the use is granted; otherwise it is refused.
    public let isAllowed: Bool
    /// How much of the page it is about.
    public let extent: Extent
    /// Where this is said.
    public var source: UsageSource

    /// How much of a page a statement is about.
    public enum Extent: String, Sendable, Hashable {
        case page
        /// Its text. That there is the page, under which title, may be used.
        case text
    }

    /// Creates a statement.
    public init(_ use: ContentUse, isAllowed: Bool, extent: Extent = .page, _ source: UsageSource) {
        self.use = use
        self.isAllowed = isAllowed
        self.extent = extent
        self.source = source
    }

    /// The statement as a sentence for people.
    public var sentence: String {
        "\(source.phrase) \(isAllowed ? "allows" : "refuses") \(use.phrase)\(extent == .text ? " with its text" : "")."
    }

    /// Whether it decides where another one is there too: a refusal wins, and one of the whole page over one of its text.
    fileprivate func overrules(_ other: UsageStatement) -> Bool {
        guard isAllowed == other.isAllowed else { return !isAllowed }
        return !isAllowed && extent == .page && other.extent == .text
    }
}

/// What is said about the uses of one page, all places together.
///
/// A use that anybody refuses is refused. Otherwise one that somebody grants is granted, and all others are unknown: silence neither
/// grants nor refuses (draft-ietf-aipref-vocab-08, combining statements).
public struct UsagePreferences: Sendable, Hashable {
    private var deciding: [ContentUse: UsageStatement] = [:]

    /// Nothing is said.
    public init() {}

    /// Combines statements. Of several that decide alike, the first is kept.
    public init(_ statements: some Sequence<UsageStatement>) {
        for statement in statements { add(statement) }
    }

    /// Adds a statement.
    public mutating func add(_ statement: UsageStatement) {
        if let known = deciding[statement.use], !statement.overrules(known) { return }
        deciding[statement.use] = statement
    }

    /// The statement that decides about a use; nil if nothing is said.
    public subscript(use: ContentUse) -> UsageStatement? { deciding[use] }

    /// Whether nothing is said about any use.
    public var isEmpty: Bool { deciding.isEmpty }

    /// The deciding statements, in the order of `ContentUse`.
    public var statements: [UsageStatement] { ContentUse.allCases.compactMap { deciding[$0] } }
}

// MARK: Vocabularies

/// The words of one rule or header, as far as they are about uses that we know.
struct UsageWords: Sendable, Hashable {
    /// What is granted and what is refused.
    var preferences: [ContentUse: Bool] = [:]
    /// What was not understood, for notes: a short sentence each.
    var problems: [String] = []

    /// Problems that are reported for one text. Its author needs one to look at it.
    private static let maximumProblems = 3
    /// Bytes of one text that are read. Real ones have fewer than 100; longer ones count as unreadable.
    static let maximumBytes = 65_536

    /// The AIPREF vocabulary in a Dictionary of Structured Fields: the tokens `y` and `n`. A text that is no Dictionary says nothing, and
    /// so do values of other types and unknown keys (draft-ietf-aipref-vocab-08 §6).
    static func contentUsage(_ octets: some Collection<UInt8>) -> UsageWords {
        var words = UsageWords()
        guard octets.count <= maximumBytes else {
            words.report("It has \(octets.count) bytes and is not read, so it says nothing.")
            return words
        }
        guard let dictionary = StructuredField.Dictionary(String(decoding: octets, as: UTF8.self)) else {
            words.report("It is no dictionary of structured fields, so it says nothing.")
            return words
        }
        for key in dictionary.keys {
            guard let use = ContentUse(aipref: key) else {
                words.report("“\(key.prefix(40))” is no use that is known.")
                continue
            }
            switch dictionary[key]?.item?.value {
            case .token("y"): words.preferences[use] = true
            case .token("n"): words.preferences[use] = false
            default: words.report("The value of \(key) is neither y nor n, so it says nothing.")
            }
        }
        return words
    }

    /// Cloudflare's Content-Signal: `search=yes, ai-input=no, ai-train=no`. Where one use has several values, the stricter counts.
    static func contentSignal(_ octets: some Collection<UInt8>) -> UsageWords {
        var words = UsageWords()
        guard octets.count <= maximumBytes else {
            words.report("It has \(octets.count) bytes and is not read, so it says nothing.")
            return words
        }
        for item in octets.split(separator: UInt8(ascii: ",")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self).asciiLowercased.trimmingPrefix { $0.isWhitespace }
            }
            let name = parts[0].trimmedEnd
            // A ceiling for how much an answer may show, which says nothing about whether.
            if name.isEmpty && parts.count == 1 || name == "use" { continue }
            guard let use = ContentUse(contentSignal: name) else {
                words.report("“\(name.prefix(40))” is no signal that is known.")
                continue
            }
            switch parts.count == 2 ? parts[1].trimmedEnd : "" {
            case "yes": words.preferences[use] = words.preferences[use] ?? true
            case "no": words.preferences[use] = false
            default: words.report("The value of \(name) is neither yes nor no, so it says nothing.")
            }
        }
        return words
    }

    private mutating func report(_ problem: String) {
        if problems.count < Self.maximumProblems { problems.append(problem) }
    }

    /// The statements of these words.
    func statements(_ source: UsageSource) -> [UsageStatement] {
        ContentUse.allCases.compactMap { use in
            preferences[use].map { UsageStatement(use, isAllowed: $0, source) }
        }
    }
}

extension ContentUse {
    /// The use of a label of draft-ietf-aipref-vocab-08. Labels of older drafts (`all`, `train-genai`, `ai-output`) are unknown keys.
    fileprivate init?(aipref label: String) {
        switch label {
        case "search": self = .search
        case "ai-use": self = .aiInput
        case "train-ai": self = .aiTrain
        default: return nil
        }
    }

    /// The use of a name of Cloudflare's Content-Signal.
    fileprivate init?(contentSignal name: String) {
        switch name {
        case "search": self = .search
        case "ai-input": self = .aiInput
        case "ai-train": self = .aiTrain
        default: return nil
        }
    }
}

extension StringProtocol {
    fileprivate var trimmedEnd: String {
        var text = Substring(self)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
