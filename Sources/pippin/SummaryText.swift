import PippinCrawl

extension CrawlSummary {
    /// The summary a person reads at the end of a run.
    func text(recordsIn output: CrawlJob.Output, reportIn folder: String? = nil) -> String {
        var lines: [String] = []
        let reason =
            switch ending {
            case .finished: "Done"
            case .pageLimit: "Page limit reached"
            case .quietHours: "Quiet hours began"
            case .interrupted: "Interrupted"
            }
        lines.append(
            "\(reason) after \(Self.seconds(duration)): \(metrics.pages) pages, \(metrics.records) records, "
                + "\(metrics.deepLinks) deep links, \(metrics.requests) requests.")

        lines.append("Visits by outcome:")
        lines += Self.table(
            metrics.outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.value, $0.key) })

        lines.append("Hosts:")
        let busiest = hosts.sorted { ($1.value.pages, $0.key) < ($0.value.pages, $1.key) }
        lines += Self.table(
            busiest.prefix(10).map { host, count in
                let failures = count.failures == 0 ? "" : ", \(count.failures) failures"
                return (count.pages, "\(host): \(count.records) records\(failures)")
            })
        if busiest.count > 10 { lines.append("         and \(busiest.count - 10) more hosts") }

        if !limitations.isEmpty {
            lines.append("What limited coverage:")
            lines += limitations.map { "  \($0.message) [\($0.code)]" }
        }
        if !failedSeeds.isEmpty {
            lines.append("Seeds that failed:")
            lines += failedSeeds.map { "  \($0.seed.url.href): \($0.outcome.code)" }
        }
        if case .file(let path) = output { lines.append("Records: \(path)") }
        if let folder { lines.append("Report: \(folder)/index.html") }
        return lines.joined(separator: "\n")
    }

    private static func table(_ rows: [(Int, String)]) -> [String] {
        rows.map { count, text in
            let number = "\(count)"
            return String(repeating: " ", count: max(0, 7 - number.count)) + number + "  " + text
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
    }
}

extension OpenSearchSink.Counts {
    /// What became of the changes, for a person.
    var text: String {
        var parts = ["\(indexed) records", "\(deleted) deletions"]
        if superseded > 0 { parts.append("\(superseded) superseded") }
        if rejected > 0 { parts.append("\(rejected) refused (the log names them)") }
        return "Search index: " + parts.joined(separator: ", ")
    }
}
