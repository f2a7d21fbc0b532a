/// A page as its scripts have made it, compared with the page as it was fetched.
///
/// The fetched page is the floor: the rendering takes its place only if it says more and has lost nothing. Scripts fail for reasons
/// that are ours (a forbidden file, no cookies, no network), and what they leave then is not what people see.
///
/// | compared | the rendering is poorer |
/// | --- | --- |
/// | record | a field that the fetched page fills is empty; a deep link or a type is missing |
/// | structured data, app markup | a type of thing, or a claim, is missing |
/// | canonical link | it names another page |
/// | text, links | it has fewer, and more than a third of the fetched ones are missing, or half of the text |
public enum RenderingComparison: Sendable, Hashable {
    /// It says what the fetched page does not say, and all that it says.
    case saysMore
    /// It says the same.
    case saysTheSame
    /// It is the message of an app that failed; with its words.
    case errorPage(String)
    /// It has lost something; with names of what: `author`, `deep links`.
    case poorer([String])
}

extension RenderingComparison {
    /// - Parameters:
    ///   - fetched: the page before its scripts ran.
    ///   - rendered: the page afterwards.
    public init(of fetched: PageReading, with rendered: PageReading) {
        if let words = AppErrorMessage.words(of: rendered, notIn: fetched) {
            self = .errorPage(words)
            return
        }
        let (before, after) = (ComparedPage(fetched), ComparedPage(rendered))
        let lost = before.missing(in: after)
        self = lost.isEmpty ? (after.adds(to: before) ? .saysMore : .saysTheSame) : .poorer(lost)
    }
}

/// What scripts have added to a page, and taken from it, as far as `RenderingComparison` looks.
public struct RenderingDifference: Sendable, Hashable {
    /// One kind of thing that pages have several of.
    public struct Part: Sendable, Hashable {
        /// How many the fetched page has, and the rendering.
        public let before: Int
        public let after: Int
        /// Those that only one of them has, sorted: the first ten.
        public let added: [String]
        public let lost: [String]
        /// How many these are in all.
        public let addedCount: Int
        public let lostCount: Int

        private static let maximumListed = 10

        fileprivate init(_ before: Set<String>, _ after: Set<String>) {
            (self.before, self.after) = (before.count, after.count)
            let (added, lost) = (after.subtracting(before), before.subtracting(after))
            (addedCount, lostCount) = (added.count, lost.count)
            self.added = Array(added.sorted().prefix(Self.maximumListed))
            self.lost = Array(lost.sorted().prefix(Self.maximumListed))
        }
    }

    /// Filled fields of the record: `author`, `recipe.totalTime`.
    public let fields: Part
    /// Types of structured data.
    public let types: Part
    public let deepLinks: Part
    /// Addresses of links, as their keys.
    public let links: Part

    /// - Parameters:
    ///   - fetched: the page before its scripts ran.
    ///   - rendered: the page afterwards.
    public init(of fetched: PageReading, with rendered: PageReading) {
        let (before, after) = (ComparedPage(fetched), ComparedPage(rendered))
        fields = Part(Set(before.fields.keys), Set(after.fields.keys))
        types = Part(before.types, after.types)
        deepLinks = Part(before.deepLinks, after.deepLinks)
        links = Part(Set(before.links.map(\.string)), Set(after.links.map(\.string)))
    }
}

/// What a page says, as far as it is compared.
private struct ComparedPage {
    /// The filled fields of its record with their values, parts of parts by their path: `recipe.totalTime`.
    private(set) var fields: [String: JSONValue] = [:]
    let deepLinks: Set<String>
    let types: Set<String>
    private let canonical: URLKey?
    private let directives: Set<String>
    private let words: Set<ArraySlice<UInt8>>
    private let wordCount: Int
    let links: Set<URLKey>

    /// Fields about the visit or the text as a whole, and those that are compared one by one.
    private static let passedOver: Set<String> = [
        "schemaVersion", "fetchedAt", "contentHash", "simHash", "provenance", "structuredDataScore", "popularity",
        "text", "hiddenWords", "deepLinks", "types",
    ]
    /// More say nothing more.
    private static let maximumWords = 100_000
    /// The text of a shell (`Loading…`) may go.
    private static let fewWords = 20

    init(_ page: PageReading) {
        let facts = page.facts
        let record = page.draft(identity: facts.source.url, seeds: [], apps: []).record(manifest: nil).record
        deepLinks = Set(
            record.deepLinks.map { link in
                "\(link.platform.rawValue) \(link.url ?? link.storeIdentifier ?? link.packageName ?? "")"
            }
                + facts.appClaims.map { claim in
                    "\(claim.source.rawValue) \(claim.address ?? claim.storeIdentifier ?? claim.packageName ?? "")"
                })
        types = Set(record.types + facts.structuredData.items.flatMap(\.types))
        canonical = page.canonical.map { URLKey($0) }
        directives = Set(facts.directives.statements.map(\.directive.rawValue))
        let words = Self.words(facts.visibleText.bytes)
        wordCount = words.count
        self.words = Set(words)
        links = Set(facts.outlinks.links.lazy.map { URLKey($0.url) })
        // What is taken from the text is compared with the text.
        let ofText = Set(record.provenance.lazy.filter { $0.source == .mainText }.map(\.field))
        for member in record.json.object ?? JSONObject()
        where !Self.passedOver.contains(member.key) && !ofText.contains(member.key) {
            add(member.value, as: member.key)
        }
    }

    /// What stands between spaces, and each character of the scripts that have none (Chinese, Japanese, Korean: from U+3000 on).
    private static func words(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var words: [ArraySlice<UInt8>] = []
        var start = 0
        func end(at place: Int) {
            if start < place { words.append(text[start..<place]) }
        }
        var place = 0
        while place < text.count, words.count < maximumWords {
            let byte = text[place]
            switch byte {
            case 0x20:
                end(at: place)
                place += 1
                start = place
            case 0xE3...:
                end(at: place)
                start = place
                place += 1
                while place < text.count, text[place] & 0xC0 == 0x80 { place += 1 }
                end(at: place)
                start = place
            default: place += 1
            }
        }
        end(at: place)
        return words
    }

    private mutating func add(_ value: JSONValue, as name: String) {
        if let object = value.object {
            for member in object { add(member.value, as: "\(name).\(member.key)") }
        } else if value.array?.isEmpty != true, value != .null {
            fields[name] = value
        }
    }

    /// Names of what a later state of the page lacks.
    func missing(in later: ComparedPage) -> [String] {
        var lost = fields.keys.filter { later.fields[$0] == nil }.sorted()
        if !deepLinks.isSubset(of: later.deepLinks) { lost.append("deep links") }
        if !types.isSubset(of: later.types) { lost.append("structured data") }
        if let canonical, later.canonical != canonical { lost.append("the canonical link") }
        if later.wordCount < wordCount, words.count >= Self.fewWords,
            later.wordCount < wordCount / 2 || words.subtracting(later.words).count > words.count / 3
        {
            lost.append("text")
        }
        if later.links.count < links.count, links.subtracting(later.links).count > links.count / 3 {
            lost.append("links")
        }
        return lost
    }

    /// Whether it says something that an earlier state of the page does not say.
    func adds(to earlier: ComparedPage) -> Bool {
        canonical != earlier.canonical || directives != earlier.directives || fields != earlier.fields
            || !deepLinks.isSubset(of: earlier.deepLinks)
            || !types.isSubset(of: earlier.types) || !words.isSubset(of: earlier.words)
            || !links.isSubset(of: earlier.links)
    }
}
