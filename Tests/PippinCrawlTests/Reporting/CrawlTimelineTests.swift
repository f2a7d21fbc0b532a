import Foundation
import Testing

@testable import PippinCrawl

@Suite struct CrawlTimelineTests {
    private static func sample(at seconds: Double) -> CrawlTimeline.Sample {
        var statistics = CrawlStatistics()
        statistics.pages = Int(seconds) * 3
        return CrawlTimeline.Sample(statistics, seconds: seconds)
    }

    @Test func `a run of days keeps as few samples as one of minutes, at equal distances`() throws {
        var timeline = CrawlTimeline()
        for second in 0..<200_000 {
            timeline.add(Self.sample(at: Double(second)))
            #expect(timeline.samples.count <= CrawlTimeline.maximumSamples)
        }
        #expect(timeline.samples.count > CrawlTimeline.maximumSamples / 2)
        #expect(timeline.samples.first?.seconds == 0)
        let distances = zip(timeline.samples, timeline.samples.dropFirst()).map { $1.seconds - $0.seconds }
        #expect(Set(distances) == [timeline.interval])
        let last = try #require(timeline.samples.last)
        #expect(199_999 - last.seconds < timeline.interval)
    }

    @Test func `samples that come too soon are left out, those that come a little early are not`() {
        var timeline = CrawlTimeline()
        for seconds in [0, 0.5, 0.95, 1.2, 1.9] { timeline.add(Self.sample(at: seconds)) }
        #expect(timeline.samples.map(\.seconds) == [0, 1, 1.9])
    }

    @Test func `the present pace is that of the last seconds, not of the whole run`() {
        var recent = RecentPages()
        recent.add(0, at: 0)
        #expect(recent.perSecond == nil)
        for second in 1...100 { recent.add(second <= 50 ? second * 10 : 500 + (second - 50) * 2, at: Double(second)) }
        #expect(recent.perSecond == 2)
    }

    @Test func `requests without an answer and errors of servers are failures, other answers are not`() {
        var statistics = CrawlStatistics()
        statistics.requests = 10
        statistics.answersByClass = [2: 4, 3: 1, 4: 2, 5: 1]
        #expect(statistics.failedRequests == 3)
    }
}
