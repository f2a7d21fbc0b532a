// schema.org on apps: actions whose targets open one, and applications the page describes.

extension RecordBuilder {
    mutating func addSchemaOrg(to merge: inout DeepLinkMerge) {
        guard !page.items.isEmpty else { return }
        var left = Self.maximumClaims
        var applications: [Int] = []
        for (index, item) in page.items.enumerated() {
            let isMain = page.main.contains(index)
            // A WebSite's actions are about the site; those of other items count where the page is about them.
            if isMain || page.isItem(item, .webPage) {
                for value in item.values("potentialAction") where left > 0 {
                    left -= 1
                    add(action: value, to: &merge)
                }
            }
            if page.isItem(item, .softwareApplication), isMain || item.isTopLevel { applications.append(index) }
        }
        if !applications.isEmpty { add(applications: applications, to: &merge) }
    }

    // MARK: Actions

    private mutating func add(action value: StructuredItem.Value, to merge: inout DeepLinkMerge) {
        guard case .item(let index) = value, page.items.indices.contains(index),
            !page.isItem(index, .searchAction)
        else { return }
        let action = page.items[index]
        for target in action.values("target").prefix(20) {
            if case .item(let entry) = target, page.items.indices.contains(entry) {
                add(entry: page.items[entry], of: action, to: &merge)
            } else if let address = page.text(of: target) {
                add(template: address, platforms: [], application: nil, line: action.line, to: &merge)
            }
        }
    }

    private mutating func add(entry: StructuredItem, of action: StructuredItem, to merge: inout DeepLinkMerge) {
        let application = page.items(entry.values("actionApplication") + entry.values("application")).first
        var platforms = entry.values("actionPlatform").compactMap(platformName).compactMap(Self.platform)
        if platforms.isEmpty, let application {
            platforms = application.values("operatingSystem").compactMap(page.text(of:)).compactMap(Self.platform)
            if platforms.isEmpty {
                platforms = storeLinks(of: application).map { $0.store == .appStore ? .iOS : .android }
            }
        }
        let templates = entry.values("urlTemplate").compactMap(page.text(of:))
        let addresses = templates.isEmpty ? [page.text(entry, "url") ?? entry.id].compactMap(\.self) : templates
        for address in addresses.prefix(20) {
            add(
                template: address, platforms: platforms, application: application, line: entry.line ?? action.line,
                to: &merge)
        }
    }

    /// An enumeration's member may be written as text, as an address or as an item of its own.
    private func platformName(_ value: StructuredItem.Value) -> String? {
        if case .item(let index) = value, page.items.indices.contains(index) {
            return page.items[index].id ?? page.text(of: value)
        }
        return page.text(of: value)
    }

    private mutating func add(
        template: String, platforms: [DeepLinkRecord.Platform], application: StructuredItem?, line: Int?,
        to merge: inout DeepLinkMerge
    ) {
        let address = template.trimmingHTMLSpace()
        // A template with blanks to fill in opens no page as it stands.
        guard !address.utf8.contains(UInt8(ascii: "{")) else { return }
        let name = application.flatMap { Self.line(page.text($0, "name")) }
        let stores = application.map(storeLinks) ?? []
        if let alternate = AppAlternate(address) {
            var claim = Self.claim(alternate, .schemaOrg, line: line)
            claim.link.appName = name
            return merge.add(claim)
        }
        for platform in DeepLinkRecord.Platform.allCases where platform != .web && platforms.contains(platform) {
            var claim = DeepLinkClaim(platform, .schemaOrg, line: line)
            claim.link.appName = name
            if platform == .android {
                claim.link.packageName = stores.first { $0.store == .googlePlay }?.identifier
            } else if platform != .windows {
                claim.link.storeIdentifier = stores.first { $0.store == .appStore }?.identifier
            }
            open(address, &claim)
            if claim.link.url != nil { merge.add(claim) }
        }
        guard platforms.isEmpty, let url = Self.launchURL(address), !url.isHTTP else { return }
        var claim = DeepLinkClaim(url.scheme == "intent" ? .android : .iOS, .schemaOrg, line: line)
        if url.scheme == "intent" {
            open(address, &claim)
            return merge.add(claim)
        }
        // Whose scheme it is shows in the other sources, or not at all.
        claim.link.url = url.href
        if !merge.addWithoutPlatform(claim) {
            notes.append(
                ParseNote(
                    .deepLink(.actionPlatformMissing),
                    "An action's target “\(address.prefix(200))” says nothing of its platform: actionPlatform is missing.",
                    line: line))
        }
    }

    private static func platform(_ text: String) -> DeepLinkRecord.Platform? {
        let name = SchemaOrg.bareName(text).asciiLowercased
        if name.contains("ipad") { return .iPadOS }
        if name.contains("ios") || name.contains("iphone") { return .iOS }
        if name.contains("android") { return .android }
        if name.hasPrefix("windows") { return .windows }
        return name.contains("web") ? .web : nil
    }

    // MARK: Applications

    /// Of several applications of one store, the one the page is about counts; none does where it is about something else.
    private func add(applications: [Int], to merge: inout DeepLinkMerge) {
        for store in [StoreLink.Store.appStore, .googlePlay] {
            var named: [(index: Int, link: StoreLink)] = []
            for index in applications.prefix(Self.maximumClaims) {
                for link in storeLinks(of: page.items[index]) where link.store == store { named.append((index, link)) }
            }
            let isOne = Set(named.map(\.link.identifier)).count == 1
            for (index, link) in named where isOne || page.main.contains(index) {
                let item = page.items[index]
                var claim = DeepLinkClaim(store == .appStore ? .iOS : .android, .schemaOrg, line: item.line)
                if store == .appStore {
                    claim.link.storeIdentifier = link.identifier
                    claim.link.storeCountry = link.country?.uppercased()
                } else {
                    claim.link.packageName = link.identifier
                }
                claim.link.appName = Self.line(page.text(item, "name"))
                merge.add(claim)
            }
        }
    }

    private func storeLinks(of item: StructuredItem) -> [StoreLink] {
        var links: [StoreLink] = []
        for name in ["installUrl", "downloadUrl", "url", "sameAs", "identifier"] {
            for value in item.values(name).prefix(20) {
                guard let text = address(value), let link = StoreLink(href: text), !links.contains(link) else {
                    continue
                }
                links.append(link)
            }
        }
        return links
    }

    /// An address may stand in a PropertyValue, or be the identifier of an item.
    private func address(_ value: StructuredItem.Value) -> String? {
        guard case .item(let index) = value, page.items.indices.contains(index) else { return page.text(of: value) }
        let item = page.items[index]
        return page.text(item, "value") ?? page.text(item, "url") ?? item.id
    }
}
