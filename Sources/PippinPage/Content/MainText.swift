import CICU
import Glibc

/// What a page says: its text without navigation, headers, footers, asides, sign-up, share and cookie texts. Found once, for
/// snippet, description, near duplicates and `contentHash`.
///
/// 1. Blocks of prose: long enough, with sentences, few of their words in links, not beside the text (`VisibleText.Block`).
/// 2. Without those whose surroundings are named after boilerplate (`class="newsletter"`), unless most prose stands there.
/// 3. Each gives its length to the element around it and half of it to the next one; the element with most is the main one. It
///    grows as long as a parent has a fifth more.
/// 4. The text: the main element's where it has most of what is not beside it, else all of that; without its small parts that are
///    named after boilerplate.
///
/// All steps are linear in elements and text but for looking up places in sorted lists.
struct MainText: Sendable {
    /// The text from which it was chosen.
    let visible: VisibleText
    /// The blocks that are the page's text, in page order: headings, lists, tables and prose. Empty for a page without text.
    let blocks: [VisibleText.Block]
    /// Their text, white space collapsed.
    let bytes: [UInt8]
    /// Prose of the main element, in page order; what comes nearest to it on a page without.
    let prose: String
    /// Whether it is prose, and not what comes nearest.
    let hasProse: Bool
    /// The element that holds the main text; nil on a page without prose.
    let element: HTMLDocument.Index?
    /// 64-bit FNV-1a of the text, 16 hexadecimal digits; nil for a page without text.
    ///
    /// It tells whether a page changed and which pages say the same. That takes no cryptographic hash: whoever could
    /// make a page with the hash of another can read that page, and may as well copy its text.
    let contentHash: String?
    /// The text's `SimHash`.
    let simHash: UInt64?

    /// Prose that is kept: a snippet has at most 300 characters of up to 4 bytes.
    private static let maximumProseBytes = 2_400

    init(
        _ document: HTMLDocument, visible: VisibleText, names: ElementNames,
        guess: GuessWeights.Text = GuessWeights.fitted.text, limits: ReadingLimits = .standard
    ) {
        let visible = VisibleText(ofNoscriptIn: document, besides: visible, limits: limits) ?? visible
        self.visible = visible
        let reader = MainTextReader(document, visible, names, guess, limits)
        let main = reader.mainElement()
        element = main
        blocks = reader.content(around: main)
        bytes = reader.text(of: blocks)
        let prose = reader.prose(of: main, maximumBytes: Self.maximumProseBytes)
        self.prose = String(decoding: prose, as: UTF8.self)
        hasProse = main != nil && !prose.isEmpty
        let hashes = SimHash.hashes(of: bytes)
        simHash = hashes.similar
        contentHash = bytes.isEmpty ? nil : Self.digits(of: hashes.whole)
    }

    /// The beginning of the text as a search index gets it; nil for a page without text.
    ///
    /// - Parameters:
    ///   - maximumBytes: of both parts together.
    ///   - mayBeQuoted: whether the page allows results to show any of it.
    func searched(maximumBytes: Int, mayBeQuoted: Bool) -> SearchedText? {
        var (quotable, unquotable): ([UInt8], [UInt8]) = ([], [])
        func add(_ text: ArraySlice<UInt8>, to part: inout [UInt8], room: Int) {
            guard !text.isEmpty, room > 1 else { return }
            if !part.isEmpty { part.append(UInt8(ascii: "\n")) }
            // Without half a character at the end.
            var end = min(text.endIndex, text.startIndex + room - 1)
            while end > text.startIndex, end < text.endIndex, text[end] & 0xC0 == 0x80 { end -= 1 }
            part += text[..<end]
        }
        for block in blocks {
            let room = maximumBytes - quotable.count - unquotable.count
            guard room > 1 else { break }
            guard mayBeQuoted else {
                add(visible.bytes[block.range], to: &unquotable, room: room)
                continue
            }
            add(visible.quotable(block), to: &quotable, room: room)
            add(visible.unquotable(block), to: &unquotable, room: maximumBytes - quotable.count - unquotable.count)
        }
        return SearchedText(quotable: quotable, unquotable: unquotable)
    }

    private static func digits(of hash: UInt64) -> String {
        let digits = (0..<16).map { UInt8.hexDigit(UInt8(truncatingIfNeeded: hash >> UInt64(60 - 4 * $0) & 0xF)) }
        return String(decoding: digits.map(\.asciiLowercased), as: UTF8.self)
    }
}

/// The steps of finding the main text.
private struct MainTextReader {
    private let document: HTMLDocument
    private let visible: VisibleText
    private let guess: GuessWeights.Text
    private let limits: ReadingLimits
    /// Prose in page order, without boilerplate.
    private var prose: [VisibleText.Block] = []
    /// How much prose stands before each of them, and before the end.
    private var weights: [Int] = [0]
    private let names: ElementNames
    private let boilerplate: Boilerplate

    init(
        _ document: HTMLDocument, _ visible: VisibleText, _ names: ElementNames, _ guess: GuessWeights.Text,
        _ limits: ReadingLimits
    ) {
        self.document = document
        self.visible = visible
        self.names = names
        self.guess = guess
        self.limits = limits
        var steps = InterruptibleSteps(limits)
        let all = visible.blocks.filter { block in
            !steps.isInterrupted() && Self.isProse(block, document, visible, guess)
        }
        let before = Self.sums(of: all) { Self.weight(of: $0, guess) }
        boilerplate = Boilerplate(document, names, minimumProse: guess.boilerplateProse, limits: limits) { element in
            Self.weight(of: element, document, all, before)
        }
        (prose, weights) = (all, before)
        let clean = all.filter { !boilerplate.surrounds($0.element) }
        let cleanWeight = clean.reduce(0) { $0 + weight(of: $1) }
        // Where nearly everything is named after boilerplate, names say nothing.
        if total < guess.minimumProse || cleanWeight * 100 >= total * guess.cleanShare { take(clean) }
        if let main = Self.declaredMain(document), weight(of: main) * 100 >= total * guess.declaredShare {
            take(prose.filter { isInside($0, main) })
        }
    }

    private mutating func take(_ blocks: [VisibleText.Block]) {
        prose = blocks
        weights = Self.sums(of: blocks) { Self.weight(of: $0, guess) }
    }

    /// What stands before each block, and before the end.
    private static func sums(of blocks: [VisibleText.Block], _ weight: (VisibleText.Block) -> Int) -> [Int] {
        var sums = [0]
        sums.reserveCapacity(blocks.count + 1)
        for block in blocks { sums.append(sums[sums.count - 1] + weight(block)) }
        return sums
    }

    // MARK: Prose

    private static func isProse(
        _ block: VisibleText.Block, _ document: HTMLDocument, _ visible: VisibleText, _ guess: GuessWeights.Text
    ) -> Bool {
        let count = block.range.count
        guard !block.isBeside, count >= guess.sentenceBytes, block.linkBytes * 100 <= count * guess.linkShare else {
            return false
        }
        switch document.elements[block.element].name {
        case .h1, .h2, .h3, .h4, .h5, .h6, .th, .dt, .summary, .address, .option: return false
        default: break
        }
        return visible.bytes[block.range].withUnsafeBufferPointer { text in
            if count >= guess.blockBytes {
                return (Punctuation.isIn(text) || Punctuation.isUnmarkedProse(text)) && !Punctuation.isDamaged(text)
            }
            return Punctuation.ends(text) && !Punctuation.isDamaged(text)
        }
    }

    /// Blocks that tell whether a text is about such words.
    private static let noticeSample = 6

    private func weight(of block: VisibleText.Block) -> Int { Self.weight(of: block, guess) }

    private static func weight(of block: VisibleText.Block, _ guess: GuessWeights.Text) -> Int {
        min(block.range.count, guess.maximumWeight)
    }

    private var total: Int { weights[weights.count - 1] }

    private func weight(of element: HTMLDocument.Index) -> Int {
        Self.weight(of: element, document, prose, weights)
    }

    /// How much prose an element holds. Blocks are in the order of the text, so that it is a run of them.
    private static func weight(
        of element: HTMLDocument.Index, _ document: HTMLDocument, _ prose: [VisibleText.Block], _ weights: [Int]
    ) -> Int {
        let start = firstBlock(at: Int(document.elements[element].textStart), in: prose)
        let end = firstBlock(at: Int(document.elements[element].textEnd), in: prose)
        return weights[end] - weights[start]
    }

    private static func firstBlock(at offset: Int, in blocks: [VisibleText.Block]) -> Int {
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if blocks[middle].textStart < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isInside(_ block: VisibleText.Block, _ element: HTMLDocument.Index) -> Bool {
        let element = document.elements[element]
        return block.textStart >= Int(element.textStart) && block.textStart < Int(element.textEnd)
    }

    // MARK: The main element

    /// The element that holds the main text; nil without prose.
    func mainElement() -> HTMLDocument.Index? {
        var scores: [HTMLDocument.Index: Int] = [:]
        var steps = InterruptibleSteps(limits)
        for block in prose {
            if steps.isInterrupted() { return nil }
            var element = block.element
            switch document.elements[element].name {
            case .p, .li, .blockquote, .dd, .pre, .td: element = document.parent(of: element) ?? element
            default: break
            }
            let weight = weight(of: block)
            scores[element, default: 0] += 2 * weight
            if let parent = document.parent(of: element) { scores[parent, default: 0] += weight }
        }
        guard var main = scores.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) })?.key else { return nil }
        var held = weight(of: main)
        var element = main
        while let parent = document.parent(of: element) {
            element = parent
            if document.elements[element].name == .body || document.elements[element].name == .html { break }
            let more = weight(of: element)
            if more * 100 >= held * guess.growth { (main, held) = (element, more) }
        }
        return main
    }

    /// `main`, or what has its role.
    private static func declaredMain(_ document: HTMLDocument) -> HTMLDocument.Index? {
        if let main = document.elements(named: .main).first { return main }
        guard document.hasAttribute(.role) else { return nil }
        return document.elements(named: .div).first {
            document.bytes(of: .role, on: $0)?.equalsIgnoringCase("main") == true
        }
    }

    /// `main`, else the one `article` with most of the page's text: the articles of a list are none of them the page's.
    private func probableMain() -> HTMLDocument.Index? {
        if let main = Self.declaredMain(document) { return main }
        guard let body = document.elements(named: .body).first else { return nil }
        let whole = document.textBytes(of: body).count
        return document.elements(named: .article).first { document.textBytes(of: $0).count * 2 > whole }
    }

    // MARK: The page's text

    /// The blocks that are the page's text: all of the main element where the page's text stands there, as in an article or a
    /// thread; else all of the page that is not beside it, as in a list of products or a page of several sections.
    func content(around main: HTMLDocument.Index?) -> [VisibleText.Block] {
        let own = own()
        let region = region(of: own)
        var chosen = region
        if let main {
            let held = own.filter { isInside($0, main) }
            let (bytes, all) = (Self.unlinkedBytes(of: held), Self.unlinkedBytes(of: region))
            if bytes * 100 >= all * guess.mainShare { chosen = held }
        }
        return withoutParts(chosen)
    }

    /// The page without what is beside its text by its elements, and without requests for consent.
    private func own() -> [VisibleText.Block] {
        var own = visible.blocks.filter { !$0.isBeside }
        if own.isEmpty { own = visible.blocks.filter { !$0.isNoText } }
        let rest = without(own) { element, hints in
            hints.contains(.ofConsent) && NameHints.nameConsent(element, in: document)
        }
        return isEnough(rest, of: own) ? rest : own
    }

    /// Its part in the declared main element, without what is named after boilerplate.
    private func region(of all: [VisibleText.Block]) -> [VisibleText.Block] {
        var own = all
        if let main = Self.declaredMain(document) {
            let inside = own.filter { isInside($0, main) }
            if isEnough(inside, of: own) { own = inside }
        }
        let clean = own.filter { !boilerplate.surrounds($0.element) }
        return isEnough(clean, of: own) ? clean : own
    }

    private func isEnough(_ part: [VisibleText.Block], of all: [VisibleText.Block]) -> Bool {
        !part.isEmpty && Self.unlinkedBytes(of: part) * 100 >= Self.unlinkedBytes(of: all) * guess.regionShare
    }

    private static func unlinkedBytes(of blocks: [VisibleText.Block]) -> Int {
        blocks.reduce(0) { $0 + unlinkedBytes(of: $1) }
    }

    private static func unlinkedBytes(of block: VisibleText.Block) -> Int { block.range.count - block.linkBytes }

    /// Without what visitors wrote below it, unless that is half of the text, as in a thread; and without small parts that are
    /// named after boilerplate: share bars, bylines, offers of newsletters.
    private func withoutParts(_ blocks: [VisibleText.Block]) -> [VisibleText.Block] {
        let ofPage = without(blocks, below: guess.visitorsShare) { _, hints in hints.contains(.ofVisitors) }
        let before = Self.sums(of: ofPage, Self.unlinkedBytes)
        let maximum = min(guess.partBytes, before[before.count - 1] * guess.partShare / 100)
        return without(ofPage, below: guess.partsShare) { element, hints in
            guard !hints.contains(.ofVisitors) else { return false }
            let start = Self.firstBlock(at: Int(document.elements[element].textStart), in: ofPage)
            let end = Self.firstBlock(at: Int(document.elements[element].textEnd), in: ofPage)
            return before[end] - before[start] < maximum
        }
    }

    /// Blocks without those in elements that are marked; all of them where that would be too much of the text.
    private func without(
        _ blocks: [VisibleText.Block], below share: Int, isMarked: (HTMLDocument.Index, NameHints) -> Bool
    ) -> [VisibleText.Block] {
        let kept = without(blocks, isMarked: isMarked)
        let total = Self.unlinkedBytes(of: blocks)
        return (total - Self.unlinkedBytes(of: kept)) * 100 < total * share ? kept : blocks
    }

    /// - Parameter isMarked: asked of elements that are named after what is beside the text.
    private func without(
        _ blocks: [VisibleText.Block], isMarked: (HTMLDocument.Index, NameHints) -> Bool
    ) -> [VisibleText.Block] {
        let parts = MarkedParts(of: names.besideText, in: document, limits: limits) {
            isMarked($0, names.hints(of: $0))
        }
        return blocks.filter { !parts.contain($0.element) }
    }

    // MARK: Its text

    func prose(of main: HTMLDocument.Index?, maximumBytes: Int) -> [UInt8] {
        guard let main else { return looseText(maximumBytes: maximumBytes) }
        let own = prose.filter { isInside($0, main) }
        // An article about cookies has them in most of its paragraphs.
        let sample = own.prefix(Self.noticeSample)
        if sample.filter(visible.isNotice).count * 2 > sample.count {
            return weight(of: main) < guess.minimumProse ? [] : quoted(own, maximumBytes: maximumBytes)
        }
        return quoted(own.lazy.filter { !visible.isNotice($0) }, maximumBytes: maximumBytes)
    }

    /// Of a page without prose: blocks that are no headings and mostly no links.
    private func looseText(maximumBytes: Int) -> [UInt8] {
        let main = probableMain()
        let boilerplate = Boilerplate(document, names, minimumProse: guess.boilerplateProse, limits: limits) { _ in 0 }
        let loose = visible.blocks.lazy.filter { block in
            !block.isBeside && document.elements[block.element].name != .h1 && main.map { isInside(block, $0) } ?? true
        }
        let text = quoted(
            loose.filter { $0.linkBytes * 2 <= $0.range.count && !boilerplate.surrounds($0.element) },
            maximumBytes: maximumBytes)
        return text.isEmpty ? quoted(loose, maximumBytes: maximumBytes) : text
    }

    func text(of blocks: [VisibleText.Block]) -> [UInt8] {
        joined(blocks, maximumBytes: .max) { visible.bytes[$0.range] }
    }

    /// The text of blocks without what must not be quoted.
    private func quoted(_ blocks: some Sequence<VisibleText.Block>, maximumBytes: Int) -> [UInt8] {
        joined(blocks, maximumBytes: maximumBytes) { visible.quotable($0) }
    }

    private func joined(
        _ blocks: some Sequence<VisibleText.Block>, maximumBytes: Int,
        _ text: (VisibleText.Block) -> ArraySlice<UInt8>
    ) -> [UInt8] {
        var result: [UInt8] = []
        var steps = InterruptibleSteps(limits)
        for block in blocks {
            guard result.count < maximumBytes, !steps.isInterrupted() else { break }
            let text = text(block)
            guard !text.isEmpty else { continue }
            if !result.isEmpty { result.append(0x20) }
            result.append(contentsOf: text)
        }
        return result
    }
}

extension VisibleText {
    /// Of a block, that are looked at for the words of notices.
    private static let maximumNoticeBytes = 300

    /// Whether a block has one of the words of notices that many languages share.
    func isNotice(_ block: Block) -> Bool {
        bytes[block.range].prefix(Self.maximumNoticeBytes).withUnsafeBufferPointer { text in
            for i in text.indices {
                let isFound =
                    switch text[i] {
                    case UInt8(ascii: "c"), UInt8(ascii: "C"):
                        Punctuation.isWord("cookie", in: text, at: i)
                            || Punctuation.isWord("copyright", in: text, at: i)
                    case UInt8(ascii: "n"), UInt8(ascii: "N"): Punctuation.isWord("newsletter", in: text, at: i)
                    case UInt8(ascii: "j"), UInt8(ascii: "J"): Punctuation.isWord("javascript", in: text, at: i)
                    case 0xC2: Punctuation.isWord("©", in: text, at: i)
                    default: false
                    }
                if isFound { return true }
            }
            return false
        }
    }
}

/// Marks that sentences have, in all scripts: Unicode's properties Terminal_Punctuation and Sentence_Terminal, and `…`.
private enum Punctuation {
    static func isIn(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var i = 0
        while i < text.count {
            switch text[i] {
            case UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: ","), UInt8(ascii: ";"):
                return true
            // Letters of Latin have no marks of their own; Greek's is the first.
            case 0xCD...0xFF:
                let character = text.character(at: i)
                if character.value == ellipsis || pippin_isTerminalPunctuation(character.value) != 0 { return true }
                i += character.length
            default: i += 1
            }
        }
        return false
    }

    /// Whether a text ends with a sentence, behind quotes and brackets.
    static func ends(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var end = text.count
        while end > 0 {
            var start = end - 1
            while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
            switch text[start] {
            case UInt8(ascii: "\""), UInt8(ascii: ")"), UInt8(ascii: "'"), 0x20: break
            case 0x80...:
                let value = text.character(at: start).value
                if value == ellipsis || pippin_endsSentence(value) != 0 { return true }
                // Closing quotes and brackets; what opens a quote in one language closes it in another.
                switch Unicode.Scalar(value)?.properties.generalCategory {
                case .finalPunctuation, .initialPunctuation, .closePunctuation: break
                default: return false
                }
            case let last: return last == UInt8(ascii: ".") || last == UInt8(ascii: "!") || last == UInt8(ascii: "?")
            }
            end = start
        }
        return false
    }

    private static let ellipsis: UInt32 = 0x2026

    /// Whether a text is prose of a script that has neither commas nor full stops, as Thai and Lao, or may do without: spaces stand
    /// between clauses, so that one is longer than the names in a menu.
    static func isUnmarkedProse(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count >= minimumUnmarkedBytes else { return false }
        var run = 0
        var i = 0
        while i < text.count {
            guard text[i] >= 0xE0 else {
                run = text[i] < 0x80 ? 0 : run
                i += 1
                continue
            }
            let character = text.character(at: i)
            switch character.value {
            // Thai, Lao; Burmese; Khmer.
            case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF: run += character.length
            default: run = 0
            }
            if run >= minimumClauseBytes { return true }
            i += character.length
        }
        return false
    }

    /// About as many words as the shortest prose of other scripts has.
    private static let minimumUnmarkedBytes = 180
    /// 25 characters.
    private static let minimumClauseBytes = 75

    /// Whether a word in small letters stands at an offset, letter case aside.
    static func isWord(_ word: StaticString, in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        let length = word.utf8CodeUnitCount
        guard start + length <= text.count else { return false }
        for offset in 0..<length where text[start + offset].asciiLowercased != word.utf8Start[offset] { return false }
        return true
    }

    /// Whether it holds U+FFFD: its bytes are of another encoding than the page says.
    static func isDamaged(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = text.baseAddress else { return false }
        var i = 0
        while i + 2 < text.count, let found = memchr(base + i, 0xEF, text.count - 2 - i) {
            i = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found)) + 1
            if text[i] == 0xBF, text[i + 1] == 0xBD { return true }
        }
        return false
    }
}
