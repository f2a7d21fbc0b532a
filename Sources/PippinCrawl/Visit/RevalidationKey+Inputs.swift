import PippinPage

extension RevalidationKey {
    /// The version of the page reading. Increase it when pages are read differently than before: every page is then read again
    /// when it is due.
    static let reading: UInt64 = 6

    /// Computes `crawl`. It is never 0, which is the value in storages of earlier versions.
    static func ofCrawl(
        configuration: CrawlConfiguration, host: String, seeds: [Seed], sitemap: SitemapFacts,
        usage: SiteUsage = SiteUsage(), lookup: AppLookup?,
        renderMode: RenderSettings.Mode = .never
    ) -> UInt16 {
        var hash = StableHash()
        hash.add(reading)
        hash.add(UInt64(DeepLinkRecord.schemaVersion))
        hash.add(configuration.records(of: host).rawValue)
        // A job without texts keeps the key that it had.
        if let bytes = configuration.maximumTextBytes { hash.add(UInt64(bytes)) }
        hash.add(configuration.agent.product)
        for agent in configuration.agent.robotsAgents { hash.add(agent) }
        hash.add(lookup?.digest ?? 0)
        for seed in seeds.sorted(by: { $0.url.href < $1.url.href }) {
            for text in [seed.url.href, seed.storeIdentifier, seed.bundleIdentifier, seed.packageName] {
                hash.add(text ?? "")
            }
        }
        for alternate in sitemap.alternates { hash.add(alternate) }
        for text in sitemap.extensionTexts { hash.add(text) }
        // A page that has not changed may be used for something else than before.
        if configuration.purpose != .search { hash.add("purpose \(configuration.purpose.rawValue)") }
        for statement in usage.statements {
            hash.add("use \(statement.use.rawValue) \(statement.isAllowed) \(statement.source.text)")
        }
        for license in usage.licenses { hash.add("license \(license.url.href)") }
        configuration.render.add(renderMode, to: &hash)
        configuration.scope.add(to: &hash)
        for field in configuration.fields { field.add(to: &hash) }
        // A page's links lead to any host.
        for (pattern, sheet) in configuration.hosts.written.sorted(by: { $0.key < $1.key }) {
            sheet.addScope(of: pattern, to: &hash)
        }
        return hash.small
    }

    /// Computes `site` from all files that are requested; nil if one of them may be missing only for now.
    static func ofSite(_ files: AssociationFiles, _ known: [SiteFileID: SiteFileOutcome]) -> UInt16? {
        var hash = StableHash()
        for request in files.all(known) {
            hash.add(request.url.href)
            switch known[request.id] {
            case nil: return nil
            case .found(_, let digest): hash.add(digest)
            case .absent(let cause):
                if cause.mayPass { return nil }
                hash.add(cause.kind.fileCode)
            }
        }
        return hash.small
    }
}

extension CrawlConfiguration.Scope {
    /// What decides which links of a page are followed. A page that is not modified gives no links, so those that an earlier
    /// configuration refused would stay unknown. A scope that says nothing of its own adds nothing.
    func add(to hash: inout StableHash) {
        let usual = Self()
        if follow != usual.follow { hash.add("follow \(follow.rawValue)") }
        if maximumDepth != usual.maximumDepth { hash.add("depth \(maximumDepth)") }
        // Their order decides nothing.
        for (key, list) in [("include", include), ("exclude", exclude), ("host", allowedHosts)] {
            for text in list.sorted() { hash.add("\(key) \(text)") }
        }
    }
}

extension CustomField {
    /// What changes the records of known pages.
    fileprivate func add(to hash: inout StableHash) {
        for text in [
            "field", name, query.selector?.text ?? "", query.attribute ?? "", query.path?.text ?? "", kind.rawValue,
            isList ? "all" : "",
        ] { hash.add(text) }
    }
}

extension HostSheet {
    /// As the scope of the whole crawl: which links to the hosts of a pattern are followed.
    func addScope(of pattern: String, to hash: inout StableHash) {
        if let maximumDepth { hash.add("\(pattern) depth \(maximumDepth)") }
        if let include { hash.add("\(pattern) include \(include.sorted().joined(separator: " "))") }
        if let exclude { hash.add("\(pattern) exclude \(exclude.sorted().joined(separator: " "))") }
    }
}

extension RenderSettings {
    /// What changes the pages that are made, for a `RevalidationKey`.
    func add(_ mode: Mode, to hash: inout StableHash) {
        guard mode != .never else { return }
        hash.add("render \(mode.rawValue)")
        for number in [
            maximumRequests, maximumBytes, maximumElements, Int(settle / .milliseconds(1)),
            Int(stall / .milliseconds(1)), postForReading ? 1 : 0,
        ] {
            hash.add(UInt64(number))
        }
    }
}
