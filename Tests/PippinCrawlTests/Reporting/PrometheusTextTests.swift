import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl

@Suite struct PrometheusTextTests {
    private static func crawled() async throws -> String {
        let web = FakeWeb(time: MadeUpTime())
        let crawl = try await FakeCrawl.run(web, seeds: web.addSites(2, pages: 20, seed: 5))
        return PrometheusText(
            crawl.summary.statistics, concurrency: 64, startedAt: MadeUpTime.start, ending: crawl.summary.ending
        ).text
    }

    /// Values by name and labels.
    private func samples(_ text: String) throws -> [String: Double] {
        var samples: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let space = try #require(line.lastIndex(of: " "))
            let value = line[line.index(after: space)...]
            let name = String(line[..<space])
            #expect(samples.updateValue(try #require(Double(value)), forKey: name) == nil, "\(name) stands twice")
        }
        return samples
    }

    @Test func `the judge of Prometheus' own client accepts it, and finds what Pippin counted`() async throws {
        let text = try await Self.crawled()
        let verdict = try PythonJudge(importing: "prometheus_client").run(Self.judge, input: Array(text.utf8))
        #expect(verdict.status == 0, "\(verdict.output)")
    }

    private static let judge = """
        import re, sys
        from prometheus_client.parser import text_string_to_metric_families
        families = list(text_string_to_metric_families(sys.stdin.read()))
        names = [family.name for family in families]
        assert len(names) == len(set(names)) and len(names) >= 25, names
        for family in families:
            assert re.fullmatch(r"pippin_[a-z0-9_]+", family.name), family.name
            assert family.type in ("counter", "gauge", "histogram"), family
            assert family.documentation.endswith("."), family
            seen = set()
            for sample in family.samples:
                key = (sample.name, tuple(sorted(sample.labels.items())))
                assert key not in seen, key
                seen.add(key)
                if family.type == "counter":
                    assert sample.name.endswith("_total") and sample.value >= 0, sample
            if family.type == "histogram":
                assert family.name.endswith("_seconds"), family.name
                buckets = [s for s in family.samples if s.name.endswith("_bucket")]
                counts = [s.value for s in buckets]
                assert counts == sorted(counts), counts
                assert [float(s.labels["le"]) for s in buckets] == sorted(float(s.labels["le"]) for s in buckets)
                assert buckets[-1].labels["le"] == "+Inf"
                total = [s.value for s in family.samples if s.name.endswith("_count")]
                assert total == [buckets[-1].value], family
        outcomes = next(f for f in families if f.name == "pippin_visits")
        assert sum(s.value for s in outcomes.samples) > 30
        """

    @Test func `every family has HELP and TYPE before its samples, and stands once`() async throws {
        let text = try await Self.crawled()
        #expect(text.hasSuffix("\n"))
        var families: Set<String> = []
        var current = ""
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP ") {
                current = String(words[2])
                #expect(families.insert(current).inserted)
            } else if line.hasPrefix("# TYPE ") {
                #expect(words[2] == current)
            } else {
                #expect(line.hasPrefix(current), "\(line) under \(current)")
            }
        }
    }

    @Test func `the numbers are those of the crawl`() async throws {
        let values = try samples(try await Self.crawled())
        let robots = values["pippin_requests_total{for=\"robots\"}"] ?? 0
        let requests = values.filter { $0.key.hasPrefix("pippin_requests_total{") }.values.reduce(0, +)
        #expect(robots == 2)
        #expect(values["pippin_request_duration_seconds_count"] == requests)
        #expect(values["pippin_requests_too_early_total"] == 0)
        #expect(values["pippin_run_state{state=\"finished\"}"] == 1)
        #expect(values["pippin_visits_in_flight"] == 0)
        #expect(values["pippin_visits_in_flight_limit"] == 64)
        #expect(values["pippin_limited_seconds_total{by=\"politeness\"}"] ?? 0 > 1)
        #expect(values["pippin_queue_wait_seconds_count"] ?? 0 > 10)
    }

    @Test func `durations fall into the class whose bound they do not exceed`() {
        var histogram = TimeHistogram()
        histogram.add(.zero)
        histogram.add(.microseconds(500))
        histogram.add(.microseconds(501))
        histogram.add(.seconds(1800))
        histogram.add(.seconds(1801))
        #expect(histogram.counts.first == 2)
        #expect(histogram.counts[1] == 1)
        #expect(Array(histogram.counts.suffix(2)) == [1, 1])
        #expect(histogram.count == 5)
        #expect(TimeHistogram.bounds == TimeHistogram.bounds.sorted())
    }
}
