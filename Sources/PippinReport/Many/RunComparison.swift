import PippinPage

/// A run beside an earlier result: which pages are worse, better, new and gone. The gravest are kept, all are counted.
struct RunComparison: Sendable {
    /// How a page stands; equal ones are not listed.
    enum Standing: String, Sendable, CaseIterable {
        /// It has something new, whatever else is gone.
        case worse
        case new, gone, better
    }

    struct Row: Sendable {
        let standing: Standing
        let position: Int
        let page: String
        /// Errors and warnings that are new, and that are gone.
        let new: Int
        let gone: Int
    }

    /// What a terminal shows at once.
    static let maximumRows = 20
    private static let maximumGonePages = 1_000

    private(set) var pages: [Standing: Int] = [:]
    private(set) var new = 0
    private(set) var gone = 0
    /// Of each standing the first in the order of the run.
    private(set) var rows: [Standing: [Row]] = [:]
    /// The first pages that this run does not have.
    private(set) var gonePages: [String] = []
    private var seen: Set<String> = []

    /// Adds a page. The order of adding does not matter.
    mutating func add(_ page: NamedCard, at position: Int) {
        guard page.trouble == nil, let card = page.card, let comparison = card.treatment.comparison else {
            // What could not be fetched has not gone.
            seen.insert(page.name)
            return
        }
        if let name = comparison.page { seen.insert(name) }
        let counts = card.counts(onlyNew: true)
        let (new, gone) = (counts.error + counts.warning, comparison.goneCount)
        self.new += new
        self.gone += gone
        let standing: Standing? = comparison.page == nil ? .new : new > 0 ? .worse : gone > 0 ? .better : nil
        if let standing {
            keep(Row(standing: standing, position: position, page: page.name, new: new, gone: gone))
        }
    }

    /// Adds the pages that only the earlier result has.
    mutating func finish(_ earlier: EarlierResult) {
        let missing = earlier.pages.subtracting(seen).sorted()
        for (position, page) in missing.enumerated() {
            let count = earlier.count(ofPage: page)
            gone += count
            keep(Row(standing: .gone, position: position, page: page, new: 0, gone: count))
        }
        gonePages = Array(missing.prefix(Self.maximumGonePages))
    }

    private mutating func keep(_ row: Row) {
        pages[row.standing, default: 0] += 1
        var kept = rows[row.standing] ?? []
        kept.insert(row, at: kept.firstIndex { row.position < $0.position } ?? kept.count)
        rows[row.standing] = Array(kept.prefix(Self.maximumRows))
    }

    /// `Pages beside the earlier result: 1 worse, 2 better, 0 new, 1 gone. Findings: 3 new, 4 gone.`
    var headline: String {
        let counts = [Standing.worse, .better, .new, .gone].map { "\(pages[$0] ?? 0) \($0.rawValue)" }
        return "Pages beside the earlier result: \(counts.joined(separator: ", ")). Findings: \(new) new, \(gone) gone."
    }

    /// The pages, worse ones first, with how many more there are.
    var lines: [String] {
        var left = Self.maximumRows
        var lines: [String] = []
        for standing in Standing.allCases {
            for row in (rows[standing] ?? []).prefix(left) {
                let parts = [row.new > 0 ? "\(row.new) new" : nil, row.gone > 0 ? "\(row.gone) gone" : nil].compactMap(
                    \.self)
                lines.append(
                    "\(standing.rawValue.padded(to: 7))\(row.page)"
                        + (parts.isEmpty ? "" : "  " + parts.joined(separator: ", ")))
                left -= 1
            }
        }
        let more = pages.values.reduce(0, +) - lines.count
        if more > 0 { lines.append("and \(Wording.count(more, "more page", "more pages"))") }
        return lines
    }

    var json: JSONValue {
        JSONObject.with {
            for standing in [Standing.worse, .better, .new, .gone] {
                $0[standing.rawValue] = .integer(pages[standing] ?? 0)
            }
            $0["findings"] = ["new": .integer(new), "gone": .integer(gone)]
            $0.put("gonePages", gonePages)
        }
    }
}
