/// The visible text of a page, read in one walk over the arena: all of it for the content hash, and the parts that make
/// a snippet.
///
/// The main text is what stands in `main`, else in the one `article` that holds most of the page, else in `body`,
/// without navigation, headers, footers and asides. Its paragraphs are kept apart from its headings, lists and captions.
public struct VisibleText: Sendable {
    /// All visible text, white space collapsed.
    public let bytes: [UInt8]
    private var mainRanges: [Range<Int>] = []
    private var paragraphs: [Range<Int>] = []

    /// Main text that is kept for a snippet, which has at most 300 characters of up to 4 bytes.
    private static let maximumSnippetBytes = 2_400
    /// Shorter paragraphs are bylines, dates and buttons.
    private static let minimumParagraphBytes = 40

    /// Reads the whole document once.
    public init(_ document: HTMLDocument) {
        guard !document.elements.isEmpty else {
            bytes = []
            return
        }
        var walk = Walk(mainRoot: Self.mainElement(of: document), mayBeHidden: document.hasAttribute(.hidden))
        document.text.withUnsafeBufferPointer { text in
            document.elements.withUnsafeBufferPointer { walk.read(document, elements: $0, text: text) }
        }
        bytes = walk.collector.bytes
        mainRanges = walk.mainRanges
        paragraphs = walk.paragraphs
    }

    /// The walk and what it has found. A struct of its own: variables that closures share would be checked for exclusive
    /// access at every step, which took most of the time.
    private struct Walk {
        private enum Kind { case outside, main, paragraph, boilerplate }

        /// An open element whose end separates words, and what text behind it counts as.
        private struct Block {
            let subtreeEnd: Int
            let textEnd: Int
            let kindBefore: Kind
        }

        private(set) var collector = CollapsingText()
        private(set) var mainRanges: [Range<Int>] = []
        private(set) var paragraphs: [Range<Int>] = []
        private let mainRoot: HTMLDocument.Index
        private let mayBeHidden: Bool
        private var mainBytes = 0
        private var position = 0
        private var kind: Kind
        private var isNewParagraph = false
        private var blocks: [Block] = []

        init(mainRoot: HTMLDocument.Index, mayBeHidden: Bool) {
            self.mainRoot = mainRoot
            self.mayBeHidden = mayBeHidden
            kind = mainRoot == 0 ? .main : .outside
        }

        mutating func read(
            _ document: HTMLDocument, elements: UnsafeBufferPointer<HTMLDocument.Element>,
            text: UnsafeBufferPointer<UInt8>
        ) {
            var next = 0
            while next < elements.count {
                if let last = blocks.last, last.subtreeEnd <= next { closeBlocks(before: next, text) }
                let element = elements[next]
                let name = element.name
                append(text, upTo: Int(element.textStart))
                if name == .script || name == .style || name.isUnseen
                    || mayBeHidden && document.has(.hidden, on: next)
                {
                    if name.separatesText { collector.separate() }
                    position = max(position, Int(element.textEnd))
                    next = Int(element.subtreeEnd)
                    continue
                }
                if name.separatesText || next == mainRoot {
                    collector.separate()
                    blocks.append(
                        Block(
                            subtreeEnd: Int(element.subtreeEnd), textEnd: Int(element.textEnd), kindBefore: kind))
                    enter(name, isMainRoot: next == mainRoot)
                }
                next += 1
            }
            closeBlocks(before: elements.count, text)
            append(text, upTo: text.count)
        }

        private mutating func closeBlocks(before index: HTMLDocument.Index, _ text: UnsafeBufferPointer<UInt8>) {
            while let block = blocks.last, block.subtreeEnd <= index {
                append(text, upTo: block.textEnd)
                collector.separate()
                kind = block.kindBefore
                blocks.removeLast()
            }
        }

        private mutating func enter(_ name: HTMLName, isMainRoot: Bool) {
            if isMainRoot {
                kind = .main
            } else if kind == .main || kind == .paragraph {
                switch name {
                case .nav, .header, .footer, .aside, .form, .figcaption, .h1: kind = .boilerplate
                case .p: kind = .paragraph
                default: break
                }
            }
            if name == .p { isNewParagraph = true }
        }

        private mutating func append(_ text: UnsafeBufferPointer<UInt8>, upTo end: Int) {
            guard end > position else { return }
            let start = collector.bytes.count
            collector.append(text[position..<end])
            position = end
            let added = start..<collector.bytes.count
            guard kind == .main || kind == .paragraph, !added.isEmpty, mainBytes < VisibleText.maximumSnippetBytes
            else { return }
            mainBytes += added.count
            Self.extend(&mainRanges, with: added)
            guard kind == .paragraph else { return }
            if isNewParagraph { paragraphs.append(added) } else { Self.extend(&paragraphs, with: added) }
            isNewParagraph = false
        }

        /// Pieces that touch become one range; something between them starts another.
        private static func extend(_ ranges: inout [Range<Int>], with added: Range<Int>) {
            if let last = ranges.last, last.upperBound == added.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<added.upperBound
            } else {
                ranges.append(added)
            }
        }
    }

    private static func mainElement(of document: HTMLDocument) -> HTMLDocument.Index {
        if let main = document.elements(named: .main).first { return main }
        if document.hasAttribute(.role) {
            for element in document.elements(named: .div)
            where document.bytes(of: .role, on: element)?.equalsIgnoringCase("main") == true {
                return element
            }
        }
        let body = document.elements(named: .body).first ?? 0
        let whole = document.textBytes(of: body).count
        // The articles of a list are none of them the page's text.
        return document.elements(named: .article).first { document.textBytes(of: $0).count * 2 > whole } ?? body
    }

    /// Where a snippet is cut from: the paragraphs of the main text when there is enough of them, else all of it.
    var mainText: String {
        let long = paragraphs.filter { $0.count >= Self.minimumParagraphBytes }
        let chosen = long.reduce(0) { $0 + $1.count } >= 80 ? long : mainRanges
        var result: [UInt8] = []
        for range in chosen {
            let piece = bytes[range].drop { $0 == 0x20 }
            if !result.isEmpty { result.append(0x20) }
            result.append(contentsOf: piece)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// 64-bit FNV-1a, 16 hexadecimal digits.
    ///
    /// It tells whether a page changed and which pages say the same. That takes no cryptographic hash: whoever could
    /// make a page with the hash of another can read that page, and may as well copy its text.
    var contentHash: String {
        let hash = bytes.withUnsafeBufferPointer { FNV1a.hash($0) }
        let digits = (0..<16).map { UInt8.hexDigit(UInt8(truncatingIfNeeded: hash >> UInt64(60 - 4 * $0) & 0xF)) }
        return String(decoding: digits.map(\.asciiLowercased), as: UTF8.self)
    }
}
