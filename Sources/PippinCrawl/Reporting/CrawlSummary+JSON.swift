import Foundation
import PippinPage

extension CrawlSummary {
    /// The end report for programs: one JSON object, indented. Docs/CrawlLog.md has its members.
    public func json(endedAt: Date) -> [UInt8] {
        var writer = JSONWriter(pretty: true)
        writer.beginObject()
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
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }

    /// A number a second, over the whole run.
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
        writer.key("perSecond")
        writer.beginObject()
        writer.member("pages", rate(statistics.pages))
        writer.member("records", rate(statistics.records))
        writer.member("requests", rate(statistics.requests))
        writer.member("wireBytes", rate(statistics.wireBytes))
        writer.endObject()
        writer.key("lookUps")
        writer.beginObject()
        for (result, count) in statistics.lookUps.sorted(by: { $0.key < $1.key }) { writer.member(result, count) }
        writer.endObject()
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
        writer.key("politeness")
        writer.beginObject()
        writer.member("requestsTooEarly", statistics.requestsTooEarly)
        if let least = statistics.smallestPause {
            writer.key("smallestPause")
            writer.beginObject()
            writer.member("host", least.host)
            writer.member("seconds", CrawlLogEntry.seconds(least.pause))
            writer.member("delay", CrawlLogEntry.seconds(least.delay))
            writer.endObject()
        }
        writer.endObject()
    }

    private func writePace(_ writer: inout JSONWriter) {
        writer.key("pace")
        writer.beginObject()
        if let limit = statistics.pace.mostly { writer.member("limit", limit.rawValue) }
        writer.key("shares")
        writer.beginObject()
        for limit in CrawlPace.Limit.allCases {
            writer.member(limit.rawValue, (statistics.pace.share(of: limit) * 1000).rounded() / 1000)
        }
        writer.endObject()
        writer.endObject()
    }

    private func writeVisits(_ writer: inout JSONWriter) {
        writer.key("outcomes")
        writer.beginArray()
        for (code, count) in statistics.outcomes.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            writer.beginObject()
            writer.member("code", code)
            writer.member("count", count)
            writer.member("examples", statistics.examples[code] ?? [])
            writer.endObject()
        }
        writer.endArray()
        writer.key("droppedLinks")
        writer.beginArray()
        for (reason, count) in statistics.refusals.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            writer.beginObject()
            writer.member("reason", reason)
            writer.member("count", count)
            writer.member("limitsCoverage", CrawlScope.Refusal(rawValue: reason)?.limitsCoverage ?? false)
            writer.member("examples", statistics.refusalExamples[reason] ?? [])
            writer.endObject()
        }
        writer.endArray()
        writer.key("notCovered")
        writer.beginArray()
        for limitation in limitations {
            writer.beginObject()
            writer.member("code", limitation.code)
            writer.member("count", limitation.count)
            writer.member("message", limitation.message)
            writer.endObject()
        }
        writer.endArray()
        writer.key("siteFiles")
        writer.beginObject()
        for (name, count) in statistics.siteFiles.sorted(by: { $0.key < $1.key }) { writer.member(name, count) }
        writer.endObject()
    }

    private func writeSeeds(_ writer: inout JSONWriter) {
        writer.key("seeds")
        writer.beginArray()
        for end in statistics.seeds {
            writer.beginObject()
            writer.member("url", end.seed.url.href)
            if let earlier = end.earlier, end.outcome == nil || earlier.code != nil {
                write(earlier, visited: end.outcome != nil, &writer)
            } else {
                if let url = end.finalURL { writer.member("finalURL", url.href) }
                writer.member("redirects", end.redirects)
                writer.member("outcome", end.outcome?.code ?? SeedOutcome.notVisited)
                if let status = end.status { writer.member("status", status) }
                if let detail = end.outcome?.detail { writer.member("detail", detail) }
            }
            if let failed = failedSeeds.first(where: { $0.seed.url == end.seed.url }) {
                writer.member("reason", failed.reason)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    /// A seed that was not due, or whose redirects led to what was not.
    private func write(_ earlier: JobStanding.SeedStanding, visited: Bool, _ writer: inout JSONWriter) {
        if earlier.code != nil { writer.member("finalURL", earlier.finalURL.href) }
        writer.member("redirects", earlier.redirects)
        writer.member("outcome", earlier.code ?? SeedOutcome.notVisited)
        if let date = earlier.visitedAt { writer.member("visitedAt", CrawlLogEntry.text(of: date)) }
        if let date = earlier.nextVisit { writer.member("nextVisit", CrawlLogEntry.text(of: date)) }
        if let date = earlier.restsUntil { writer.member("hostRestsUntil", CrawlLogEntry.text(of: date)) }
        writer.member("inThisRun", visited)
    }

    private func writeHosts(_ writer: inout JSONWriter) {
        writer.key("hosts")
        writer.beginArray()
        for name in Set(statistics.hosts.keys).union(statistics.troubles.keys).sorted() {
            let host = statistics.hosts[name] ?? CrawlStatistics.Host()
            writer.beginObject()
            writer.member("host", name)
            writer.member("pages", host.pages)
            writer.member("records", host.records)
            writer.member("failures", host.failures)
            statistics.troubles[name]?.write(to: &writer, key: "trouble", spelling)
            if host.wasAsked {
                writer.member("requests", host.requests)
                writer.member("wireBytes", host.wireBytes)
                if let pause = host.smallestPause { writer.member("smallestPause", CrawlLogEntry.seconds(pause)) }
                if let delay = host.delayThen { writer.member("delay", CrawlLogEntry.seconds(delay)) }
                writer.member("requestsTooEarly", host.tooEarly)
                writer.member("addresses", host.addresses)
            }
            writer.endObject()
        }
        writer.endArray()
    }
}

extension RequestFailure.Words {
    /// An object with the code, the URL that was asked for and a sentence.
    public func write(to writer: inout JSONWriter, key: String, _ spelling: Setting.Spelling) {
        writer.key(key)
        writer.beginObject()
        writer.member("code", code)
        writer.member("url", url.href)
        writer.member("reason", explanation(spelling) + ".")
        writer.endObject()
    }
}

extension CrawlSummary {
    /// What stands for an outcome where a seed has none.
    enum SeedOutcome {
        static let notVisited = "not-visited"
    }
}
