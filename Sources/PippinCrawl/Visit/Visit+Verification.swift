import PippinPage

/// Steps 8 and 9: the files of a site that a page needs, what they make of its app claims, and the record.
extension Visit {
    // MARK: 8 Verify

    /// Steps 8 and 9, as far as the known files allow. If files are missing, the page waits for them. The manifest comes first,
    /// because the apps that it names decide which association files are needed.
    func verifyAndRecord(_ pending: PendingPage) -> VisitResult {
        var page = pending
        while page.missing.isEmpty {
            switch page.stage {
            case .claims(let draft, let wanted):
                var (record, notes) = draft.record(manifest: wanted.manifest.flatMap { page.files[$0.id]?.manifest })
                if let file = wanted.reservations.flatMap({ page.files[$0.id]?.reservations }) {
                    record.usage.take(file, page: request.url)
                    notes += file.notes
                }
                for license in wanted.licenses.compactMap({ page.files[$0.id]?.license }) {
                    record.usage.take(license, page: request.url)
                    notes += license.notes
                }
                switch record.usage.consequence(for: context.configuration.purpose) {
                case .recorded: break
                case .withoutText(let statement):
                    record.removeText()
                    page.result.withheldText = statement
                case .refused(let statement):
                    page.result.seen?.conclusion = .record(record, notes: notes)
                    page.result.end(.useRefused(statement))
                    return page.result
                }
                let (hosts, refused) = associationFiles(for: record)
                page.files.merge(refused) { $1 }
                page.stage = .unverified(record, notes: notes, hosts: hosts)
            case .unverified(let unverified, let notes, let hosts):
                return record(verify(unverified, notes: notes, hosts: hosts, of: &page), of: page)
            case .unchanged(let host): return confirmUnchanged(page, host)
            }
        }
        var result = page.result
        result.next = .waitForFiles(page)
        return result
    }

    /// Adds the results of the association files to a record's deep links.
    private func verify(
        _ record: DeepLinkRecord, notes: [ParseNote], hosts: [AssociationFiles], of page: inout PendingPage
    ) -> DeepLinkRecord {
        var associations = SiteAssociations()
        for host in hosts { associations[host.site] = host.associations(page.files) }
        // The apps that the seeds name.
        let apps = context.scope.seeds(of: request.url, foundFrom: request.seed).apps
        // Who looks on is to see every comparison, so all are traced.
        let verification = AssociationVerification(
            of: record, associations: associations, apps: apps, lookup: context.appLookup,
            tracing: context.observer != nil)
        page.result.seen?.conclusion = .record(record, notes: notes)
        page.result.seen?.verification = VisitObservation.Verification(
            associations: associations, apps: apps, lookup: context.appLookup, result: verification)
        return verification.record
    }

    // MARK: 9 Record

    private func record(_ record: DeepLinkRecord, of page: PendingPage) -> VisitResult {
        var result = page.result
        var record = record
        if result.rendering?.verdict == .counts {
            record.provenance.append(DeepLinkRecord.Provenance(field: "page", source: .scripts))
        }
        let document = RecordDocument(record)
        result.contentHash = document.text.contentVersion
        if let own = ownAssociationFiles?.files {
            result.revalidationKey?.site = RevalidationKey.ofSite(own, page.files) ?? 0
        }
        guard context.configuration.records(of: request.host) == .all || record.leadsIntoApp else {
            result.end(.withoutDeepLinks)
            return result
        }
        result.recordIdentifier = record.uniqueIdentifier
        result.record = .upsert(document)
        result.end(.recorded)
        return result
    }

    // MARK: Files of sites

    /// Licences of one page that are read.
    private static let maximumLicenses = 2

    /// The files that decide about a page's record. `tdmrep.json` costs every host a request, and says nothing about search, so only
    /// crawls for other purposes ask for it, and only where neither the page nor its headers speak of reservations. Licences are read from
    /// the hosts of the crawl and of the page's site; others are only named in the record.
    func files(of page: PageReading, _ draft: RecordDraft) -> PendingPage.PageFiles {
        var files = PendingPage.PageFiles(manifest: manifest(of: page))
        if context.configuration.purpose != .search, draft.usage.reservation == nil {
            files.reservations = TDMReservationFile.location(of: page.source.url).flatMap(usageFile(.reservations))
        }
        files.licenses = draft.usage.licenses.map(\.url).compactMap(usageFile(.license)).prefix(Self.maximumLicenses)
            .map(\.self)
        return files
    }

    private func usageFile(_ kind: SiteFileKind) -> (WebURL) -> SiteFileRequest? {
        { url in
            guard context.scope.covers(file: url, of: request.url, seed: request.seed) else { return nil }
            return SiteFileRequest(kind, at: url, seed: request.seed)
        }
    }

    private func manifest(of page: PageReading) -> SiteFileRequest? {
        guard let manifest = page.facts.metadata.manifest,
            context.scope.covers(file: manifest, of: page.source.url, seed: request.seed)
        else { return nil }
        return SiteFileRequest(.manifest, at: manifest, seed: request.seed)
    }

    /// The association files that can prove which apps open the page and its deep links. `refused` has those that may not be
    /// requested. The page's own host is included for every page, even without app markup, because its files may open the page
    /// in an app.
    private func associationFiles(
        for record: DeepLinkRecord
    ) -> (hosts: [AssociationFiles], refused: [SiteFileID: SiteFileOutcome]) {
        var hosts: [AssociationFiles] = []
        var refused: [SiteFileID: SiteFileOutcome] = [:]
        for want in AssociationVerification.wanted(by: record) {
            let files = AssociationFiles(of: want.site, apple: want.apple, android: want.android, seed: request.seed)
            for file in files.wanted([:]) {
                if let cause = refusal(of: file.url, for: record) { refused[file.id] = .absent(cause) }
            }
            hosts.append(files)
        }
        return (hosts, refused)
    }

    /// The association files of the page's own host; `refused` has those that may not be requested. Nil for a page over http.
    private var ownAssociationFiles: (files: AssociationFiles, refused: [SiteFileID: SiteFileOutcome])? {
        guard request.url.scheme == "https" else { return nil }
        let bare = DeepLinkRecord(
            uniqueIdentifier: request.url.href, domainIdentifier: request.host, url: request.url.href,
            fetchedAt: context.clock.date(), contentHash: "")
        let (hosts, refused) = associationFiles(for: bare)
        return hosts.first.map { ($0, refused) }
    }

    private func refusal(of file: WebURL, for record: DeepLinkRecord) -> RequestFailure.Cause? {
        guard context.scope.covers(file: file, of: request.url, seed: request.seed) else {
            return .outOfScope
        }
        // Devices would ask over https whatever the page's scheme. But a host that does not answer over https would count as a
        // host in trouble, and its pages would have to wait.
        guard let site = file.origin.map({ $0 + "/" }) else { return .outOfScope }
        let addresses = [record.url, record.uniqueIdentifier] + record.deepLinks.compactMap(\.url)
        return addresses.contains { $0.hasPrefix(site) } ? nil : .notOverHTTPS
    }

    // MARK: Pages that were not modified

    /// Checks whether "not modified" is enough to keep the record, which depends on more than the page's bytes.
    func checkUnchanged(_ response: FetchResponse, _ before: VisitResult) -> VisitResult {
        var result = before
        let directives = RobotsDirectives(
            metas: [], headers: response.headers, agents: context.configuration.agent.directiveAgents)
        // A server may send new header fields with 304, and these count (RFC 9111 §3.2).
        let usage = PageUsage(
            headers: response.headers, agents: context.configuration.agent.directiveAgents, page: request.url,
            now: context.clock.date())
        var isRefused = false
        if case .refused = usage.consequence(for: context.configuration.purpose) { isRefused = true }
        if directives.noindex || directives.unavailableAfter != nil || isRefused {
            readAgain(&result)
            return result
        }
        result.keepValidators(of: response.headers)
        result.entityTag = result.entityTag ?? request.previous?.entityTag
        result.lastModified = result.lastModified ?? request.previous?.lastModified
        // The association files of its host are inputs of the record for every page over https.
        guard request.isPage, let host = ownAssociationFiles else {
            endUnchanged(&result)
            return result
        }
        var page = PendingPage(of: self, result, .unchanged(host.files))
        page.files.merge(host.refused) { $1 }
        return verifyAndRecord(page)
    }

    private func confirmUnchanged(_ page: PendingPage, _ host: AssociationFiles) -> VisitResult {
        var result = page.result
        // Files that are not available for now change nothing.
        if let site = RevalidationKey.ofSite(host, page.files), site != request.previous?.revalidationKey.site {
            readAgain(&result)
        } else {
            endUnchanged(&result)
        }
        return result
    }

    private func endUnchanged(_ result: inout VisitResult) {
        result.contentHash = request.previous?.contentHash
        result.recordIdentifier = request.previous?.recordIdentifier
        result.end(.notModified)
    }

    /// Requests the page again, unconditionally, in a separate turn.
    private func readAgain(_ result: inout VisitResult) {
        var next = request
        next.previous = request.previous?.withoutValidators
        result.visitAgain(next, because: .notModified)
    }
}
