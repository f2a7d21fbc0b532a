import Foundation

/// The counters of a crawl in Prometheus' text format (version 0.0.4).
public struct PrometheusText: Sendable {
    /// The media type of the format.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text.
    public let text: String

    /// Writes the counters.
    ///
    /// - Parameters:
    ///   - concurrency: the limit of visits in flight.
    ///   - ending: the reason of the run's end; nil while it runs.
    public init(
        _ statistics: CrawlStatistics, concurrency: Int, startedAt: Date, ending: CrawlSummary.Ending? = nil
    ) {
        var text = PrometheusExposition()
        text.family(
            "pippin_build_info", .gauge, "The version of the program; always 1.",
            [(["version": CrawlConfiguration.Agent.programVersion], 1)])
        text.gauge(
            "pippin_start_time_seconds", "When the run began, in seconds since 1970.",
            startedAt.timeIntervalSince1970)
        text.family(
            "pippin_run_state", .gauge, "1 for the state that the run is in or ended with.",
            [(["state": ending?.rawValue ?? "running"], 1)])

        text.family(
            "pippin_requests_total", .counter, "HTTP requests by what they asked for, retries included.",
            statistics.requestsByPurpose.map { (["for": $0.name], Double($1)) })
        text.family(
            "pippin_responses_total", .counter, "HTTP answers by status class.",
            statistics.answersByClass.map { (["class": "\($0)xx"], Double($1)) })
        text.counter(
            "pippin_requests_too_early_total", "Requests before a host's delay had passed; anything but 0 is a defect.",
            statistics.requestsTooEarly)
        text.family(
            "pippin_look_ups_total", .counter, "Names looked up, by what came of it.",
            statistics.lookUps.map { (["result": $0], Double($1)) })
        text.gauge("pippin_hosts_met", "Hosts that the run turned to.", Double(statistics.hostsMet))
        text.gauge(
            "pippin_hosts_beyond_limit", "Hosts left for the next run, as a limit is reached.",
            Double(statistics.hostsBeyond))
        text.counter("pippin_retries_total", "Requests that will be, or were, made again.", statistics.retries)
        text.family(
            "pippin_visits_total", .counter, "Visits by their outcome (Docs/CrawlLog.md).",
            statistics.outcomes.map { (["outcome": $0], Double($1)) })
        text.family(
            "pippin_site_files_total", .counter,
            "Files of sites other than robots.txt, by what asking for them came to.",
            statistics.siteFiles.map { (["outcome": $0], Double($1)) })
        text.family(
            "pippin_dropped_links_total", .counter, "Links that were not queued, by the reason.",
            statistics.refusals.map { (["reason": $0], Double($1)) })
        text.counter("pippin_pages_total", "Answers to page requests, redirects left out.", statistics.pages)
        text.counter("pippin_records_total", "Records written.", statistics.records)
        text.counter("pippin_deletions_total", "Records that were taken back.", statistics.deletions)
        text.counter("pippin_deep_links_total", "Deep links into apps in the records written.", statistics.deepLinks)
        text.counter("pippin_outlinks_total", "Links found on pages, before any check.", statistics.outlinks)
        text.counter("pippin_discovered_urls_total", "URLs that became known.", statistics.discovered)
        text.counter("pippin_received_bytes_total", "Bytes of bodies as they crossed the wire.", statistics.wireBytes)
        text.counter("pippin_decoded_bytes_total", "Bytes of pages and sitemaps, decoded.", statistics.bodyBytes)
        text.family(
            "pippin_limited_seconds_total", .counter, "Time by what kept the crawl from starting another visit.",
            CrawlPace.Limit.allCases.map {
                (["by": $0.rawValue], (statistics.pace.times[$0] ?? .zero) / .seconds(1))
            })

        text.gauge("pippin_visits_in_flight", "Visits in flight.", Double(statistics.visitsInFlight))
        text.gauge("pippin_visits_in_flight_limit", "Visits that may be in flight.", Double(concurrency))
        text.gauge("pippin_scheduled_urls", "URLs that wait for their host's turn.", Double(statistics.scheduled))
        text.gauge("pippin_known_hosts", "Hosts that the schedule knows.", Double(statistics.hostsScheduled))

        text.histogram("pippin_request_duration_seconds", "HTTP exchanges, also failed ones.", statistics.exchangeTimes)
        text.histogram(
            "pippin_time_to_first_byte_seconds", "From the start of an exchange to its first byte.",
            statistics.firstByteTimes)
        text.histogram("pippin_queue_wait_seconds", "Waiting for the host's turn.", statistics.waitTimes)
        text.histogram("pippin_page_reading_seconds", "Reading what was fetched.", statistics.readingTimes)
        self.text = text.text
    }
}

extension FetchRequest.Purpose {
    /// Stable name.
    var name: String {
        switch self {
        case .page: "page"
        case .robots: "robots"
        case .sitemap: "sitemap"
        case .associationFile: "association-file"
        case .usageFile: "usage-file"
        case .manifest: "manifest"
        case .image: "image"
        case .keyFile: "key-file"
        case .subresource: "subresource"
        case .archive: "archive"
        }
    }
}

/// Builds the lines of Prometheus' text format (version 0.0.4): HELP and TYPE once per family, before its samples.
public struct PrometheusExposition: Sendable {
    /// What the samples of a family are.
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// The lines so far.
    public private(set) var text = ""

    public init() {}

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n"))\n"
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func sample(_ name: String, _ labels: [String: String], _ value: Double) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
            text += "{" + pairs.joined(separator: ",") + "}"
        }
        text += " \(Self.number(value))\n"
    }

    /// A family with a sample for each set of labels.
    public mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [([String: String], Double)]) {
        begin(name, kind, help)
        func order(_ labels: [String: String]) -> String {
            labels.sorted { $0.key < $1.key }.map(\.value).joined(separator: "\0")
        }
        let ordered = samples.sorted { order($0.0).utf8.lexicographicallyPrecedes(order($1.0).utf8) }
        for (labels, value) in ordered { sample(name, labels, value) }
    }

    /// A counter without labels.
    public mutating func counter(_ name: String, _ help: String, _ value: Int) {
        begin(name, .counter, help)
        sample(name, [:], Double(value))
    }

    /// A gauge without labels.
    public mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        begin(name, .gauge, help)
        sample(name, [:], value)
    }

    /// A histogram of durations, in seconds.
    public mutating func histogram(_ name: String, _ help: String, _ histogram: TimeHistogram) {
        begin(name, .histogram, help)
        var total = 0
        for (bound, count) in zip(TimeHistogram.bounds, histogram.counts) {
            total += count
            sample(name + "_bucket", ["le": Self.number(bound / .seconds(1))], Double(total))
        }
        sample(name + "_bucket", ["le": "+Inf"], Double(histogram.count))
        sample(name + "_sum", [:], histogram.sum / .seconds(1))
        sample(name + "_count", [:], Double(histogram.count))
    }

    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
