// Of a song, an episode, a film, an article: how long it is, who performs it, what it is a part of, and what its parts are.

extension RecordBuilder {
    // MARK: Duration

    /// The main item's; that of an article's video is not the article's.
    mutating func takeDuration() {
        let objects = [page.mainText("duration")] + mediaOfEpisode().map { page.text($0, "duration") }
        for text in objects + [page.mainIs(.episode) ? page.mainText("timeRequired") : nil] {
            guard let seconds = text.flatMap({ SchemaOrg.duration($0) }), seconds > 0 else { continue }
            record.duration = seconds
            return took("duration", from: .schemaOrg)
        }
        func seconds(_ text: String?) -> Int? {
            text.flatMap(SchemaOrg.count).flatMap { (1..<Self.maximumSeconds).contains($0) ? $0 : nil }
        }
        if let openGraph = facts.openGraph, let type = openGraph.type,
            ["video", "music"].contains(where: type.hasPrefix)
        {
            for name in ["video:duration", "music:duration", "og:video:duration"] {
                guard let seconds = seconds(openGraph[name]) else { continue }
                record.duration = seconds
                return took("duration", from: .openGraph)
            }
        }
        // A page with a video of its own may mean that one, and of several none is its topic.
        if sitemap.videos.count == 1,
            record.provenance.contains(where: { $0.field == "video" && $0.source == .sitemap }),
            let seconds = seconds(sitemap.videos[0].duration)
        {
            record.duration = seconds
            took("duration", from: .sitemap)
        }
    }

    /// A month: no film is longer.
    private static let maximumSeconds = 2_678_400

    /// The recording of an episode or a song may have the duration.
    private func mediaOfEpisode() -> [StructuredItem] {
        guard page.mainIs(.episode) || page.mainIs(.musicRecording) else { return [] }
        return ["associatedMedia", "audio", "video", "encoding"].flatMap { page.items(page.mainValues($0)).prefix(3) }
    }

    // MARK: Artists

    private static let maximumArtists = 20

    /// Who performs: `byArtist` of music, `performer` of events.
    mutating func takeArtists() {
        var artists: [DeepLinkRecord.Author] = []
        for property in ["byArtist", "performer", "performers"] {
            for value in page.mainValues(property).prefix(Self.maximumArtists) {
                if case .url = value { continue }
                guard artists.count < Self.maximumArtists, let name = CleanText.line(page.text(of: value)),
                    !artists.contains(where: { $0.name.lowercased() == name.lowercased() })
                else { continue }
                var artist = DeepLinkRecord.Author(name: Snippet.cut(name, to: 100))
                if case .item(let index) = value { artist.url = address(of: page.items[index]) }
                artists.append(artist)
            }
        }
        record.artists = artists
        if !artists.isEmpty { took("artists", from: .schemaOrg) }
    }

    private func address(of item: StructuredItem) -> String? {
        guard let address = (page.text(item, "url") ?? item.id).flatMap(webAddress), !address.contains("#") else {
            return nil
        }
        return address == record.uniqueIdentifier || address == record.url ? nil : address
    }

    // MARK: The whole

    /// Properties that lead from a part to its whole, and the whole's type where it does not say one.
    private static let wholes = [
        ("partOfSeries", "CreativeWorkSeries"), ("partOfTVSeries", "TVSeries"), ("inAlbum", "MusicAlbum"),
        ("publishedOn", "BroadcastService"), ("superEvent", "EventSeries"),
    ]

    mutating func takePartOf() {
        for (property, type) in Self.wholes {
            for value in page.mainValues(property).prefix(3) {
                guard let whole = work(value, type: type) else { continue }
                record.partOf = whole
                return took("partOf", from: .schemaOrg)
            }
        }
        if let whole = container(page.mainValues("partOfSeason") + page.mainValues("isPartOf"), depth: 0) {
            record.partOf = whole
            return took("partOf", from: .schemaOrg)
        }
        for name in ["citation_journal_title", "prism.publicationname"] {
            guard let journal = facts.metaTags.tags.first(where: { $0.name == name }),
                let title = CleanText.line(journal.text)
            else { continue }
            record.partOf = DeepLinkRecord.Work(type: "Periodical", name: Snippet.cut(title, to: 200))
            return took("partOf", from: .metaTag)
        }
    }

    /// Volumes and issues lie between an article and its periodical, seasons between an episode and its series.
    private static let maximumDepth = 4

    /// The next series, periodical, album, book or channel: what a site or a subscription calls `isPartOf` is none.
    private func container(_ values: [StructuredItem.Value], depth: Int) -> DeepLinkRecord.Work? {
        guard depth < Self.maximumDepth else { return nil }
        // Each step multiplies the paths: few of them, beyond the first.
        for value in values.prefix(depth == 0 ? 5 : 2) {
            guard case .item(let index) = value, page.items.indices.contains(index) else { continue }
            let item = page.items[index]
            let isWhole = [ItemKind.series, .musicAlbum, .book, .broadcastChannel].contains { page.isItem(item, $0) }
            if isWhole, let whole = work(value, type: "CreativeWorkSeries") { return whole }
            for property in ["partOfSeries", "partOfTVSeries", "isPartOf"] {
                if let whole = container(item.values(property), depth: depth + 1) { return whole }
            }
        }
        return nil
    }

    private func work(_ value: StructuredItem.Value, type: String) -> DeepLinkRecord.Work? {
        if case .url = value { return nil }
        guard let name = CleanText.line(page.text(of: value), to: 200),
            !page.main.contains(where: { isItem(value, $0) })
        else { return nil }
        var work = DeepLinkRecord.Work(type: type, name: name)
        if case .item(let index) = value {
            let item = page.items[index]
            if let own = item.types.lazy.compactMap(SchemaOrg.type).first(where: { $0 != "Thing" }) { work.type = own }
            work.url = address(of: item)
        }
        return work
    }

    private func isItem(_ value: StructuredItem.Value, _ index: Int) -> Bool {
        if case .item(let found) = value { found == index } else { false }
    }

    // MARK: Parts

    private static let maximumParts = 50

    /// Properties that lead from a whole to its parts, and the type of a part that does not say one.
    private static let partProperties = [
        ("containsSeason", "CreativeWorkSeason"), ("season", "CreativeWorkSeason"), ("seasons", "CreativeWorkSeason"),
        ("episode", "Episode"), ("episodes", "Episode"), ("track", "MusicRecording"), ("tracks", "MusicRecording"),
        ("album", "MusicAlbum"), ("syllabusSections", "Syllabus"), ("subEvent", "Event"), ("subEvents", "Event"),
        ("hasPart", "CreativeWork"),
    ]

    /// All of the first property that has some with a name. A list stands for its elements.
    mutating func takeParts() {
        for (property, type) in Self.partProperties {
            var parts: [DeepLinkRecord.Work] = []
            for value in page.mainValues(property).prefix(Self.maximumParts) {
                add(value, type: type, to: &parts)
                for element in page.items([value]).first?.values("itemListElement").prefix(Self.maximumParts) ?? [] {
                    let song = page.items([element]).first?.values("item").first
                    add(song ?? element, type: type, to: &parts)
                }
            }
            guard !parts.isEmpty else { continue }
            record.parts = parts
            return took("parts", from: .schemaOrg)
        }
    }

    private func add(_ value: StructuredItem.Value, type: String, to parts: inout [DeepLinkRecord.Work]) {
        guard parts.count < Self.maximumParts, case .item(let index) = value,
            page.items.indices.contains(index), !page.isItem(index, .webSite),
            let part = work(value, type: type), !parts.contains(part)
        else { return }
        parts.append(part)
    }

    // MARK: What it is

    private static let maximumSameAs = 20

    mutating func takeSameAs() {
        for value in page.mainValues("sameAs").prefix(5 * Self.maximumSameAs) {
            guard record.sameAs.count < Self.maximumSameAs, let written = page.text(of: value),
                // A word in place of an address would become one of the site's.
                written.asciiLowercased.hasPrefix("http"), let address = webAddress(written),
                address != record.uniqueIdentifier, address != record.url, !record.sameAs.contains(address)
            else { continue }
            record.sameAs.append(address)
        }
        if !record.sameAs.isEmpty { took("sameAs", from: .schemaOrg) }
    }

    /// What the page says, else what its main text has.
    mutating func takeWordCount() {
        if let count = page.mainLiteral("wordCount").flatMap({ SchemaOrg.count($0) }), (1..<10_000_000).contains(count)
        {
            record.wordCount = count
            return took("wordCount", from: .schemaOrg)
        }
        let count = WordCount.words(of: mainText.bytes, limits: facts.limits)
        guard count > 0 else { return }
        record.wordCount = count
        took("wordCount", from: .mainText)
    }

    /// Of several links on the page that name a licence, all must name the same one: a gallery has one for each picture.
    mutating func takeLicense() {
        for value in page.mainValues("license").prefix(5) {
            let address = page.items([value]).first.flatMap { page.text($0, "url") ?? $0.id } ?? page.text(of: value)
            guard let text = address.flatMap(webAddress) ?? CleanText.line(page.text(of: value)) else { continue }
            record.license = Snippet.cut(text, to: 500)
            return took("license", from: .schemaOrg)
        }
        let links = Set([facts.metadata.license?.href].compactMap(\.self) + licenseAnchors())
        if links.count == 1, let license = links.first, license.utf8.count <= WrittenAddress.maximumBytes {
            record.license = license
            return took("license", from: .licenseLink)
        }
        guard links.isEmpty, let license = CleanText.line(facts.dublinCore.values("license").first, to: 500) else {
            return
        }
        record.license = license
        took("license", from: .dublinCore)
    }

    mutating func takeUsage() {
        record.usage = PageUsage(facts, site: site, now: now, notes: &notes)
    }

    /// Where the page's `<a rel=license>` lead, but for what visitors wrote; at most two.
    private func licenseAnchors() -> [String] {
        guard facts.document.hasAttribute(.rel) else { return [] }
        var userContent = UserContent(facts.document)
        var steps = InterruptibleSteps(facts.limits)
        var found: [String] = []
        for element in facts.document.elements(named: .a) {
            if steps.isInterrupted() || found.count > 1 { break }
            guard let rel = facts.document.bytes(of: .rel, on: element), LinkRelations(rel).contains(.license),
                let address = facts.document.value(of: .href, on: element).flatMap(webAddress),
                !found.contains(address), !userContent.holds(element)
            else { continue }
            found.append(address)
        }
        return found
    }

    // MARK: Episode

    mutating func takeEpisode() {
        guard page.mainIs(.episode) else { return }
        var episode = DeepLinkRecord.Episode()
        episode.number = page.mainLiteral("episodeNumber").flatMap(Self.ordinal)
        for value in page.mainValues("partOfSeason").prefix(3) {
            guard episode.season == nil else { break }
            if case .item(let index) = value {
                episode.season = page.literal(page.items[index], "seasonNumber").flatMap(Self.ordinal)
            } else if let literal = page.literal(of: value) {
                episode.season = Self.ordinal(literal)
            }
        }
        if episode.season == nil { episode.season = page.mainLiteral("seasonNumber").flatMap(Self.ordinal) }
        guard episode != DeepLinkRecord.Episode() else { return }
        record.episode = episode
        took("episode", from: .schemaOrg)
    }

    /// A number of a series, with or without words before it: `5`, `Episode 5`. Not `1x05`, which is two.
    private static func ordinal(_ literal: StructuredItem.Literal) -> Int? {
        if literal.isNumber { return SchemaOrg.count(literal).flatMap { $0 < 100_000 ? $0 : nil } }
        let groups = literal.text.utf8.prefix(60).split { !$0.isASCIIDigit }
        guard groups.count == 1, let digits = groups.first, digits.count <= 5 else { return nil }
        return Int(String(decoding: Array(digits), as: UTF8.self))
    }
}
