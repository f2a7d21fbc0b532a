/// What a page is called, without the name of its site.
///
/// Its main heading is the best answer where some other source knows it too; Open Graph and schema.org come next; `<title>` last,
/// as it often adds a section, a slogan or words for search engines. A recipe has a name; the post around it adds such words, too.
/// `Docs/Record.md` gives the measured precision of each.
struct PageTitle {
    typealias Source = DeepLinkRecord.Source

    let text: String
    let source: Source

    /// A text that names the page, with what it is compared by.
    private struct Candidate {
        let text: String
        let name: FoldedName
        let source: Source

        init(_ text: String, _ source: Source) {
            self.text = text
            self.source = source
            name = FoldedName(text)
        }
    }

    /// Characters of a title that are looked at.
    private static let maximumCharacters = 500
    /// Bytes of a heading; more are a whole introduction.
    private static let maximumHeadingBytes = 600
    /// Letters of what is found in a longer text: fewer stand in nearly every one.
    private static let minimumLetters = 4

    /// nil if nothing names the page.
    static func choose(
        _ facts: PageFacts, _ page: StructuredPage, headings: [PageHeading], site: SiteNames
    ) -> PageTitle? {
        var written: [Candidate] = []
        func add(_ text: String?, _ source: Source) {
            if let text = CleanText.line(text) {
                written.append(Candidate(Snippet.cut(text, to: maximumCharacters), source))
            }
        }
        let isTopic = page.mainRank < ItemKind.Rank.page
        let isRecipe = page.mainIs(.recipe)
        if isRecipe {
            add(page.mainText("name"), .schemaOrg)
        } else if isTopic {
            add(page.mainText("headline") ?? page.mainText("name"), .schemaOrg)
        }
        add(facts.openGraph?.title, .openGraph)
        add(facts.twitterCard?.title, .twitterCard)
        if !facts.microformats.isEmpty, facts.microformatsPage.mainRank < ItemKind.Rank.page {
            add(facts.microformatsPage.mainText("headline") ?? facts.microformatsPage.mainText("name"), .microformats)
        }
        for title in facts.dublinCore.values("title").prefix(1) { add(title, .dublinCore) }
        add(facts.metadata.title, .htmlTitle)
        if !isTopic { add(page.mainText("name") ?? page.mainText("headline"), .schemaOrg) }
        // What shares no word with the page's other titles is another thing: a product that it recommends.
        let words = written.map { FoldedName.words(of: $0.text) }
        if isTopic, words.count > 1, !words.dropFirst().contains(where: { !$0.isDisjoint(with: words[0]) }),
            written[0].source == .schemaOrg
        {
            written.append(written.removeFirst())
        }
        let undamaged = written.filter { !CleanText.isDamaged($0.text) }
        if !undamaged.isEmpty { written = undamaged }

        // A home page is called like its site.
        if facts.source.url.isHomePage {
            let ranked = written.first { $0.source != .schemaOrg } ?? written.first
            return title(ranked ?? headings.first.map { Candidate($0.text, .heading) })
        }

        func own(_ candidate: Candidate) -> Candidate? {
            let own = withoutSite(candidate, site)
            return own.name.isEmpty || own.name.isNumber || site.contains(own.name) ? nil : own
        }
        if isRecipe, let first = written.first, first.source == .schemaOrg, let name = own(first) { return title(name) }
        let titles = written.compactMap(own)
        func usable(_ headings: [PageHeading]) -> [Candidate] {
            headings.filter { !$0.linksHome && !$0.isBeside && $0.text.utf8.count <= maximumHeadingBytes }
                .compactMap { own(Candidate($0.text, .heading)) }.filter { !CleanText.isDamaged($0.text) }
        }
        let weights = facts.weights.title
        let headingCount = headings.count
        // What asks for scripts is no title; what repeats one is.
        let unseen = usable(headings.filter(\.isUnseen))
        let headings = usable(headings.filter { !$0.isUnseen })
        return title(
            shared(headings, titles, endShare: weights.endShare) ?? shared(unseen, titles, endShare: weights.endShare)
                ?? similar(headings, titles, weights)
                ?? lone(headings, among: headingCount, titles)
                ?? (headings.isEmpty
                    ? nearest(usable(PageHeading.all(of: facts, named: .h2)), titles, weights) : nil)
                ?? mostShared(titles).map(withoutSection)
                ?? written.first { !$0.name.isEmpty && !$0.name.isNumber } ?? headings.first ?? written.first)
    }

    private static func title(_ candidate: Candidate?) -> PageTitle? {
        guard let candidate else { return nil }
        let text = CleanText.withoutDamage(candidate.text)
        return text.isEmpty ? nil : PageTitle(text: text, source: candidate.source)
    }

    // MARK: Headings

    /// The heading that a title repeats; of one that only contains the other, the part they share.
    private static func shared(
        _ headings: [Candidate], _ titles: [Candidate], endShare: Int
    ) -> Candidate? {
        for title in titles {
            if let heading = headings.first(where: { $0.name == title.name }) { return heading }
        }
        for title in titles {
            for heading in headings where heading.name.count >= minimumLetters {
                guard title.name.contains(heading.name) else { continue }
                // A short end of a <title> is the site's name.
                let isEnd = title.source == .htmlTitle && title.name.ends(with: heading.name)
                if !isEnd || heading.name.count * 100 >= title.name.count * endShare { return heading }
            }
        }
        for title in titles where title.name.count >= minimumLetters {
            if let heading = headings.first(where: { $0.name.contains(title.name) }) {
                return TitleParts(heading.text).has(title.text) ? title : heading
            }
        }
        return nil
    }

    /// The heading that has most words in common with a title.
    private static func similar(
        _ headings: [Candidate], _ titles: [Candidate], _ weights: GuessWeights.Title
    ) -> Candidate? {
        let words = titles.map { FoldedName.words(of: $0.text) }
        var best: (heading: Candidate, overlap: Double)?
        for heading in headings {
            let own = FoldedName.words(of: heading.text)
            let overlap =
                words.map { Double($0.intersection(own).count) / Double(max(1, min($0.count, own.count))) }.max() ?? 0
            if overlap * 100 >= Double(weights.overlapShare), overlap > best?.overlap ?? 0 { best = (heading, overlap) }
        }
        return best?.heading
    }

    /// The only heading, where the page names itself by `<title>` at most.
    private static func lone(_ headings: [Candidate], among count: Int, _ titles: [Candidate]) -> Candidate? {
        count == 1 && titles.allSatisfy { $0.source == .htmlTitle } ? headings.first : nil
    }

    /// Of a page without an `h1`, the title that an `h2` repeats, or the `h2` that is the longer part of one or has two thirds of its
    /// words in common with one; a section is called after a part of its page's subject. The only one on a page needs fewer.
    private static func nearest(
        _ headings: [Candidate], _ titles: [Candidate], _ weights: GuessWeights.Title
    ) -> Candidate? {
        if let title = titles.first(where: { title in headings.contains { $0.name == title.name } }) { return title }
        let part = headings.first { heading in
            titles.contains { 2 * heading.name.count >= $0.name.count && TitleParts($0.text).has(heading.text) }
        }
        if let part { return part }
        let words = titles.map { FoldedName.words(of: $0.text) }
        let near = headings.first { heading in
            let own = FoldedName.words(of: heading.text)
            return words.contains {
                let common = $0.intersection(own).count
                return common > 1 && 3 * common >= 2 * max($0.count, own.count)
            }
        }
        return near ?? (headings.count == 1 ? similar(headings, titles, weights) : nil)
    }

    // MARK: Other titles

    /// The title with which most others begin.
    private static func mostShared(_ titles: [Candidate]) -> Candidate? {
        let votes = titles.map { title in titles.count { $0.name.starts(with: title.name) } }
        guard let most = votes.max() else { return nil }
        return votes.firstIndex(of: most).map { titles[$0] }
    }

    /// `Pears are ripe` of `Pears are ripe | Fruit`: behind the last bar of a title that no heading repeats stand a section, or
    /// a site that nothing else names. What is longer than all before it may be the title.
    private static func withoutSection(_ candidate: Candidate) -> Candidate {
        guard let last = TitleParts(candidate.text).separators.last, candidate.text[last.range].contains(where: isBar)
        else { return candidate }
        let head = Candidate(String(candidate.text[..<last.range.lowerBound]), candidate.source)
        let tail = FoldedName(candidate.text[last.range.upperBound...])
        return head.name.count >= max(minimumHeadBytes, tail.count) ? head : candidate
    }

    /// Fewer letters before a section are a section, too.
    private static let minimumHeadBytes = 10

    private static func isBar(_ character: Character) -> Bool { character == "|" || character == "｜" }

    // MARK: The site's name

    private static func withoutSite(_ candidate: Candidate, _ site: SiteNames) -> Candidate {
        var text = candidate.text
        for _ in 0..<maximumCuts {
            guard let shorter = cut(text, site) else { break }
            text = shorter
        }
        return text == candidate.text ? candidate : Candidate(text, candidate.source)
    }

    /// `Title | Section | Site | Domain` takes two.
    private static let maximumCuts = 4

    private static func cut(_ text: String, _ site: SiteNames) -> String? {
        let separators = TitleParts(text).separators
        for separator in separators {
            let (head, tail) = (text[..<separator.range.lowerBound], text[separator.range.upperBound...])
            guard !FoldedName(head).isEmpty else { continue }
            let name = FoldedName(tail)
            if name.isEmpty || !separator.isColon && site.contains(part: name, leads: false) { return String(head) }
        }
        for separator in separators.reversed() {
            let (head, tail) = (text[..<separator.range.lowerBound], text[separator.range.upperBound...])
            guard !FoldedName(tail).isEmpty else { continue }
            let name = FoldedName(head)
            if name.isEmpty || site.contains(part: name, leads: true) { return String(tail) }
        }
        return nil
    }

    /// What a `<title>` says last, after the page's own title: the site, where nothing else names it.
    static func tail(of text: String, behind title: FoldedName) -> String? {
        guard !title.isEmpty, FoldedName(text).starts(with: title),
            let last = TitleParts(text).separators.last(where: { !$0.isColon })
        else { return nil }
        let tail = String(text[last.range.upperBound...])
        let head = FoldedName(text[..<last.range.lowerBound])
        return head.starts(with: title) && FoldedName(tail).count >= 2 && tail.count <= 60 ? tail : nil
    }
}

/// Where the parts of a title meet: `Part | Part - Part`.
struct TitleParts {
    struct Separator {
        /// With the spaces around it.
        let range: Range<String.Index>
        /// `Part: Part`, which more often divides a subject than it ends it.
        let isColon: Bool
    }

    let text: String
    private(set) var separators: [Separator] = []

    /// More parts than titles have.
    private static let maximumSeparators = 12

    init(_ text: String) {
        self.text = text
        let scalars = text.unicodeScalars
        var i = scalars.startIndex
        while i < scalars.endIndex, separators.count < Self.maximumSeparators {
            guard let kind = Self.kind(of: scalars[i]) else {
                i = scalars.index(after: i)
                continue
            }
            var start = i
            var end = scalars.index(after: i)
            while end < scalars.endIndex, Self.kind(of: scalars[end]) != nil { end = scalars.index(after: end) }
            let isDouble = scalars.index(after: i) < end
            while start > scalars.startIndex, scalars[scalars.index(before: start)] == " " {
                start = scalars.index(before: start)
            }
            let hasSpaceBefore = start < i || start == scalars.startIndex
            let marks = end
            while end < scalars.endIndex, scalars[end] == " " { end = scalars.index(after: end) }
            let hasSpaceAfter = marks < end || end == scalars.endIndex
            switch kind {
            case .bar: add(start..<end)
            case .dash: if hasSpaceBefore || hasSpaceAfter { add(start..<end) }
            case .colon:
                if hasSpaceBefore && hasSpaceAfter || isDouble {
                    add(start..<end)
                } else if hasSpaceAfter {
                    add(start..<end, isColon: true)
                }
            case .spaced: if hasSpaceBefore && hasSpaceAfter { add(start..<end) }
            }
            i = end
        }
    }

    private mutating func add(_ range: Range<String.Index>, isColon: Bool = false) {
        separators.append(Separator(range: range, isColon: isColon))
    }

    private enum Kind { case bar, dash, colon, spaced }

    private static func kind(of scalar: Unicode.Scalar) -> Kind? {
        switch scalar {
        case "|", "│", "┃", "¦", "ǀ", "｜", "•", "●", "»", "«", "›", "‹", "▷", "►", "★", "⋆": .bar
        case "-", "–", "—", "―", "‒": .dash
        case ":", "：", "∷": .colon
        case "/", "·", "~", "*", "→", "←", "⇒", "<", ">", "+", "#": .spaced
        default: nil
        }
    }

    /// Whether a text stands between two separators, or between one and an end; `Part: text` too, but not `text: rest`.
    func has(_ part: String) -> Bool {
        guard let range = text.firstRange(of: part) else { return false }
        let leads = range.lowerBound == text.startIndex
        let ends = range.upperBound == text.endIndex
        return (leads || separators.contains { $0.range.upperBound == range.lowerBound })
            && (ends || separators.contains { $0.range.lowerBound == range.upperBound && !$0.isColon })
    }
}

/// A heading of a page: one of those of the first level, unless others are asked for.
struct PageHeading {
    let text: String
    /// It links to the home page: the masthead, which names the site.
    let linksHome: Bool
    /// It stands in navigation, an aside or the footer.
    let isBeside: Bool
    /// It stands in `noscript` on a page that shows something else to everybody.
    let isUnseen: Bool

    /// Pages with more headings have one a teaser.
    private static let maximumHeadings = 12
    private static let maximumLinks = 4

    /// The first headings of a level that people see, in page order.
    static func all(of facts: PageFacts, named name: HTMLName = .h1) -> [PageHeading] {
        let document = facts.document
        return document.elements(named: name).prefix(maximumHeadings).compactMap { heading in
            guard !document.has(.hidden, on: heading),
                let text = CleanText.line(document.visibleText(of: heading, maximumBytes: 1_000))
            else { return nil }
            var isBeside = false
            var isUnseen = false
            var linksHome = false
            var element = heading
            while let parent = document.parent(of: element) {
                element = parent
                switch document.elements[element].name {
                case .nav, .aside, .footer: isBeside = true
                case .noscript: isUnseen = !facts.mainText.visible.readsNoscript
                case .a: linksHome = linksHome || isHome(element, facts)
                default: break
                }
            }
            let links = document.descendants(of: heading).lazy.filter { document.elements[$0].name == .a }
            linksHome = linksHome || links.prefix(maximumLinks).contains { isHome($0, facts) }
            return PageHeading(text: text, linksHome: linksHome, isBeside: isBeside, isUnseen: isUnseen)
        }
    }

    private static func isHome(_ link: HTMLDocument.Index, _ facts: PageFacts) -> Bool {
        guard let href = facts.document.value(of: .href, on: link), !href.isEmpty, href.utf8.first != UInt8(ascii: "#"),
            let url = WebURL(written: href, base: facts.baseURL)
        else { return false }
        return url.isHomePage && SiteIdentity.isSameSite(url.host, facts.source.url.host)
    }
}

extension WebURL {
    /// The root of a host.
    var isHomePage: Bool { isHTTP && path == "/" && query == nil }
}
