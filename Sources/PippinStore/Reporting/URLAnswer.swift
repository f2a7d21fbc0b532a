import Foundation
import PippinCrawl
import PippinPage

/// What became of a URL, and why: every decision about it, its visits, and its record with what became of its deep links, or the reason
/// why it has none.
public struct URLAnswer: Sendable {
    enum Scope: Sendable, Equatable {
        case allowed
        /// It is one of the seeds.
        case seed
        case refused(CrawlScope.Refusal)
        /// Without a configuration nothing can be said.
        case unknown
    }

    /// Where a redirect, or a canonical link, leads.
    struct Step: Sendable, Equatable {
        let url: String
        /// Code of its last outcome; nil when it was not visited.
        let verdict: String?
        let record: String?
    }

    let url: WebURL
    /// Nil of a URL that the crawl does not know.
    public let history: URLHistory?
    let scope: Scope
    /// From the URL on, as far as the storage knows.
    var path: [Step] = []
    /// Pages that link to the URL, as far as a short look finds them.
    var linking = PagesLinkingHere.none
    /// URLs of its host that were found and not kept: it may be one of them.
    var droppedOfHost = 0
    /// The shard of a job that the storage is; nil if it is a whole job.
    var shard: Shard?
    /// `recrawl.misses`; nil without a configuration.
    var missesAllowed: Int?
    /// What counts on its host, if the configuration has a sheet for it.
    var settings: [HostSetting] = []
    /// What its record says about its uses, a sentence each.
    var uses: [String] = []
    /// How settings are named; the reader has a file when the command has one.
    public var spelling = Setting.Spelling.both
    var now = Date()

    /// What decides now which URLs the job takes.
    public struct KnownScope: Sendable {
        let scope: CrawlScope
        let firstSeed: Seed?
        let urls: Set<WebURL>
        /// Whatever their spelling.
        let keys: Set<URLKey>

        /// - Parameter seeds: those of the job.
        public init(_ configuration: CrawlConfiguration, seeds: [Seed]) {
            scope = CrawlScope(configuration, seeds: seeds)
            firstSeed = seeds.first
            urls = Set(seeds.lazy.map(\.url))
            keys = Set(seeds.lazy.map { URLKey($0.url) })
        }
    }

    /// Reads what a job knows of a URL.
    ///
    /// - Parameters:
    ///   - configuration: the job's; nil if it is not known.
    ///   - scope: nil if it is not known what the job takes.
    /// - Throws: `StorageError` if the storage cannot be read, and `ReportedFailure` if its shard is not here.
    public init(of url: WebURL, in job: JobStorages, configuration: CrawlConfiguration?, scope: KnownScope?) throws {
        let reader = try StorageReader(job.part(of: url.politenessHost))
        let history = try reader.history(of: url)
        self.url = url
        self.history = history
        self.scope = scope.map { Self.scope(of: url, history, $0) } ?? .unknown
        if history == nil {
            droppedOfHost = try reader.dropped(of: url)
            shard = try reader.shard()
        }
        if case .listed(let identifier, _) = history?.record {
            uses = try reader.record(at: identifier).map(Self.uses) ?? []
        }
        linking = try reader.pagesLinking(to: url, shown: 5)
        path = try Self.path(from: history, reader)
        settings = configuration?.settings(of: url.politenessHost) ?? []
        missesAllowed = configuration?.recrawl.misses
    }

    /// What a record says about the uses of its page.
    private static func uses(in record: JSONValue) -> [String] {
        let usage = record["usage"]
        func written(_ value: JSONValue?) -> String {
            let line = value?["line"]?.integer.map { "line \($0) of " } ?? ""
            return "“\(value?["text"]?.string ?? "")” in \(line)\(value?["url"]?.string ?? "the page")"
        }
        var sentences = ContentUse.allCases.compactMap { use -> String? in
            guard let found = usage?[use.key] else { return nil }
            let extent = found["extent"] == nil ? "" : " with its text"
            return "\(use.rawValue)\(extent) is \(found["value"]?.string ?? "unknown"): \(written(found))."
        }
        if let found = usage?["snippet"], let limit = found["maximumCharacters"]?.integer {
            sentences.append("At most \(Wording.count(limit, "character")) may be shown: \(written(found)).")
        }
        for license in usage?["licenses"]?.array ?? [] {
            sentences.append("It is licensed by \(license["license"]?.string ?? ""): \(written(license)).")
        }
        return sentences
    }

    /// The URLs that a visit is led to, one by one.
    private static func path(from start: URLHistory?, _ reader: StorageReader) throws -> [Step] {
        var steps: [Step] = []
        var history = start
        var met: Set<String> = []
        while let here = history, met.insert(here.key).inserted {
            // Whoever asks a server may have gone.
            try Task.checkCancellation()
            let leads = ["redirected", "duplicate"].contains(here.visits.last?.outcome)
            guard leads, let url = (here.canonical ?? here.detail).flatMap({ WebURL($0) }) else { break }
            history = try reader.history(of: url)
            var record: String?
            if case .listed(let identifier, _) = history?.record { record = identifier }
            steps.append(Step(url: url.href, verdict: history?.visits.last?.outcome, record: record))
        }
        return steps
    }

    private static func scope(of url: WebURL, _ history: URLHistory?, _ known: KnownScope) -> Scope {
        let isSeed = known.keys.contains(URLKey(url))
        guard let seed = history?.seed ?? known.firstSeed else { return .unknown }
        let refusal = known.scope.refusal(
            of: url, depth: history?.depth ?? (isSeed ? 0 : 1),
            discovery: history?.discovery ?? (isSeed ? .seed : .outlink),
            seed: seed,
            standsForSeed: (history?.standsForSeed ?? isSeed) && known.urls.contains(seed.url))
        return refusal.map { .refused($0) } ?? (isSeed ? .seed : .allowed)
    }

    /// The shard that the URL belongs to, if this storage is another.
    private var owner: Int? {
        guard history == nil, let shard else { return nil }
        let owner = shard.owner(of: CrawlRequest(url: url, seed: Seed(url: url), discovery: .outlink).host)
        return owner == shard.number ? nil : owner
    }

    /// The answer in a word: the code of the last outcome, or `queued`, `never-seen`, `not-known`, `out-of-scope`, `other-shard`.
    var verdict: String {
        guard let history else {
            if case .refused = scope { return "out-of-scope" }
            if owner != nil { return "other-shard" }
            return droppedOfHost > 0 ? "not-known" : "never-seen"
        }
        if let last = history.visits.last { return last.outcome }
        return "queued"
    }

    /// Every decision, with a stable name each, in the order they are made.
    var decisions: [(name: String, sentence: String)] {
        var list: [(name: String, sentence: String)] = []
        switch scope {
        case .allowed: list.append(("scope", "The configuration takes it."))
        case .seed: list.append(("scope", "It is a seed."))
        case .refused(let refusal):
            list.append(
                ("scope", "The configuration leaves it out: \(refusal.sentence(spelling)) [\(refusal.rawValue)]."))
        case .unknown: break
        }
        guard let history else {
            if let owner, let shard {
                list.append(
                    (
                        "known",
                        "This storage is shard \(shard.number) of \(shard.count), and the URL belongs to shard \(owner): ask its storage."
                    ))
                return list
            }
            if droppedOfHost > 0 {
                list.append(("known", "The crawl does not know it: it was not met, or it was met and not kept."))
                list.append(
                    (
                        "dropped",
                        "Of its host \(droppedOfHost == 1 ? "1 link was" : "\(droppedOfHost) links were") found and not kept, as "
                            + CrawlScope.Refusal.queueFull.sentence(spelling) + " [queue-full]."
                    ))
                return list
            }
            list.append(
                (
                    "known",
                    scope == .allowed || scope == .seed
                        ? "The crawl has not met it: no page or sitemap it has read leads there yet."
                        : "The crawl does not know it."
                ))
            return list
        }
        list.append(("known", found(history)))
        if linking.count > 0 { list.append(("links", links)) }
        if history.key != url.href { list.append(("key", "It is known as \(history.key).")) }
        if !history.redirects.isEmpty {
            list.append(("redirects", "It was come to from \(history.redirects.joined(separator: ", "))."))
        }
        if let last = history.visits.last { list += outcome(last, history) }
        if let canonical = history.canonical { list.append(("canonical", "\(canonical) stands for it.")) }
        for step in path {
            let end = step.verdict.map { "ended as \($0)" } ?? "was not visited yet"
            list.append(("leads-to", "\(step.url) \(end)\(step.record.map { "; its record is \($0)" } ?? "")."))
        }
        list.append(("record", record(history)))
        list += uses.map { ("use", $0) }
        list += DeepLinkHistoryText.standings(history.deepLinks).map { ("deep-link", $0) }
        list.append(("next", next(history)))
        if let until = history.host.blockedUntil {
            list.append(
                (
                    "host",
                    "\(history.host.name) waits until \(InternetTime.text(until)) "
                        + "(\(DurationWords.distance(to: until, from: now))), as \(history.host.blockReason ?? "it rests")."
                ))
        }
        if let trouble = history.host.trouble {
            list.append(
                ("trouble", "The last request to \(history.host.name) failed: \(trouble.explanation(spelling))."))
        }
        return list
    }

    private var links: String {
        let names = linking.pages.map(\.url).joined(separator: ", ")
        let others = linking.count - linking.pages.count
        return "Pages that link here: \(names)\(others > 0 ? " and \(others) more" : "")."
            + (linking.isComplete
                ? ""
                : linking.shard.map { " Only pages of shard \($0.number) were searched." }
                    ?? " Links of \(StorageReader.maximumLinkRows) pages were searched, not of all.")
    }

    private func found(_ history: URLHistory) -> String {
        let seed = history.seed?.url.href ?? "a seed"
        let away = history.depth == 1 ? "one link from \(seed)" : "\(history.depth) links from \(seed)"
        return switch history.discovery {
        case .seed: "It was given as a seed."
        case .outlink:
            "It was found \(away)\(history.foundOn.map { $0 == seed ? "" : ", first on \($0)" } ?? "")."
        case .sitemap: "It was found in a sitemap or feed, from the seed \(seed)."
        case .redirect: "It was found as the target of a redirect, \(away)."
        case .canonical: "It was found as the canonical URL of another page, \(away)."
        }
    }

    private func outcome(_ last: URLHistory.PastVisit, _ history: URLHistory) -> [(name: String, sentence: String)] {
        // The detail of a page that was read is how it was rendered, and why its record has no text.
        let reading = ["recorded", "without-deep-links", "noindex"].contains(last.outcome) ? history.detail : nil
        let meaning =
            CodeSentences.sentence(
                ofOutcome: last.outcome, detail: reading == nil ? history.detail : nil,
                at: WebURL(history.fetchedURL) ?? url, spelling)
            ?? "It ended as \(last.outcome)."
        var list: [(name: String, sentence: String)] = []
        let isOfRobots = ["disallowed", "robots-unreachable"].contains(last.outcome)
        list.append((isOfRobots ? "robots" : "outcome", meaning))
        for line in reading?.split(separator: "\n") ?? [] {
            list.append((line.hasPrefix(CodeSentences.withoutText) ? "text" : "rendering", String(line)))
        }
        if history.failures > 1 { list.append(("failures", "Its last \(history.failures) visits failed.")) }
        if history.misses > 0 { list.append(("misses", misses(history))) }
        return list
    }

    private func misses(_ history: URLHistory) -> String {
        let times = history.misses == 1 ? "once" : "\(history.misses) times in a row"
        let text = "Its host answered, and the page could not be fetched, \(times)"
        guard case .listed = history.record, let allowed = missesAllowed else { return text + "." }
        return text + "; its record is deleted after \(allowed) times (\(Setting.misses.spelled(spelling)))."
    }

    private func record(_ history: URLHistory) -> String {
        switch history.record {
        case .listed(let identifier, let near):
            return "Its record is \(identifier)"
                + (near.map { ", nearly the same as \($0)." } ?? ".")
        case .keptBack(let identifier, let other):
            return "Its record \(identifier) is kept back: "
                + (other.map { "\($0) says the same." } ?? "another record says the same.")
        case .deleted(let identifier, let reason, let at):
            return "Its record \(identifier) was deleted"
                + (at.map { " at \(InternetTime.text($0))" } ?? "")
                + (reason.map { ", as the page was found \($0)." } ?? ".")
        case .none:
            guard history.isPage else { return "It has none: it is a sitemap." }
            guard let last = history.visits.last else { return "It has none yet: it was not visited." }
            return "It has none: its last visit ended as \(last.outcome)."
        }
    }

    private func next(_ history: URLHistory) -> String {
        guard let date = history.nextVisit else {
            return history.visits.isEmpty ? "It waits for its first visit." : "It waits to be visited again."
        }
        let moment = "\(InternetTime.text(date)) (\(DurationWords.distance(to: date, from: now)))"
        if case .refused = scope {
            guard case .listed = history.record else {
                return "It is not visited again, unless the configuration takes it."
            }
            return "Its record is deleted by the first run after \(moment), unless the configuration takes it."
        }
        guard date > now else { return "It is due since \(moment): the next run visits it." }
        return "It is visited again by the first run after \(moment)."
    }

    /// The answer for people. The first line is the answer in a word.
    public var text: String {
        var lines = ["\(verdict)  \(url.href)"]
        lines += decisions.map { "  \($0.name): \($0.sentence)" }
        if let history, !history.visits.isEmpty {
            let changes = history.changeCount > 0 ? ", \(history.changeCount) with changes" : ""
            let shown = history.visitCount > history.visits.count ? "; the last \(history.visits.count)" : ""
            lines.append("  visits: \(history.visitCount)\(changes)\(shown):")
            lines += history.visits.map { "    \(InternetTime.text($0.at))  \($0.outcome)" }
        }
        if let history { lines += DeepLinkHistoryText.lines(history.deepLinks) }
        if !settings.isEmpty {
            lines.append("  settings of \(url.politenessHost):")
            lines += settings.map { "    \($0.name): \($0.value)  (\($0.places.joined(separator: ", ")))" }
        }
        // Servers choose the words of a robots.txt and of a content type.
        return lines.map(\.safeForTerminal).joined(separator: "\n") + "\n"
    }

    /// The answer for programs.
    public func json(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.object { writer in
            writer.member("url", url.href)
            writer.member("verdict", verdict)
            writer.member("isKnown", history != nil)
            if history == nil { writer.member("droppedOfHost", droppedOfHost) }
            if case .refused(let refusal) = scope { writer.member("refusal", refusal.rawValue) }
            writer.objects("decisions", decisions) { writer, decision in
                writer.member("name", decision.name)
                writer.member("sentence", decision.sentence)
            }
            writer.objects("settings", settings) { writer, setting in
                writer.member("name", setting.name)
                writer.member("value", setting.value)
                writer.member("from", setting.places)
            }
            if let history { write(history, &writer) }
        }
        if pretty { writer.endLine() }
        return writer.bytes
    }

    private func write(_ history: URLHistory, _ writer: inout JSONWriter) {
        writer.member("key", history.key)
        writer.member("kind", history.isPage ? "page" : "sitemap")
        writer.member("state", history.state.rawValue)
        writer.member("depth", history.depth)
        writer.member("discovery", history.discovery.rawValue)
        writer.optional("seed", history.seed?.url.href)
        writer.optional("detail", history.detail)
        history.host.trouble?.write(to: &writer, key: "hostTrouble", spelling)
        writer.optional("canonical", history.canonical)
        writer.member("redirects", history.redirects)
        writer.optional("foundOn", history.foundOn)
        writer.member("linkedFrom", linking.pages.map(\.url))
        switch history.record {
        case .listed(let identifier, let near):
            writer.member("record", identifier)
            writer.optional("nearDuplicateOf", near)
        case .keptBack(_, let other): writer.optional("sameAs", other)
        case .deleted(let identifier, let reason, let at):
            writer.member("deletedRecord", identifier)
            writer.optional("deletedAs", reason)
            writer.optional("deletedAt", at.map(InternetTime.text))
        case .none: break
        }
        writer.optional("nextVisit", history.nextVisit.map(InternetTime.text))
        writer.member("visitCount", history.visitCount)
        writer.member("changes", history.changeCount)
        writer.member("failuresInARow", history.failures)
        writer.member("missesInARow", history.misses)
        writer.objects("leadsTo", path) { writer, step in
            writer.member("url", step.url)
            writer.optional("outcome", step.verdict)
            writer.optional("record", step.record)
        }
        writer.objects("visits", history.visits) { writer, visit in
            writer.member("at", InternetTime.text(visit.at))
            writer.member("outcome", visit.outcome)
        }
        writer.key("deepLinkHistory")
        writer.beginArray()
        for change in history.deepLinks { change.write(to: &writer) }
        writer.endArray()
    }
}

/// The history of a record's deep links, as `pippin why` shows it.
enum DeepLinkHistoryText {
    /// How many changes the text shows; the JSON has all.
    private static let shown = 20

    /// What holds now, a sentence for each deep link that is there.
    static func standings(_ changes: [DeepLinkChange]) -> [String] {
        var last: [Int: DeepLinkChange] = [:]
        for change in changes { last[change.link] = change }
        return last.values.sorted { $0.link < $1.link }.compactMap(sentence)
    }

    private static func sentence(_ change: DeepLinkChange) -> String? {
        guard let now = change.now else { return nil }
        let link = "\(change.name)\(now.url.map { " opens with \($0)" } ?? " is named")"
        return "\(link): \(now.status.rawValue) since \(InternetTime.text(now.since))."
    }

    /// A line for each change.
    static func lines(_ changes: [DeepLinkChange]) -> [String] {
        guard !changes.isEmpty else { return [] }
        let count = changes.count == 1 ? "1 change" : "\(changes.count) changes"
        let cut = changes.count > shown ? "; the last \(shown)" : ""
        return ["  deep links: \(count)\(cut):"]
            + changes.suffix(shown).map { change in
                "    \(InternetTime.text(change.at))  \(change.name)  \(change.sentence)"
            }
    }
}
