import Foundation
import PippinPage

extension CrawlSummary {
    /// The summary for programs: one indented JSON object. Docs/CrawlLog.md lists its members.
    public func json(endedAt: Date) -> [UInt8] {
        var writer = JSONWriter(pretty: true)
        writer.object { writer in
            writer.member("ending", ending.rawValue)
            writer.member("startedAt", CrawlLogEntry.text(of: endedAt.addingTimeInterval(-(duration / .seconds(1)))))
            writer.member("endedAt", CrawlLogEntry.text(of: endedAt))
            writer.member("seconds", CrawlLogEntry.seconds(duration))
            writeCounts(&writer)
            writePoliteness(&writer)
            writePace(&writer)
            writeVisits(&writer)
            writeSeeds(&writer)
            writeHosts(&writer)
        }
        writer.endLine()
        return writer.bytes
    }

    /// A rate per second over the whole run.
    func rate(_ count: Int) -> Double {
        let seconds = duration / .seconds(1)
        return seconds > 0 ? (Double(count) / seconds * 1000).rounded() / 1000 : 0
    }

    private func writeCounts(_ writer: inout JSONWriter) {
        writer.member("pages", statistics.pages)
        writer.member("records", statistics.records)
        writer.member("deepLinks", statistics.deepLinks)
        writer.member("deletions", statistics.deletions)
        writer.member("requests", statistics.requests)
        writer.member("retries", statistics.retries)
        writer.member("wireBytes", statistics.wireBytes)
        writer.member("bytes", statistics.bodyBytes)
        writer.object("perSecond") { writer in
            writer.member("pages", rate(statistics.pages))
            writer.member("records", rate(statistics.records))
            writer.member("requests", rate(statistics.requests))
            writer.member("wireBytes", rate(statistics.wireBytes))
        }
        writer.counts("lookUps", statistics.lookUps)
        writer.member("hostsMet", statistics.hostsMet)
        writer.member("hostsBeyondLimit", statistics.hostsBeyond)
        writer.member("unvisited", unvisited)
        guard let standing else { return }
        writer.member("known", standing.knownURLs)
        if let next = standing.nextDue {
            writer.member("nextDue", CrawlLogEntry.text(of: next.at))
            writer.member("nextDueHost", next.host)
        }
    }

    private func writePoliteness(_ writer: inout JSONWriter) {
        writer.object("politeness") { writer in
            writer.member("requestsTooEarly", statistics.requestsTooEarly)
            guard let least = statistics.smallestPause else { return }
            writer.object("smallestPause") { writer in
                writer.member("host", least.host)
                writer.member("seconds", CrawlLogEntry.seconds(least.pause))
                writer.member("delay", CrawlLogEntry.seconds(least.delay))
            }
        }
    }

    private func writePace(_ writer: inout JSONWriter) {
        writer.object("pace") { writer in
            writer.optional("limit", statistics.pace.mostly?.rawValue)
            writer.object("shares") { writer in
                for limit in CrawlPace.Limit.allCases {
                    writer.member(limit.rawValue, (statistics.pace.share(of: limit) * 1000).rounded() / 1000)
                }
            }
        }
    }

    private func writeVisits(_ writer: inout JSONWriter) {
        func mostFirst(_ counts: [String: Int]) -> [(key: String, value: Int)] {
            counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        }
        writer.objects("outcomes", mostFirst(statistics.outcomes)) { writer, outcome in
            writer.member("code", outcome.key)
            writer.member("count", outcome.value)
            writer.member("examples", statistics.examples[outcome.key] ?? [])
        }
        writer.objects("droppedLinks", mostFirst(statistics.refusals)) { writer, refusal in
            writer.member("reason", refusal.key)
            writer.member("count", refusal.value)
            writer.member("limitsCoverage", CrawlScope.Refusal(rawValue: refusal.key)?.limitsCoverage ?? false)
            writer.member("examples", statistics.refusalExamples[refusal.key] ?? [])
        }
        writer.objects("notCovered", limitations) { writer, limitation in
            writer.member("code", limitation.code)
            writer.member("count", limitation.count)
            writer.member("message", limitation.message)
        }
        writer.counts("siteFiles", statistics.siteFiles)
        if !statistics.renderings.isEmpty { writer.counts("renderings", statistics.renderings) }
    }

    private func writeSeeds(_ writer: inout JSONWriter) {
        writer.objects("seeds", statistics.seeds) { writer, end in
            writer.member("url", end.seed.url.href)
            if let earlier = end.earlier, end.outcome == nil || earlier.code != nil {
                write(earlier, visited: end.outcome != nil, &writer)
            } else {
                writer.optional("finalURL", end.finalURL?.href)
                writer.member("redirects", end.redirects)
                writer.member("outcome", end.outcome?.code ?? SeedOutcome.notVisited)
                writer.optional("status", end.status)
                writer.optional("detail", end.outcome?.detail)
            }
            writer.optional("reason", failedSeeds.first { $0.seed.url == end.seed.url }?.reason)
        }
    }

    /// Writes the result of earlier runs, for a seed that was not due, or whose redirect target was not.
    private func write(_ earlier: JobStanding.SeedStanding, visited: Bool, _ writer: inout JSONWriter) {
        if earlier.code != nil { writer.member("finalURL", earlier.finalURL.href) }
        writer.member("redirects", earlier.redirects)
        writer.member("outcome", earlier.code ?? SeedOutcome.notVisited)
        writer.optional("visitedAt", earlier.visitedAt.map(CrawlLogEntry.text(of:)))
        writer.optional("nextVisit", earlier.nextVisit.map(CrawlLogEntry.text(of:)))
        writer.optional("hostRestsUntil", earlier.restsUntil.map(CrawlLogEntry.text(of:)))
        writer.member("inThisRun", visited)
    }

    private func writeHosts(_ writer: inout JSONWriter) {
        let names = Set(statistics.hosts.keys).union(statistics.troubles.keys).sorted()
        writer.objects("hosts", names) { writer, name in
            let host = statistics.hosts[name] ?? CrawlStatistics.Host()
            writer.member("host", name)
            writer.member("pages", host.pages)
            writer.member("records", host.records)
            writer.member("failures", host.failures)
            statistics.troubles[name]?.write(to: &writer, key: "trouble", spelling)
            guard host.wasAsked else { return }
            writer.member("requests", host.requests)
            writer.member("wireBytes", host.wireBytes)
            writer.optional("smallestPause", host.smallestPause.map(CrawlLogEntry.seconds))
            writer.optional("delay", host.delayThen.map(CrawlLogEntry.seconds))
            writer.member("requestsTooEarly", host.tooEarly)
            writer.member("addresses", host.addresses)
        }
    }
}

extension RequestFailure {
    /// Writes an object with the code, the requested URL and a sentence.
    public func write(to writer: inout JSONWriter, key: String, _ spelling: Setting.Spelling) {
        writer.object(key) { writer in
            writer.member("code", code)
            writer.member("url", url.href)
            writer.member("reason", explanation(spelling) + ".")
        }
    }
}

extension CrawlSummary {
    /// The value in place of an outcome if a seed has none.
    enum SeedOutcome {
        static let notVisited = "not-visited"
    }
}
