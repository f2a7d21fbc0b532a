// Who wrote the page.

extension RecordBuilder {
    /// Names of `meta` elements with an author, in order of precedence.
    private static let authorMeta = NameTable(
        [
            "citation_author", "dc.creator", "dcterms.creator", "dc.contributor", "dcterms.creator.name",
            "parsely-author", "sailthru.author", "bt:author", "byl", "article:author_name", "article.author", "author",
            "article:author", "og:article:author", "article_author", "article-author", "rbauthors",
            "cxenseparse:author",
            "cxenseparse:recs:author", "shareaholic:article_author_name", "vr:author", "book:author", "authors",
            "writer",
            "creator", "byline", "rnews:creator", "article:authors", "author_name",
        ].enumerated().map { ($1, $0) })

    /// Names of `meta` elements with an organization.
    private static let organizationMeta = NameTable(["publisher", "dc.publisher", "copyright"].map { ($0, true) })

    /// What WordPress calls the writer beside a card's picture (`twitter:label1`, `twitter:data1`).
    private static let cardLabels: Set<String> = [
        "written by", "verfasst von", "geschrieben von", "escrito por", "écrit par", "rédigé par", "scritto da",
        "geschreven door", "napisane przez", "skrevet av", "skrevet af", "skriven av", "автор", "написано автором",
        "yazan",
        "作者", "執筆者", "글쓴이", "كُتب بواسطة", "كتبه", "kirjoittanut", "napsal(a)", "autor", "author", "by", "di", "por",
        "von",
        "publicado por", "viết bởi", "ditulis oleh", "συντάχθηκε από", "نوشته‌شده بدست", "szerző", "autor",
        "נכתב על ידי",
    ]

    /// The authors that markup names.
    struct StatedAuthors {
        fileprivate let names: AuthorNames
        fileprivate(set) var people: [DeepLinkRecord.Author] = []
        fileprivate var source = DeepLinkRecord.Source.schemaOrg
        /// An organization may be no more than the publisher.
        fileprivate var organizations: [DeepLinkRecord.Author] = []
        fileprivate var sourceOfOrganizations = DeepLinkRecord.Source.schemaOrg
    }

    /// `<meta name="author">` with the site's own name.
    private func takeSite(_ stated: inout StatedAuthors) {
        let tags = facts.metaTags.tags
        for index in tags.indices.prefix(500) where Self.authorMeta[tags[index].name] != nil {
            guard let text = tags[index].text, let name = stated.names.site(namedIn: text) else { continue }
            stated.organizations = [DeepLinkRecord.Author(name: name)]
            stated.sourceOfOrganizations = .metaTag
            return
        }
    }

    func statedAuthors() -> StatedAuthors {
        var stated = StatedAuthors(
            names: AuthorNames(
                sites: siteNames.known.union(organizationNames().lazy.map { FoldedName($0.prefix(100)) })))
        stated.people = structuredAuthors(stated.names, organization: &stated.organizations)
        if stated.people.isEmpty { (stated.people, stated.source) = metaAuthors(stated.names) }
        if stated.people.isEmpty, let microformats = asMicroformats {
            let hadNone = stated.organizations.isEmpty
            defer { if hadNone, !stated.organizations.isEmpty { stated.sourceOfOrganizations = .microformats } }
            stated.people = microformats.structuredAuthors(stated.names, organization: &stated.organizations)
            stated.source = .microformats
        }
        if stated.people.isEmpty, stated.organizations.isEmpty { takeSite(&stated) }
        return stated
    }

    /// Sources in order of precedence. A person comes before an organization.
    mutating func take(_ stated: StatedAuthors, or byline: Byline) {
        if !stated.people.isEmpty { return take(stated.people, from: stated.source) }
        for group in byline.writers {
            var authors: [DeepLinkRecord.Author] = []
            for writer in group where !isOfTitle(writer.text) {
                let names = stated.names.names(foundIn: writer.text).filter { name in
                    // An account in small letters has a page or a label, and `line` has neither.
                    let isBareWord = writer.address == nil && name == writer.text && name.allSatisfy(\.isSmall)
                    return !isBareWord && !isWordOfPage(name)
                }
                add(names, address: writer.address, to: &authors)
            }
            if !authors.isEmpty { return take(authors, from: .visibleText) }
        }
        guard !stated.organizations.isEmpty else { return takeFeedAuthors(stated.names) }
        take(
            stated.organizations.map { DeepLinkRecord.Author(name: $0.name, url: $0.url, type: .organization) },
            from: stated.sourceOfOrganizations)
    }

    /// Those of a feed's entry.
    private mutating func takeFeedAuthors(_ known: AuthorNames) {
        var authors: [DeepLinkRecord.Author] = []
        for name in sitemap.feed?.authors ?? [] { add(known.names(listedIn: name), address: nil, to: &authors) }
        if !authors.isEmpty { take(authors, from: .feed) }
    }

    /// Whether a text is a part of the page's title: `Grilled Mac & Cheese`.
    private func isOfTitle(_ text: String) -> Bool {
        guard let title = record.title, text.utf8.count >= 4, text.utf8.count <= 150 else { return false }
        let written = FoldedName(text)
        return written.count >= 4 && FoldedName(title.prefix(300)).contains(written)
    }

    /// Whether a single word is one that the page's text has in small letters, as no text has a name: `Ingredient`.
    private func isWordOfPage(_ name: String) -> Bool {
        let word = Array(name.lowercased().utf8)
        guard !word.contains(0x20), word.count > 2, !word.elementsEqual(name.utf8) else { return false }
        return [0x20, 0x2C, 0x2E].contains { facts.document.text.position(of: [0x20] + word + [$0]) != nil }
    }

    private mutating func take(_ authors: [DeepLinkRecord.Author], from source: DeepLinkRecord.Source) {
        record.authors = authors
        took("authors", from: source)
    }

    /// Adds names that are not there yet. An address is one person's.
    private func add(_ names: [String], address: String?, to authors: inout [DeepLinkRecord.Author]) {
        for name in names where authors.count < AuthorNames.maximumNames {
            guard !authors.contains(where: { $0.name.lowercased() == name.lowercased() }) else { continue }
            let url = names.count == 1 ? address.flatMap(webAddress) : nil
            authors.append(DeepLinkRecord.Author(name: name, url: url))
        }
    }

    /// Names of organizations that stand beside those of the site (`SiteNames`).
    private func organizationNames() -> [String] {
        var names = [record.containerTitle, facts.twitterCard?.site].compactMap(\.self)
        let tags = facts.metaTags.tags
        for index in tags.indices where Self.organizationMeta[tags[index].name] != nil {
            if let text = tags[index].text { names.append(text) }
        }
        for property in ["publisher", "sourceOrganization", "copyrightHolder"] {
            names += page.mainValues(property).prefix(5).compactMap { page.text(of: $0) }
        }
        for item in page.items.prefix(200)
        where item.isTopLevel && page.isItem(item, .organization) || page.isItem(item, .webSite) {
            names += [page.text(item, "name"), page.text(item, "alternateName")].compactMap(\.self)
        }
        return names.prefix(60).map { String($0.prefix(200)) }
    }

    // MARK: Structured data

    private func structuredAuthors(
        _ names: AuthorNames, organization: inout [DeepLinkRecord.Author]
    ) -> [DeepLinkRecord.Author] {
        for property in ["author", "creator"] {
            let authors = authors(of: page.mainValues(property), names, organization: &organization)
            if !authors.isEmpty { return authors }
        }
        // Entries of microformats beside each other are a list, which has no author.
        guard !asksMicroformats else { return [] }
        // Where the main item has none: the article or the page beside it, if all that have one say the same.
        var found: [DeepLinkRecord.Author] = []
        for (index, item) in page.items.prefix(200).enumerated() where item.isTopLevel && !page.main.contains(index) {
            guard
                item.types.contains(where: { ItemKind.traits(of: $0)?.rank.map { $0 <= ItemKind.Rank.page } ?? false })
            else { continue }
            let authors = authors(of: item.values("author"), names, organization: &organization)
            if authors.isEmpty { continue }
            if !found.isEmpty, found.map(\.name) != authors.map(\.name) { return [] }
            found = authors
        }
        return found
    }

    private func authors(
        of values: [StructuredItem.Value], _ names: AuthorNames, organization: inout [DeepLinkRecord.Author]
    ) -> [DeepLinkRecord.Author] {
        var people: [DeepLinkRecord.Author] = []
        for value in values.prefix(AuthorNames.maximumNames * 2) {
            guard case .item(let index) = value, page.items.indices.contains(index) else {
                if case .text(let text, _) = value { add(names.names(listedIn: text), address: nil, to: &people) }
                continue
            }
            let item = page.items[index]
            let isPerson = item.types.contains { SchemaOrg.type($0) == "Person" }
            let isOrganization = !isPerson && page.isItem(item, .organization)
            let address = address(of: item)
            for name in item.values("name").prefix(AuthorNames.maximumNames) {
                guard case .text(let text, _) = name else { continue }
                // A template that has one field for the byline: `By Ann Lee and Bo Yi`.
                if !isOrganization, case let listed = names.names(writtenInName: text), !listed.isEmpty {
                    add(listed, address: address, to: &people)
                    continue
                }
                guard let name = names.name(stated: text, isPerson: isPerson, isOrganization: isOrganization)
                else {
                    continue
                }
                if isOrganization {
                    add([name], address: address, to: &organization)
                } else {
                    add([name], address: address, to: &people)
                }
            }
        }
        return people
    }

    /// The page about somebody: `url`, else `sameAs`, else the identifier.
    private func address(of author: StructuredItem) -> String? {
        [page.text(author, "url"), page.text(author, "sameAs"), author.id.flatMap(addressOfPage)].lazy
            .compactMap(\.self)
            // A blank node is nowhere, and WordPress names people that have no page `…/#/schema/person/…`.
            .filter { !$0.hasPrefix("_:") && !$0.has("#/schema/") }
            .compactMap(webAddress).first
    }

    /// An identifier that is an address. With a fragment, one of the home page or of this page only names something there.
    private func addressOfPage(_ id: String) -> String? {
        guard id.has("#") else { return id }
        guard let url = WebURL(written: id, base: facts.baseURL), !url.isHomePage else { return nil }
        return url.href.prefix { $0 != "#" } == facts.source.url.href.prefix { $0 != "#" } ? nil : id
    }

    // MARK: Meta elements

    private func metaAuthors(_ names: AuthorNames) -> ([DeepLinkRecord.Author], DeepLinkRecord.Source) {
        var found: [(rank: Int, tag: MetaTag)] = []
        let tags = facts.metaTags.tags
        for index in tags.indices where found.count < 50 {
            guard let rank = Self.authorMeta[tags[index].name], tags[index].text != nil else { continue }
            found.append((rank, tags[index]))
        }
        found.sort { ($0.rank, $0.tag.element) < ($1.rank, $1.tag.element) }
        var i = 0
        while i < found.count {
            // Several elements of one name are several authors.
            let group = found[i...].prefix { $0.rank == found[i].rank }
            var authors: [DeepLinkRecord.Author] = []
            for (_, tag) in group {
                let kind: NameList.Kind =
                    tag.name.hasPrefix("citation_") ? .citation : tag.name.hasPrefix("dc") ? .library : .stated
                add(names.names(listedIn: tag.text ?? "", as: kind), address: nil, to: &authors)
            }
            // Content management writes whoever owns the site into `meta`; a company there did not write the page.
            if !authors.isEmpty, !authors.allSatisfy({ NameList.isOrganization($0.name) }) {
                let tag = found[i].tag
                let isOpenGraph = tag.name.hasPrefix("article:")
                return (authors, isOpenGraph ? .openGraph : tag.isDublinCore ? .dublinCore : .metaTag)
            }
            i = group.endIndex
        }
        for number in 1...2 {
            guard let label = tags.first(where: { $0.name == "twitter:label\(number)" })?.text?.lowercased(),
                Self.cardLabels.contains(label),
                let text = tags.first(where: { $0.name == "twitter:data\(number)" })?.text
            else { continue }
            var authors: [DeepLinkRecord.Author] = []
            add(names.names(listedIn: text), address: nil, to: &authors)
            if !authors.isEmpty { return (authors, .twitterCard) }
        }
        return ([], .metaTag)
    }
}
