import Foundation
import PippinCrawl
import PippinPage

extension StorageStatus {
    /// What a job is doing.
    public enum State: String, Sendable {
        case running
        /// The last run ended without closing the storage.
        case killed
        case idle
    }

    public var state: State { runningProcess != nil ? .running : endedUncleanly ? .killed : .idle }

    /// The state as an object, for `pippin status --json` and the server.
    ///
    /// - Parameter spelling: how messages name settings.
    public func json(_ spelling: Setting.Spelling) -> [UInt8] {
        var writer = JSONWriter(pretty: true)
        writer.object { writer in
            writer.member("at", InternetTime.text(at))
            writer.member("state", state.rawValue)
            writer.optional("process", runningProcess.map(Int.init))
            writer.object("queue") { writer in
                writer.member("known", known)
                writer.member("queued", queued)
                writer.member("due", due)
                writer.member("visited", max(0, known - queued))
                writer.member("dropped", dropped)
                writer.optional("nextDue", nextDue.map { InternetTime.text($0.at) })
                writer.optional("nextDueHost", nextDue?.host)
            }
            writer.member("hosts", hosts)
            writer.member("records", records)
            writer.counts("lastOutcomes", lastOutcomes)
            if let progress { write(progress, &writer) }
            write("busiest", busiest, spelling, &writer)
            write("dropping", dropping, spelling, &writer)
            write("blocked", blocked, spelling, &writer)
            write("troubled", troubled, spelling, &writer)
            writer.member("troubledHosts", troubledCount)
            writer.member("blockedHosts", blockedCount)
            writer.objects("runs", runs) { writer, run in
                writer.member("startedAt", InternetTime.text(run.startedAt))
                writer.optional("endedAt", run.endedAt.map(InternetTime.text))
                writer.optional("ending", run.ending)
                writer.member("visits", run.visits)
                writer.member("records", run.records)
            }
        }
        writer.endLine()
        return writer.bytes
    }

    private func write(_ progress: CrawlProgress, _ writer: inout JSONWriter) {
        writer.object("pace") { writer in
            writer.member("isOfEndedRun", progress.ending != nil)
            writer.member("seconds", progress.seconds)
            writer.member("pages", progress.pages)
            writer.member("records", progress.records)
            writer.member("requests", progress.requests)
            writer.member("pagesPerSecond", progress.seconds > 0 ? Double(progress.pages) / progress.seconds : 0)
            writer.member("visitsInFlight", progress.visitsInFlight)
            writer.member("concurrency", progress.concurrency)
            writer.member("requestsTooEarly", progress.requestsTooEarly)
            writer.optional("lookUps", progress.lookUps)
            writer.optional("hostsBeyondLimit", progress.hostsBeyondLimit)
            writer.optional("failedRequests", progress.failures)
            writer.optional("pagesPerSecondNow", progress.pagesPerSecond)
            if let outcomes = progress.outcomes { writer.counts("outcomes", outcomes) }
            if let waiting = progress.waiting {
                writer.object("waiting") { writer in
                    writer.member("host", waiting.host)
                    writer.member("reason", waiting.reason)
                    writer.member("until", InternetTime.text(waiting.until))
                    writer.member("otherHosts", waiting.otherHosts)
                }
            }
            writer.object("shares") { writer in
                for limit in CrawlPace.Limit.allCases {
                    writer.member(limit.rawValue, (progress.share(of: limit) * 1000).rounded() / 1000)
                }
            }
            writer.objects("timeline", progress.timeline?.samples ?? []) { writer, sample in
                writer.member("seconds", sample.seconds)
                writer.member("pages", sample.pages)
                writer.member("records", sample.records)
                writer.member("requests", sample.requests)
                writer.member("failedRequests", sample.failures)
                writer.member("visitsInFlight", sample.visitsInFlight)
                writer.member("scheduled", sample.scheduled)
            }
        }
    }

    private func write(
        _ key: String, _ hosts: [StorageReader.Host], _ spelling: Setting.Spelling, _ writer: inout JSONWriter
    ) {
        writer.objects(key, hosts) { writer, host in
            writer.member("host", host.name)
            writer.member("queued", host.queued)
            writer.member("known", host.urls)
            if host.dropped > 0 { writer.member("dropped", host.dropped) }
            writer.optional("nextDue", host.nextDue.map(InternetTime.text))
            writer.optional("blockedUntil", host.blockedUntil.map(InternetTime.text))
            writer.optional("reason", host.blockReason)
            writer.member("failuresInARow", host.failures)
            host.trouble?.write(to: &writer, key: "trouble", spelling)
        }
    }
}
