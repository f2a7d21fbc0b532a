import Foundation
import PippinCrawl
import PippinPage
import PippinStore

/// `pippin crawl --check`: what a run would do with its seeds, as lines on standard output. Nothing is written to files.
struct CrawlCheck: Sendable {
    let configuration: CrawlConfiguration
    let seeds: [Seed]
    /// The folder of the job's storage; nil for a one-off crawl.
    var storageFolder: String?
    var again: VisitsAgain?

    /// - Returns: whether all seeds would be visited.
    func run() async throws -> Bool {
        let preview = try CrawlPreview(configuration, seeds: seeds)
        // A run would read it too.
        _ = try configuration.appLookupPath.map { try AppLookup(contentsOf: $0) }
        let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
        var single = SingleFetch(
            configuration: configuration, fetcher: fetcher, signingFor: NamedSites(seeds.map(\.url)),
            announce: FetchOptions.announce)
        var counts = Counts()
        do {
            try StandardOutput.write(settings + "\n")
            for line in try known() { try StandardOutput.write(line + "\n") }
            try await preview.run(with: &single) { origin in
                counts.add(origin)
                try StandardOutput.write("\n" + lines(origin).joined(separator: "\n") + "\n")
            }
            try StandardOutput.write("\n" + counts.sentence + "\n")
        } catch {
            await fetcher.shutdown()
            throw error
        }
        await fetcher.shutdown()
        return counts.visits == counts.seeds
    }

    // MARK: Lines

    private var settings: String {
        let scope = configuration.scope
        var lines = [
            "user agent: \(configuration.agent.userAgent)",
            "robots.txt is read as: \(configuration.agent.robotsAgents.joined(separator: ", ")), then *",
            "links are followed: \(scope.follow.rawValue), to depth \(scope.maximumDepth), "
                + "\(Wording.number(scope.maximumPages)) pages at most",
        ]
        if let signing = configuration.agent.signing {
            let when = signing.policy == .whenAsked ? "signed for hosts that ask for it" : "signed"
            lines.append("requests over https are \(when); the keys are at \(signing.directory.href)")
        }
        if !scope.include.isEmpty { lines.append("only: \(scope.include.joined(separator: "  "))") }
        if !scope.exclude.isEmpty { lines.append("without: \(scope.exclude.joined(separator: "  "))") }
        return lines.joined(separator: "\n")
    }

    /// What the storage knows of the job, and what of it the run would visit.
    private func known() throws -> [String] {
        guard let storageFolder, again != nil || FileManager.default.fileExists(atPath: storageFolder) else {
            return []
        }
        let status = try StorageStatus(JobStorages(in: URL(filePath: storageFolder)), shown: 1)
        var lines = [
            "known: \(Wording.count(status.known, "URL")), \(Wording.number(status.queued)) queued, "
                + "\(Wording.number(status.due)) due"
        ]
        let more = try StorageReader(folder: URL(filePath: storageFolder)).dueByNewSettings(configuration, seeds: seeds)
        if more > 0 { lines.append("by changed settings: \(Wording.count(more, "more URL")) due") }
        for words in try again?.counts(in: storageFolder) ?? [] { lines.append("again: \(words)") }
        return lines
    }

    private func lines(_ origin: CrawlPreview.Origin) -> [String] {
        var lines = [origin.name]
        let own = configuration.settings(of: origin.seeds.first?.seed.url.politenessHost ?? "")
            .filter { $0.places.contains { $0.hasPrefix("hosts.") } }
        if !own.isEmpty {
            lines.append("  settings: \(own.map { "\($0.name) \($0.value)" }.joined(separator: "; "))")
        }
        if let robots = origin.robots {
            lines.append("  robots.txt: \(robots.words)")
            lines.append("  delay: \(origin.delay.words)")
        }
        if let associations = origin.associations { lines.append("  apps: \(apps(associations))") }
        lines += origin.seeds.map { seed, verdict in
            "  \(word(verdict))  \(seed.url.href)  \(verdict.sentence(configuration.messages.settings))"
        }
        return lines
    }

    private func word(_ verdict: CrawlPreview.Verdict) -> String {
        switch verdict {
        case .visit: "visit"
        case .refused, .disallowed: "leave"
        case .failed: "fail "
        }
    }

    private func apps(_ found: HostAssociations) -> String {
        let names = (found.apple?.file?.appLinkIdentifiers ?? []) + (found.android?.appLinkPackages ?? [])
        if !names.isEmpty { return names.prefix(20).joined(separator: ", ") }
        let outcomes = [found.wellKnown.judgement, found.assetLinks.judgement]
        guard let unseen = outcomes.first(where: { $0.standing == .unknown }) else { return "none" }
        return "unknown, \(unseen.clause)"
    }

    private struct Counts {
        var seeds = 0
        var hosts = 0
        var visits = 0
        var left = 0
        var failed = 0

        mutating func add(_ origin: CrawlPreview.Origin) {
            hosts += 1
            for (_, verdict) in origin.seeds {
                seeds += 1
                switch verdict {
                case .visit: visits += 1
                case .refused, .disallowed: left += 1
                case .failed: failed += 1
                }
            }
        }

        var sentence: String {
            "\(Wording.count(seeds, "seed")) on \(Wording.count(hosts, "origin")): \(visits) to visit, \(left) left out, "
                + "\(failed) failed. No page was visited, and nothing was stored."
        }
    }
}
