/// What a page shows of who wrote it and when: days and names beside its headline, in elements that say what they are, or behind a
/// word like “published” or “by”.
///
/// `BylineWalk` reads the arena block by block of visible text, and `BylineCandidates` finds days and names in each. A candidate has
/// points for how its markup and its words name it and for how near it is to the headline; navigation, comments and links to other
/// pages take points away. The best one with enough points counts, the first of equals.
struct Byline: Sendable {
    struct Day: Sendable {
        /// ISO 8601.
        var text: String
        /// Whether an attribute states it (`<time datetime>`), or it was read in visible text.
        var isStated: Bool
    }

    struct Writer: Sendable {
        /// As shown, with labels and separators around the names.
        var text: String
        /// Address that the name links to, as written.
        var address: String?
    }

    private(set) var published: Day?
    private(set) var modified: Day?
    /// Who is named, best first; writers that stand side by side are together.
    private(set) var writers: [[Writer]] = []

    /// The limit of groups in `writers`. A record takes its authors from the first ones.
    private static let maximumGroups = 8

    /// - Parameters:
    ///   - visible: what is seen of the page.
    ///   - titles: what the page calls itself, to tell its headline.
    ///   - readsWriters: whether it is wanted who wrote the page.
    ///   - readsDays: whether it is wanted when.
    ///   - isPossible: whether a day may be one of this page's.
    init(
        _ document: HTMLDocument, visible: VisibleText, names: ElementNames, titles: [String], readsWriters: Bool,
        readsDays: Bool, dayStyle: DayStyle, weights: GuessWeights.Byline = GuessWeights.fitted.byline,
        limits: ReadingLimits, isPossible: (SchemaOrg.Moment) -> Bool
    ) {
        guard readsWriters || readsDays, !document.elements.isEmpty else { return }
        var walk = BylineWalk(
            document, visible, names, headline: Self.headline(of: document, titles: titles),
            BylineCandidates(readsWriters: readsWriters, readsDays: readsDays, dayStyle: dayStyle, weights: weights),
            limits: limits)
        let found = walk.read()
        var best = (published: weights.days.enough, modified: weights.days.enough)
        var equals: [NameHints: Set<String>] = [:]
        for candidate in found.days { equals[candidate.hints, default: []].insert(candidate.text) }
        for candidate in found.days {
            guard let moment = SchemaOrg.moment(candidate.text), isPossible(moment) else { continue }
            let nearness = found.nearness(of: candidate.position)
            // The days of a list are those of other pages.
            let isListed =
                nearness < weights.days.listedNearness
                && (equals[candidate.hints]?.count ?? 0) >= weights.days.repetitions
            let points = candidate.points + nearness - (isListed ? weights.days.repeated : 0)
            let day = Day(text: moment.text, isStated: candidate.isStated)
            if candidate.isModified {
                if points > best.modified { (modified, best.modified) = (day, points) }
            } else if points > best.published {
                (published, best.published) = (day, points)
            }
        }
        takeWriters(found)
    }

    private mutating func takeWriters(_ found: BylineCandidates) {
        var ranked: [(index: Int, points: Int)] = []
        for (index, candidate) in found.writers.enumerated() {
            let points = candidate.points + found.nearness(of: candidate.position)
            if points > found.weights.writers.enough { ranked.append((index, points)) }
        }
        ranked.sort { ($1.points, $0.index) < ($0.points, $1.index) }
        for (index, _) in ranked.prefix(Self.maximumGroups) {
            let first = found.writers[index]
            var group = [first.writer]
            // Several writers stand side by side, in elements of one kind.
            var end = first.position + first.writer.text.utf8.count
            for next in found.writers[(index + 1)...].prefix(10) {
                guard next.hints == first.hints, next.points == first.points,
                    next.position - end <= found.weights.writers.gapBytes,
                    (next.writer.address == nil) == (first.writer.address == nil)
                else { break }
                group.append(next.writer)
                end = next.position + next.writer.text.utf8.count
            }
            writers.append(group)
        }
    }

    /// The heading that repeats most of the page's title, else the first one.
    private static func headline(of document: HTMLDocument, titles: [String]) -> HTMLDocument.Index? {
        let titles = titles.map { Array(String($0.prefix(300)).lowercased().collapsingHTMLSpace().utf8) }
        var first: HTMLDocument.Index?
        var best: (heading: HTMLDocument.Index, length: Int)?
        for name in [HTMLName.h1, .h2, .h3, .h4, .h5, .h6] {
            // Lower headings are many, and few are headlines.
            for heading in document.elements(named: name).prefix(name == .h1 || best == nil ? 10 : 3) {
                let text = Array(document.visibleText(of: heading, maximumBytes: 300).lowercased().utf8)
                guard text.count >= 4, text.count > best?.length ?? 0 else { continue }
                if titles.contains(where: {
                    $0.position(of: text) != nil || $0.count >= 10 && text.position(of: $0) != nil
                }) {
                    best = (heading, text.count)
                }
                if first == nil, name == .h1 { first = heading }
            }
        }
        if let best { return best.heading }
        return first ?? document.elements(named: .article).first
            ?? document.elements(named: .main).first
    }
}
