/// Joins claims to one deep link a platform and app. Claims come in order of precedence; what one source says and another
/// contradicts is kept and noted, never dropped.
struct DeepLinkMerge {
    /// A claim as a deep link of its own, and where it stands.
    struct Claim {
        /// With its one source.
        var link: DeepLinkRecord.DeepLink
        /// Whether an action has the page itself for a target, and names no app.
        var opensPage = false
        /// Whether its address has a scheme that is named after the site or its apps.
        var hasOwnScheme = false
        let line: Int?
        let column: Int?

        /// With everything of the claim but its address, which has to be opened. What is no identifier is left out.
        init(_ claim: AppClaim, on platform: Platform) {
            link = DeepLinkRecord.DeepLink(platform: platform, sources: [claim.source])
            line = claim.line
            column = claim.column
            let isWindows = platform == .windows
            link.storeIdentifier = isWindows ? Self.line(claim.storeIdentifier) : Self.storeID(claim.storeIdentifier)
            link.storeCountry = link.storeIdentifier == nil ? nil : claim.storeCountry?.uppercased()
            link.bundleIdentifier = claim.bundleIdentifier
            link.appClipBundleIdentifier = claim.appClipBundleIdentifier
            link.packageName = isWindows ? Self.line(claim.packageName) : Self.packageName(claim.packageName)
            link.appName = Self.line(claim.appName)
            link.minimumVersion = Self.line(claim.minimumVersion)
            link.launchArguments = Self.line(claim.launchArguments)
        }

        var source: AppClaim.Source { link.sources[0] }

        private static func line(_ text: String?) -> String? {
            let line = text?.collapsingHTMLSpace() ?? ""
            return line.isEmpty ? nil : line
        }

        /// Digits of an App Store ID; nil for placeholders and bundle identifiers.
        private static func storeID(_ text: String?) -> String? {
            text.flatMap { AppStoreID.reading($0.trimmingHTMLSpace())?.id }
        }

        static func packageName(_ text: String?) -> String? {
            guard let text = line(text), text.utf8.count <= 255, ASCIIText.isReverseDomain(text) else { return nil }
            return text
        }
    }

    struct Address {
        let url: String
        let source: AppClaim.Source
        let line: Int?
        let column: Int?
    }

    struct Entry {
        var link: DeepLinkRecord.DeepLink
        /// Of an action whose target is the page itself.
        var opensPage = false
        /// Every address the app is opened with, the best first.
        var addresses: [Address] = []
    }

    /// An app that a source names, for finding sources that disagree.
    private struct Naming {
        let platform: Platform
        let source: AppClaim.Source
        let app: String
        let line: Int?
        let column: Int?
    }

    private static let maximumDeepLinks = 20
    /// Further addresses of one app that are kept.
    private static let maximumAlternatives = 10

    private(set) var entries: [Entry] = []
    private var namings: [Naming] = []

    func knowsApp(on platform: Platform) -> Bool {
        entries.contains { $0.link.platform == platform && ($0.link.storeIdentifier ?? $0.link.packageName) != nil }
    }

    // MARK: Claims come in

    mutating func add(_ claim: Claim) {
        guard claim.link.url != nil || claim.link.namesApp else { return }
        if let app = claim.link.identifier {
            namings.append(
                Naming(
                    platform: claim.link.platform, source: claim.source, app: app, line: claim.line,
                    column: claim.column))
        }
        if let index = entries.firstIndex(where: { Self.isSameApp($0, claim.link) }) {
            Self.merge(claim.link, into: &entries[index].link)
            add(claim, to: &entries[index])
        } else if entries.count < Self.maximumDeepLinks {
            var entry = Entry(link: claim.link, opensPage: claim.opensPage)
            add(claim, to: &entry)
            entries.append(entry)
        }
    }

    /// Adds a source to the apps that it names too; tells whether there was one.
    mutating func confirm(
        _ source: AppClaim.Source, where isMeant: (DeepLinkRecord.DeepLink) -> Bool
    ) -> Bool {
        var found = false
        for index in entries.indices where isMeant(entries[index].link) {
            found = true
            if !entries[index].link.sources.contains(source) { entries[index].link.sources.append(source) }
        }
        return found
    }

    /// An address whose platform is not said belongs to the apps that have its scheme.
    mutating func addWithoutPlatform(_ claim: Claim) -> Bool {
        guard let url = claim.link.url else { return false }
        var found = false
        for index in entries.indices where entries[index].addresses.contains(where: { Self.haveOneScheme($0.url, url) })
        {
            found = true
            if !entries[index].link.sources.contains(claim.source) { entries[index].link.sources.append(claim.source) }
            add(claim, to: &entries[index])
        }
        return found
    }

    /// Whether other sources name the app of a claim: by its identifier or its name, or by an address with the same scheme.
    func knowsApp(of claim: Claim) -> Bool {
        entries.contains { entry in
            guard entry.link.platform == claim.link.platform else { return false }
            if let same = Self.haveOneIdentifier(entry.link, claim.link) { return same }
            return Self.haveOneName(entry.link, claim.link)
                || claim.link.url.map { url in entry.addresses.contains { Self.haveOneScheme($0.url, url) } } ?? false
        }
    }

    /// Whether some app is opened with the scheme of the claim's address.
    func knowsScheme(of claim: Claim) -> Bool {
        claim.link.url.map { url in
            entries.contains { $0.addresses.contains { Self.haveOneScheme($0.url, url) } }
        } ?? false
    }

    /// Adds the source of a claim to the apps that are opened with its very address.
    mutating func confirm(_ claim: Claim) {
        for index in entries.indices where entries[index].addresses.contains(where: { $0.url == claim.link.url }) {
            if !entries[index].link.sources.contains(claim.source) { entries[index].link.sources.append(claim.source) }
        }
    }

    /// An address belongs to the app that other sources name for a platform, where that is only one; tells whether there was
    /// such a platform.
    mutating func addToNamedApps(_ claim: Claim, on platforms: [Platform]) -> Bool {
        var found = false
        for platform in platforms {
            let named = entries.indices.filter { entries[$0].link.platform == platform && entries[$0].link.namesApp }
            guard named.count == 1, let index = named.first else { continue }
            found = true
            if !entries[index].link.sources.contains(claim.source) { entries[index].link.sources.append(claim.source) }
            add(claim, to: &entries[index])
        }
        return found
    }

    private func add(_ claim: Claim, to entry: inout Entry) {
        guard let url = claim.link.url, entry.addresses.count <= Self.maximumAlternatives,
            !entry.addresses.contains(where: { $0.url == url })
        else { return }
        entry.addresses.append(Address(url: url, source: claim.source, line: claim.line, column: claim.column))
    }

    /// What earlier sources say stays.
    private static func merge(_ other: DeepLinkRecord.DeepLink, into link: inout DeepLinkRecord.DeepLink) {
        link.storeIdentifier = link.storeIdentifier ?? other.storeIdentifier
        link.storeCountry = link.storeCountry ?? other.storeCountry
        link.bundleIdentifier = link.bundleIdentifier ?? other.bundleIdentifier
        link.appClipBundleIdentifier = link.appClipBundleIdentifier ?? other.appClipBundleIdentifier
        link.packageName = link.packageName ?? other.packageName
        link.appName = link.appName ?? other.appName
        link.minimumVersion = link.minimumVersion ?? other.minimumVersion
        link.launchArguments = link.launchArguments ?? other.launchArguments
        for source in other.sources where !link.sources.contains(source) { link.sources.append(source) }
    }

    // MARK: Which claims are of one app

    /// Identifiers decide where both have one of a kind; else the same address, app name or custom scheme does.
    private static func isSameApp(_ entry: Entry, _ claim: DeepLinkRecord.DeepLink) -> Bool {
        let link = entry.link
        guard link.platform == claim.platform else { return false }
        if link.platform == .web { return entry.addresses.contains { $0.url == claim.url } }
        if let same = haveOneIdentifier(link, claim) { return same }
        if haveOneName(link, claim) { return true }
        guard let url = claim.url else { return false }
        return entry.addresses.contains { $0.url == url || haveOneScheme($0.url, url) }
    }

    private static func isSameApp(_ a: Entry, _ b: Entry) -> Bool {
        var link = b.link
        guard !b.addresses.isEmpty else { return isSameApp(a, link) }
        return b.addresses.contains { address in
            link.url = address.url
            return isSameApp(a, link)
        }
    }

    private static func haveOneName(_ a: DeepLinkRecord.DeepLink, _ b: DeepLinkRecord.DeepLink) -> Bool {
        a.appName.map { name in b.appName?.asciiLowercased == name.asciiLowercased } ?? false
    }

    /// Nil where no kind of identifier is known of both.
    private static func haveOneIdentifier(_ a: DeepLinkRecord.DeepLink, _ b: DeepLinkRecord.DeepLink) -> Bool? {
        if let a = a.storeIdentifier, let b = b.storeIdentifier { return a == b }
        if let a = a.packageName, let b = b.packageName { return a == b }
        if let a = a.bundleIdentifier, let b = b.bundleIdentifier { return a == b }
        return nil
    }

    /// Whether two addresses have the same scheme, and one that an app has for itself.
    private static func haveOneScheme(_ a: String, _ b: String) -> Bool {
        let scheme = a.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard !scheme.elementsEqual("https".utf8), !scheme.elementsEqual("http".utf8) else { return false }
        return b.utf8.count > scheme.count && b.utf8.starts(with: scheme)
            && b.utf8.dropFirst(scheme.count).first == UInt8(ascii: ":")
    }

    // MARK: Apps that association files add

    /// Adds an app to finished deep links: to the one that is of the same app, else as one more.
    ///
    /// - Parameter isOnly: whether the file opens the address in this app alone, so that a link to the address whose app the
    ///   markup does not name is a link into this one.
    static func add(
        associated link: DeepLinkRecord.DeepLink, isOnly: Bool, to links: inout [DeepLinkRecord.DeepLink]
    ) {
        func isOneApp(_ other: DeepLinkRecord.DeepLink) -> Bool {
            link.platform.isApple
                ? other.bundleIdentifier == link.bundleIdentifier : other.packageName == link.packageName
        }
        func isOfPlatform(_ other: DeepLinkRecord.DeepLink) -> Bool {
            other.platform == link.platform || other.platform.isApple && link.platform.isApple
        }
        let index =
            links.firstIndex { isOfPlatform($0) && isOneApp($0) }
            ?? links.firstIndex { isOfPlatform($0) && isOnly && !$0.namesApp && isOneAddress($0.url, link.url) }
        guard let index else {
            guard links.count < maximumDeepLinks else { return }
            let later = Platform.allCases.drop { $0 != link.platform }.dropFirst()
            links.insert(link, at: links.firstIndex { later.contains($0.platform) } ?? links.endIndex)
            return
        }
        merge(link, into: &links[index])
        guard let url = link.url, links[index].url != url else { return }
        if links[index].url == nil {
            links[index].url = url
        } else if links[index].urlSource == .pageLink, let own = links[index].url {
            // The site vouches for this address, and for no scheme.
            links[index].url = url
            links[index].urlSource = nil
            links[index].alternativeURLs = [own] + links[index].alternativeURLs.prefix(maximumAlternatives - 1)
        } else if !links[index].alternativeURLs.contains(url),
            links[index].alternativeURLs.count < maximumAlternatives
        {
            links[index].alternativeURLs.append(url)
        }
    }

    // MARK: The result

    /// The deep links, platforms in their fixed order and a platform's apps in order of precedence, with notes on what the
    /// sources do not agree on.
    mutating func finish(notes: inout [ParseNote]) -> [DeepLinkRecord.DeepLink] {
        guard !entries.isEmpty else { return [] }
        foldTwins()
        joinPageTargets()
        noteOtherApps(&notes)
        for index in entries.indices { settle(&entries[index], &notes) }
        guard entries.count > 1 else { return entries.map(\.link) }
        return Platform.allCases.flatMap { platform in
            entries.lazy.filter { $0.link.platform == platform }.map(\.link)
        }
    }

    /// A later claim may show that two earlier ones were of one app.
    private mutating func foldTwins() {
        var i = 0
        while i < entries.count {
            var j = i + 1
            while j < entries.count {
                guard Self.isSameApp(entries[i], entries[j]) else {
                    j += 1
                    continue
                }
                let twin = entries.remove(at: j)
                Self.merge(twin.link, into: &entries[i].link)
                for address in twin.addresses where !entries[i].addresses.contains(where: { $0.url == address.url }) {
                    entries[i].addresses.append(address)
                }
            }
            i += 1
        }
    }

    /// An action that opens the page itself in an app, and does not say in which, speaks of the one app that other sources name
    /// for the platform.
    private mutating func joinPageTargets() {
        func isTarget(_ entry: Entry) -> Bool {
            entry.opensPage && !entry.link.namesApp && entry.link.sources == [.schemaOrg]
        }
        for index in entries.indices.reversed() where isTarget(entries[index]) {
            let target = entries[index]
            let others = entries.indices.filter {
                $0 != index && entries[$0].link.platform == target.link.platform
                    && entries[$0].link.sources != [.schemaOrg]
            }
            guard others.count == 1, let other = others.first else { continue }
            Self.merge(target.link, into: &entries[other].link)
            for address in target.addresses
            where !entries[other].addresses.contains(where: { Self.isOneAddress($0.url, address.url) }) {
                entries[other].addresses.append(address)
            }
            entries.remove(at: index)
        }
    }

    /// Whether two addresses lead to one page, whatever campaign they name.
    private static func isOneAddress(_ a: String?, _ b: String?) -> Bool {
        if a == b { return a != nil }
        guard let a = a.flatMap({ WebURL($0) }), let b = b.flatMap({ WebURL($0) }), a.isHTTP, b.isHTTP else {
            return false
        }
        return URLKey(a) == URLKey(b)
    }

    private func settle(_ entry: inout Entry, _ notes: inout [ParseNote]) {
        if entry.link.sources.count > 1 { entry.link.sources.sort { $0.rank < $1.rank } }
        guard let first = entry.addresses.min(by: { $0.source.rank < $1.source.rank }) else { return }
        entry.link.url = first.url
        entry.link.urlSource = first.source
        guard entry.addresses.count > 1 else { return }
        let ordered = entry.addresses.enumerated()
            .sorted { ($0.element.source.rank, $0.offset) < ($1.element.source.rank, $1.offset) }.map(\.element)
        entry.link.url = ordered[0].url
        entry.link.urlSource = ordered[0].source
        entry.link.alternativeURLs = ordered.dropFirst().prefix(Self.maximumAlternatives).map(\.url)
        guard let other = ordered.first(where: { $0.source != ordered[0].source }) else { return }
        let app = entry.link.identifier ?? entry.link.appName ?? "one app"
        let shown = Wording.quoted(apart: [ordered[0].url, other.url], to: 200)
        notes.append(
            ParseNote(
                .deepLink(.urlsDiffer),
                "\(ordered[0].source.rawValue) opens \(app) (\(entry.link.platform.rawValue)) with \(shown[0]), \(other.source.rawValue) with \(shown[1]); the first counts, both are kept.",
                line: other.line, column: other.column))
    }

    /// One note a platform and source that names none of the apps the sources before it name.
    private func noteOtherApps(_ notes: inout [ParseNote]) {
        guard namings.count > 1 else { return }
        for platform in Platform.allCases {
            let here = namings.filter { $0.platform == platform }
            guard let first = here.first else { continue }
            var known: Set<String> = []
            var start = 0
            while start < here.count {
                let source = here[start].source
                let end = here[start...].firstIndex { $0.source != source } ?? here.count
                let named = Set(here[start..<end].map(\.app))
                if start > 0, known.isDisjoint(with: named) {
                    notes.append(
                        ParseNote(
                            .deepLink(.appsDiffer),
                            "\(first.source.rawValue) names the app \(first.app) (\(platform.rawValue)), \(source.rawValue) the app \(here[start].app); both are kept.",
                            line: here[start].line, column: here[start].column))
                }
                known.formUnion(named)
                start = end
            }
        }
    }
}

extension DeepLinkRecord.DeepLink {
    /// What apps of a platform are compared by.
    var identifier: String? { platform == .android ? packageName : storeIdentifier }

    var namesApp: Bool {
        storeIdentifier != nil || packageName != nil || bundleIdentifier != nil || appClipBundleIdentifier != nil
    }
}
