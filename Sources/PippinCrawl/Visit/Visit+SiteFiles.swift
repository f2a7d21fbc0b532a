import PippinPage
import PippinReport

/// Which files of its site a page needs, for step 8.
extension Visit {
    func manifest(of page: PageReading) -> SiteFileRequest? {
        guard let manifest = page.facts.metadata.manifest,
            context.scope.covers(file: manifest, of: page.source.url, seed: request.seed)
        else { return nil }
        return SiteFileRequest(.manifest, at: manifest, seed: request.seed)
    }

    /// The files that say which apps open the page and its deep links, and those of them that are not to be asked for. The
    /// page's own host is asked for every page, marked up or not: its files may open the page in an app.
    func associationFiles(
        for record: DeepLinkRecord
    ) -> (hosts: [AssociationFiles], refused: [SiteFileID: SiteFileOutcome]) {
        var hosts: [AssociationFiles] = []
        var refused: [SiteFileID: SiteFileOutcome] = [:]
        for want in AssociationVerification.wanted(by: record) {
            let files = AssociationFiles(of: want.site, apple: want.apple, android: want.android, seed: request.seed)
            for file in files.wanted([:]) {
                if let failure = refusal(of: file.url, for: record) { refused[file.id] = .absent(failure) }
            }
            hosts.append(files)
        }
        return (hosts, refused)
    }

    /// The association files of the page's own host, and those of them that are not to be asked for; nil for a page over http.
    var ownAssociationFiles: (files: AssociationFiles, refused: [SiteFileID: SiteFileOutcome])? {
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

    // MARK: Pages that were not modified

    /// Whether "not modified" says all: what is recorded of a page depends on more than its bytes.
    func checkUnchanged(_ response: FetchResponse, _ before: VisitResult) -> VisitResult {
        var result = before
        let directives = RobotsDirectives(
            metas: [], headers: response.headers, agents: PageReading.directiveAgents(context.configuration.agent))
        // A server may send new fields along, and these count (RFC 9111 §3.2).
        if directives.noindex || directives.unavailableAfter != nil {
            readAgain(&result)
            return result
        }
        result.keepValidators(of: response.headers)
        result.entityTag = result.entityTag ?? request.previous?.entityTag
        result.lastModified = result.lastModified ?? request.previous?.lastModified
        // The association files of its host have a say in the record of every page over https.
        guard request.isPage, let host = ownAssociationFiles else {
            endUnchanged(&result)
            return result
        }
        var page = PendingPage(of: self, result, .unchanged(host.files))
        page.files.merge(host.refused) { $1 }
        return verifyAndRecord(page)
    }

    func confirmUnchanged(_ page: PendingPage, _ host: AssociationFiles) -> VisitResult {
        var result = page.result
        // Files that cannot be had for now change nothing.
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

    /// The same page once more, without conditions, in a turn of its own.
    private func readAgain(_ result: inout VisitResult) {
        var next = request
        next.previous = request.previous?.withoutValidators
        result.visitAgain(next, because: .notModified)
    }
}
