import Glibc

/// Walks over the arena of a page for `Byline`, and gives each block of visible text to the candidates, with what its elements say.
struct BylineWalk {
    /// An element whose end is not reached yet.
    private struct Open {
        var subtreeEnd: Int
        var textEnd: Int
        /// Its own and those of its ancestors.
        var hints: NameHints
        /// The same of the block that it is or stands in.
        var blockHints: NameHints
        var isBlock: Bool
        /// Where it says what it is: a mark of the block with this number.
        var mark: (index: Int, block: Int)?
        var isHeadline: Bool
    }

    private let document: HTMLDocument
    private let names: ElementNames
    private let headline: HTMLDocument.Index?
    private let headlineArticle: HTMLDocument.Index?
    private var candidates: BylineCandidates

    private var open: [Open] = []
    private var marks: [BylineCandidates.Mark] = []
    private var unseen: VisibleText.UnseenElements
    private var steps: InterruptibleSteps
    private var block = CollapsingText(maximumBytes: Self.maximumBlockBytes)
    private var blockNumber = 0
    private var textPosition = 0

    /// Text of a block that is looked at; labels, days and names stand in front.
    private static let maximumBlockBytes = 300

    init(
        _ document: HTMLDocument, _ visible: VisibleText, _ names: ElementNames, headline: HTMLDocument.Index?,
        _ candidates: BylineCandidates, limits: ReadingLimits
    ) {
        self.document = document
        self.names = names
        self.headline = headline
        self.candidates = candidates
        unseen = visible.unseenElements()
        steps = InterruptibleSteps(limits)
        headlineArticle = headline.flatMap { headline in
            document.elements(named: .article).last { $0 == headline || document.isElement(headline, inside: $0) }
        }
    }

    /// Reads the page; returns what it found.
    mutating func read() -> BylineCandidates {
        document.withArena { read($0) }
        return candidates
    }

    private mutating func read(_ arena: HTMLDocument.Arena) {
        let elements = arena.elements
        var next = 0
        while next < elements.count, !steps.isInterrupted() {
            close(before: next, arena)
            let element = elements[next]
            let name = element.name
            append(upTo: Int(element.textStart), arena)
            if unseen.contains(next) {
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

    private mutating func enter(
        _ index: Int, _ element: HTMLDocument.Element, _ name: HTMLName, _ arena: HTMLDocument.Arena
    ) {
        let subtreeEnd = Int(element.subtreeEnd)
        let isBlock = name.separatesText
        if isBlock { flush() }
        // `<span>By</span><a>Ann Lee</a>`: styles keep the two apart.
        if name == .a, block.bytes.count <= BylineCandidates.maximumLabelBytes, AuthorLabels.isLabel(block.bytes) {
            block.separate()
        }
        let isHeadline = index == headline
        if isHeadline { candidates.beginHeadline() }
        // Nothing ends inside of a void element, and most elements have no names.
        var hints = open.last?.hints ?? []
        let holdsHeadline = headline.map { $0 >= index && $0 < subtreeEnd } ?? false
        var own = ownHints(of: index, name, arena)
        // Whatever holds the headline, or most of the page, is not beside it: `with-sidebar`.
        let isMost = Int(element.textEnd - element.textStart) * 2 > arena.text.count
        if holdsHeadline || isMost { own.subtract([.besideByline, .listed, .ofVisitors]) }
        if name == .article, let headlineArticle, headlineArticle != index, !holdsHeadline { own.insert(.besideByline) }
        if name == .footer, !holdsHeadline, headlineArticle.map({ !document.isElement(index, inside: $0) }) ?? true {
            own.insert(.besideByline)
        }
        // A container of the whole article says nothing of each of its texts.
        let isSmall = Int(element.textEnd - element.textStart) <= candidates.weights.containerBytes
        if isSmall, isBlock, !holdsHeadline, hints.union(own).isDisjoint(with: NameHints.ofWriters),
            isTeaser(index, name)
        {
            own.insert(.besideByline)
        }
        if !isSmall || isHeadline { own.formIntersection([.besideByline, .listed, .ofVisitors]) }
        if holdsHeadline, !isHeadline { own.subtract(NameHints.ofDays.union(NameHints.ofWriters).union(.standard)) }
        hints.formUnion(own)
        var mark: (index: Int, block: Int)?
        if !own.isDisjoint(with: NameHints.ofDays.union(NameHints.ofWriters)), !isHeadline {
            let date = own.isDisjoint(with: NameHints.ofDays) ? nil : statedDate(of: index)
            if !isBlock || date != nil, marks.count < 100 {
                marks.append(
                    BylineCandidates.Mark(
                        start: block.bytes.count, hints: own, date: date, address: address(of: index, name)))
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

    /// Whether an element has the link to another page, as its heading or at the beginning of an item of a list, and more: a day, a name.
    private func isTeaser(_ index: Int, _ name: HTMLName) -> Bool {
        let element = document.elements[index]
        let end = min(Int(element.subtreeEnd), index + 1 + Self.maximumTeaserElements)
        var next = index + 1
        while next < end {
            let inner = document.elements[next]
            guard inner.textEnd > inner.textStart, inner.textEnd < element.textEnd else {
                next += 1
                continue
            }
            let last = min(Int(inner.subtreeEnd), end)
            switch inner.name {
            case .h2, .h3, .h4, .h5, .h6:
                if next != headline,
                    (next + 1..<max(last, next + 1)).contains(where: { document.elements[$0].name == .a }),
                    saysNothingOfWriters(from: next, upTo: index)
                {
                    return true
                }
            case .a:
                let holdsHeading = (next + 1..<max(last, next + 1)).contains {
                    [.h2, .h3, .h4, .h5, .h6].contains(document.elements[$0].name)
                }
                let begins =
                    name == .li && inner.textStart <= element.textStart + 1 && inner.textEnd + 4 < element.textEnd
                if holdsHeading || begins, document.bytes(of: .rel, on: next) == nil,
                    saysNothingOfWriters(from: next, upTo: index)
                {
                    return true
                }
            default: break
            }
            next += 1
        }
        return false
    }

    /// Elements of a teaser that are looked at.
    private static let maximumTeaserElements = 12

    /// Whether neither an element nor one around it, within a container, is said to be a writer's.
    private func saysNothingOfWriters(from element: Int, upTo container: Int) -> Bool {
        var next = element
        while next > container {
            guard names.hints(of: next).isDisjoint(with: NameHints.ofWriters) else { return false }
            guard let parent = document.parent(of: next) else { return true }
            next = parent
        }
        return true
    }

    private func ownHints(of index: Int, _ name: HTMLName, _ arena: HTMLDocument.Arena) -> NameHints {
        // An element that says nothing of bylines says nothing here.
        var hints = names.hints(of: index).intersection(Self.hintsOfBylines)
        switch name {
        case .nav, .blockquote, .figure, .figcaption, .form: hints.insert(.besideByline)
        case .aside: hints.insert(.listed)
        case .time: hints.insert(.time)
        default: break
        }
        for attribute in arena.attributes(of: index) {
            switch attribute.nameNumber {
            case HTMLName.itemprop.rawValue:
                let value = arena.value(of: attribute)
                let said = NameHints.of(value).intersection(Self.hintsOfBylines)
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

    private static let hintsOfBylines: NameHints = [
        .besideByline, .listed, .ofVisitors, .meta, .author, .byline, .published, .modified, .date, .time, .standard,
    ]

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
            } else if let day = WrittenDay.first(in: text, as: candidates.dayStyle) {
                return day.text
            }
        }
        return nil
    }

    private func address(of index: Int, _ name: HTMLName) -> String? {
        let link =
            name == .a ? index : document.descendants(of: index).prefix(20).first { document.elements[$0].name == .a }
        guard let link, let value = document.bytes(of: .href, on: link),
            value.count <= WrittenAddress.maximumBytes
        else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func close(before index: Int, _ arena: HTMLDocument.Arena) {
        while let last = open.last, last.subtreeEnd <= index {
            append(upTo: last.textEnd, arena)
            if let mark = last.mark, mark.block == blockNumber { marks[mark.index].end = block.bytes.count }
            if last.isBlock { flush() }
            if last.isHeadline { candidates.endHeadline() }
            open.removeLast()
        }
    }

    private mutating func append(upTo end: Int, _ arena: HTMLDocument.Arena) {
        guard end > textPosition else { return }
        block.append(arena.text[textPosition..<end])
        textPosition = end
    }

    private mutating func flush() {
        blockNumber += 1
        if !block.bytes.isEmpty || marks.contains(where: { $0.date != nil }) {
            for i in marks.indices where marks[i].end == nil { marks[i].end = block.bytes.count }
            candidates.read(block.bytes, isWhole: !block.isFull, marks, in: open.last?.blockHints ?? [])
            block.removeAll()
        }
        marks.removeAll(keepingCapacity: true)
    }
}
