// schema.org on apps: actions whose targets open one, and applications the page describes.

extension StructuredPage {
    /// Whether a property names or opens an app where it has one for its value. Those that mostly name other things (`url`,
    /// `sameAs`) are not among them: in a comment, these belong to an item of the comment.
    static func mayNameApp(_ property: String) -> Bool {
        switch property {
        case "potentialAction", "target", "urlTemplate", "actionApplication", "installUrl", "downloadUrl": true
        default: false
        }
    }

    /// - Parameter isForeign: whether visitors of the page wrote an item, which then says nothing about the site's apps.
    func appClaims(isForeign: (StructuredItem) -> Bool) -> [AppClaim] {
        guard !items.isEmpty else { return [] }
        var claims: [AppClaim] = []
        var left = AppClaim.maximumOfSource
        var applications: [Int] = []
        let visitors = itemsOfVisitors()
        for (index, item) in items.enumerated() {
            let isMain = main.contains(index)
            // A WebSite's actions are about the site; those of other items count where the page is about them.
            if isMain || isItem(item, .webPage) {
                for value in item.values("potentialAction") where left > 0 {
                    left -= 1
                    guard case .item(let action) = value, items.indices.contains(action), !isForeign(item),
                        !isForeign(items[action])
                    else { continue }
                    add(action: action, to: &claims)
                }
            }
            if isItem(item, .softwareApplication), isMain || item.isTopLevel, !visitors.contains(index),
                !isForeign(item)
            {
                applications.append(index)
            }
        }
        claims = Array(claims.prefix(AppClaim.maximumOfSource))
        if !applications.isEmpty { add(applications: applications, to: &claims) }
        return claims
    }

    /// The items that only comments, reviews and the like lead to, with these themselves. In a flat `@graph` they stand beside the
    /// site's own items.
    private func itemsOfVisitors() -> Set<Int> {
        let written = Set(items.indices.filter { items[$0].types.contains(where: UserContent.isType) })
        guard !written.isEmpty else { return [] }
        func reached(from start: [Int], stoppingAt limit: Set<Int>) -> Set<Int> {
            var seen = Set(start)
            var open = start
            while let index = open.popLast() {
                if limits.isInterrupted(after: items[index].properties.count) { break }
                for case .item(let next) in items[index].properties.lazy.map(\.value)
                where items.indices.contains(next) && !limit.contains(next) && seen.insert(next).inserted {
                    open.append(next)
                }
            }
            return seen
        }
        let theirs = reached(from: Array(written), stoppingAt: [])
        // A comment may refer to the page it is on, which is the site's, and a page that is a review speaks for itself.
        let own = items.indices.filter {
            !theirs.contains($0) || isItem($0, .webPage) || main.contains($0) && !isItem($0, .softwareApplication)
        }
        return theirs.subtracting(reached(from: own, stoppingAt: written))
    }

    // MARK: Actions

    private func add(action index: Int, to claims: inout [AppClaim]) {
        guard !isItem(index, .searchAction) else { return }
        let action = items[index]
        for target in action.values("target").prefix(20) where claims.count < AppClaim.maximumOfSource {
            if case .item(let entry) = target, items.indices.contains(entry) {
                add(entry: items[entry], of: action, to: &claims)
            } else if let address = text(of: target) {
                add(template: address, platforms: [], application: nil, of: action, line: action.line, to: &claims)
            }
        }
    }

    private func add(entry: StructuredItem, of action: StructuredItem, to claims: inout [AppClaim]) {
        let application = items(entry.values("actionApplication") + entry.values("application")).first
        var platforms = entry.values("actionPlatform").compactMap(platformName).compactMap(Self.platform)
        if platforms.isEmpty, let application {
            platforms = application.values("operatingSystem").compactMap(text(of:)).compactMap(Self.platform)
            if platforms.isEmpty {
                platforms = storeLinks(of: application).map { $0.link.store == .appStore ? .iOS : .android }
            }
        }
        let templates = entry.values("urlTemplate").compactMap(text(of:))
        let addresses = templates.isEmpty ? [text(entry, "url") ?? entry.id].compactMap(\.self) : templates
        for address in addresses.prefix(20) {
            add(
                template: address, platforms: platforms, application: application, of: action,
                line: entry.line ?? action.line, to: &claims)
        }
    }

    /// An enumeration's member may be written as text, as an address or as an item of its own.
    private func platformName(_ value: StructuredItem.Value) -> String? {
        if case .item(let index) = value, items.indices.contains(index) {
            return items[index].id ?? text(of: value)
        }
        return text(of: value)
    }

    private func add(
        template: String, platforms: [Platform], application: StructuredItem?, of action: StructuredItem, line: Int?,
        to claims: inout [AppClaim]
    ) {
        let address = template.trimmingHTMLSpace()
        // A template with blanks to fill in opens no page as it stands.
        guard !address.utf8.contains(UInt8(ascii: "{")) else { return }
        let key = "\(action.syntax.label) potentialAction"
        let name = application.flatMap { text($0, "name") }
        if let alternate = AppAlternate(address) {
            var claim = alternate.appClaim(.schemaOrg, key: key, line: line)
            claim.appName = name
            return claims.append(claim)
        }
        let stores = application.map(storeLinks) ?? []
        for platform in Platform.allCases where platform != .web && platforms.contains(platform) {
            var claim = AppClaim(platform, .schemaOrg, key, line: line)
            claim.appName = name
            if platform == .android {
                claim.packageName = stores.first { $0.link.store == .googlePlay }?.link.identifier
            } else if platform != .windows {
                claim.storeIdentifier = stores.first { $0.link.store == .appStore }?.link.identifier
            }
            claim.address = address
            claims.append(claim)
        }
        guard platforms.isEmpty, let scheme = ASCIIText.scheme(of: address.utf8), scheme != "http", scheme != "https"
        else { return }
        // Whose scheme it is shows in the other sources, or not at all.
        var claim = AppClaim(scheme == "intent" ? .android : nil, .schemaOrg, key, line: line)
        if scheme == "intent", let intent = IntentURI(address) {
            claim.packageName = intent.packageName
            if intent.launchURL == nil { return claims.append(claim) }
        }
        claim.address = address
        claims.append(claim)
    }

    private static func platform(_ text: String) -> Platform? {
        let name = SchemaOrg.bareName(text).asciiLowercased
        if name.has("ipad") { return .iPadOS }
        if name.has("ios") || name.has("iphone") { return .iOS }
        if name.has("android") { return .android }
        if name.hasPrefix("windows") { return .windows }
        return name.has("web") ? .web : nil
    }

    // MARK: Applications

    /// Of several applications of one store, the one the page is about counts; none does where it is about something else.
    private func add(applications: [Int], to claims: inout [AppClaim]) {
        for store in [StoreLink.Store.appStore, .googlePlay] {
            var named: [(index: Int, property: String, link: StoreLink)] = []
            for index in applications.prefix(AppClaim.maximumOfSource) {
                for (property, link) in storeLinks(of: items[index]) where link.store == store {
                    named.append((index, property, link))
                }
            }
            let isOne = Set(named.map(\.link.identifier)).count == 1
            let counting = named.lazy.filter { isOne || main.contains($0.index) }.prefix(AppClaim.maximumOfSource)
            for (index, property, link) in counting {
                let item = items[index]
                var claim = AppClaim(
                    store == .appStore ? .iOS : .android, .schemaOrg, "\(item.syntax.label) \(property)",
                    line: item.line,
                    column: item.column)
                if store == .appStore {
                    claim.storeIdentifier = link.identifier
                    claim.storeCountry = link.country
                } else {
                    claim.packageName = link.identifier
                }
                claim.appName = text(item, "name")
                claims.append(claim)
            }
        }
    }

    private func storeLinks(of item: StructuredItem) -> [(property: String, link: StoreLink)] {
        var links: [(property: String, link: StoreLink)] = []
        for name in ["installUrl", "downloadUrl", "url", "sameAs", "identifier"] {
            for value in item.values(name).prefix(20) {
                guard let text = address(value), let link = StoreLink(href: text),
                    !links.contains(where: { $0.link == link })
                else { continue }
                links.append((name, link))
            }
        }
        return links
    }

    /// An address may stand in a PropertyValue, or be the identifier of an item.
    private func address(_ value: StructuredItem.Value) -> String? {
        guard case .item(let index) = value, items.indices.contains(index) else { return text(of: value) }
        let item = items[index]
        return text(item, "value") ?? text(item, "url") ?? item.id
    }
}

extension StructuredItem.Syntax {
    /// What people call it.
    public var label: String {
        switch self {
        case .microdata: "microdata"
        case .rdfa: "RDFa"
        case .microformats: "microformats"
        case .jsonLD: "JSON-LD"
        }
    }
}
