import Foundation
import PippinCrawl
import PippinPage
import PippinReport
import PippinStore

/// The dashboard of a crawl: how fast it goes, what it waits for, how its visits ended, what is wrong with hosts.
///
/// All of it comes from the storage folder, so it does not matter which process crawls, or whether one does. The script fetches
/// the page again every two seconds and takes over the parts marked with `data-live`; without it, a reload does the same.
enum CrawlPage {
    static let routes: [WebRoute] = [
        .page("/crawl") { _, context in
            let state = try await context.crawlState.current(context)
            return .html(Layout.page(title: "Crawl", body: html(state, context), section: .crawl))
        },
        .api(
            "/api/v1/crawl",
            APIOperation(
                id: "crawl",
                summary: "Where the job stands: queue, hosts, outcomes, pace and runs, as pippin status --json.",
                schema: APISchema.object([
                    "at": APISchema.text, "state": ["type": "string", "enum": ["running", "killed", "idle"]],
                    "process?": APISchema.count,
                    "queue": APISchema.object([
                        "known": APISchema.count, "queued": APISchema.count, "due": APISchema.count,
                        "visited": APISchema.count, "dropped": APISchema.count, "nextDue?": APISchema.text,
                        "nextDueHost?": APISchema.text,
                    ]), "hosts": APISchema.count, "records": APISchema.count,
                    "lastOutcomes": ["type": "object", "additionalProperties": APISchema.count],
                    "pace?": ["type": "object"], "busiest": APISchema.list(["type": "object"]),
                    "dropping": APISchema.list(["type": "object"]), "blocked": APISchema.list(["type": "object"]),
                    "troubled": APISchema.list(["type": "object"]), "runs": APISchema.list(["type": "object"]),
                ]), refusals: [404])
        ) { _, context in
            guard let status = try await context.crawlState.current(context) else {
                throw WebRefusal(.notFound, "There is no crawl yet: no job has written into the storage.")
            }
            return .json(UserInformation.hidden(in: status.json(context.settings.configuration.messages.settings)))
        },
    ]

    /// The most hosts in each list, and the most runs.
    static let shown = 10

    // MARK: Page

    static func html(_ status: StorageStatus?, _ context: WebContext) -> String {
        var page = HTMLBuilder()
        guard let status, !status.runs.isEmpty || status.known > 0 else {
            writeEmpty(to: &page)
            return UserInformation.hidden(in: page.html)
        }
        let spelling = context.settings.configuration.messages.settings
        page.element("header") { page in
            page.element("p", [("class", "eyebrow")], text: "Crawl")
            page.element("h1", [("data-live", "headline")], text: headline(status))
            page.element("p", [("class", "lead"), ("data-live", "state"), ("role", "status")], text: state(status))
        }
        page.element("main", [("id", "content"), ("data-refresh", "2000")]) { page in
            live("wait", to: &page) { writeWait(status, to: &$0) }
            live("figures", to: &page) { writeFigures(status, to: &$0) }
            live("course", to: &page) { writeCourse(status, to: &$0) }
            live("pace", to: &page) { writePace(status, to: &$0) }
            live("outcomes", to: &page) { writeOutcomes(status, to: &$0) }
            live("hosts", to: &page) { writeHosts(status, spelling, to: &$0) }
            live("runs", to: &page) { writeRuns(status, to: &$0) }
            page.element("p", [("class", "dim small hint")]) { page in
                page.element("span", [("data-live", "at")]) {
                    $0.text("As of \(InternetTime.text(status.at)). ")
                }
                page.element("a", [("href", "/crawl"), ("data-without-script", "")], text: "Reload")
                page.text(" · ")
                page.element("a", [("href", "/api/v1/crawl")], text: "The same as JSON")
            }
        }
        return UserInformation.hidden(in: page.html)
    }

    private static func live(
        _ key: String, to page: inout HTMLBuilder, _ body: (inout HTMLBuilder) -> Void
    ) {
        page.element("div", [("data-live", key)], body)
    }

    private static func writeEmpty(to page: inout HTMLBuilder) {
        page.element("header") { page in
            page.element("p", [("class", "eyebrow")], text: "Crawl")
            page.element("h1", [("data-live", "headline")], text: "No crawl yet")
            page.element(
                "p", [("class", "lead"), ("data-live", "state")],
                text: "This page shows a crawl as soon as one begins in the storage.")
        }
        page.element("main", [("id", "content"), ("data-refresh", "2000")]) { page in
            page.element("section", [("class", "card quiet")]) { page in
                page.element("p", text: "Start one in another terminal:")
                page.element("pre") { $0.element("code", text: "pippin crawl") }
            }
        }
    }

    private static func headline(_ status: StorageStatus) -> String {
        let pages = status.progress?.pages ?? status.runs.first?.visits ?? 0
        switch status.state {
        case .running: return "\(count(pages, "page")) so far"
        case .killed: return "The last run was ended from outside"
        case .idle: return "\(count(pages, "page")) in the last run"
        }
    }

    private static func state(_ status: StorageStatus) -> String {
        let run = status.runs.first
        switch status.state {
        case .running:
            return "A run goes on."
        case .killed:
            return "Nothing it finished is lost. The next run goes on from there."
        case .idle:
            guard let run, let endedAt = run.endedAt else { return "No run goes on." }
            return "No run goes on. The last one ended on \(moment(endedAt)): \(ending(run.ending))."
        }
    }

    static func ending(_ code: String?) -> String {
        switch code.flatMap(CrawlSummary.Ending.init) {
        case .finished: "nothing is left to visit"
        case .pageLimit: "the page limit was reached"
        case .quietHours: "quiet hours began"
        case .hostsRest: "only hosts are left that need rest"
        case .hostLimit: "only hosts beyond a limit are left"
        case .interrupted: "it was stopped"
        case nil: code ?? "ended"
        }
    }

    // MARK: Parts

    private static func writeWait(_ status: StorageStatus, to page: inout HTMLBuilder) {
        if status.state == .running, let waiting = status.progress?.waiting, waiting.until > status.at {
            page.element("p", [("class", "banner")], text: "It is \(waiting.sentence()).")
        } else if status.state != .running, status.queued + status.due == 0, let next = status.nextDue {
            let distance =
                next.at > status.at ? "in \(span(status.at, next.at))" : "\(span(next.at, status.at)) ago"
            page.element("p", [("class", "banner")], text: "Next due: a page of \(next.host), \(distance).")
        }
        if let beyond = status.progress?.hostsBeyondLimit, beyond > 0 {
            page.element(
                "p", [("class", "banner")],
                text: "\(count(beyond, "host")) left for the next run, as a limit is reached.")
        }
        if status.dropped > 0 {
            page.element(
                "p", [("class", "banner")],
                text: "\(count(status.dropped, "link")) not kept, as more of their hosts waits than a run may visit.")
        }
    }

    private static func writeFigures(_ status: StorageStatus, to page: inout HTMLBuilder) {
        let progress = status.progress
        let average = progress.flatMap { $0.seconds > 0 ? Double($0.pages) / $0.seconds : nil }
        page.element("section", [("class", "figures")]) { page in
            if status.state == .running, let now = progress?.pagesPerSecond {
                figure(rate(now), "pages a second", average.map { "\(rate($0)) since the start" } ?? "", to: &page)
            } else {
                figure(average.map(rate) ?? "–", "pages a second", "over the whole run", to: &page)
            }
            figure(
                number(status.queued), "wait to be visited",
                "\(number(status.due)) more are due again, of \(number(status.known)) known", to: &page)
            figure(
                number(status.records), status.records == 1 ? "record" : "records",
                progress.map {
                    "\(number($0.records)) written in \(status.state == .running ? "this" : "the last") run"
                } ?? "", to: &page)
            let failures = progress?.failures ?? 0
            figure(
                number(failures), failures == 1 ? "request failed" : "requests failed",
                progress.map { "of \(number($0.requests)), on \(count(status.hosts, "host"))" } ?? "",
                style: failures > 0 ? "warning" : "", to: &page)
        }
    }

    private static func figure(
        _ value: String, _ what: String, _ more: String, style: String = "", to page: inout HTMLBuilder
    ) {
        page.element("div", [("class", "card figure")]) { page in
            page.element("div", [("class", "number \(style)")], text: value)
            page.element("h3", text: what)
            page.element("p", [("class", "dim small")], text: more)
        }
    }

    /// Three charts of the run: pages a second, waiting URLs, failed requests.
    private static func writeCourse(_ status: StorageStatus, to page: inout HTMLBuilder) {
        guard let progress = status.progress else { return }
        let course = CrawlCourse(progress)
        guard course.steps.count >= 2 else { return }
        page.element("h2") { page in
            page.text(status.state == .running ? "This run " : "The last run ")
            page.element("span", [("class", "count")], text: DurationWords.text(seconds: Int(progress.seconds)))
        }
        page.element("div", [("class", "courses")]) { page in
            course.write(
                "Pages a second", course.steps.map(\.pagesPerSecond), shape: .bars, "pages-course",
                maximum: { "at most \(rate($0))" }, to: &page)
            course.write(
                "URLs in line", course.steps.map { Double($0.scheduled) }, shape: .area, "line-course",
                maximum: { "at most \(number(Int($0)))" }, to: &page)
            course.write(
                "Failed requests", course.steps.map { Double($0.failures) }, shape: .bars, "failures",
                maximum: { $0 > 0 ? "at most \(number(Int($0)))" : "none" }, to: &page)
        }
    }

    private static func writePace(_ status: StorageStatus, to page: inout HTMLBuilder) {
        guard let progress = status.progress else { return }
        let shares = CrawlPace.Limit.allCases.map { (limit: $0, share: progress.share(of: $0)) }
            .filter { $0.share >= 0.005 }.sorted { $0.share > $1.share }
        guard !shares.isEmpty else { return }
        page.element("h2", text: "What sets the pace")
        page.element("section", [("class", "card chart pace")]) { page in
            for (limit, share) in shares {
                page.element("div", [("class", "line")]) { page in
                    page.element("span") { page in
                        page.text(word(for: limit))
                        page.element("small", text: meaning(of: limit, progress))
                    }
                    SiteReport.bar([(Int(share * 1000), "b")], of: 1000, to: &page)
                    page.element("span", [("class", "num")], text: "\(Int((share * 100).rounded())) %")
                }
            }
        }
    }

    private static func word(for limit: CrawlPace.Limit) -> String {
        switch limit {
        case .politeness: "Politeness"
        case .capacity: "Capacity"
        case .work: "Work"
        case .pagesHeld: "Pages held"
        case .memory: "Memory"
        case .ending: "Ending"
        }
    }

    private static func meaning(of limit: CrawlPace.Limit, _ progress: CrawlProgress) -> String {
        switch limit {
        case .politeness: "Every host with work had to wait for its delay."
        case .capacity: "All \(number(progress.concurrency)) visits were in flight."
        case .work: "No other URL was known."
        case .pagesHeld: "Pages waited for files of their sites."
        case .memory: "All of the memory was in use."
        case .ending: "The last requests were awaited."
        }
    }

    private static func writeOutcomes(_ status: StorageStatus, to page: inout HTMLBuilder) {
        guard !status.lastOutcomes.isEmpty else { return }
        let all = status.lastOutcomes.values.reduce(0, +)
        let most = status.lastOutcomes.values.max() ?? 1
        page.element("h2") { page in
            page.text("How visits ended ")
            page.element("span", [("class", "count")], text: number(all))
        }
        page.element("p", [("class", "say")], text: "Every known URL by its last visit.")
        page.element("section", [("class", "card chart outcomes")]) { page in
            for (code, urls) in status.lastOutcomes.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
                page.element("div", [("class", "line")]) { page in
                    page.element("span", text: words(of: code))
                    SiteReport.bar([(urls, style(of: code))], of: most, to: &page)
                    page.element("span", [("class", "num")], text: number(urls))
                }
            }
        }
    }

    /// `without-deep-links` → `Without deep links`
    private static func words(of code: String) -> String {
        let words = code.replacing("-", with: " ").replacing("robots", with: "robots.txt")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private static func style(of code: String) -> String {
        if code == "recorded" || code == "not-modified" { return "g" }
        if ["failed", "server-error", "robots-unreachable", "throttled", "reading-timed-out"].contains(
            where: code.hasPrefix)
        {
            return "e"
        }
        if ["gone", "refused", "redirect-loop", "too-many", "redirect-broken"].contains(where: code.hasPrefix) {
            return "w"
        }
        return "b"
    }

    // MARK: Hosts

    private static func writeHosts(_ status: StorageStatus, _ spelling: Setting.Spelling, to page: inout HTMLBuilder) {
        var met: Set<String> = []
        let hosts = (status.blocked + status.troubled + status.busiest).filter { met.insert($0.name).inserted }
        guard !hosts.isEmpty else { return }
        page.element("h2") { page in
            page.text("Hosts ")
            page.element("span", [("class", "count")], text: number(status.hosts))
        }
        page.element(
            "p", [("class", "say")],
            text: "Those left alone, those whose last request failed, and those with the longest lines.")
        page.element("section", [("class", "card")]) { page in
            page.element("table", [("class", "lone")]) { page in
                SiteReport.writeHead(["Host", "Wait", "Known", "State"], to: &page)
                page.element("tbody") { page in
                    for host in hosts {
                        page.element("tr") { page in
                            page.element("td", text: host.name)
                            page.element("td", [("class", "num"), ("data-of", "wait")], text: number(host.queued))
                            page.element("td", [("class", "num"), ("data-of", "known")], text: number(host.urls))
                            page.element("td") { writeState(of: host, status, spelling, to: &$0) }
                        }
                    }
                }
            }
            let more = status.blockedCount + status.troubledCount - status.blocked.count - status.troubled.count
            if more > 0 {
                page.element("p", [("class", "quiet")], text: "And \(count(more, "more host")) in trouble.")
            }
        }
    }

    private static func writeState(
        of host: StorageReader.Host, _ status: StorageStatus, _ spelling: Setting.Spelling, to page: inout HTMLBuilder
    ) {
        if let until = host.blockedUntil {
            page.element(
                "span", [("class", "warning")],
                text: "Left alone for \(span(status.at, until)): \(host.blockReason ?? "it rests")")
        } else if let trouble = host.trouble {
            page.element("span", [("class", "error")], text: "\(trouble.explanation(spelling)).".sentenceStart)
        } else if host.queued > 0 {
            page.text(status.state == .running ? "In line" : "Waits for the next run")
        } else {
            page.text("In order")
        }
    }

    // MARK: Runs

    private static func writeRuns(_ status: StorageStatus, to page: inout HTMLBuilder) {
        guard !status.runs.isEmpty else { return }
        page.element("h2", text: "Runs")
        page.element("section", [("class", "card")]) { page in
            page.element("table", [("class", "runs")]) { page in
                SiteReport.writeHead(["Began", "Took", "Pages", "Records", "End"], to: &page)
                page.element("tbody") { page in
                    for (index, run) in status.runs.enumerated() {
                        let isPresent = index == 0 && status.state == .running
                        page.element("tr") { page in
                            page.element("td") { page in
                                page.element(
                                    "time", [("datetime", InternetTime.text(run.startedAt))],
                                    text: moment(run.startedAt))
                            }
                            let end = run.endedAt ?? (isPresent ? status.at : nil)
                            page.element("td", text: end.map { span(run.startedAt, $0) } ?? "–")
                            let pages = isPresent ? status.progress?.pages : run.endedAt == nil ? nil : run.visits
                            let records = isPresent ? status.progress?.records : run.endedAt == nil ? nil : run.records
                            page.element(
                                "td", [("class", "num"), ("data-of", "pages")], text: pages.map(number) ?? "–")
                            page.element(
                                "td", [("class", "num"), ("data-of", "records")], text: records.map(number) ?? "–")
                            page.element(
                                "td",
                                text: isPresent
                                    ? "Goes on"
                                    : run.endedAt == nil
                                        ? "Ended from outside" : ending(run.ending).sentenceStart)
                        }
                    }
                }
            }
        }
    }

    // MARK: Words

    static func span(_ from: Date, _ to: Date) -> String {
        DurationWords.text(seconds: Int(exactly: max(0, to.timeIntervalSince(from)).rounded()) ?? 0)
    }

    /// `2026-11-23 09:37 UTC`
    private static func moment(_ date: Date) -> String {
        InternetTime.text(date).prefix(16).replacing("T", with: " ") + " UTC"
    }

    static func number(_ value: Int) -> String { Wording.number(value) }

    static func count(_ value: Int, _ one: String) -> String { "\(number(value)) \(one)\(value == 1 ? "" : "s")" }

    /// `41`, `4.2`, `0.35`
    static func rate(_ value: Double) -> String {
        guard value.isFinite, value < 1e9 else { return "–" }
        if value >= 10 || value == 0 { return number(Int(value.rounded())) }
        let digits = value >= 1 ? 10.0 : 100.0
        let rounded = (value * digits).rounded() / digits
        return rounded == rounded.rounded() ? number(Int(rounded)) : "\(rounded)"
    }
}

/// Reads the state of a crawl for all who look at it, at most once in a while.
actor CrawlStateKeeper {
    /// Half of the distance at which pages ask.
    private static let freshness = Duration.seconds(1)

    private var last: (status: StorageStatus?, at: ContinuousClock.Instant)?
    private var reading: Task<StorageStatus?, any Error>?

    /// The state; nil if no job has written into the storage.
    func current(_ context: WebContext) async throws -> StorageStatus? {
        if let reading { return try await reading.value }
        if let last, .now - last.at < Self.freshness { return last.status }
        let task = Task {
            try await context.blocking {
                guard CrawlStorage.exists(in: context.settings.storage) else { return StorageStatus?.none }
                return try StorageStatus(context.storage, shown: CrawlPage.shown)
            }
        }
        reading = task
        defer { reading = nil }
        let status = try await task.value
        last = (status, .now)
        return status
    }
}
