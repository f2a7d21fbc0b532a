import Foundation
import PippinStore
import PippinTestSupport
import Synchronization

@testable import PippinCrawl
@testable import PippinPage

/// The two frontiers, which the same tests hold to the same rules.
enum FrontierKind: String, CaseIterable, Sendable {
    case memory, sqlite

    /// A new, empty frontier, and its calendar.
    func make(limits: FrontierLimits = .unlimited) throws -> FrontierUnderTest {
        try FrontierUnderTest(self, limits: limits)
    }
}

/// A frontier of either kind, with a calendar that a test sets.
final class FrontierUnderTest: Sendable {
    let frontier: any Frontier
    let calendar: TestCalendar
    /// Nil of a frontier in memory.
    let folder: StorageFolder?

    init(_ kind: FrontierKind, limits: FrontierLimits = .unlimited) throws {
        let calendar = TestCalendar()
        self.calendar = calendar
        // Any host, and no seeds: ways of equal length are not compared after a visit.
        var configuration = CrawlConfiguration()
        configuration.scope.follow = .any
        let scope = CrawlScope(configuration, seeds: [])
        switch kind {
        case .memory:
            folder = nil
            frontier = MemoryFrontier(limits: limits, scope: scope, date: { calendar.now })
        case .sqlite:
            let folder = StorageFolder()
            self.folder = folder
            frontier = try folder.open().frontier(
                recrawl: CrawlConfiguration.Recrawl(), limits: limits, scope: scope, date: { calendar.now })
        }
    }
}

final class TestCalendar: Sendable {
    private let moment = Mutex(MadeUpTime.start)
    var now: Date { moment.withLock { $0 } }
    func advance(_ seconds: TimeInterval) { moment.withLock { $0 += seconds } }
}

/// A storage folder of a test, gone with the object.
final class StorageFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "pippin-storage-\(UUID().uuidString)")

    func open() throws -> CrawlStorage { try CrawlStorage(folder: url) }

    /// What the folder tells of a URL, also beside a run that has it open; nil for one that it does not know.
    func history(of text: String) throws -> URLHistory? {
        try StorageReader(folder: url).history(of: CrawlRequest.page(text).url)
    }

    deinit {
        // Left behind at worst, in a temporary folder.
        try? FileManager.default.removeItem(at: url)
    }
}

extension CrawlRequest {
    static func page(_ text: String, depth: Int = 0, seed: String = "https://seed.test/") -> CrawlRequest {
        guard let url = WebURL(text), let seedURL = WebURL(seed) else { preconditionFailure("\(text) is no URL") }
        return CrawlRequest(
            url: url, depth: depth, seed: Seed(url: seedURL), discovery: depth == 0 ? .seed : .outlink,
            standsForSeed: depth == 0)
    }
}

extension FinishedVisit {
    static func of(
        _ request: CrawlRequest, _ outcome: VisitOutcome = .recorded, at date: Date = MadeUpTime.start,
        found: [CrawlRequest] = [], wait: Duration = .seconds(86_400), changes: [RecordChange] = []
    ) -> FinishedVisit {
        FinishedVisit(
            request: request, outcome: outcome, finishedAt: date, next: RecrawlPolicy.Next(wait: wait),
            changes: changes, discovered: found)
    }
}
