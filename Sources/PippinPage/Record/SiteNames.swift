/// What a page and its address call the site: for `containerTitle`, and to leave the site's name out of titles.
struct SiteNames {
    typealias Source = DeepLinkRecord.Source

    /// What the page declares, best first.
    private let declared: [(name: String, source: Source)]
    /// Headings that link to the home page: the name of the site in its masthead.
    private let mastheads: [String]
    private let publisher: String?
    /// All of these, and the host's names.
    let known: Set<FoldedName>
    private let hosts: Set<FoldedName>
    /// `example` of `www.example.co.uk`; `203.0.113.7` and `[2001:db8::7]` of an address.
    private let label: String
    private let weights: GuessWeights.SiteName

    /// Sites that a page says it is a part of. Real pages say one.
    private static let maximumSites = 20
    /// Of a name, that are looked at.
    private static let maximumCharacters = 300
    /// What sites name their home page, not themselves.
    private static let homeNames: Set<String> = ["home", "homepage", "startseite", "website", "blog"]

    init(_ facts: PageFacts, _ page: StructuredPage, headings: [PageHeading]) {
        weights = facts.weights.siteName
        let host = SiteIdentity.withoutWWW(facts.source.url.host ?? "")
        let domain = SiteIdentity.registeredDomain(of: host) ?? host
        // The first name of a domain; an address in digits has no names.
        label = SiteIdentity.isAddress(host) ? host : String(domain.prefix { $0 != "." })
        let hosts = Set([host, domain, label].map { FoldedName($0) }.filter { !$0.isEmpty })
        self.hosts = hosts

        var declared: [(name: String, source: Source)] = []
        func declare(_ name: String?, _ source: Source) {
            guard let line = CleanText.line(name).map({ Snippet.cut($0, to: Self.maximumCharacters) }) else { return }
            let name = Self.withoutSlogan(Self.withoutRemark(Self.withoutAddress(line), hosts: hosts), hosts: hosts)
            if !name.isEmpty, !Self.homeNames.contains(name.lowercased()) { declared.append((name, source)) }
        }
        declare(facts.openGraph?.siteName, .openGraph)
        let site = page.firstItem(of: .webSite)
        declare(site.flatMap { page.text($0, "name") }, .schemaOrg)
        for item in page.items(page.mainValues("isPartOf")).prefix(Self.maximumSites) where page.isItem(item, .webSite)
        {
            declare(page.text(item, "name"), .schemaOrg)
        }
        declare(facts.metadata.applicationName, .applicationName)
        declare(facts.metadata.webApp?.title, .applicationName)
        publisher = CleanText.line(page.mainText("publisher") ?? site.flatMap { page.text($0, "publisher") })
            .flatMap { $0.hasPrefix("http") ? nil : Snippet.cut($0, to: Self.maximumCharacters) }
        mastheads = headings.filter(\.linksHome).map(\.text)
        self.declared = declared
        known = Set((declared.map(\.name) + mastheads + [publisher].compactMap(\.self)).map { FoldedName($0) })
            .union(hosts).filter { !$0.isEmpty }
    }

    // MARK: In titles

    /// Whether a text is a name of the site and nothing more.
    func contains(_ name: FoldedName) -> Bool { known.contains(name) }

    /// Whether a part of a title is the site's name, or nearly: `Times of India` for `The Times of India`, `Daily Mail Online` on
    /// dailymail.co.uk.
    ///
    /// - Parameter leads: the part stands first. Subjects stand there too, so it has to be nearer.
    func contains(part: FoldedName, leads: Bool) -> Bool {
        known.contains(part)
            || known.contains { name in
                let (short, long) = part.count <= name.count ? (part, name) : (name, part)
                guard short.count >= weights.sharedLetters else { return false }
                return short.count * 100 >= long.count * (leads ? weights.leadingShare : weights.trailingShare)
                    && (long.starts(with: short) || long.ends(with: short))
            }
    }

    // MARK: containerTitle

    /// The name of the site.
    ///
    /// - Parameters:
    ///   - title: what the page is called.
    ///   - written: its `<title>`, which may have the site's name behind it.
    func best(title: String?, written: String?) -> (name: String, source: Source)? {
        // Some pages put their title into og:site_name.
        let title = FoldedName(title ?? "")
        let own = declared.filter { title.count < weights.titleLetters || !FoldedName($0.name).starts(with: title) }
        if let first = own.first(where: { $0.name.count <= weights.nameCharacters }) {
            return publisher(for: first.name).map { ($0, .schemaOrg) } ?? first
        }
        if let publisher, hosts.contains(FoldedName(publisher)) { return (publisher, .schemaOrg) }
        let written = CleanText.line(written)
        if let masthead = mastheads.first(where: { $0.count <= weights.nameCharacters }) {
            return (masthead, .heading)
        }
        if let name = written.flatMap(hostName) { return (name, .htmlTitle) }
        if let publisher { return (publisher, .schemaOrg) }
        if let first = own.first { return first }
        if let name = written.flatMap({ PageTitle.tail(of: $0, behind: title) }) { return (name, .htmlTitle) }
        return label.isEmpty ? nil : (label, .pageURL)
    }

    /// The publisher's name if it is a better spelling of a declared one: `PC Gamer` of `pcgamer`, `Ultima Hora` of
    /// `ultimahora.com`, `Wall Street Journal` of `WSJ`.
    private func publisher(for name: String) -> String? {
        guard let publisher, publisher != name else { return nil }
        if hosts.contains(FoldedName(name)), hosts.contains(FoldedName(publisher)) {
            return !name.contains(" ") && (publisher.contains(" ") || name.contains(".")) ? publisher : nil
        }
        let capitals = name.utf8
        guard (2...6).contains(capitals.count), capitals.allSatisfy(\.isASCIIUppercase) else { return nil }
        let initials = publisher.split(separator: " ").compactMap(\.first).filter(\.isUppercase)
        return String(initials) == name ? publisher : nil
    }

    /// The host's name as a title spells it: `Klub Jagielloński` for klubjagiellonski.pl.
    private func hostName(in title: String) -> String? {
        let words = title.split(separator: " ").prefix(60)
        let longest = hosts.map(\.count).max() ?? 0
        for start in words.indices where !FoldedName(words[start]).isEmpty {
            var bytes = 0
            for end in words.indices[start...].prefix(6) {
                let word = FoldedName(words[end])
                bytes += word.count
                // An `e` may go where two words meet.
                guard bytes <= longest + (end - start) else { break }
                guard word.count > 0 else { continue }
                if hosts.contains(FoldedName(words[start...end].joined())) {
                    return Self.withoutMarks(words[start...end].joined(separator: " "))
                }
            }
        }
        return nil
    }

    private static func withoutMarks(_ text: String) -> String {
        func isMark(_ character: Character) -> Bool { !character.isLetter && !character.isNumber }
        let start = text.firstIndex { !isMark($0) } ?? text.startIndex
        let end = text.lastIndex { !isMark($0) }.map(text.index(after:)) ?? text.endIndex
        return String(text[start..<end])
    }

    /// An address that stands for a name: `example.org/`, `https://www.example.org`.
    private static func withoutAddress(_ name: String) -> String {
        guard !name.contains(" ") else { return name }
        var name = name[...]
        for prefix in ["https://", "http://"] where name.lowercased().hasPrefix(prefix) {
            name = name.dropFirst(prefix.count)
            if name.lowercased().hasPrefix("www.") { name = name.dropFirst(4) }
        }
        while name.last == "/" { name.removeLast() }
        return String(name)
    }

    /// `Zestful Kitchen` of `Zestful Kitchen | Everyday Cooking`, where the host has that name.
    private static func withoutSlogan(_ name: String, hosts: Set<FoldedName>) -> String {
        let words = name.split(separator: " ")
        // A mark of its own between spaces: not the one of `Coca-Cola`.
        func isMark(_ word: Substring) -> Bool {
            word.count == 1 && !word.contains { $0.isLetter || $0.isNumber } && word != "&"
        }
        let parts = words.split(whereSeparator: isMark).map { $0.joined(separator: " ") }
        guard parts.count > 1 else { return name }
        return parts.first { hosts.contains(FoldedName($0)) } ?? name
    }

    /// `X` of `X (formerly Twitter)`, where the host has that name.
    private static func withoutRemark(_ name: String, hosts: Set<FoldedName>) -> String {
        guard name.last == ")", let start = name.firstIndex(of: "(") else { return name }
        let rest = String(name[..<start]).trimmingHTMLSpace()
        return hosts.contains(FoldedName(rest)) ? rest : name
    }
}
