import PippinPage

extension Visit {
    /// A page that has been read, and waits for what its site says elsewhere. Its host's turn is over: the files have turns of
    /// their own.
    struct HeldPage: Sendable {
        let visit: Visit
        let page: PageReading
        let identity: WebURL
        /// What the visit comes to but for the record.
        let result: Result
        let needs: [SiteFileRequest]
        /// That brought the page.
        var exchange: Exchange?

        /// Step 9.
        func filed(with files: [SiteFileID: SiteFileOutcome]) -> Result {
            let context = visit.context
            let request = visit.request
            var result = result
            let seeds = context.scope.seeds(of: page.source.url, foundFrom: request.seed)
            let manifest = needs.first { $0.kind == .manifest }.flatMap { files[$0.id]?.manifest }
            let conclusion = page.conclusion(
                identity: identity, seeds: seeds, manifest: manifest, alternates: request.alternates)
            result.card = page.card(of: conclusion)
            guard let record = conclusion.record else {
                result.outcome = .noindex
                return result
            }
            result.contentHash = record.contentHash
            if context.configuration.records == .all || record.leadsIntoApp {
                result.outcome = .recorded
                result.recordIdentifier = record.uniqueIdentifier
                result.record = record
            }
            return result
        }
    }

    /// Files of the site that the page's record depends on.
    func neededFiles(of page: PageReading) -> [SiteFileRequest] {
        guard let manifest = page.facts.metadata.manifest,
            context.scope.covers(file: manifest, of: page.source.url, seed: request.seed),
            let file = SiteFileRequest(.manifest, at: manifest, seed: request.seed)
        else { return [] }
        return [file]
    }
}
