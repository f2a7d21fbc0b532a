import Foundation

// When the page was published, changed, and is over.

extension RecordBuilder {
    /// Names of `meta` elements with the day of publication, in order of precedence. Open Graph's first.
    private static let publishedMeta = [
        "article:published_time", "og:published_time", "og:article:published_time", "datepublished", "date.issued",
        "dc.date.issued", "dcterms.issued", "dc.issued", "citation_publication_date", "citation_online_date",
        "citation_date",
        "prism.publicationdate", "parsely-pub-date", "sailthru.date", "cxenseparse:recs:publishtime",
        "cxenseparse:publishtime", "bt:pubdate", "article.published", "article:post_date", "rnews:datepublished",
        "shareaholic:article_published_time", "vr:published_time", "pubdate", "publishdate", "publish-date",
        "publish_date",
        "publish_time", "publishtime", "published_at", "published-date", "published_date", "publication_date",
        "publication-date", "pub_date", "publicationdate", "originalpublicationdate", "article_date_original",
        "displaydate", "uploaded", "weibo:article:create_at", "dc.date.created", "dcterms.created", "dc.created",
        "dc.date",
        "dcterms.date", "date", "datecreated", "creation_date", "article:created_time", "created",
        "pub-date",
        "dcterms.available", "release_date", "video:release_date", "book:release_date",
        "music:release_date",
    ]
    private static let modifiedMeta = [
        "article:modified_time", "og:updated_time", "og:modified_time", "article:updated_time", "datemodified",
        "dc.date.modified", "dcterms.modified", "dc.modified", "bt:moddate", "last-modified", "lastmodified",
        "last_modified", "lastmod", "modified", "moddate", "revised", "article_date_updated", "date_modified",
        "shareaholic:article_modified_time", "rnews:datemodified", "cxenseparse:recs:modifiedtime", "updated_at",
    ]
    private static let expiresMeta = ["article:expiration_time", "dcterms.valid", "dc.date.valid"]

    fileprivate enum DateKind { case published, modified, expires }

    /// What the day of a `meta` element means, and the place of its name in the order of precedence.
    private static let metaNames = NameTable<(kind: DateKind, rank: Int)>(
        [(DateKind.published, publishedMeta), (.modified, modifiedMeta), (.expires, expiresMeta)].flatMap {
            kind, list in
            list.enumerated().map { rank, name in (name, (kind: kind, rank: rank)) }
        })

    private static let publishingWords = ["pub", "issued", "posted", "post_date", "post-date", "upload", "release"]

    private static func meaning(of name: String) -> (kind: DateKind, rank: Int)? {
        var name = name
        return name.withUTF8 { bytes in
            if let meaning = metaNames[bytes] { return meaning }
            guard let mark = bytes.lastIndex(of: UInt8(ascii: ":")),
                let meaning = metaNames[UnsafeBufferPointer(rebasing: bytes[(mark + 1)...])]
            else { return nil }
            // A prefix of the site's own: `photos:uploaded`. Of what was made or dated nobody knows what it is: `server:date` is when
            // the page was sent.
            let word = String(decoding: bytes[(mark + 1)...], as: UTF8.self).asciiLowercased
            guard meaning.kind != .published || publishingWords.contains(where: word.contains) else { return nil }
            return (meaning.kind, meaning.rank + 1_000)
        }
    }

    /// The dates that markup or the page's address names.
    struct StatedDates {
        fileprivate(set) var published: Dated?
        fileprivate var modified: Dated?
        fileprivate var tags: [DateTag]
    }

    mutating func statedDates() -> StatedDates {
        let tags = dateTags()
        let published =
            structured(["datePublished"]) ?? meta(.published, in: tags) ?? itemprop("datePublished")
            ?? elsewhere("datePublished") ?? structured(["uploadDate", "datePosted", "dateCreated", "dateIssued"])
            ?? microformats("datePublished") ?? (onlyStated ? nil : dateOfAddress())
        let modified =
            structured(["dateModified"]) ?? meta(.modified, in: tags) ?? itemprop("dateModified")
            ?? microformats("dateModified")
        return StatedDates(published: published, modified: modified, tags: tags)
    }

    /// Sources in order of precedence: what says so in so many words first, what was read from text last.
    mutating func take(_ stated: StatedDates, or byline: Byline) {
        if let (moment, source) = stated.published {
            record.publishedAt = withZone(moment).text
            took("publishedAt", from: source)
        } else if let day = byline.published {
            take("publishedAt", day, \.publishedAt)
        } else if let text = listed(sitemap.news?.published) {
            record.publishedAt = text
            took("publishedAt", from: .sitemap)
        } else if let text = listed(sitemap.feed?.published) {
            record.publishedAt = text
            took("publishedAt", from: .feed)
        } else if let text = listed(sitemap.videos.first?.published) {
            record.publishedAt = text
            took("publishedAt", from: .sitemap)
        }
        if let (moment, source) = stated.modified {
            record.modifiedAt = withZone(moment).text
            took("modifiedAt", from: source)
        } else if let day = byline.modified {
            take("modifiedAt", day, \.modifiedAt)
        } else if let date = facts.source.headers["Last-Modified"].flatMap({ HTTPDate.date(from: $0) }),
            date >= SchemaOrg.firstWebPage, date <= now
        {
            record.modifiedAt = InternetTime.text(date)
            took("modifiedAt", from: .httpHeader)
        } else if let text = listed(sitemap.feed?.modified) {
            record.modifiedAt = text
            took("modifiedAt", from: .feed)
        }
        takeExpiry(stated.tags)
    }

    /// A date of a sitemap or feed, if a page may have it.
    private func listed(_ written: String?) -> String? {
        guard let moment = written.flatMap({ SchemaOrg.moment($0) }), moment.date >= SchemaOrg.firstWebPage,
            !moment.isFuture(at: now)
        else { return nil }
        return moment.text
    }

    private mutating func take(
        _ field: String, _ day: Byline.Day?, _ path: WritableKeyPath<DeepLinkRecord, String?>
    ) {
        guard let day, day.isStated || !onlyStated else { return }
        record[keyPath: path] = day.text
        took(field, from: day.isStated ? .timeElement : .visibleText)
    }

    /// Takes the end that structured data states, else a meta element, else `unavailable_after`.
    private mutating func takeExpiry(_ tags: [DateTag]) {
        var names = ["expires"]
        if page.main.contains(where: { page.items[$0].types.contains("JobPosting") }) { names.append("validThrough") }
        for name in names {
            guard let text = page.mainText(name), let moment = stated(text, name, mayBeFuture: true) else { continue }
            record.expiresAt = moment.text
            return took("expiresAt", from: .schemaOrg)
        }
        if let (moment, source) = meta(.expires, in: tags) {
            record.expiresAt = moment.text
            took("expiresAt", from: source)
        } else if let end = facts.directives.unavailableAfter {
            record.expiresAt = InternetTime.text(end)
            took("expiresAt", from: .robotsDirective)
        }
    }

    // MARK: Sources

    typealias Dated = (moment: SchemaOrg.Moment, source: DeepLinkRecord.Source)

    private mutating func structured(_ names: [String]) -> Dated? {
        for name in names {
            if let text = page.mainText(name), let moment = stated(text, name) { return (moment, .schemaOrg) }
        }
        return nil
    }

    /// What microformats say of the page's topic.
    private mutating func microformats(_ name: String) -> Dated? {
        guard let text = asMicroformats?.page.mainText(name), let moment = stated(text, name) else { return nil }
        return (moment, .microformats)
    }

    /// Where the main item has none: the article or the page beside it, if all that have one say the same day.
    private mutating func elsewhere(_ name: String) -> Dated? {
        var found: String?
        for item in page.items.prefix(200)
        where item.isTopLevel && !item.types.contains(where: Self.typesOfVisitors.contains) {
            guard let text = page.text(item, name) else { continue }
            if let found, found.prefix(10) != text.prefix(10) { return nil }
            found = found ?? text
        }
        guard let found, let moment = stated(found, name) else { return nil }
        return (moment, .schemaOrg)
    }

    /// What visitors write has its own day.
    private static let typesOfVisitors: Set<String> = ["Review", "UserReview", "Comment", "Answer", "UserComments"]

    fileprivate typealias DateTag = (kind: DateKind, rank: Int, tag: MetaTag)

    /// The `meta` elements with a date, in order of precedence.
    private func dateTags() -> [DateTag] {
        var found: [DateTag] = []
        let tags = facts.metaTags.tags
        for index in tags.indices where found.count < 150 {
            guard let meaning = Self.meaning(of: tags[index].name), tags[index].text != nil else { continue }
            found.append((meaning.kind, meaning.rank, tags[index]))
        }
        return found.sorted { $0.rank < $1.rank }
    }

    private mutating func meta(_ kind: DateKind, in tags: [DateTag]) -> Dated? {
        for (tagKind, _, tag) in tags where tagKind == kind {
            guard let text = tag.text, let moment = stated(text, tag.name, mayBeFuture: kind == .expires) else {
                continue
            }
            let isOpenGraph = tag.name.hasPrefix("article:") || tag.name.hasPrefix("og:")
            return (moment, isOpenGraph ? .openGraph : tag.isDublinCore ? .dublinCore : .metaTag)
        }
        return nil
    }

    /// A microdata property outside of every item: `<meta itemprop="datePublished">` in the head.
    private mutating func itemprop(_ name: String) -> Dated? {
        guard facts.document.hasAttribute(.itemprop) else { return nil }
        for element in facts.document.elements(named: .meta).prefix(500) {
            guard let value = facts.document.bytes(of: .itemprop, on: element), value.elementsEqual(name.utf8),
                let text = facts.document.value(of: .content, on: element), !isOfVisitor(element),
                let moment = stated(text, name)
            else { continue }
            return (moment, .metaTag)
        }
        return nil
    }

    /// Whether the item around an element is a visitor's.
    private func isOfVisitor(_ element: HTMLDocument.Index) -> Bool {
        var next = facts.document.parent(of: element)
        while let element = next {
            if facts.document.value(of: .itemscope, on: element) != nil {
                let type = facts.document.value(of: .itemtype, on: element) ?? ""
                return Self.typesOfVisitors.contains { type.hasSuffix("/" + $0) }
            }
            next = facts.document.parent(of: element)
        }
        return false
    }

    /// `/2014/05/06/`, `14-5-2014` or `20140506` in the page's path. An archive's address begins with the time of its copy, which
    /// has more digits.
    private func dateOfAddress() -> Dated? {
        let path = Array(facts.source.url.path.utf8.prefix(1_000))
        var runs: [Range<Int>] = []
        var i = 0
        while let start = path[i...].firstIndex(where: \.isASCIIDigit), runs.count < 50 {
            i = path[start...].firstIndex { !$0.isASCIIDigit } ?? path.count
            runs.append(start..<i)
        }
        func number(_ range: Range<Int>) -> Int { path[range].prefix(8).reduce(0) { $0 * 10 + Int($1 & 0xF) } }
        for (index, first) in runs.enumerated() {
            var day: (year: Int, month: Int, day: Int)?
            if first.count == 8 {
                let value = number(first)
                day = (value / 10_000, value / 100 % 100, value % 100)
            } else if index + 2 < runs.count, first.upperBound < path.count {
                let (second, third) = (runs[index + 1], runs[index + 2])
                let mark = path[first.upperBound]
                guard mark == 0x2F || mark == 0x2D || mark == 0x5F || mark == 0x2E,
                    second.lowerBound == first.upperBound + 1, third.lowerBound == second.upperBound + 1,
                    path[second.upperBound] == mark, second.count <= 2,
                    third.upperBound == path.count || !path[third.upperBound].isASCIILetter
                else { continue }
                let (a, b, c) = (number(first), number(second), number(third))
                if first.count == 4, third.count <= 2 {
                    day = (a, b, c)
                } else if first.count <= 2, third.count == 4, mark != 0x2F {
                    // An address that is in no language is day first.
                    day = a > 12 || b <= 12 && dayStyle.order != .monthFirst ? (c, b, a) : (c, a, b)
                }
            }
            guard let day, let date = CivilTime(year: day.year, month: day.month, day: day.day).date else { continue }
            let moment = SchemaOrg.Moment(date: date, span: 86_400, hasZone: false)
            if date >= SchemaOrg.firstWebPage, !moment.isFuture(at: now) { return (moment, .pageURL) }
        }
        return nil
    }

    // MARK: Reading

    /// What a source states, where it can be; what cannot is noted.
    private mutating func stated(_ text: String, _ name: String, mayBeFuture: Bool = false) -> SchemaOrg.Moment? {
        func note(_ code: ParseNote.Code.DateRemark, _ rest: String) {
            notes.append(ParseNote(.date(code), "\(name) “\(text.prefix(100))” \(rest)"))
        }
        switch StatedDate(text, as: dayStyle, now: now, mayBeFuture: mayBeFuture) {
        case .moment(let moment): return moment
        case .future: note(.future, "has not come yet.")
        case .never: note(.impossible, "is what software writes for no date.")
        case .ofOtherCalendar: note(.otherCalendar, "may be a day of another calendar than the Gregorian one.")
        case .unreadable: note(.impossible, "is no date.")
        }
        return nil
    }

    /// The same moment on the clock of the page's own place, where a `time` element has it: what was stated in UTC may be another
    /// day there.
    private func withZone(_ moment: SchemaOrg.Moment) -> SchemaOrg.Moment {
        guard moment.span == 0, moment.hasZone, moment.offset == 0 else { return moment }
        for element in facts.document.elements(named: .time).prefix(50) {
            guard let text = facts.document.value(of: .datetime, on: element), let other = SchemaOrg.moment(text),
                other.offset != 0, other.date == moment.date
            else { continue }
            return other
        }
        return moment
    }

    /// How the page writes days.
    var dayStyle: DayStyle { record.dayStyle(on: facts.source.url) }
}

extension DeepLinkRecord {
    /// How this page writes days, by its language.
    ///
    /// English without a country may be of any: a domain of a country where the day comes first decides, else what the page declares.
    /// English that was only read from the text says nothing.
    public func dayStyle(on url: WebURL) -> DayStyle {
        guard let language = languages.first else { return .unknown }
        let host = url.host ?? ""
        var order = MonthNames.all.order(of: language.replacing("-", with: "_"))
        if language == "en" {
            let declarations: [Source] = [.htmlLanguage, .httpHeader, .schemaOrg, .openGraph]
            if [".uk", ".au", ".nz", ".ie", ".in", ".za"].contains(where: host.hasSuffix) {
                order = .dayFirst
            } else if !provenance.contains(where: { $0.field == "languages" && declarations.contains($0.source) }) {
                order = nil
            }
        }
        return DayStyle(languages: languages, order: order)
    }
}

/// What a date means that markup states. The record and the checks of dates read it here, so that no check reports what the
/// record has.
public enum StatedDate: Sendable {
    case moment(SchemaOrg.Moment)
    /// A day that is over once it has come, and has not.
    case future(SchemaOrg.Moment)
    /// Years like 0001 and 1970, which software writes for “never”.
    case never
    /// A year between 1300 and 1460, which is also the present one of another calendar: of Iran (1404 is 2025) or of Islam (1446 is
    /// 2024 and 2025). Which of the two it is, and which day, is not certain, and nothing on the web is that old but a few prints.
    case ofOtherCalendar
    case unreadable

    /// - Parameters:
    ///   - style: how the page writes days.
    ///   - mayBeFuture: true for ends, false for what has happened.
    public init(_ text: String, as style: DayStyle, now: Date, mayBeFuture: Bool = false) {
        guard let moment = SchemaOrg.moment(text, as: style) else {
            self = .unreadable
            return
        }
        if !mayBeFuture, moment.isFuture(at: now) {
            self = .future(moment)
        } else if moment.date >= SchemaOrg.firstWebPage {
            self = .moment(moment)
        } else if Self.isOfOtherCalendar(moment) {
            self = .ofOtherCalendar
        } else if moment.date < Self.firstComputer, moment.date >= Self.firstPrint {
            self = .moment(moment)
        } else {
            self = .never
        }
    }

    /// Whether a moment is of a year that Iran's calendar or that of Islam has today or had since there is a web.
    public static func isOfOtherCalendar(_ moment: SchemaOrg.Moment) -> Bool {
        (firstOther..<lastOther).contains(moment.date)
    }

    /// 1 January 1300 and 1460.
    private static let firstOther = Date(timeIntervalSince1970: -21_143_116_800)
    private static let lastOther = Date(timeIntervalSince1970: -16_094_073_600)
    /// Software counts from 1970, 1904, 1900 or 0001; what was printed before is dated by people. Printing began about 1450.
    private static let firstComputer = Date(timeIntervalSince1970: 0)
    private static let firstPrint = lastOther
}
