import PippinCrawl
import PippinPage

/// What a page's scripts have made of it, compared with what its HTML says without them.
struct RenderingEvidence: Sendable {
    /// One fact, as each kind of reader sees it.
    struct Fact: Sendable, Hashable {
        /// `Title`.
        let name: String
        /// Without scripts, and with them; nil if the page does not say it.
        let raw: String?
        let rendered: String?
        /// What scripts have added and taken away, if it is a list.
        var difference: RenderingDifference.Part?

        /// Whether only readers that run scripts see it.
        var isOnlyRendered: Bool { raw == nil && rendered != nil }
        var isEqual: Bool { raw == rendered && difference?.addedCount ?? 0 == 0 && difference?.lostCount ?? 0 == 0 }
    }

    /// A file that the page's scripts asked for, and did not get.
    struct Missing: Sendable, Hashable {
        let url: String
        let failure: RequestFailure

        /// A clause: why not.
        var reason: String { failure.reason }
        /// Whether the robots.txt of its host is the reason, so that other crawlers do not get it either.
        var isForbidden: Bool { if case .disallowed = failure.cause { true } else { false } }
    }

    /// The files that its scripts did not get for one reason.
    struct MissingGroup: Sendable, Hashable {
        let reason: String
        var count = 0
        /// A few of their URLs.
        var examples: [String] = []
    }

    /// Why there is none of a page that nobody wanted rendered. Checks pass over it.
    static let notAsked = "its scripts were not run"

    /// Whether the rendering counts, and why not.
    let verdict: RenderVerdict
    /// Why and how it was rendered, in one or two sentences; nil if that is not known.
    let course: String?
    /// Why the page has to be rendered; nil if its HTML can be read as it is.
    let need: RenderNeed?
    /// The facts that are compared, in the order of reports.
    let facts: [Fact]
    let missing: [Missing]
    /// The number of files that its scripts got.
    let fileCount: Int
    /// What its scripts say went wrong, and how often something did.
    let errors: [RenderedPage.ScriptError]
    let errorCount: Int
    /// Where its scripts wanted to go.
    let navigations: [String]
    /// What a phone shows of it, if somebody wanted to see that.
    var screenshots: RenderedPage.Screenshots?

    /// - Parameters:
    ///   - raw: what the page says without scripts; `rendered`: with them.
    init(
        raw: PageFacts, rendered: PageFacts, verdict: RenderVerdict, missing: [Missing], fileCount: Int,
        errors: [RenderedPage.ScriptError] = [], errorCount: Int = 0, difference: RenderingDifference? = nil,
        reason: RenderReason? = nil
    ) {
        self.verdict = verdict
        course = reason.map { RenderOutcome(reason: $0, verdict: verdict).sentence }
        need = RenderNeed(raw)
        self.missing = missing
        self.fileCount = fileCount
        (self.errors, self.errorCount) = (errors, errorCount)
        navigations = rendered.source.scriptNavigations
        let facts = zip(Self.facts(of: raw), Self.facts(of: rendered)).map { raw, rendered in
            Fact(
                name: raw.name, raw: raw.value, rendered: rendered.value,
                difference: raw.part.flatMap { difference?[keyPath: $0] })
        }
        let fields = difference.map { difference in
            let part = difference.fields
            return Fact(
                name: "Record", raw: Self.count(part.before, "field"), rendered: Self.count(part.after, "field"),
                difference: part)
        }
        self.facts = facts + [fields].compactMap(\.self)
    }

    /// What a page's scripts have made of it; the failure if there is no rendering.
    ///
    /// - Parameters:
    ///   - reason: why it was rendered, if that is known.
    ///   - listing: whether lists of what scripts have added are made, which a crawl's cards do not show.
    static func observation(
        of read: RenderedReading, _ reason: RenderReason? = nil, listing: Bool = false
    ) -> PageEvidence.Observation<Self> {
        guard let (page, reading) = read.rendering else { return .missing(because: read.verdict.objection ?? "") }
        var missing: [Missing] = []
        var count = 0
        for request in page.requests {
            switch request.result {
            case .answered(let status, _, _) where status < 400: count += 1
            case .answered(let status, _, _):
                guard let url = WebURL(request.url) else { continue }
                missing.append(Missing(url: request.url, failure: RequestFailure(.status(status), asking: url)))
            case .failed(let failure): missing.append(Missing(url: request.url, failure: failure))
            }
        }
        var evidence = Self(
            raw: read.fetched.facts, rendered: reading.facts, verdict: read.verdict, missing: missing,
            fileCount: count, errors: page.errors, errorCount: page.errorCount,
            difference: listing ? RenderingDifference(of: read.fetched, with: reading) : nil, reason: reason)
        evidence.screenshots = page.screenshots
        return .made(evidence)
    }

    /// The most reasons, examples of each, and files in JSON that a report has. A page may ask for hundreds.
    private static let maximumGroups = 10
    private static let maximumExamples = 3
    static let maximumMissing = 100

    /// What its scripts did not get, by reason, the most frequent first.
    var missingGroups: [MissingGroup] {
        var groups: [MissingGroup] = []
        var places: [String: Int] = [:]
        for file in missing {
            let place = places[file.reason] ?? groups.count
            if place == groups.count {
                groups.append(MissingGroup(reason: file.reason))
                places[file.reason] = place
            }
            groups[place].count += 1
            if groups[place].examples.count < Self.maximumExamples { groups[place].examples.append(file.url) }
        }
        // Equal ones stay in the order of their first file.
        let sorted = groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
        guard sorted.count > Self.maximumGroups else { return sorted.map(\.element) }
        let rest = sorted.dropFirst(Self.maximumGroups).reduce(0) { $0 + $1.element.count }
        return sorted.prefix(Self.maximumGroups).map(\.element) + [MissingGroup(reason: "other reasons", count: rest)]
    }

    /// The facts that only readers see who run scripts.
    var onlyRendered: [Fact] { facts.filter(\.isOnlyRendered) }

    /// Their names for a sentence.
    var namesOfOnlyRendered: String {
        let names = onlyRendered.map { fact in
            fact.name.hasPrefix("Open Graph") ? fact.name : fact.name.prefix(1).lowercased() + fact.name.dropFirst()
        }
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    /// The longest value that is shown.
    private static let maximumCharacters = 200

    /// The facts of a page, with the lists that they sum up.
    private static func facts(
        of page: PageFacts
    ) -> [(name: String, value: String?, part: KeyPath<RenderingDifference, RenderingDifference.Part>?)] {
        let data = ItemTree(page.structuredData)
        let types = data.items.map(\.name)
        let claims = page.appClaims.map { claim in
            [claim.source.rawValue, claim.address ?? claim.storeIdentifier ?? claim.packageName]
                .compactMap(\.self).joined(separator: " ")
        }
        let words = Words(page.visibleText.bytes).count
        let links = page.outlinks.links.count
        return [
            ("Title", text(page.metadata.title), nil),
            ("Description", text(page.metadata.description), nil),
            ("Canonical address", text(page.metadata.canonical?.href), nil),
            ("Language", text(page.metadata.language), nil),
            ("Robots directives", text(list(page.directives.statements.map(\.directive.rawValue))), nil),
            ("Open Graph title", text(page.openGraph?.title), nil),
            ("Open Graph picture", text(page.openGraph?.images.first?.bestURL?.href), nil),
            ("Structured data", text(list(types)), \.types),
            ("Deep links", text(list(claims)), \.deepLinks),
            ("Text", count(words, "word"), nil),
            ("Links", count(links, "link"), \.links),
        ]
    }

    private static func list(_ texts: [String]) -> String? {
        var seen: Set<String> = []
        let unique = texts.filter { seen.insert($0).inserted }
        return unique.isEmpty ? nil : unique.prefix(5).joined(separator: ", ") + (unique.count > 5 ? ", …" : "")
    }

    private static func text(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return cut(text)
    }

    private static func count(_ number: Int, _ one: String) -> String? {
        number == 0 ? nil : Wording.count(number, one)
    }

    /// A text as reports show it.
    static func cut(_ text: String) -> String {
        text.count > maximumCharacters ? text.prefix(maximumCharacters) + "…" : text
    }

    /// Counts words by the white space between them.
    private struct Words {
        var count = 0

        init(_ text: [UInt8]) {
            var isInWord = false
            for byte in text {
                let isSpace = byte <= 0x20
                if !isSpace, !isInWord { count += 1 }
                isInWord = !isSpace
            }
        }
    }
}
