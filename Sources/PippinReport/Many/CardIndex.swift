import PippinPage

/// One page among many, as it was judged.
public struct NamedCard: Sendable {
    /// The page as the operator knows it: the path of its file, or the URL that was asked for.
    let name: String
    /// Whether `name` is the path of a file.
    let isFile: Bool
    /// The judgement; nil if not even the address could be judged.
    public let card: ReportCard?
    /// Why the page could not be fetched, as a clause; nil if it was judged. Then the findings of its card only say why.
    public let trouble: String?
    /// The number of entries of the baseline that its findings do not match any more.
    public var staleCount = 0

    init(name: String, isFile: Bool, card: ReportCard?, trouble: String? = nil) {
        self.name = name
        self.isFile = isFile
        self.card = card
        self.trouble = trouble
    }

    /// Whether it makes a run fail.
    func fails(from threshold: Finding.Outcome) -> Bool {
        trouble == nil && card?.fails(from: threshold) == true
    }
}

/// The report cards of many pages, each as one line, and their findings by check. It keeps a few hundred bytes of a page, and
/// no card.
public struct CardIndex: Sendable {
    /// One page.
    struct Page: Sendable {
        /// As the operator knows it.
        let name: String
        let title: String?
        /// The page's URL; nil if it is not known.
        let url: String?
        let counts: ReportCard.Counts
        /// The identifiers of checks with errors and warnings, the gravest first.
        let failed: [String]
        /// Why the page could not be fetched; nil if it was judged.
        let trouble: String?
        /// Whether it makes the run fail.
        let fails: Bool
        /// The file of its card; nil if it has none.
        let file: String?
    }

    /// One check, over all pages.
    struct Total: Sendable {
        struct Example: Sendable {
            let position: Int
            let page: String
            let file: String?
            let sentence: String
            let place: Finding.Place?
        }

        let check: Check
        /// The number of pages by their gravest finding.
        var pages = ReportCard.Counts()
        /// The number of pages by their gravest finding that the baseline does not know.
        var newPages = ReportCard.Counts()
        var examples: [Example] = []
        /// Of the first page that has one.
        var remedy: (position: Int, remedy: Finding.Remedy)?
    }

    /// The most examples of a check.
    static let maximumExamples = 10
    /// The longest text that is kept of a page, in characters.
    private static let maximumText = 300

    /// What makes the run fail.
    let threshold: Finding.Outcome
    private var places: [Page?] = []
    /// The number of pages by their gravest finding. Pages that could not be fetched are `unknown`.
    private(set) var grades = ReportCard.Counts()
    private(set) var ignoredCount = 0
    /// The known findings, and the new ones from warnings on; nil without a baseline.
    private(set) var baseline: (known: Int, new: Int)?
    /// The entries of the baseline that no finding matches any more.
    private(set) var staleCount = 0
    /// What no baseline knows.
    private(set) var newFindings = NewFindings()
    /// The run beside an earlier result; nil without one.
    private(set) var comparison: RunComparison?
    /// What the known findings are known from.
    private var memory = "the baseline"
    /// The errors and warnings that no baseline knows, by check.
    private(set) var newByCheck: [Check.Code: ReportCard.Counts] = [:]
    private var totals: [String: Total] = [:]
    /// How the pages were judged, as a sentence.
    var audience: String? { firstAudience?.text }
    /// Which checks alone count, as a sentence; nil for all.
    private var onlyNote: String?
    private var firstAudience: (position: Int, text: String)?

    init(failingFrom threshold: Finding.Outcome) { self.threshold = threshold }

    /// The index of one page.
    public init(of page: NamedCard, failingFrom threshold: Finding.Outcome, after earlier: EarlierResult? = nil) {
        self.init(failingFrom: threshold)
        if earlier != nil { compare() }
        add(page, at: 0)
    }

    /// The pages in the order of the run.
    var pages: [Page] { places.compactMap { $0 } }
    /// The number of pages.
    public private(set) var count = 0

    /// The number of pages that make the run fail, and of those that could not be fetched.
    public private(set) var failingCount = 0
    public var missingCount: Int { grades.unknown }

    /// Checks with findings: errors first, then what concerns the most pages.
    var checks: [Total] {
        totals.values.sorted { a, b in
            (b.pages.gravest, b.pages.error + b.pages.warning, b.pages.info, a.check.id)
                < (a.pages.gravest, a.pages.error + a.pages.warning, a.pages.info, b.check.id)
        }
    }

    /// Adds a page. The order of adding does not matter.
    ///
    /// - Parameters:
    ///   - position: the place of the page in the run, from 0.
    ///   - file: the name of its card's file.
    mutating func add(_ page: NamedCard, at position: Int, file: String? = nil) {
        let card = page.card
        let counts = card?.counts() ?? ReportCard.Counts()
        var seen = Set<String>()
        var seenNew = Set<String>()
        var failed: [String] = []
        for finding in card?.findingsBySeverity ?? [] where finding.outcome >= .info {
            if page.trouble == nil, !finding.isKnown, seenNew.insert(finding.check.id).inserted {
                totals[finding.check.id, default: Total(check: finding.check)].newPages.count(finding.outcome)
            }
            guard seen.insert(finding.check.id).inserted else { continue }
            if finding.outcome >= .warning { failed.append(finding.check.id) }
            guard page.trouble == nil else { continue }
            count(finding, of: page, at: position, card: card, file: file)
        }
        grades.count(page.trouble == nil ? counts.gravest : .unknown)
        newFindings.add(page, at: position)
        comparison?.add(page, at: position)
        if page.trouble == nil {
            for finding in card?.findings ?? [] where !finding.isKnown && finding.outcome >= .warning {
                newByCheck[finding.check.code, default: ReportCard.Counts()].count(finding.outcome)
                newByCheck[finding.check.code]?.add(finding.unlisted)
            }
        }
        ignoredCount += card?.ignoredCount ?? 0
        staleCount += page.staleCount
        if let card, card.treatment.hasBaseline {
            let new = card.findings.count { $0.outcome >= .warning && !$0.isKnown }
            baseline = ((baseline?.known ?? 0) + card.knownCount, (baseline?.new ?? 0) + new)
        }
        if let card, firstAudience.map({ position < $0.position }) ?? true {
            firstAudience = (position, card.audience)
            onlyNote = card.onlyNote
        }
        let fails = page.fails(from: threshold)
        if fails { failingCount += 1 }
        count += 1
        if places.count <= position { places += Array(repeating: nil, count: position + 1 - places.count) }
        places[position] =
            Page(
                name: page.name, title: card?.record?.title.map { String($0.prefix(Self.maximumText)) },
                url: card.flatMap { $0.isAddressKnown ? $0.url.href : nil }, counts: counts, failed: failed,
                trouble: page.trouble, fails: fails, file: file)
    }

    private mutating func count(
        _ finding: Finding, of page: NamedCard, at position: Int, card: ReportCard?, file: String?
    ) {
        var total = totals[finding.check.id] ?? Total(check: finding.check)
        total.pages.count(finding.outcome)
        if total.examples.count < Self.maximumExamples || total.examples.last.map({ position < $0.position }) == true {
            let sentence = card?.shown(finding.sentence) ?? finding.sentence
            let place = total.examples.firstIndex { position < $0.position } ?? total.examples.count
            total.examples.insert(
                Total.Example(
                    position: position, page: page.name, file: file,
                    sentence: String(sentence.prefix(Self.maximumText)),
                    place: finding.place), at: place)
            if total.examples.count > Self.maximumExamples { total.examples.removeLast() }
        }
        if let remedy = finding.remedy, total.remedy.map({ position < $0.position }) ?? true {
            total.remedy = (position, remedy)
        }
        totals[finding.check.id] = total
    }

    /// Whether the run fails: something counts that no budget covers, or a budget is exceeded.
    public func fails(within budgets: FindingBudgets) -> Bool {
        budgets.leavesFailures(newByCheck, from: threshold) || !excesses(of: budgets).isEmpty
    }

    /// The budgets that are exceeded, each as a sentence without its end.
    public func excesses(of budgets: FindingBudgets) -> [String] { budgets.excesses(newByCheck) }

    /// What each budget allows and what was found; nil without budgets.
    public func json(of budgets: FindingBudgets) -> JSONValue? {
        let values = budgets.json(newByCheck)
        return values.isEmpty ? nil : .array(values)
    }

    /// Compares the pages that follow with an earlier result.
    mutating func compare() {
        comparison = RunComparison()
        memory = "the earlier result"
    }

    /// Adds the pages that only the earlier result has.
    mutating func finish(_ earlier: EarlierResult) { comparison?.finish(earlier) }

    /// Adds entries of pages that do not exist any more.
    mutating func addStale(_ count: Int) { staleCount += count }

    /// What was judged and found, as a sentence: `120 pages: 3 with errors, 40 with warnings, 77 in order; 2 could not be fetched`.
    public var headline: String {
        var parts: [String] = []
        if grades.error > 0 { parts.append("\(Wording.number(grades.error)) with errors") }
        if grades.warning > 0 { parts.append("\(Wording.number(grades.warning)) with warnings") }
        let fine = grades.info + grades.pass
        if fine > 0 { parts.append("\(Wording.number(fine)) in order") }
        if grades.unknown > 0 { parts.append("\(Wording.number(grades.unknown)) could not be fetched") }
        let all = count == 1 ? "1 page" : "\(Wording.number(count)) pages"
        return parts.isEmpty ? all : "\(all): " + parts.joined(separator: ", ")
    }

    /// What was left out and what is known, as sentences; nil if nothing was.
    var treatmentNote: String? {
        var sentences = [onlyNote].compactMap { $0 }
        if ignoredCount > 0 { sentences.append("\(Wording.count(ignoredCount, "finding")) ignored.") }
        if let baseline { sentences.append("\(baseline.known) known from \(memory), \(baseline.new) new.") }
        if staleCount > 0 {
            sentences.append(
                "\(Wording.count(staleCount, "entry", "entries")) of the baseline "
                    + "\(staleCount == 1 ? "is" : "are") stale: --update-baseline removes what is fixed.")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }
}

// Many report cards for a terminal: a line for each page, its findings below, and at the end what is to fix everywhere.

extension NamedCard {
    /// The page among others: its line, then its findings from advice on.
    func listing(_ extent: CardSeries.TextExtent, color: Bool, failingFrom threshold: Finding.Outcome) -> String {
        if extent.isQuiet, trouble == nil, !fails(from: threshold) { return "" }
        // With a baseline, what counts is what is new: no known findings, no advice, and no line for a page that has nothing else.
        let listsKnown = extent.listsKnown && !extent.isQuiet || card?.treatment.hasBaseline != true
        let least = listsKnown ? Finding.Outcome.info : .warning
        if trouble == nil, !listsKnown, card?.findings.contains(where: { $0.outcome >= least && !$0.isKnown }) != true {
            return ""
        }
        var text = ReportText(color: color)
        let counts = card?.counts(onlyNew: !listsKnown) ?? ReportCard.Counts()
        var line = name
        if let trouble {
            line += "  could not be fetched: \(trouble)"
        } else {
            let summary = ReportCard.problems(of: counts)
            line += "  " + (summary.isEmpty ? "in order" : summary)
            if let card, card.knownCount > 0 { line += ", \(card.knownCount) known" }
            if let card, card.ignoredCount > 0 { line += ", \(card.ignoredCount) ignored" }
        }
        if extent.isBrief, trouble == nil, let card {
            let failed = card.findings.filter {
                $0.outcome >= .warning && (listsKnown || !$0.isKnown)
            }
            var seen = Set<String>()
            let checks = failed.map(\.check.id).filter { seen.insert($0).inserted }
            if !checks.isEmpty { line += "  " + checks.joined(separator: " ") }
        }
        text.line(trouble == nil ? counts.verdict : .unknown, card?.shown(line) ?? line)
        if !extent.isBrief, let card {
            for finding in card.findingsBySeverity
            where finding.outcome >= least && (listsKnown || !finding.isKnown)
                && (!extent.isQuiet || finding.fails(from: threshold))
            {
                text.add(finding, card.sources.excerpt(of: finding.place))
            }
            text.line("")
        }
        let written = text.lines.joined(separator: "\n") + "\n"
        return card?.shown(written) ?? written
    }
}

extension ReportCard {
    /// The findings that ask for something: `2 errors, 1 warning, 3 advice`.
    static func problems(of counts: Counts) -> String {
        var parts: [String] = []
        if counts.error > 0 { parts.append(Wording.count(counts.error, "error")) }
        if counts.warning > 0 { parts.append(Wording.count(counts.warning, "warning")) }
        if counts.info > 0 { parts.append("\(counts.info) advice") }
        return parts.joined(separator: ", ")
    }
}

extension CardIndex {
    /// The most checks of the summary.
    private static let maximumListed = 20

    /// The totals of all pages.
    func text(_ extent: CardSeries.TextExtent, color: Bool) -> String {
        var text = ReportText(color: color)
        if extent.isBrief || extent.isQuiet, count > 0 { text.line("") }
        text.line(headline)
        let listed = checks.map { ($0.check, extent.listsKnown ? $0.pages : $0.newPages) }
        let shown = listed.filter { $0.1.gravest >= .warning }
        if !extent.isQuiet {
            for (check, counted) in shown.prefix(Self.maximumListed) {
                let count = counted.error + counted.warning
                let pages = Wording.count(count, "page")
                let padding = String(repeating: " ", count: max(1, 12 - pages.count))
                text.line(counted.gravest, "\(pages)\(padding)\(check.id)  \(check.problem)")
            }
            if shown.count > Self.maximumListed { text.line("  and \(shown.count - Self.maximumListed) more checks") }
        }
        if let comparison {
            text.line(comparison.headline)
            if !extent.isQuiet { for line in comparison.lines { text.line("  " + line) } }
        }
        if let treatmentNote {
            let hides = !extent.listsKnown && (baseline?.known ?? 0) > 0
            text.wrapped("", treatmentNote + (hides ? " --verbose lists what is known." : ""))
        }
        return text.lines.joined(separator: "\n") + "\n"
    }
}
