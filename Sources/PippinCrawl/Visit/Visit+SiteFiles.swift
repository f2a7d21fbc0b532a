import PippinPage

/// The files of a site that a page needs, for step 8.
extension Visit {
    func manifest(of page: PageReading) -> SiteFileRequest? {
        guard let manifest = page.facts.metadata.manifest,
            context.scope.covers(file: manifest, of: page.source.url, seed: request.seed)
        else { return nil }
        return SiteFileRequest(.manifest, at: manifest, seed: request.seed)
    }

    /// The association files that can prove which apps open the page and its deep links. `refused` has those that may not be
    /// requested. The page's own host is included for every page, even without app markup, because its files may open the page
    /// in an app.
    func associationFiles(
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
    var ownAssociationFiles: (files: AssociationFiles, refused: [SiteFileID: SiteFileOutcome])? {
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
        if directives.noindex || directives.unavailableAfter != nil {
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

    func confirmUnchanged(_ page: PendingPage, _ host: AssociationFiles) -> VisitResult {
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
