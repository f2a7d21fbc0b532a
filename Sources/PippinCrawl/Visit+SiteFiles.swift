import PippinPage
import PippinReport

extension Visit {
    /// A page that has been read, and waits for what its site says elsewhere. Its host's turn is over: the files have turns of
    /// their own.
    ///
    ///     read ──(manifest)──► record ──(association files)──► filed
    struct HeldPage: Sendable {
        private enum Stage: Sendable {
            /// The manifest has a say in which apps the page names: there is no record yet. The document is gone, unless a report
            /// wants the page judged.
            case drafted(RecordDraft, page: PageReading?, manifest: SiteFileRequest)
            /// The record's deep links are to be verified.
            case recorded(Draft, hosts: [AssociationFiles])
            /// The page is as it was; whether its site's files are, too, is to be seen.
            case unchanged(AssociationFiles)
        }

        /// A record whose deep links are not verified yet.
        private struct Draft: Sendable {
            let record: DeepLinkRecord
            let notes: [ParseNote]
            /// What the seeds say of their apps.
            let apps: [RecordBuilder.AppIdentity]
            /// Kept where a report wants the page judged.
            let page: PageReading?
        }

        let visit: Visit
        /// What the visit comes to but for the record.
        private let result: Result
        private let stage: Stage
        /// The files that came, and those that are not to be had.
        var files: [SiteFileID: SiteFileOutcome]
        /// That brought the page.
        var exchange: Exchange?
        /// Of the crawl's, what the page takes while it waits.
        private(set) var memory: Holding?

        private init(_ visit: Visit, _ result: Result, _ stage: Stage, _ files: [SiteFileID: SiteFileOutcome]) {
            self.visit = visit
            self.result = result
            self.stage = stage
            self.files = files
        }

        /// - Parameter identity: what the record is filed under.
        static func reading(
            of page: PageReading, identity: WebURL, result: Result, visit: Visit
        ) -> Reading {
            let seeds = visit.context.scope.seeds(of: page.source.url, foundFrom: visit.request.seed)
            switch page.draft(identity: identity, seeds: seeds, alternates: visit.request.alternates) {
            case .failure(let refusal):
                var result = result
                result.outcome = .noindex
                result.card = page.card(of: .refused(refusal))
                return .ended(result)
            case .success(let draft):
                let judged = page.evidence == nil ? nil : page
                guard let manifest = visit.manifest(of: page) else {
                    return recording(draft.conclusion(manifest: nil), page: judged, result: result, visit: visit)
                }
                let stage = Stage.drafted(draft, page: judged, manifest: manifest)
                return .held(HeldPage(visit, result, stage, visit.files))
            }
        }

        /// Files that are wanted next; empty when the page can go on.
        var needs: [SiteFileRequest] {
            switch stage {
            case .drafted(_, _, let manifest): files[manifest.id] == nil ? [manifest] : []
            case .recorded(_, let hosts): hosts.flatMap { $0.wanted(files) }
            case .unchanged(let host): host.wanted(files)
            }
        }

        /// From now on the page alone is held.
        mutating func keep(_ memory: Holding) {
            memory.settle(at: keptBytes)
            self.memory = memory
        }

        private static let recordBytes = 16 * 1024

        /// What the page keeps in memory while it waits.
        private var keptBytes: Int {
            var kept = files.values.reduce(Self.recordBytes) { $0 + $1.keptBytes }
            for link in result.discovered {
                kept += MemoryLayout<CrawlRequest>.stride + link.url.href.utf8.count + link.key.string.utf8.count
            }
            switch stage {
            case .drafted(_, let page, _): return kept + (page?.keptBytes ?? 0)
            case .recorded(let draft, _): return kept + (draft.page?.keptBytes ?? 0)
            case .unchanged: return kept
            }
        }

        /// The page goes on, with all that it needed.
        func reading() -> Reading {
            switch stage {
            case .drafted(let draft, let page, let manifest):
                HeldPage.recording(
                    draft.conclusion(manifest: files[manifest.id]?.manifest), page: page, result: result, visit: visit)
            case .recorded(let draft, let hosts): .ended(filing(draft, hosts: hosts))
            case .unchanged(let host): comparing(host)
            }
        }

        // MARK: Pages that are as they were

        /// The association files of its host have a say in the record of every page over https.
        static func checking(_ result: Result, visit: Visit) -> Reading {
            guard let host = visit.ownAssociationFiles else { return .ended(result) }
            let held = HeldPage(visit, result, .unchanged(host.files), visit.files.merging(host.refused) { $1 })
            return held.needs.isEmpty ? held.reading() : .held(held)
        }

        private func comparing(_ host: AssociationFiles) -> Reading {
            // Files that cannot be had for now change nothing.
            guard let site = PageSurroundings.ofSite(host, files), site != visit.request.previous?.surroundings.site
            else { return .ended(result) }
            return .outdated
        }

        // MARK: Pages that were read

        /// Step 9, as far as the page alone has a say.
        private static func recording(
            _ conclusion: RecordBuilder.Conclusion, page: PageReading?, result: Result, visit: Visit
        ) -> Reading {
            guard case .record(let record, let notes) = conclusion else {
                var result = result
                result.outcome = .noindex
                result.card = page?.card(of: conclusion)
                return .ended(result)
            }
            let seeds = visit.context.scope.seeds(of: visit.request.url, foundFrom: visit.request.seed)
            let (hosts, refused) = visit.associationFiles(for: record)
            let draft = Draft(
                record: record, notes: notes, apps: PageReading.apps(of: seeds), page: page)
            let held = HeldPage(
                visit, result, .recorded(draft, hosts: hosts), visit.files.merging(refused) { _, refused in refused })
            return held.needs.isEmpty ? held.reading() : .held(held)
        }

        /// Steps 8 and 9.
        private func filing(_ draft: Draft, hosts: [AssociationFiles]) -> Result {
            let context = visit.context
            var associations = SiteAssociations()
            for host in hosts { associations[host.site] = host.associations(files) }
            let record = AppLinkVerification(
                of: draft.record, associations: associations, apps: draft.apps, lookup: context.appLookup
            ).record
            var result = result
            // The card verifies for itself, with a trace of every comparison.
            result.card = draft.page?.card(
                of: .record(draft.record, notes: draft.notes),
                association: AssociationEvidence(files: associations, apps: draft.apps), lookup: context.appLookup)
            result.contentHash = record.contentVersion
            if let own = visit.ownAssociationFiles?.files {
                result.surroundings?.site = PageSurroundings.ofSite(own, files) ?? 0
            }
            if context.configuration.records == .all || record.leadsIntoApp {
                result.outcome = .recorded
                result.recordIdentifier = record.uniqueIdentifier
                result.record = record
            }
            return result
        }
    }

    private func manifest(of page: PageReading) -> SiteFileRequest? {
        guard let manifest = page.facts.metadata.manifest,
            context.scope.covers(file: manifest, of: page.source.url, seed: request.seed)
        else { return nil }
        return SiteFileRequest(.manifest, at: manifest, seed: request.seed)
    }

    /// The files that say which apps open the page and its deep links, and those of them that are not to be asked for. The
    /// page's own host is asked for every page, marked up or not: its files may open the page in an app.
    private func associationFiles(
        for record: DeepLinkRecord
    ) -> (hosts: [AssociationFiles], refused: [SiteFileID: SiteFileOutcome]) {
        var hosts: [AssociationFiles] = []
        var refused: [SiteFileID: SiteFileOutcome] = [:]
        for want in AppLinkVerification.wanted(by: record) {
            let files = AssociationFiles(of: want.site, apple: want.apple, android: want.android, seed: request.seed)
            for file in files.wanted([:]) {
                if let failure = refusal(of: file.url, for: record) { refused[file.id] = .absent(failure) }
            }
            hosts.append(files)
        }
        return (hosts, refused)
    }

    /// The association files of the page's own host, and those of them that are not to be asked for; nil for a page over http.
    fileprivate var ownAssociationFiles: (files: AssociationFiles, refused: [SiteFileID: SiteFileOutcome])? {
        guard request.url.scheme == "https" else { return nil }
        let bare = DeepLinkRecord(
            uniqueIdentifier: request.url.href, domainIdentifier: request.host, url: request.url.href,
            fetchedAt: context.clock.date(), contentHash: "")
        let (hosts, refused) = associationFiles(for: bare)
        return hosts.first.map { ($0, refused) }
    }

    private func refusal(of file: WebURL, for record: DeepLinkRecord) -> SiteFileFailure? {
        guard context.scope.covers(file: file, of: request.url, seed: request.seed) else {
            return .outOfScope
        }
        // Devices would ask over https whatever the scheme. A host that does not answer there would be taken for one in
        // trouble, and its pages would wait.
        guard let site = file.origin.map({ $0 + "/" }) else { return .outOfScope }
        let addresses = [record.url, record.uniqueIdentifier] + record.deepLinks.compactMap(\.url)
        return addresses.contains { $0.hasPrefix(site) } ? nil : .notOverHTTPS
    }
}
