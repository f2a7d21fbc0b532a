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
            return Layout.page("Crawl", HTML(kept: html(state, context)), section: .crawl)
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
                    "troubled": APISchema.list(["type": "object"]), "shards?": ["type": "object"],
                    "runs": APISchema.list(["type": "object"]),
                ]), refusals: [404])
        ) { _, context in
            guard let status = try await context.crawlState.current(context) else {
                throw WebRefusal(.notFound, "There is no crawl yet: no job has written into the storage.")
            }
            return .json(UserInformation.hidden(in: status.json(context.settings.configuration.messages.settings)))
        },
    ]

    // MARK: Page

    static func html(_ status: StorageStatus?, _ context: WebContext) -> String {
        UserInformation.hidden(in: page(status, context).html)
    }

    private static func page(_ status: StorageStatus?, _ context: WebContext) -> HTML {
        guard let status, !status.runs.isEmpty || status.known > 0 else {
            return """
                <header><p class="eyebrow">Crawl</p><h1 data-live="headline">No crawl yet</h1>\
                <p class="lead" data-live="state">This page shows a crawl as soon as one begins in the storage.</p></header>\
                <main id="content" data-refresh="2000"><section class="card quiet"><p>Start one in another terminal:</p>\
                <pre><code>pippin crawl</code></pre></section></main>
                """
        }
        let parts: [(String, HTML?)] = [
            ("wait", wait(status)), ("figures", figures(status)), ("course", course(status)),
            ("shards", shards(status)),
            ("pace", pace(status)),
            ("outcomes", outcomes(status)),
            ("hosts", hosts(status, context.settings.configuration.messages.settings)), ("runs", runs(status)),
        ]
        return """
            <header><p class="eyebrow">Crawl</p><h1 data-live="headline">\(headline(status))</h1>\
            <p class="lead" data-live="state" role="status">\(state(status))</p></header>\
            <main id="content" data-refresh="2000">\(parts.map { #"<div data-live="\#($0)">\#($1)</div>"# })\
            <p class="dim small hint"><span data-live="at">As of \(InternetTime.text(status.at)). </span>\
            <a href="/crawl" data-without-script="">Reload</a> · <a href="/api/v1/crawl">The same as JSON</a></p></main>
            """
    }

    private static func headline(_ status: StorageStatus) -> String {
        let pages = status.progress?.pages ?? status.runs.first?.visits ?? 0
        switch status.state {
        case .running: return "\(SiteReport.count(pages, "page")) so far"
        case .killed: return "The last run was ended from outside"
        case .idle:
            return
                "\(SiteReport.count(pages, "page")) in the last \(status.shards == nil ? "run" : "turn of each shard")"
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
        case .addresses: "only hosts at new addresses are left"
        case .interrupted: "it was stopped"
        case nil: code ?? "ended"
        }
    }

    // MARK: Parts

    private static func wait(_ status: StorageStatus) -> HTML {
        var sentences = [status.shards?.absence].compactMap(\.self)
        if status.state == .running, let waiting = status.progress?.waiting, waiting.until > status.at {
            sentences.append("It is \(waiting.sentence()).")
        } else if status.state != .running, status.queued + status.due == 0, let next = status.nextDue {
            let distance =
                next.at > status.at ? "in \(span(status.at, next.at))" : "\(span(next.at, status.at)) ago"
            sentences.append("Next due: a page of \(next.host), \(distance).")
        }
        if let beyond = status.progress?.hostsBeyondLimit, beyond > 0 {
            sentences.append("\(SiteReport.count(beyond, "host")) left for the next run, as a limit is reached.")
        }
        if status.dropped > 0 {
            let links = SiteReport.count(status.dropped, "link")
            sentences.append("\(links) not kept, as more of their hosts waits than a run may visit.")
        }
        return "\(sentences.map { #"<p class="banner">\#($0)</p>"# })"
    }

    private static func figures(_ status: StorageStatus) -> HTML {
        let progress = status.progress
        let average = progress.flatMap { $0.seconds > 0 ? Double($0.pages) / $0.seconds : nil }
        let now = status.state == .running ? progress?.pagesPerSecond : nil
        let failures = progress?.failures ?? 0
        let figures: [HTML] = [
            now.map { HTML.figure(rate($0), "pages a second", average.map { "\(rate($0)) since the start" } ?? "") }
                ?? HTML.figure(average.map(rate) ?? "–", "pages a second", "over the whole run"),
            .figure(
                Wording.number(status.queued), "wait to be visited",
                "\(Wording.number(status.due)) more are due again, of \(Wording.number(status.known)) known"),
            .figure(
                Wording.number(status.records), status.records == 1 ? "record" : "records",
                progress.map {
                    "\(Wording.number($0.records)) written in \(status.state == .running ? "this" : "the last") run"
                } ?? ""),
            .figure(
                Wording.number(failures), failures == 1 ? "request failed" : "requests failed",
                progress.map { "of \(Wording.number($0.requests)), on \(SiteReport.count(status.hosts, "host"))" }
                    ?? "",
                failures > 0 ? "warning" : ""),
        ]
        return #"<section class="figures">\#(figures)</section>"#
    }

    /// Three charts of the run: pages a second, waiting URLs, failed requests.
    private static func course(_ status: StorageStatus) -> HTML? {
        guard let progress = status.progress else { return nil }
        let course = CrawlCourse(progress)
        guard course.steps.count >= 2 else { return nil }
        let cards = [
            course.card(
                "Pages a second", course.steps.map(\.pagesPerSecond), shape: .bars, "pages-course",
                maximum: { "at most \(rate($0))" }),
            course.card(
                "URLs in line", course.steps.map { Double($0.scheduled) }, shape: .area, "line-course",
                maximum: { "at most \(Wording.number(Int($0)))" }),
            course.card(
                "Failed requests", course.steps.map { Double($0.failures) }, shape: .bars, "failures",
                maximum: { $0 > 0 ? "at most \(Wording.number(Int($0)))" : "none" }),
        ]
        return """
            <h2>\(status.state == .running ? "This run" : "The last run") \
            <span class="count">\(DurationWords.text(seconds: Int(progress.seconds)))</span></h2>\
            <div class="courses">\(cards)</div>
            """
    }

    private static func pace(_ status: StorageStatus) -> HTML? {
        guard let progress = status.progress else { return nil }
        let shares = CrawlPace.Limit.allCases.map { (limit: $0, share: progress.share(of: $0)) }
            .filter { $0.share >= 0.005 }.sorted { $0.share > $1.share }
        guard !shares.isEmpty else { return nil }
        let lines: [HTML] = shares.map { limit, share in
            """
            <div class="line"><span>\(word(for: limit))<small>\(meaning(of: limit, progress))</small></span>\
            \(HTML.bar([(Int(share * 1000), "b")], of: 1000))<span class="num">\(Int((share * 100).rounded())) %</span></div>
            """
        }
        return #"<h2>What sets the pace</h2><section class="card chart pace">\#(lines)</section>"#
    }

    private static func word(for limit: CrawlPace.Limit) -> String {
        switch limit {
        case .politeness: "Politeness"
        case .capacity: "Capacity"
        case .work: "Work"
        case .pagesHeld: "Pages held"
        case .rendering: "Rendering"
        case .renderedFiles: "Rendered files"
        case .memory: "Memory"
        case .ending: "Ending"
        }
    }

    private static func meaning(of limit: CrawlPace.Limit, _ progress: CrawlProgress) -> String {
        switch limit {
        case .politeness: "Every host with work had to wait for its delay."
        case .capacity: "All \(Wording.number(progress.concurrency)) visits were in flight."
        case .work: "No other URL was known."
        case .pagesHeld: "Pages waited for files of their sites."
        case .rendering: "Pages computed in the browser."
        case .renderedFiles: "Rendered pages waited for the hosts of their files."
        case .memory: "All of the memory was in use."
        case .ending: "The last requests were awaited."
        }
    }

    private static func outcomes(_ status: StorageStatus) -> HTML? {
        guard !status.lastOutcomes.isEmpty else { return nil }
        let all = status.lastOutcomes.values.reduce(0, +)
        let most = status.lastOutcomes.values.max() ?? 1
        let sorted = status.lastOutcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let lines: [HTML] = sorted.map { code, urls in
            """
            <div class="line"><span>\(words(of: code))</span>\(HTML.bar([(urls, style(of: code))], of: most))\
            <span class="num">\(Wording.number(urls))</span></div>
            """
        }
        return """
            <h2>How visits ended <span class="count">\(Wording.number(all))</span></h2>\
            <p class="say">Every known URL by its last visit.</p><section class="card chart outcomes">\(lines)</section>
            """
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

    private static func hosts(_ status: StorageStatus, _ spelling: Setting.Spelling) -> HTML? {
        var met: Set<String> = []
        let hosts = (status.blocked + status.troubled + status.busiest).filter { met.insert($0.name).inserted }
        guard !hosts.isEmpty else { return nil }
        let rows: [HTML] = hosts.map { host in
            """
            <tr><td>\(host.name)</td><td class="num" data-of="wait">\(Wording.number(host.queued))</td>\
            <td class="num" data-of="known">\(Wording.number(host.urls))</td><td>\(state(of: host, status, spelling))</td></tr>
            """
        }
        let more = status.blockedCount + status.troubledCount - status.blocked.count - status.troubled.count
        let trouble = SiteReport.count(more, "more host")
        return """
            <h2>Hosts <span class="count">\(Wording.number(status.hosts))</span></h2>\
            <p class="say">Those that wait, those whose last request failed, and those with the longest lines.</p>\
            <section class="card"><table class="lone">\(HTML.tableHead(["Host", "Wait", "Known", "State"]))\
            <tbody>\(rows)</tbody></table>\
            \(#"<p class="quiet">And \#(trouble) in trouble.</p>"#, if: more > 0)</section>
            """
    }

    private static func state(
        of host: StorageReader.Host, _ status: StorageStatus, _ spelling: Setting.Spelling
    ) -> HTML {
        if let until = host.blockedUntil {
            let reason = host.blockReason ?? "it rests"
            return #"<span class="warning">Waits \#(span(status.at, until)): \#(reason)</span>"#
        }
        if let trouble = host.trouble {
            return #"<span class="error">\#("\(trouble.explanation(spelling)).".sentenceStart)</span>"#
        }
        guard host.queued > 0 else { return "In order" }
        return status.state == .running ? "In line" : "Waits for the next run"
    }

    // MARK: Shards

    /// As many rows as `pippin status` has.
    private static func shards(_ status: StorageStatus) -> HTML? {
        guard let shards = status.shards else { return nil }
        let shown = shards.mostWaiting
        let rows: [HTML] = shown.map { shard in
            """
            <tr><td class="num">\("\(shard.number)")</td><td class="num">\(Wording.number(shard.known))</td>\
            <td class="num">\(Wording.number(shard.queued))</td><td class="num">\(Wording.number(shard.due))</td>\
            <td class="num">\(Wording.number(shard.records))</td><td>\(shard.lastTurn)</td></tr>
            """
        }
        let others = shards.standings.count - shown.count
        return """
            <h2>Shards</h2><section class="card"><table>\
            \(HTML.tableHead(["Shard", "Known", "Waiting", "Due", "Records", "Last turn"]))<tbody>\(rows)</tbody></table>\
            \("<p class=\"dim\">and \(others) more, in which less waits</p>", if: others > 0)</section>
            """
    }

    // MARK: Runs

    private static func runs(_ status: StorageStatus) -> HTML? {
        guard !status.runs.isEmpty else { return nil }
        let rows: [HTML] = status.runs.enumerated().map { index, run in
            let isPresent = index == 0 && status.state == .running
            let end = run.endedAt ?? (isPresent ? status.at : nil)
            let pages = isPresent ? status.progress?.pages : run.endedAt == nil ? nil : run.visits
            let records = isPresent ? status.progress?.records : run.endedAt == nil ? nil : run.records
            let ending =
                isPresent ? "Goes on" : run.endedAt == nil ? "Ended from outside" : ending(run.ending).sentenceStart
            return """
                <tr><td><time datetime="\(InternetTime.text(run.startedAt))">\(moment(run.startedAt))</time></td>\
                <td>\(end.map { span(run.startedAt, $0) } ?? "–")</td>\
                <td class="num" data-of="pages">\(pages.map(Wording.number) ?? "–")</td>\
                <td class="num" data-of="records">\(records.map(Wording.number) ?? "–")</td><td>\(ending)</td></tr>
                """
        }
        return """
            <h2>\(status.shards == nil ? "Runs" : "Turns")</h2><section class="card"><table class="runs">\
            \(HTML.tableHead(["Began", "Took", "Pages", "Records", "End"]))<tbody>\(rows)</tbody></table></section>
            """
    }

    // MARK: Words

    static func span(_ from: Date, _ to: Date) -> String {
        DurationWords.text(seconds: Int(exactly: max(0, to.timeIntervalSince(from)).rounded()) ?? 0)
    }

    /// `2026-11-23 09:37 UTC`
    private static func moment(_ date: Date) -> String {
        InternetTime.text(date).prefix(16).replacing("T", with: " ") + " UTC"
    }

    /// `41`, `4.2`, `0.35`
    static func rate(_ value: Double) -> String {
        guard value.isFinite, value < 1e9 else { return "–" }
        if value >= 10 || value == 0 { return Wording.number(Int(value.rounded())) }
        let digits = value >= 1 ? 10.0 : 100.0
        let rounded = (value * digits).rounded() / digits
        return rounded == rounded.rounded() ? Wording.number(Int(rounded)) : "\(rounded)"
    }
}
