import Glibc

/// What a page shows of who wrote it and when: days and names beside its headline, in elements that say what they are, or behind a
/// word like “published” or “by”.
///
/// One walk over the arena collects candidates, block by block of visible text. Each has points for how its markup and its words
/// name it and for how near it is to the headline; navigation, comments and links to other pages take points away. The best one
/// with enough points counts, the first of equals.
struct Byline: Sendable {
    struct Day: Sendable {
        /// ISO 8601.
        var text: String
        /// Whether an attribute states it (`<time datetime>`), or it was read in visible text.
        var isStated: Bool
    }

    struct Writer: Sendable {
        /// As shown, with labels and separators around the names.
        var text: String
        /// Address that the name links to, as written.
        var address: String?
    }

    private(set) var published: Day?
    private(set) var modified: Day?
    /// Who is named, best first; writers that stand side by side are together.
    private(set) var writers: [[Writer]] = []

    /// The limit of groups in `writers`. A record takes its authors from the first ones.
    private static let maximumGroups = 8

    /// Text of a block that is looked at; labels, days and names stand in front.
    fileprivate static let maximumBlockBytes = 300
    /// Candidates of a page; a list of more is no byline.
    fileprivate static let maximumCandidates = 300

    /// - Parameters:
    ///   - titles: what the page calls itself, to tell its headline.
    ///   - readsWriters: whether it is wanted who wrote the page.
    ///   - readsDays: whether it is wanted when.
    ///   - dayFirst: whether `5/6/2015` is in June.
    ///   - isPossible: whether a day may be one of this page's.
    init(
        _ document: HTMLDocument, titles: [String], readsWriters: Bool, readsDays: Bool, dayFirst: Bool,
        limits: ReadingLimits, isPossible: (SchemaOrg.Moment) -> Bool
    ) {
        guard readsWriters || readsDays, !document.elements.isEmpty else { return }
        var walk = Walk(
            document, headline: Self.headline(of: document, titles: titles), readsWriters: readsWriters,
            readsDays: readsDays, dayFirst: dayFirst, limits: limits)
        walk.read()
        var best = (published: 3, modified: 3)
        var equals: [BylineHints: Set<String>] = [:]
        for candidate in walk.days { equals[candidate.hints, default: []].insert(candidate.text) }
        for candidate in walk.days {
            guard let moment = SchemaOrg.moment(candidate.text), isPossible(moment) else { continue }
            let nearness = walk.nearness(of: candidate.position)
            // The days of a list are those of other pages.
            let isListed = nearness < 3 && (equals[candidate.hints]?.count ?? 0) >= 4
            let points = candidate.points + nearness - (isListed ? 5 : 0)
            let day = Day(text: moment.text, isStated: candidate.isStated)
            if candidate.isModified {
                if points > best.modified { (modified, best.modified) = (day, points) }
            } else if points > best.published {
                (published, best.published) = (day, points)
            }
        }
        takeWriters(of: walk)
    }

    private mutating func takeWriters(of walk: Walk) {
        var ranked: [(index: Int, points: Int)] = []
        for (index, candidate) in walk.writers.enumerated() {
            let points = candidate.points + walk.nearness(of: candidate.position)
            if points > 3 { ranked.append((index, points)) }
        }
        ranked.sort { ($1.points, $0.index) < ($0.points, $1.index) }
        for (index, _) in ranked.prefix(Self.maximumGroups) {
            let first = walk.writers[index]
            var group = [first.writer]
            // Several writers stand side by side, in elements of one kind.
            var end = first.position + first.writer.text.utf8.count
            for next in walk.writers[(index + 1)...].prefix(10) {
                guard next.hints == first.hints, next.points == first.points, next.position - end <= 12 else { break }
                group.append(next.writer)
                end = next.position + next.writer.text.utf8.count
            }
            writers.append(group)
        }
    }

    /// The heading that repeats most of the page's title, else the first one.
    private static func headline(of document: HTMLDocument, titles: [String]) -> HTMLDocument.Index? {
        let titles = titles.map { Array(String($0.prefix(300)).lowercased().collapsingHTMLSpace().utf8) }
        var first: HTMLDocument.Index?
        var best: (heading: HTMLDocument.Index, length: Int)?
        for name in [HTMLName.h1, .h2, .h3, .h4, .h5, .h6] {
            // Lower headings are many, and few are headlines.
            for heading in document.elements(named: name).prefix(name == .h1 || best == nil ? 10 : 3) {
                let text = Array(document.visibleText(of: heading, maximumBytes: 300).lowercased().utf8)
                guard text.count >= 4, text.count > best?.length ?? 0 else { continue }
                if titles.contains(where: {
                    $0.position(of: text) != nil || $0.count >= 10 && text.position(of: $0) != nil
                }) {
                    best = (heading, text.count)
                }
                if first == nil, name == .h1 { first = heading }
            }
        }
        // A short heading may be in the title by chance.
        if let best, best.length >= 10 || first == nil { return best.heading }
        return first ?? document.elements(named: .article).first
            ?? document.elements(named: .main).first
    }
}

// MARK: Words before a day

private enum DayLabel {
    case published, modified

    private static let modifiedWords = [
        "updat", "aktualis", "zuletzt", "geändert", "mis à jour", "mise à jour", "modifi", "actualiz",
        "atualiz", "aggiorna", "bijgewerkt", "gewijzigd", "zaktualiz", "обновл", "измен", "güncelle", "oppdatert",
        "opdateret", "uppdaterad", "ändrad", "更新", "수정", "تحديث", "revised", "last edit", "bearbeitet", "última",
        "ultima", "dernière", "edited",
    ]
    private static let publishedWords = [
        "publi", "veröffentlicht", "erstellt", "posted", "created", "date", "datum", "fecha", "data:", "geplaatst",
        "geschrieben", "written", "verfasst", "mise en ligne", "mis en ligne", "dodano", "опубл", "дата", "yayın",
        "tarih", "发布", "发表", "時間", "时间", "日期", "公開", "掲載", "投稿", "配信", "입력", "등록", "작성", "نشر", "erschienen",
        "released", "issued", "uploaded", "gepostet", "eingestellt", "postado", "uloženo", "vydáno", "julkaistu",
        "lagt ut", "udgivet", "δημοσ", "פורסם", "dátum", "közzé", "artikel vom", "meldung vom", "notizia del",
        "artikel wurde",
        // “Stand: 1. Mai”, “as of 1 May”: the day on which the text was published.
        "stand:", "stand ", "as of ",
    ]

    /// Words by their first byte.
    private static let words: [[(bytes: [UInt8], isModified: Bool)]] = {
        var words = Array(repeating: [(bytes: [UInt8], isModified: Bool)](), count: 256)
        for (list, isModified) in [(modifiedWords, true), (publishedWords, false)] {
            for word in list {
                let bytes = Array(word.utf8)
                words[Int(bytes[0])].append((bytes, isModified))
            }
        }
        return words
    }()

    /// The label in a text; of two, the later one.
    static func of(_ text: ArraySlice<UInt8>) -> DayLabel? {
        guard text.count >= 4 else { return nil }
        let text =
            text.allSatisfy { $0 < 0x80 }
            ? text.map(\.asciiLowercased) : Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
        var modified: Int?
        var published: Int?
        for start in text.indices.reversed() where modified == nil || published == nil {
            for word in words[Int(text[start])] where text[start...].starts(with: word.bytes) {
                if word.isModified { modified = modified ?? start } else { published = published ?? start }
            }
        }
        guard let modified else { return published == nil ? nil : .published }
        // The `date` of `updated` is no label.
        return published ?? 0 > modified + 3 ? .published : .modified
    }
}

// MARK: The walk

private struct Walk {
    struct DayCandidate {
        var text: String
        var isStated: Bool
        var isModified: Bool
        var hints: BylineHints
        var points: Int
        var position: Int
    }

    struct WriterCandidate {
        var writer: Byline.Writer
        var hints: BylineHints
        var points: Int
        var position: Int
    }

    /// An element whose end is not reached yet.
    private struct Open {
        var subtreeEnd: Int
        var textEnd: Int
        /// Its own and those of its ancestors.
        var hints: BylineHints
        /// The same of the block that it is or stands in.
        var blockHints: BylineHints
        var isBlock: Bool
        /// Where it says what it is: a mark of the block with this number.
        var mark: (index: Int, block: Int)?
        var isHeadline: Bool
    }

    /// A part of a block that says what it is.
    private struct Mark {
        var start: Int
        var end: Int?
        var hints: BylineHints
        /// What an attribute states.
        var date: String?
        var address: String?
    }

    private(set) var days: [DayCandidate] = []
    private(set) var writers: [WriterCandidate] = []
    private let document: HTMLDocument
    private let headline: HTMLDocument.Index?
    private let headlineArticle: HTMLDocument.Index?
    private let readsWriters: Bool
    private let readsDays: Bool
    private let dayFirst: Bool
    private var headlineStart: Int?
    private var headlineEnd: Int?

    private var known = KnownHints()
    private var open: [Open] = []
    private var marks: [Mark] = []
    private var steps: InterruptibleSteps
    private var block = CollapsingText(maximumBytes: Byline.maximumBlockBytes)
    private var blockNumber = 0
    /// Bytes of the blocks before.
    private var position = 0
    private var textPosition = 0
    /// The block before, where it is as short as a label.
    private var labelBefore: [UInt8] = []
    private static let maximumLabelBytes = 40
    /// Longer blocks are no names or days behind a label.
    private static let maximumLabelledBytes = 150

    init(
        _ document: HTMLDocument, headline: HTMLDocument.Index?, readsWriters: Bool, readsDays: Bool, dayFirst: Bool,
        limits: ReadingLimits
    ) {
        self.document = document
        steps = InterruptibleSteps(limits)
        self.readsWriters = readsWriters
        self.readsDays = readsDays
        self.headline = headline
        self.dayFirst = dayFirst
        headlineArticle = headline.flatMap { headline in
            document.elements(named: .article).last { $0 == headline || document.isElement(headline, inside: $0) }
        }
    }

    /// Bytes of text behind the headline where a byline may stand.
    private static let reach = 1_800

    /// Points for standing near the headline.
    func nearness(of position: Int) -> Int {
        guard let start = headlineStart else { return 0 }
        let end = headlineEnd ?? start
        if position >= end {
            switch position - end {
            case ...250: return 4
            case ...700: return 3
            case ...Self.reach: return 1
            default: return 0
            }
        }
        if position >= start { return 3 }
        switch start - position {
        case ...200: return 3
        case ...500: return 1
        default: return 0
        }
    }

    /// The arrays of the document, looked up once.
    private struct Arena {
        let elements: UnsafeBufferPointer<HTMLDocument.Element>
        let attributes: UnsafeBufferPointer<HTMLDocument.Attribute>
        let page: UnsafeBufferPointer<UInt8>
        let decodedValues: UnsafeBufferPointer<UInt8>
        let text: UnsafeBufferPointer<UInt8>

        func attributes(of element: Int) -> Slice<UnsafeBufferPointer<HTMLDocument.Attribute>> {
            let next = element + 1
            let end = next < elements.count ? Int(elements[next].attributesStart) : attributes.count
            return attributes[Int(elements[element].attributesStart)..<end]
        }

        func value(of attribute: HTMLDocument.Attribute) -> UnsafeBufferPointer<UInt8> {
            let (start, end) = (Int(attribute.valueStart), Int(attribute.valueEnd))
            return end <= page.count
                ? UnsafeBufferPointer(rebasing: page[start..<end])
                : UnsafeBufferPointer(rebasing: decodedValues[start - page.count..<end - page.count])
        }
    }

    mutating func read() {
        let document = document
        document.elements.withUnsafeBufferPointer { elements in
            document.attributes.withUnsafeBufferPointer { attributes in
                document.lines.text.withUnsafeBufferPointer { page in
                    document.decodedValues.withUnsafeBufferPointer { decodedValues in
                        document.text.withUnsafeBufferPointer { text in
                            read(
                                Arena(
                                    elements: elements, attributes: attributes, page: page,
                                    decodedValues: decodedValues,
                                    text: text))
                        }
                    }
                }
            }
        }
    }

    private mutating func read(_ arena: Arena) {
        let elements = arena.elements
        let mayBeHidden = document.hasAttribute(.hidden)
        var next = 0
        while next < elements.count, !steps.isInterrupted() {
            close(before: next, arena)
            let element = elements[next]
            let name = element.name
            append(upTo: Int(element.textStart), arena)
            if name == .script || name == .style || name.isUnseen || mayBeHidden && document.has(.hidden, on: next) {
                if name.separatesText { flush() }
                let end = document.endOfUnseen(next)
                textPosition = max(textPosition, end.text)
                next = end.next
                continue
            }
            // Much of a page is pictures and the like, which say nothing here.
            if element.textStart == element.textEnd, Int(element.subtreeEnd) == next + 1,
                !arena.attributes(of: next).contains(where: Self.mayStateDate)
            {
                if name.separatesText { flush() }
                next += 1
                continue
            }
            enter(next, element, name, arena)
            next += 1
        }
        close(before: elements.count, arena)
        append(upTo: arena.text.count, arena)
        flush()
    }

    private mutating func enter(_ index: Int, _ element: HTMLDocument.Element, _ name: HTMLName, _ arena: Arena) {
        let subtreeEnd = Int(element.subtreeEnd)
        let isBlock = name.separatesText
        if isBlock { flush() }
        // `<span>By</span><a>Ann Lee</a>`: styles keep the two apart.
        if name == .a, block.bytes.count <= Self.maximumLabelBytes, AuthorLabels.isLabel(block.bytes) {
            block.separate()
        }
        let isHeadline = index == headline
        if isHeadline { headlineStart = position }
        // Nothing ends inside of a void element, and most elements have no names.
        var hints = open.last?.hints ?? []
        let holdsHeadline = headline.map { $0 >= index && $0 < subtreeEnd } ?? false
        var own = ownHints(of: index, name, arena)
        // Whatever holds the headline, or most of the page, is not beside it: `with-sidebar`.
        let isMost = Int(element.textEnd - element.textStart) * 2 > arena.text.count
        if holdsHeadline || isMost { own.subtract([.beside, .listed]) }
        if name == .article, let headlineArticle, headlineArticle != index, !holdsHeadline { own.insert(.beside) }
        if name == .footer, !holdsHeadline, headlineArticle.map({ !document.isElement(index, inside: $0) }) ?? true {
            own.insert(.beside)
        }
        // A container of the whole article says nothing of each of its texts.
        let isSmall = element.textEnd - element.textStart <= 600
        if !isSmall || isHeadline { own.formIntersection([.beside, .listed, .link]) }
        if holdsHeadline, !isHeadline { own.subtract(BylineHints.ofDays.union(BylineHints.ofWriters).union(.standard)) }
        hints.formUnion(own)
        var mark: (index: Int, block: Int)?
        if !own.isDisjoint(with: BylineHints.ofDays.union(BylineHints.ofWriters)), !isHeadline {
            let date = own.isDisjoint(with: BylineHints.ofDays) ? nil : statedDate(of: index)
            if !isBlock || date != nil, marks.count < 100 {
                marks.append(
                    Mark(start: block.bytes.count, hints: own, date: date, address: address(of: index, name)))
                mark = (marks.count - 1, blockNumber)
            }
        }
        // An inline element that says nothing changes nothing.
        if !isBlock, own.isEmpty, !isHeadline { return }
        open.append(
            Open(
                subtreeEnd: subtreeEnd, textEnd: Int(element.textEnd), hints: hints,
                blockHints: isBlock ? hints : open.last?.blockHints ?? [], isBlock: isBlock, mark: mark,
                isHeadline: isHeadline))
    }

    private mutating func ownHints(of index: Int, _ name: HTMLName, _ arena: Arena) -> BylineHints {
        var hints: BylineHints = []
        switch name {
        case .nav: hints = .beside
        case .aside: hints = .listed
        case .time: hints = .time
        case .a: hints = .link
        default: break
        }
        for attribute in arena.attributes(of: index) {
            switch attribute.nameNumber {
            case HTMLName.class.rawValue, HTMLName.id.rawValue: hints.formUnion(known.hints(of: attribute, arena))
            case HTMLName.itemprop.rawValue:
                let said = known.hints(of: attribute, arena)
                let value = arena.value(of: attribute)
                hints.formUnion(said)
                if said.contains(.author) { hints.formUnion(.standard) }
                if value.elementsEqual("datePublished".utf8) { hints.formUnion([.published, .standard]) }
                if value.elementsEqual("dateModified".utf8) { hints.formUnion([.modified, .standard]) }
            case HTMLName.rel.rawValue where name == .a:
                let words = arena.value(of: attribute).split(whereSeparator: \.isHTMLSpace)
                if words.contains(where: { $0.equalsIgnoringCase("author") }) {
                    hints.formUnion([.author, .standard])
                }
            case HTMLName.datetime.rawValue: hints.insert(.time)
            default: break
            }
        }
        return hints
    }

    /// What the values read before say: the elements of a list have the same ones.
    private struct KnownHints {
        private var values = [(value: UnsafeBufferPointer<UInt8>, hints: BylineHints)](
            repeating: (UnsafeBufferPointer(start: nil, count: 0), BylineHints()), count: 64)

        mutating func hints(of attribute: HTMLDocument.Attribute, _ arena: Arena) -> BylineHints {
            let value = arena.value(of: attribute)
            // Reading a shorter one costs no more than looking it up.
            guard value.count >= 8, let bytes = value.baseAddress else {
                return BylineHints.of(value)
            }
            let raw = UnsafeRawPointer(bytes)
            let first = raw.loadUnaligned(as: UInt64.self)
            let last = raw.loadUnaligned(fromByteOffset: value.count - 8, as: UInt64.self)
            let slot = Int(truncatingIfNeeded: ((first ^ last &* 31) &* 0x9E37_79B9_7F4A_7C15) >> 58)
            let known = values[slot]
            if known.value.count == value.count, let other = known.value.baseAddress,
                memcmp(other, bytes, value.count) == 0
            {
                return known.hints
            }
            let hints = BylineHints.of(value)
            values[slot] = (value, hints)
            return hints
        }
    }

    /// Attributes that state the date of an element.
    private static let dateAttributes: [HTMLName] = [.datetime, .content, .title]

    private static func mayStateDate(_ attribute: HTMLDocument.Attribute) -> Bool {
        switch attribute.nameNumber {
        case HTMLName.datetime.rawValue, HTMLName.content.rawValue, HTMLName.title.rawValue: true
        default: false
        }
    }

    /// `datetime`, `content` or `title` of an element for a date.
    private func statedDate(of index: Int) -> String? {
        for name in Self.dateAttributes {
            guard let value = document.bytes(of: name, on: index), (4...60).contains(value.count) else { continue }
            let text = String(decoding: value, as: UTF8.self)
            if let moment = SchemaOrg.moment(text) {
                // A year or a month is no day, and a mere time is none.
                if moment.span <= 86_400 { return moment.text }
            } else if let day = WrittenDay.first(in: text, dayFirst: dayFirst) {
                return day.text
            }
        }
        return nil
    }

    private func address(of index: Int, _ name: HTMLName) -> String? {
        let link =
            name == .a ? index : document.descendants(of: index).prefix(20).first { document.elements[$0].name == .a }
        guard let link, let value = document.bytes(of: .href, on: link),
            value.count <= RecordBuilder.maximumAddressBytes
        else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func close(before index: Int, _ arena: Arena) {
        while let last = open.last, last.subtreeEnd <= index {
            append(upTo: last.textEnd, arena)
            if let mark = last.mark, mark.block == blockNumber { marks[mark.index].end = block.bytes.count }
            if last.isBlock { flush() }
            if last.isHeadline { headlineEnd = position }
            open.removeLast()
        }
    }

    private mutating func append(upTo end: Int, _ arena: Arena) {
        guard end > textPosition else { return }
        block.append(arena.text[textPosition..<end])
        textPosition = end
    }

    // MARK: Blocks

    private mutating func flush() {
        blockNumber += 1
        if !block.bytes.isEmpty || marks.contains(where: { $0.date != nil }) {
            for i in marks.indices where marks[i].end == nil { marks[i].end = block.bytes.count }
            // Out of the walk for a while, so that the block is read without a copy.
            var read = CollapsingText(maximumBytes: Byline.maximumBlockBytes)
            swap(&read, &block)
            self.read(read.bytes, isWhole: !read.isFull)
            swap(&read, &block)
            block.removeAll()
        }
        marks.removeAll(keepingCapacity: true)
    }

    private mutating func read(_ text: [UInt8], isWhole: Bool) {
        let context = open.last?.blockHints ?? []
        let isNear = headlineEnd.map { position <= $0 + Self.reach } ?? true
        let hints = marks.reduce(context) { $0.union($1.hints) }
        let isNamed = !hints.isDisjoint(with: BylineHints.ofDays.union(BylineHints.ofWriters).union(.meta))
        // Far from the headline, only what says what it is can get enough points.
        let mayBeLabelled = isNear || isNamed
        if readsDays, mayBeLabelled || isWhole { readDays(text, context, isWhole: isWhole) }
        if readsWriters, mayBeLabelled || text.count <= Self.maximumLabelledBytes {
            readWriters(text, context, isWhole: isWhole, mayBeLabelled: mayBeLabelled)
        }
        labelBefore.removeAll(keepingCapacity: true)
        if text.count <= Self.maximumLabelBytes { labelBefore.append(contentsOf: text) }
        position += text.count
    }

    private mutating func readDays(_ text: [UInt8], _ context: BylineHints, isWhole: Bool) {
        guard days.count < Byline.maximumCandidates else { return }
        var statedEnd = 0
        for mark in marks {
            guard let date = mark.date else { continue }
            let range = mark.start..<max(mark.start, mark.end ?? 0)
            add(
                date, isStated: true, in: text, at: range, hints: mark.hints.union(context), isWhole: isWhole,
                isShort: false)
            statedEnd = max(statedEnd, range.upperBound)
        }
        guard text.count >= 6 else { return }
        for day in WrittenDay.all(in: text, dayFirst: dayFirst, maximum: 4)
        where day.range.lowerBound >= statedEnd && day.year >= 1991 {
            var hints = context
            for mark in marks where mark.start <= day.range.lowerBound && (mark.end ?? 0) >= day.range.upperBound {
                hints.formUnion(mark.hints)
            }
            add(
                day.text, isStated: false, in: text, at: day.range, hints: hints, isWhole: isWhole,
                isShort: day.hasShortYear)
        }
    }

    private mutating func add(
        _ date: String, isStated: Bool, in text: [UInt8], at range: Range<Int>, hints: BylineHints, isWhole: Bool,
        isShort: Bool
    ) {
        let start = min(range.lowerBound, text.count)
        let end = min(range.upperBound, text.count)
        // The words of a `time` element stand before its day, inside of it.
        var label = DayLabel.of(text[max(0, start - 40)..<(isStated ? end : start)])
        if label == nil, start <= 12 { label = DayLabel.of(labelBefore[...]) }
        if label == nil { label = DayLabel.of(text[end..<min(text.count, end + 25)]) }
        var points = 0
        if hints.contains(.time) { points += 3 }
        if hints.contains(.standard), !hints.isDisjoint(with: [.published, .modified]) { points += 5 }
        if hints.contains(.published) { points += 4 } else if hints.contains(.date) { points += 3 }
        if !hints.isDisjoint(with: [.meta, .byline, .author]) { points += 2 }
        if label != nil { points += 4 } else if AuthorLabels.labelEnd(in: text[...]) != nil { points += 3 }
        if isWhole, text.count - range.count <= 12 {
            points += 2
        } else if start == 0 || isWhole && text.count <= 100 && end + 3 >= text.count {
            points += 1
        }
        if hints.contains(.beside) { points -= 7 } else if hints.contains(.listed) { points -= 3 }
        if hints.contains(.link), !hints.contains(.published) { points -= 1 }
        if isShort { points -= 1 }
        let isModified = label == .modified || label == nil && hints.contains(.modified) && !hints.contains(.published)
        days.append(
            DayCandidate(
                text: date, isStated: isStated, isModified: isModified, hints: hints, points: points,
                position: position + start))
    }

    private mutating func readWriters(
        _ text: [UInt8], _ context: BylineHints, isWhole: Bool, mayBeLabelled: Bool
    ) {
        guard writers.count < Byline.maximumCandidates, text.count >= 2 else { return }
        var hasMark = false
        for mark in marks where !mark.hints.isDisjoint(with: BylineHints.ofWriters) {
            let end = min(mark.end ?? 0, text.count)
            guard mark.start < end, end - mark.start <= 150 else { continue }
            hasMark = true
            let label = AuthorLabels.work(ofLabel: Array(text[..<mark.start]))
            guard label != .pictures else { continue }
            add(
                text[mark.start..<end], mark.hints, context, address: mark.address, at: mark.start,
                extra: label == .text ? 3 : 0)
        }
        guard !hasMark else { return }
        // A long block is a paragraph, of which only the beginning may be a byline.
        if mayBeLabelled, let start = AuthorLabels.labelEnd(in: isWhole ? text[...] : text.prefix(100)) {
            let isInByline = !context.isDisjoint(with: BylineHints.ofWriters.union([.meta, .published, .date]))
            add(text[start...].prefix(150), [], context, address: nil, at: start, extra: isInByline ? 4 : 3)
        }
        guard isWhole, text.count <= Self.maximumLabelledBytes else { return }
        if !context.isDisjoint(with: BylineHints.ofWriters) {
            add(
                text[...], context.intersection(BylineHints.ofWriters.union(.standard)), context, address: nil, at: 0,
                extra: 0)
        } else if AuthorLabels.isLabel(labelBefore) {
            add(text[...], [], context, address: nil, at: 0, extra: 5)
        }
    }

    private mutating func add(
        _ text: ArraySlice<UInt8>, _ hints: BylineHints, _ context: BylineHints, address: String?, at start: Int,
        extra: Int
    ) {
        var points = extra
        if hints.contains(.author) { points += 4 } else if hints.contains(.byline) { points += 3 }
        if hints.contains(.standard) { points += 1 }
        let all = context.union(hints)
        if all.contains(.beside) { points -= 7 } else if all.contains(.listed) { points -= 2 }
        let text = String(decoding: text, as: UTF8.self)
        guard AuthorNames.mayName(text) else { return }
        writers.append(
            WriterCandidate(
                writer: Byline.Writer(text: text, address: address), hints: hints, points: points,
                position: position + start))
    }
}
