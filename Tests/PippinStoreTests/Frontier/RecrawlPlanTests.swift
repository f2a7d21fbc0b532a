import PippinTestSupport
import Simulation
import Testing

@testable import PippinCrawl

/// `RecrawlPolicy.plan` against the policy itself: random visits under one setting, planned by another.
@Suite struct RecrawlPlanTests {
    private static let choices: [Duration] = [1, 60, 3600, 6 * 3600, 86_400, 604_800, 2_592_000].map { .seconds($0) }

    private func settings(_ random: inout SeededNumbers) -> CrawlConfiguration.Recrawl {
        var settings = CrawlConfiguration.Recrawl()
        let picked = (0..<3).map { _ in Self.choices[random.upTo(Self.choices.count)] }.sorted()
        settings.minimumInterval = picked[0]
        settings.defaultInterval = picked[1]
        settings.maximumInterval = picked[2]
        return settings
    }

    private func visits(_ random: inout SeededNumbers) -> [RecrawlPolicy.Sign] {
        var signs: [RecrawlPolicy.Sign] = []
        for number in 0...random.upTo(12) {
            let page: RecrawlPolicy.Sign = number == 0 ? .firstVisit : random.upTo(2) == 0 ? .changed : .unchanged
            signs.append(random.upTo(4) == 0 ? .failed : page)
        }
        if random.upTo(3) == 0, signs.count > 1 { signs.insert(.absent, at: 1 + random.upTo(signs.count - 1)) }
        if random.upTo(4) == 0 { signs += Array(repeating: .absent, count: 1 + random.upTo(2)) }
        return signs
    }

    private func last(_ signs: [RecrawlPolicy.Sign], _ settings: CrawlConfiguration.Recrawl) -> RecrawlPolicy.Next {
        let policy = RecrawlPolicy(settings)
        var previous: PreviousVisit?
        var next = RecrawlPolicy.Next(wait: .zero)
        for sign in signs {
            next = policy.next(after: sign, isMiss: false, previous: previous)
            previous = PreviousVisit(
                entityTag: nil, lastModified: nil, contentHash: nil, visitedAt: MadeUpTime.start, interval: next.rhythm,
                failures: next.failures, misses: next.misses, recordIdentifier: nil)
        }
        return next
    }

    @Test(arguments: 0..<40) func `no page waits longer than under the new settings alone, or than before`(seed: UInt64)
    {
        var random = SeededNumbers(seed: seed)
        for _ in 0..<100 {
            let (old, new, signs) = (settings(&random), settings(&random), visits(&random))
            let before = last(signs, old)
            let isFound = signs.allSatisfy { ![.absent, .failed].contains($0) }
            let history: RecrawlPolicy.VisitHistory = isFound ? .found : .mixed
            func plan(_ settings: CrawlConfiguration.Recrawl) -> RecrawlPolicy.Next {
                RecrawlPolicy(settings).plan(
                    rhythm: before.rhythm, visits: signs.count, failures: before.failures, history: history)
            }
            let planned = plan(new)
            #expect(planned.wait <= new.maximumInterval && planned.rhythm <= max(before.rhythm, new.minimumInterval))
            if before.failures == 0 { #expect(planned.wait <= max(before.wait, new.minimumInterval)) }
            // Visits that only ever find the page unchanged have the longest rhythm.
            if isFound {
                let longest = last([.firstVisit] + Array(repeating: .unchanged, count: signs.count - 1), new)
                #expect(planned.rhythm <= longest.rhythm, "\(signs) \(old) \(new)")
            }
            // Nothing has changed, so nothing is planned anew.
            #expect(plan(old).wait == before.wait && plan(old).rhythm == before.rhythm, "\(signs) \(old)")
        }
    }

    @Test func `a page whose rhythm is known keeps it, and one that is not takes the new interval`() {
        var hourly = CrawlConfiguration.Recrawl()
        hourly.defaultInterval = .seconds(3600)
        let policy = RecrawlPolicy(hourly)
        func rhythm(_ hours: Int, visits: Int, _ history: RecrawlPolicy.VisitHistory = .found) -> Duration {
            policy.plan(rhythm: .seconds(hours * 3600), visits: visits, failures: 0, history: history).rhythm
        }
        #expect(rhythm(24, visits: 1) == .seconds(3600))
        #expect(rhythm(24, visits: 1, .sitemap) == .seconds(3600) && rhythm(24, visits: 50, .sitemap) == .seconds(3600))
        #expect(rhythm(96, visits: 1, .mixed) == .seconds(4 * 3600))
        #expect(rhythm(400, visits: 50) == .seconds(400 * 3600))
        // Another crawl has said it.
        #expect(rhythm(400, visits: 1, .ofOthers) == .seconds(400 * 3600))
    }
}
