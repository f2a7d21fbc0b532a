import Foundation
import PathologicalPages
import PippinPage
import PippinReport

/// What one page costs: its facts and record, as `extract` and a visit make them, and the card of `validate`.
struct Measurement {
    /// CPU milliseconds of facts and record.
    var reading = 0.0
    /// CPU milliseconds of the report card.
    var card = 0.0
    /// Megabytes that the process held at most beyond what it had before; nil where the system does not say.
    var megabytes: Int?
    var notes: [String] = []

    var total: Double { reading + card }
    static let url = WebURL("https://example.org/news/page.html")
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    /// - Parameter repeats: whether short ones are measured again, and the best counts.
    init(_ page: PathologicalPage.Made, repeats: Bool = true) {
        guard let url = Self.url else { return }
        let source = PageSource(
            url: url, headers: HTTPHeaders(page.headers), bytes: page.bytes, fetchedAt: Self.date)
        let before = Self.restartPeak()
        reading = .infinity
        card = .infinity
        var spent = 0.0
        repeat {
            let start = Self.now
            let facts = PageFacts(source)
            let conclusion = RecordBuilder.conclusion(from: facts, now: Self.date)
            var line: [UInt8] = []
            conclusion.record?.appendJSON(to: &line)
            let middle = Self.now
            let card = ReportCard(facts: facts, conclusion: conclusion, evidence: PageEvidence(missing: "not fetched"))
            let end = Self.now
            notes = facts.notes.map(\.code.rawValue)
            if case .record(_, let more) = conclusion { notes += more.map(\.code.rawValue) }
            notes.append(contentsOf: card.findings.isEmpty ? ["no finding"] : [])
            self.reading = min(reading, middle - start)
            self.card = min(self.card, end - middle)
            spent += end - start
        } while repeats && spent < 12
        megabytes = Self.peak.flatMap { peak in before.map { max(0, peak - $0) } }
    }

    /// Limits that were reached.
    var limits: [String] { Set(notes.filter { $0.hasPrefix("too-") || $0.contains("-too-") }).sorted() }

    /// CPU milliseconds of this process.
    private static var now: Double { Double(clock()) * 1e3 / Double(CLOCKS_PER_SEC) }

    /// Starts a new peak of memory; returns the megabytes that the process holds now.
    private static func restartPeak() -> Int? {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return nil }
        fputs("5", file)
        fclose(file)
        return status("VmRSS:")
    }

    private static var peak: Int? { status("VmHWM:") }

    private static func status(_ field: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field) })
        else { return nil }
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 / 1024 }
    }
}

/// A page at one size, twice and four times that.
struct Growth {
    private(set) var weights: [Int] = []
    private(set) var measured: [Measurement] = []
    /// CPU milliseconds of a crawl's visits of the same pages; empty until they are measured.
    private(set) var visits: [Double] = []
    private let page: PathologicalPage
    private let size: Int

    /// Growth that is accepted, times the growth of the page.
    static let allowed = 1.3
    /// Milliseconds and megabytes that any page may take, because they do not show a growth.
    static let floor = (milliseconds: 15.0, megabytes: 16)
    /// Milliseconds after which larger pages are not tried.
    static let patience = 3_000.0

    init(of page: PathologicalPage, size: Int) {
        (self.page, self.size) = (page, size)
        measure()
        // What grows only because something else runs on the machine does not grow the second time.
        if isHigh { measure() }
    }

    private mutating func measure() {
        (weights, measured) = ([], [])
        for factor in [1, 2, 4] {
            let made = page.make(size * factor)
            weights.append(made.weight)
            measured.append(Measurement(made))
            if last.total > Self.patience { break }
        }
    }

    /// Measures what a crawl's visits of the pages cost.
    mutating func measureVisits() async throws {
        try await measureEachVisit()
        if visitTime > Self.allowed { try await measureEachVisit() }
    }

    private mutating func measureEachVisit() async throws {
        visits = []
        for index in measured.indices {
            visits.append(try await VisitedPage(page.make(size << index)).milliseconds)
        }
    }

    var last: Measurement { measured[measured.count - 1] }
    var weight: Int { weights[weights.count - 1] }
    var isCut: Bool { measured.count < 3 }

    /// How much faster than the page the cost of its reading and its card grows, when the page is doubled.
    var time: Double { growth(of: measured.map(\.total), floor: Self.floor.milliseconds) }
    /// How much faster than the page the cost of its visits grows.
    var visitTime: Double { growth(of: visits, floor: Self.floor.milliseconds) }
    var memory: Double {
        growth(of: measured.map { Double($0.megabytes ?? 0) }, floor: Double(Self.floor.megabytes))
    }

    private func growth(of costs: [Double], floor: Double) -> Double {
        var worst = 1.0
        for index in costs.indices.dropFirst() where costs[index] > floor {
            let grown = Double(weights[index]) / Double(max(1, weights[index - 1]))
            worst = max(worst, costs[index] / max(costs[index - 1], floor / 4) / grown)
        }
        return worst
    }

    var isHigh: Bool { max(time, visitTime, memory) > Self.allowed || last.total > Self.patience }
}
