/// The days and names that the blocks of a page offer as its byline, with their points.
struct BylineCandidates {
    struct Day {
        var text: String
        var isStated: Bool
        var isModified: Bool
        var hints: NameHints
        var points: Int
        var position: Int
    }

    struct Writer {
        var writer: Byline.Writer
        var hints: NameHints
        var points: Int
        var position: Int
    }

    /// A part of a block that says what it is.
    struct Mark {
        var start: Int
        var end: Int?
        var hints: NameHints
        /// What an attribute states.
        var date: String?
        var address: String?
    }

    private(set) var days: [Day] = []
    private(set) var writers: [Writer] = []
    let dayStyle: DayStyle
    let weights: GuessWeights.Byline
    private let readsWriters: Bool
    private let readsDays: Bool
    private var headlineStart: Int?
    private var headlineEnd: Int?
    /// Bytes of the blocks before.
    private var position = 0
    /// The block before, where it is as short as a label.
    private var labelBefore: [UInt8] = []

    static let maximumLabelBytes = 40
    /// Longer blocks are no names or days behind a label.
    private static let maximumLabelledBytes = 150
    /// Candidates of a page; a list of more is no byline.
    private static let maximumCandidates = 300

    init(readsWriters: Bool, readsDays: Bool, dayStyle: DayStyle, weights: GuessWeights.Byline) {
        self.readsWriters = readsWriters
        self.readsDays = readsDays
        self.dayStyle = dayStyle
        self.weights = weights
    }

    mutating func beginHeadline() { headlineStart = position }
    mutating func endHeadline() { headlineEnd = position }

    /// Points for standing near the headline.
    func nearness(of position: Int) -> Int {
        guard let start = headlineStart else { return 0 }
        let end = headlineEnd ?? start
        if position >= end {
            switch position - end {
            case ...weights.nearness.closeBytes: return weights.nearness.close
            case ...weights.nearness.nearBytes: return weights.nearness.near
            default: return 0
            }
        }
        if position >= start { return weights.nearness.inside }
        return start - position <= weights.nearness.beforeBytes ? weights.nearness.before : 0
    }

    /// In what visitors wrote. What markup states there is theirs, and no name or class of the page is wrong about it.
    private static let ofVisitor: NameHints = [.besideByline, .ofVisitors]

    // MARK: Blocks

    /// Reads a block.
    ///
    /// - Parameters:
    ///   - isWhole: false if the text was cut off.
    ///   - context: what the elements around it say.
    mutating func read(_ text: [UInt8], isWhole: Bool, _ marks: [Mark], in context: NameHints) {
        if let sign = Self.copyrightSign(in: text) {
            // Of whom and when a copyright is, behind its sign, says nothing of the page.
            if sign > 0 {
                readPart(Array(text[..<sign]), isWhole: isWhole, marks.filter { $0.start < sign }, in: context)
            }
        } else {
            readPart(text, isWhole: isWhole, marks, in: context)
        }
        labelBefore.removeAll(keepingCapacity: true)
        if text.count <= Self.maximumLabelBytes { labelBefore.append(contentsOf: text) }
        position += text.count
    }

    /// Where `©` stands, or “Copyright” that begins a text.
    private static func copyrightSign(in text: [UInt8]) -> Int? {
        if text.starts(with: copyright, by: { $0.asciiLowercased == $1 }) { return 0 }
        return text.indices.dropLast().first { text[$0] == 0xC2 && text[$0 + 1] == 0xA9 }
    }

    private static let copyright = Array("copyright".utf8)

    private mutating func readPart(_ text: [UInt8], isWhole: Bool, _ marks: [Mark], in context: NameHints) {
        let isNear = headlineEnd.map { position <= $0 + weights.nearness.reachBytes } ?? true
        let hints = marks.reduce(context) { $0.union($1.hints) }
        let isNamed = !hints.isDisjoint(with: NameHints.ofDays.union(NameHints.ofWriters).union(.meta))
        // Far from the headline, only what says what it is can get enough points.
        let mayBeLabelled = isNear || isNamed
        if readsDays, mayBeLabelled || isWhole { readDays(text, marks, context, isWhole: isWhole) }
        if readsWriters, mayBeLabelled || text.count <= Self.maximumLabelledBytes {
            readWriters(text, marks, context, isWhole: isWhole, mayBeLabelled: mayBeLabelled)
        }
    }

    private mutating func readDays(_ text: [UInt8], _ marks: [Mark], _ context: NameHints, isWhole: Bool) {
        guard days.count < Self.maximumCandidates else { return }
        var statedEnd = 0
        for mark in marks {
            guard let date = mark.date else { continue }
            let range = mark.start..<max(mark.start, mark.end ?? 0)
            add(date, isStated: true, in: text, at: range, hints: mark.hints.union(context), isWhole: isWhole)
            statedEnd = max(statedEnd, range.upperBound)
        }
        guard text.count >= 6 else { return }
        for day in WrittenDay.all(in: text, as: dayStyle, maximum: 4)
        where day.range.lowerBound >= statedEnd && day.year >= 1991 {
            var hints = context
            for mark in marks where mark.start <= day.range.lowerBound && (mark.end ?? 0) >= day.range.upperBound {
                hints.formUnion(mark.hints)
            }
            add(day.text, isStated: false, in: text, at: day.range, hints: hints, isWhole: isWhole)
        }
    }

    private mutating func add(
        _ date: String, isStated: Bool, in text: [UInt8], at range: Range<Int>, hints: NameHints, isWhole: Bool
    ) {
        guard !hints.isSuperset(of: Self.ofVisitor) || !hints.contains(.standard) else { return }
        let start = min(range.lowerBound, text.count)
        let end = min(range.upperBound, text.count)
        // The words of a `time` element stand before its day, inside of it.
        var label = DayLabel.of(text[max(0, start - weights.days.labelBytesBefore)..<(isStated ? end : start)])
        if label == nil, start <= weights.days.labelledBytes { label = DayLabel.of(labelBefore[...]) }
        if label == nil {
            label = DayLabel.of(text[end..<min(text.count, end + weights.days.labelBytesBehind)])
        }
        var points = 0
        if hints.contains(.time) { points += weights.days.timeElement }
        if !hints.isDisjoint(with: [.published, .date]) { points += weights.days.dateName }
        if !hints.isDisjoint(with: [.meta, .byline, .author]) { points += weights.days.bylineName }
        if label != nil {
            points += weights.days.dayLabel
        } else if AuthorLabels.labelEnd(in: text[...]) != nil {
            points += weights.days.authorLabel
        }
        if isWhole, text.count - range.count <= weights.days.aloneBytes {
            points += weights.days.alone
        } else if start == 0 || isWhole && text.count <= weights.days.shortBlockBytes && end + 3 >= text.count {
            points += weights.days.atEdge
        }
        if hints.contains(.besideByline) {
            points -= weights.days.beside
        } else if hints.contains(.listed) {
            points -= weights.days.listed
        }
        let isModified = label == .modified || label == nil && hints.contains(.modified) && !hints.contains(.published)
        days.append(
            Day(
                text: date, isStated: isStated, isModified: isModified, hints: hints, points: points,
                position: position + start))
    }

    private mutating func readWriters(
        _ text: [UInt8], _ marks: [Mark], _ context: NameHints, isWhole: Bool, mayBeLabelled: Bool
    ) {
        guard writers.count < Self.maximumCandidates, text.count >= 2 else { return }
        var hasMark = false
        for mark in marks where !mark.hints.isDisjoint(with: NameHints.ofWriters) {
            let end = min(mark.end ?? 0, text.count)
            guard mark.start < end, end - mark.start <= 150 else { continue }
            hasMark = true
            let label = AuthorLabels.work(ofLabel: Array(text[..<mark.start]))
            guard label != .pictures else { continue }
            add(
                text[mark.start..<end], mark.hints, context, address: mark.address, at: mark.start,
                extra: label == .text ? weights.writers.namedLabel : 0)
        }
        guard !hasMark else { return }
        // A long block is a paragraph, of which only the beginning may be a byline.
        if mayBeLabelled, let start = AuthorLabels.labelEnd(in: isWhole ? text[...] : text.prefix(100)) {
            add(text[start...].prefix(150), [], context, address: nil, at: start, extra: weights.writers.label)
        }
        guard isWhole, text.count <= Self.maximumLabelledBytes else { return }
        if !context.isDisjoint(with: NameHints.ofWriters) {
            add(
                text[...], context.intersection(NameHints.ofWriters.union(.standard)), context, address: nil, at: 0,
                extra: 0)
        } else if AuthorLabels.isLabel(labelBefore) {
            add(text[...], [], context, address: nil, at: 0, extra: weights.writers.labelledBlock)
        } else if mayBeLabelled, text.contains(where: { $0 >= 0x80 }),
            AuthorLabels.nameBeforeLabel(Substring(String(decoding: text, as: UTF8.self))) != nil
        {
            add(text[...], [], context, address: nil, at: 0, extra: weights.writers.label)
        }
    }

    private mutating func add(
        _ text: ArraySlice<UInt8>, _ hints: NameHints, _ context: NameHints, address: String?, at start: Int,
        extra: Int
    ) {
        var points = extra
        if hints.contains(.author) {
            points += weights.writers.authorName
        } else if hints.contains(.byline) {
            points += weights.writers.bylineName
        }
        let all = context.union(hints)
        guard !all.isSuperset(of: Self.ofVisitor) || !all.contains(.standard) else { return }
        if all.contains(.besideByline) { points -= weights.writers.beside }
        let text = String(decoding: text, as: UTF8.self)
        guard AuthorNames.mayName(text) else { return }
        writers.append(
            Writer(
                writer: Byline.Writer(text: text, address: address), hints: hints, points: points,
                position: position + start))
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
