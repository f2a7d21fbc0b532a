/// The visible text of a page, read in one walk over the arena: all of it in one line, and its blocks, from which `MainText`
/// chooses.
public struct VisibleText: Sendable {
    /// Text between two elements that separate words: a paragraph, a cell, a line of a menu.
    struct Block {
        /// In `bytes`.
        var range: Range<Int>
        /// Bytes of it inside of links.
        var linkBytes = 0
        /// The element it stands in.
        let element: HTMLDocument.Index
        /// Where it begins in the document's text.
        let textStart: Int
        /// It stands in a dialog, or in navigation, a header, a footer, an aside, a form or a caption that holds less than half of
        /// the page.
        var isBeside = false
        /// It stands in a dialog, or in navigation or a footer that is beside the text: it is never the text of a page.
        var isNoText = false
    }

    /// All visible text, white space collapsed.
    public let bytes: [UInt8]
    let blocks: [Block]
    /// The parts of `bytes` that a snippet must not quote, in order: what stands in a `span`, `div` or `section` with
    /// `data-nosnippet` (Google Search Central, "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications").
    let unquoted: [Range<Int>]
    /// Whether what `noscript` holds is part of it.
    let readsNoscript: Bool
    /// The elements whose text is no part of it, in page order, and none of their own parts. Other walks over the page leave out
    /// the same: `unseenElements()`.
    private let unseen: [HTMLDocument.Index]

    /// Reads the whole document once.
    public init(_ document: HTMLDocument, limits: ReadingLimits = .standard) {
        self.init(document, limits: limits, readsNoscript: false)
    }

    /// What readers without scripts see of a page that has its content for them in `noscript`, as forums do whose pages are
    /// programs; nil for any other page.
    init?(ofNoscriptIn document: HTMLDocument, besides visible: VisibleText, limits: ReadingLimits) {
        guard visible.bytes.count < Self.maximumShell, !document.elements(named: .noscript).isEmpty else { return nil }
        let bytes = document.elements(named: .noscript).reduce(0) { $0 + document.textBytes(of: $1).count }
        guard bytes > max(visible.bytes.count, Self.minimumNoscript) else { return nil }
        let whole = VisibleText(document, limits: limits, readsNoscript: true)
        guard whole.bytes.count - visible.bytes.count > max(visible.bytes.count, Self.minimumNoscript) else {
            return nil
        }
        self = whole
    }

    /// A page with more text shows its content.
    private static let maximumShell = 2_000
    /// What asks for JavaScript or counts visits has less.
    private static let minimumNoscript = 500

    private init(_ document: HTMLDocument, limits: ReadingLimits, readsNoscript: Bool) {
        self.readsNoscript = readsNoscript
        guard !document.elements.isEmpty else {
            (bytes, blocks, unquoted, unseen) = ([], [], [], [])
            return
        }
        var walk = Walk(document, limits, readsNoscript: readsNoscript)
        document.text.withUnsafeBufferPointer { text in
            document.elements.withUnsafeBufferPointer { walk.read(document, elements: $0, text: text) }
        }
        bytes = walk.collector.bytes
        blocks = walk.markedBlocks()
        unquoted = walk.unquoted
        unseen = walk.unseen
    }

    /// Tells a walk over the page's elements, in page order, which of them nobody sees.
    struct UnseenElements {
        fileprivate let elements: [HTMLDocument.Index]
        private var next = 0

        fileprivate init(_ elements: [HTMLDocument.Index]) { self.elements = elements }

        /// Whether it is one of them. What is asked next stands behind it.
        mutating func contains(_ element: HTMLDocument.Index) -> Bool {
            while next < elements.count, elements[next] < element { next += 1 }
            return next < elements.count && elements[next] == element
        }
    }

    func unseenElements() -> UnseenElements { UnseenElements(unseen) }

    /// The text of a block that a snippet may quote.
    func quotable(_ block: Block) -> ArraySlice<UInt8> {
        let parts = unquoted(in: block)
        guard !parts.isEmpty else { return bytes[block.range] }
        var result: [UInt8] = []
        var position = block.range.lowerBound
        for part in parts {
            if part.lowerBound > position { result += bytes[position..<part.lowerBound] }
            position = min(max(position, part.upperBound), block.range.upperBound)
        }
        result += bytes[position..<block.range.upperBound]
        while result.last == 0x20 { result.removeLast() }
        return result.drop { $0 == 0x20 }
    }

    /// The text of a block that a snippet must not quote.
    func unquotable(_ block: Block) -> ArraySlice<UInt8> {
        var result: [UInt8] = []
        for part in unquoted(in: block) { result += bytes[part.clamped(to: block.range)] }
        while result.last == 0x20 { result.removeLast() }
        return result.drop { $0 == 0x20 }
    }

    /// The parts of `unquoted` that reach into a block.
    private func unquoted(in block: Block) -> ArraySlice<Range<Int>> {
        var (low, high) = (0, unquoted.count)
        while low < high {
            let middle = (low + high) / 2
            if unquoted[middle].upperBound <= block.range.lowerBound { low = middle + 1 } else { high = middle }
        }
        let end = unquoted[low...].firstIndex { $0.lowerBound >= block.range.upperBound } ?? unquoted.count
        return unquoted[low..<end]
    }

    /// The walk and what it has found. A struct of its own: variables that closures share would be checked for exclusive
    /// access at every step, which took most of the time.
    private struct Walk {
        /// An open element whose end separates words.
        private struct Open {
            let element: HTMLDocument.Index
            let subtreeEnd: Int
            let textEnd: Int
            /// Index in `beside`, if it is a part beside the main text.
            let beside: Int?
        }

        /// A part beside the main text: its blocks, and its bytes of visible text.
        private struct Beside {
            /// What is in dialogs is never the text; what is in frames, if there is little else on a page without dialogs.
            enum Kind {
                case dialog, frame, other
            }

            let kind: Kind
            let firstBlock: Int
            var endBlock: Int
            let start: Int
            var end: Int
        }

        private(set) var collector = CollapsingText()
        private var blocks: [Block] = []
        private var beside: [Beside] = []
        private let parts: UnseenParts
        private(set) var unseen: [HTMLDocument.Index] = []
        private let mayHaveRoles: Bool
        private let mayHaveDialogs: Bool
        private let mayBeUnquoted: Bool
        private(set) var unquoted: [Range<Int>] = []
        private var position = 0
        private var linkEnd = 0
        private var unquotedEnd = 0
        private var isNewBlock = true
        private var open: [Open] = []
        private var steps: InterruptibleSteps

        init(_ document: HTMLDocument, _ limits: ReadingLimits, readsNoscript: Bool) {
            parts = UnseenParts(document, readsNoscript: readsNoscript)
            steps = InterruptibleSteps(limits)
            mayHaveRoles = document.hasAttribute(.role)
            mayHaveDialogs = mayHaveRoles || document.hasAttribute(.ariaModal)
            mayBeUnquoted = document.hasAttribute(.dataNosnippet)
        }

        mutating func read(
            _ document: HTMLDocument, elements: UnsafeBufferPointer<HTMLDocument.Element>,
            text: UnsafeBufferPointer<UInt8>
        ) {
            var next = 0
            while next < elements.count, !steps.isInterrupted() {
                if let last = open.last, last.subtreeEnd <= next { close(before: next, text) }
                let element = elements[next]
                let name = element.name
                append(text, upTo: Int(element.textStart))
                if parts.contains(next, name) {
                    unseen.append(next)
                    if name.separatesText { separate() }
                    let end = document.endOfUnseen(next)
                    position = max(position, end.text)
                    next = end.next
                    continue
                }
                if mayBeUnquoted, unquotedEnd <= position, VisibleText.forbidsQuotes(next, name, document) {
                    unquotedEnd = Int(element.textEnd)
                }
                if name == .br {
                    collector.separate()
                } else if name.separatesText || name.isBesideText || mayHaveDialogs && document.isDialog(next) {
                    enter(next, element, document)
                } else if name == .a, linkEnd <= position, document.has(.href, on: next) {
                    linkEnd = Int(element.textEnd)
                }
                next += 1
            }
            close(before: elements.count, text)
            append(text, upTo: text.count)
        }

        private mutating func separate() {
            collector.separate()
            isNewBlock = true
        }

        private mutating func enter(
            _ index: HTMLDocument.Index, _ element: HTMLDocument.Element, _ document: HTMLDocument
        ) {
            separate()
            var part: Int?
            if let kind = kind(of: index, element.name, document) {
                part = beside.count
                beside.append(
                    Beside(
                        kind: kind, firstBlock: blocks.count, endBlock: blocks.count, start: collector.bytes.count,
                        end: collector.bytes.count))
            }
            open.append(
                Open(
                    element: index, subtreeEnd: Int(element.subtreeEnd), textEnd: Int(element.textEnd), beside: part))
        }

        private func kind(
            of element: HTMLDocument.Index, _ name: HTMLName, _ document: HTMLDocument
        ) -> Beside.Kind? {
            if name == .dialog || mayHaveDialogs && document.isDialog(element) { return .dialog }
            if name == .nav || name == .footer { return .frame }
            if mayHaveRoles, let role = document.bytes(of: .role, on: element) {
                if VisibleText.rolesOfFrames.contains(where: { role.equalsIgnoringCase($0) }) { return .frame }
                if VisibleText.rolesBeside.contains(where: { role.equalsIgnoringCase($0) }) { return .other }
            }
            return name.isBesideText ? .other : nil
        }

        private mutating func close(before index: HTMLDocument.Index, _ text: UnsafeBufferPointer<UInt8>) {
            while let last = open.last, last.subtreeEnd <= index {
                append(text, upTo: last.textEnd)
                separate()
                if let part = last.beside {
                    beside[part].endBlock = blocks.count
                    beside[part].end = collector.bytes.count
                }
                open.removeLast()
            }
        }

        private mutating func append(_ text: UnsafeBufferPointer<UInt8>, upTo end: Int) {
            while end > position {
                var next = end
                if linkEnd > position { next = min(next, linkEnd) }
                if unquotedEnd > position { next = min(next, unquotedEnd) }
                let start = collector.bytes.count
                append(text[position..<next], isLink: linkEnd > position)
                if unquotedEnd > position, collector.bytes.count > start {
                    unquoted.append(start..<collector.bytes.count)
                }
                position = next
            }
        }

        private mutating func append(_ piece: Slice<UnsafeBufferPointer<UInt8>>, isLink: Bool) {
            let start = collector.bytes.count
            collector.append(piece)
            let end = collector.bytes.count
            guard end > start else { return }
            if isNewBlock {
                blocks.append(
                    Block(
                        // Without the space that keeps it apart from the text before.
                        range: (collector.bytes[start] == 0x20 ? start + 1 : start)..<end,
                        element: open.last?.element ?? 0, textStart: piece.startIndex))
                isNewBlock = false
            } else {
                blocks[blocks.count - 1].range = blocks[blocks.count - 1].range.lowerBound..<end
            }
            if isLink { blocks[blocks.count - 1].linkBytes += end - start }
        }

        /// The blocks, with those marked that stand beside the main text. Who puts a whole page into a `form` or a `header` means
        /// nothing by it; who opens a dialog does, and a menu that is all the rest means that the text comes later.
        func markedBlocks() -> [Block] {
            let inDialogs = bytesInDialogs()
            let total = collector.bytes.count - inDialogs
            var change = [Int](repeating: 0, count: blocks.count + 1)
            var changeOfNoText = change
            for part in beside {
                let isBeside =
                    switch part.kind {
                    case .dialog: true
                    case .frame: inDialogs > 0 || (part.end - part.start) * 2 < total
                    case .other: (part.end - part.start) * 2 < total
                    }
                guard isBeside else { continue }
                change[part.firstBlock] += 1
                change[part.endBlock] -= 1
                guard part.kind != .other else { continue }
                changeOfNoText[part.firstBlock] += 1
                changeOfNoText[part.endBlock] -= 1
            }
            var blocks = blocks
            var (depth, depthOfNoText) = (0, 0)
            for index in blocks.indices {
                depth += change[index]
                depthOfNoText += changeOfNoText[index]
                blocks[index].isBeside = depth > 0
                blocks[index].isNoText = depthOfNoText > 0
            }
            return blocks
        }

        /// Bytes of text in dialogs, of which some are in others.
        private func bytesInDialogs() -> Int {
            var (bytes, end) = (0, 0)
            for part in beside where part.kind == .dialog && part.end > end {
                bytes += part.end - max(part.start, end)
                end = part.end
            }
            return bytes
        }
    }

    static func forbidsQuotes(
        _ element: HTMLDocument.Index, _ name: HTMLName, _ document: HTMLDocument
    ) -> Bool {
        switch name {
        case .span, .div, .section: document.has(.dataNosnippet, on: element)
        default: false
        }
    }

    private static let rolesOfFrames: [StaticString] = ["navigation", "contentinfo"]
    private static let rolesBeside: [StaticString] = ["banner", "complementary", "search", "menu"]
}

extension HTMLName {
    /// Parts of a page beside its main text.
    var isBesideText: Bool {
        switch self {
        case .nav, .header, .footer, .aside, .form, .figcaption, .menu, .dialog: true
        default: false
        }
    }
}
