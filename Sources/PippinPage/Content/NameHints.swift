/// What the names in `class`, `id`, `itemprop` and `rel` say of an element, by their words. One table of words serves the main
/// text, its picture, the byline and visitors' text.
struct NameHints: OptionSet, Hashable {
    let rawValue: UInt16

    /// Not part of the main text, not around its picture, not where its byline is.
    static let besideText = NameHints(rawValue: 1 << 0)
    static let besidePicture = NameHints(rawValue: 1 << 1)
    static let besideByline = NameHints(rawValue: 1 << 2)
    /// What visitors wrote.
    static let ofVisitors = NameHints(rawValue: 1 << 3)
    /// `comments-open`, `comment-count`: how something is, not the thing.
    static let state = NameHints(rawValue: 1 << 4)
    /// `has-sidebar`, `no-comments`: what follows in the name is not this element.
    static let ofOthers = NameHints(rawValue: 1 << 5)
    static let published = NameHints(rawValue: 1 << 6)
    static let modified = NameHints(rawValue: 1 << 7)
    static let date = NameHints(rawValue: 1 << 8)
    static let meta = NameHints(rawValue: 1 << 9)
    static let author = NameHints(rawValue: 1 << 10)
    static let byline = NameHints(rawValue: 1 << 11)
    /// May be a request for consent (`nameConsent`).
    static let ofConsent = NameHints(rawValue: 1 << 12)
    static let time = NameHints(rawValue: 1 << 13)
    /// `rel=author`, `itemprop=author`: no name that somebody chose, but a standard's.
    static let standard = NameHints(rawValue: 1 << 14)
    /// In what may be another page's entry.
    static let listed = NameHints(rawValue: 1 << 15)

    static let ofDays: NameHints = [.published, .modified, .date, .time]
    static let ofWriters: NameHints = [.author, .byline]

    private static let beside: NameHints = [.besideText, .besidePicture]
    private static let besideAll: NameHints = [.besideText, .besidePicture, .besideByline]

    /// Words for who wrote something, which no name is, and occupations of those who write. Bylines know them, too.
    static let authors = "author authors autor autorin autoren autora auteur auteurs autore forfatter skribent yazar"
    static let writers = "writer reporter contributor journalist columnist redakteur"

    private static let words = NameWords([
        // Navigation, notices, other pages
        (
            besideAll.rawValue,
            """
            nav navi navbar navigation menu menus submenu sidebar sidebars breadcrumb breadcrumbs newsletter newsletters promo
            related relatedposts recommend recommended recommendation recommendations recirc outbrain taboola readmore
            """
        ),
        (besideAll.union(.ofConsent).rawValue, "cookie cookies consent gdpr ccpa"),
        (beside.union(.ofConsent).rawValue, "onetrust"),
        (
            beside.rawValue,
            """
            footer pager pagination privacy modal popup
            subscribe subscription subscriptions signup optin login signin register registration paywall metered donate donation
            share sharing shares sharebar social socials follow followers
            ad ads adsense advert adverts advertisement advertising promos promotion promotions sponsor sponsored sponsors affiliate
            """
        ),
        (
            besideText.rawValue,
            """
            header masthead topbar toolbar toc skip accessibility print overlay lightbox banner discussion
            tag tags tagcloud caption captions disclaimer disclosure footnote footnotes
            """
        ),
        (besideText.union(.besideByline).rawValue, "copyright widget widgets"),
        (besidePicture.rawValue, "avatar avatars bio logo logos icon icons"),
        // What somebody is, beside the name: `author__role`, `team-role`.
        (besideByline.rawValue, "role roles occupation jobtitle usertitle"),
        (
            besideByline.rawValue,
            """
            commentary similar popular trending mostread empfehlung empfehlungen crosslinks morenews alsoread weitere
            carousel slider swiper infobox bday dtstart event events
            """
        ),
        (beside.union(.listed).rawValue, "teaser teasers"),
        (listed.rawValue, "recent card cards archive archives"),
        // Visitors, in the languages in which real pages have the words
        (
            besideAll.union(.ofVisitors).rawValue,
            """
            comment comments commentlist commentbody commenttext commentaire commentaires commentaar comentario comentarios comentarii
            commento commenti kommentar kommentare kommentarer komentar komentare komentarz komentarze yorum yorumlar reacties
            kommentti kommentit disqus guestbook reply replies respond
            """
        ),
        (
            ofVisitors.rawValue,
            """
            review reviews bewertung bewertungen kundenbewertungen rezension rezensionen avis opinie opinia opiniones opinion
            recensione recensioni valutazioni otzyv otzyvy testimonial testimonials ugc forumpost usercontent usertext
            """
        ),
        (state.rawValue, "open opened closed enabled disabled allow allowed count counts counter"),
        (state.union(.ofOthers).rawValue, "has with no without"),
        // Days
        (
            published.rawValue,
            """
            published publication publicado publie publi pubdate postdate posted entrydate dateline datepublished datecreated created
            createdat creation veroffentlicht erstellt issued timestamp newsdate articledate publishdate publishtime postedon
            """
        ),
        (
            modified.rawValue,
            "modified modification updated update lastmod aktualisiert datemodified revised changed changedat"
        ),
        (date.rawValue, "date dates datum fecha datetime time stamp dato datestamp"),
        // Writers
        (besideText.union(.meta).rawValue, "meta metadata credit credits"),
        (
            meta.rawValue,
            "metainfo postmeta postmetadata entrymeta postinfo info infos details submitted topline source"
        ),
        (beside.union(.author).rawValue, "author authors"),
        (
            author.rawValue,
            """
            \(authors) \(writers) writers verfasser contributors coauthor coauthors creator columnists
            authorname fn
            """
        ),
        (beside.union(.byline).rawValue, "byline bylines"),
        (byline.rawValue, "writtenby wrote postedby postauthor"),
    ])

    /// `no-print` is said of the element itself: what nobody prints is no text of the page.
    private static let hashOfPrint = FNV1a.hash("print".utf8)

    /// `hidden` hides alone and behind one of these: `visually-hidden`, `is-hidden`. Behind any other word it is about something else
    /// (`overflow-hidden`), before any other it is a condition (`hidden-xs`).
    private static let hashOfHidden = FNV1a.hash("hidden".utf8)
    private static let waysOfHiding = NameWords("visually is sr aok js element screen reader accessibly")

    /// What the words of an attribute's value say.
    static func of(_ value: some BidirectionalCollection<UInt8>) -> NameHints {
        let hints = said(inValue: value.prefix(500))
        // A visitor's review has its own author and day.
        return hints.contains(.ofVisitors) && !hints.contains(.state) ? hints.union(.besideByline) : hints
    }

    private static func said(inValue value: some BidirectionalCollection<UInt8>) -> NameHints {
        guard value.contains(UInt8(ascii: ":")) else {
            let said = said(by: value)
            return said.isHidden ? said.hints.union(.besideText) : said.hints
        }
        var hints: NameHints = []
        var isHidden = false
        var isShown = false
        for name in value.split(whereSeparator: \.isHTMLSpace) {
            if let colon = name.lastIndex(of: UInt8(ascii: ":")), !isAddress(name, colon) {
                isShown = isShown || showsOnScreens(name, colon)
            } else {
                let said = said(by: name)
                hints.formUnion(said.hints)
                isHidden = isHidden || said.isHidden
            }
        }
        return isHidden && !isShown ? hints.union(.besideText) : hints
    }

    private static func said(by names: some Sequence<UInt8>) -> (hints: NameHints, isHidden: Bool) {
        var hints: NameHints = []
        var isOfOthers = false
        var isHidden = false
        /// Of a name that is not at its end.
        var mayBeHidden = false
        var mayHide = true
        NameWords.forEachWord(in: names) { hash, beginsName in
            if beginsName {
                isOfOthers = false
                isHidden = isHidden || mayBeHidden
            }
            mayBeHidden = hash == hashOfHidden && !isOfOthers && (beginsName || mayHide)
            mayHide = waysOfHiding.meaning(of: hash) != 0
            guard !isOfOthers || hash == hashOfPrint else { return true }
            let said = NameHints(rawValue: words.meaning(of: hash))
            isOfOthers = said.contains(.ofOthers)
            hints.formUnion(said)
            return true
        }
        return (hints, isHidden || mayBeHidden)
    }

    // MARK: Conditions

    // A class with a condition (`md:block`, `print:text-sm`, `hover:underline`) says nothing of the element as it is.

    /// Pictures' hints are read in their addresses, too.
    private static func isAddress<Name: BidirectionalCollection<UInt8>>(_ name: Name, _ colon: Name.Index) -> Bool {
        name[colon...].dropFirst().first == UInt8(ascii: "/")
    }

    /// Whether a name shows an element from some width of the screen on, whatever hides it on others: `md:block`.
    private static func showsOnScreens<Name: BidirectionalCollection<UInt8>>(_ name: Name, _ colon: Name.Index) -> Bool
    {
        let display = name[colon...].dropFirst()
        guard ["block", "flex", "grid", "inline"].contains(where: { display.starts(with: $0.utf8) }) else {
            return false
        }
        let condition = String(decoding: name[..<colon], as: UTF8.self)
        return !["print", "hover", "focus"].contains(where: condition.contains)
    }

    /// What `class` and `id` of an element say.
    static func of(_ element: HTMLDocument.Index, in document: HTMLDocument) -> NameHints {
        var hints: NameHints = []
        for index in document.attributeRange(of: element) {
            let attribute = document.attributes[index]
            switch attribute.nameNumber {
            case HTMLName.class.rawValue, HTMLName.id.rawValue: hints.formUnion(of(document.value(of: attribute)))
            default: break
            }
        }
        return hints
    }
}

// MARK: Consent

extension NameHints {
    private static let notice = NameWords(
        "banner notice bar dialog modal popup overlay wall layer box message container wrapper")
    /// Words of pages about consent, and of how a page is when it has been given.
    private static let otherSubject = NameWords("policy declaration statement not set accepted recipe recipes")

    /// Whether the names of an element are those of a request for consent, which may be longer than the page: `onetrust-consent-sdk`,
    /// `site-cookie-notice`; not `category-gdpr`, `cookie-policy`.
    static func nameConsent(_ element: HTMLDocument.Index, in document: HTMLDocument) -> Bool {
        [HTMLName.class, .id].contains { attribute in
            guard let value = document.bytes(of: attribute, on: element) else { return false }
            return value.prefix(500).split(whereSeparator: \.isHTMLSpace).contains { name in
                var (isOfConsent, beginsWithIt, isNotice, isOther) = (false, false, false, false)
                NameWords.forEachWord(in: name) { hash, beginsName in
                    let said = NameHints(rawValue: words.meaning(of: hash))
                    let isConsent = said.contains(.ofConsent)
                    isOfConsent = isOfConsent || isConsent
                    beginsWithIt = beginsWithIt || beginsName && isConsent
                    isNotice = isNotice || notice.meaning(of: hash) != 0
                    isOther =
                        isOther || otherSubject.meaning(of: hash) != 0 || said.contains(.ofOthers)
                    return true
                }
                return isOfConsent && (beginsWithIt || isNotice) && !isOther
            }
        }
    }
}

/// Which elements have a mark or stand in one that has it. Asked for a few elements only; each element is looked at once.
struct InheritedMark {
    private enum Answer: UInt8 { case unknown, no, yes }

    /// Empty until the first question.
    private var answers: [Answer] = []
    /// The elements around the one that is asked for, up to one that is known.
    private var path: [HTMLDocument.Index] = []

    mutating func covers(
        _ element: HTMLDocument.Index, in document: HTMLDocument, isMarked: (HTMLDocument.Index) -> Bool
    ) -> Bool {
        if answers.isEmpty { answers = Array(repeating: .unknown, count: document.elements.count) }
        path.removeAll(keepingCapacity: true)
        var next: HTMLDocument.Index? = element
        while let element = next, answers[element] == .unknown {
            path.append(element)
            next = document.parent(of: element)
        }
        var answer = next.map { answers[$0] == .yes } ?? false
        for element in path.reversed() {
            answer = answer || isMarked(element)
            answers[element] = answer ? .yes : .no
        }
        return answer
    }
}
