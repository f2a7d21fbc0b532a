import Foundation
import PippinTestSupport

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// One crawl of a `FakeWeb`, and the report of it.
struct ReportedCrawl {
    let crawl: FakeCrawl
    let report: SiteReport

    static func run(
        _ web: FakeWeb, seeds: [String], limits: SiteReportBuilder.Limits = SiteReportBuilder.Limits(),
        configure: (inout CrawlConfiguration) -> Void = { _ in }, renderer: (any Renderer)? = nil,
        start: @escaping @Sendable (Crawler) -> Void = { _ in }
    ) async throws -> ReportedCrawl {
        var made: CrawlReporter?
        let crawl = try await FakeCrawl.run(
            web, seeds: seeds, configure: configure, renderer: renderer,
            observer: { configuration, seeds in
                let reporter = CrawlReporter(configuration: configuration, seeds: seeds, limits: limits)
                made = reporter
                return reporter
            }, start: start)
        guard let reporter = made else { preconditionFailure("the crawl has made its observer") }
        return ReportedCrawl(
            crawl: crawl,
            report: try reporter.report(of: crawl.summary, finishedAt: Date(timeIntervalSince1970: 1_795_000_000)))
    }
}
