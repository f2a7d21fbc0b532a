import Foundation
import PippinCrawl
import PippinPage
import PippinStore
import Synchronization

/// Somebody who uses the other commands beside a run and after it: another crawl into the same storage, `status`, `why`, `search`.
final class CommandUser: Sendable {
    private let found = Mutex<[String]>([])

    var violations: [String] { found.withLock { $0 } }

    private func say(_ violation: String) { found.withLock { $0.append(violation) } }

    /// Starts another run while one goes on. It must be told that the storage is in use, and leave it as it is.
    func crawlToo(in storage: URL) {
        do {
            _ = try CrawlStorage(folder: storage)
            say("second run let in: \(storage.lastPathComponent) was opened twice")
        } catch StorageError.held {
        } catch StorageError.unusable {
            // The disk has failed it.
        } catch { say("second run: \(error)") }
    }

    /// Compares the search index with the titles of all records, by their URLs.
    func search(in storage: URL, for records: [String: String]) throws {
        let search = try SearchIndex(folder: storage)
        let (documents, isComplete) = try search.standing()
        if documents != records.count || !isComplete {
            say("search differs: \(documents) documents (complete: \(isComplete)), \(records.count) records")
            return
        }
        let limit = 50
        let hits = try search.search(SearchQuery("version"), offset: 0, limit: limit, isExplained: false).hits
        let titled = records.filter { $0.value.contains("version") }
        if let untrue = hits.first(where: { titled[$0.identifier] != $0.title.text }) {
            let title = titled[untrue.identifier] ?? "nothing"
            say("search untrue: \(untrue.identifier) is found as “\(untrue.title.text)”, and its record says \(title)")
        } else if hits.count != min(limit, titled.count) {
            say("search lacks: \(hits.count) hits for \(titled.count) records")
        }
    }

    /// Asks why a page is as it is, whose last answer began at a time.
    func why(_ url: String, answeredAt answer: Date, now: Date, in storage: URL) throws {
        guard let address = WebURL(url) else { return }
        guard let history = try StorageReader(folder: storage).history(of: address, now: now) else {
            return say("why: \(url) is unknown, and was answered at \(answer)")
        }
        guard let last = history.visits.last, last.at >= answer.addingTimeInterval(-1) else {
            return say(
                "why: \(url) was visited last at \(history.visits.last?.at.description ?? "no time"), and was answered at \(answer)"
            )
        }
        if history.nextVisit == nil, history.state != .queued {
            say("why: \(url) has no next visit, and does not wait for one")
        }
    }

    /// Lets `pippin check --full` look at all parts of the job.
    func check(_ storage: URL, archive: URL?) throws {
        try StorageCheck(folder: storage, isFull: true).run(archive: archive?.path) { finding in
            if case .wrong(let problem, _) = finding.verdict { say("check: \(finding.name): \(problem)") }
        }
    }

    /// Gives space back.
    func compact(_ storage: URL) throws { _ = try StorageCompaction(of: storage) }

    /// Compares the counts of `status` with those of the storage's consumers.
    func status(in storage: URL, records: Int, now: Date) throws {
        let status = try StorageStatus(try StorageReader(folder: storage), now: now)
        if status.records != records { say("status: \(status.records) records, and the consumer has \(records)") }
        if status.state != .idle {
            say("status: no run goes on and the last one ended, but it says otherwise")
        }
    }
}
