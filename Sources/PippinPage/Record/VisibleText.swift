/// The visible text of a page, read in one walk over the arena: all of it for the content hash, and the parts that make
/// a snippet.
///
/// The main text is what stands in `main`, else in the one `article` that holds most of the page, else in `body`,
/// without navigation, headers, footers and asides. Its paragraphs are kept apart from its headings, lists and captions.
struct VisibleText {
    /// All visible text, white space collapsed.
    let bytes: [UInt8]
    private var mainRanges: [Range<Int>] = []
    private var paragraphs: [Range<Int>] = []

    /// Main text that is kept for a snippet, which has at most 300 characters of up to 4 bytes.
    private static let maximumSnippetBytes = 2_400
    /// Shorter paragraphs are bylines, dates and buttons.
    private static let minimumParagraphBytes = 40

    /// An open element whose end separates words, and what its text counts as.
    private struct Block {
        let index: HTMLDocument.Index
        let kindBefore: Kind
    }

    private enum Kind { case outside, main, paragraph, boilerplate }

    init(_ document: HTMLDocument) {
        guard !document.elements.isEmpty else {
            bytes = []
            return
        }
        let mainRoot = Self.mainElement(of: document)
        let mayBeHidden = document.hasAttribute(.hidden)
        var collector = CollapsingText()
        var ranges: [Range<Int>] = []
        var paragraphs: [Range<Int>] = []
        var mainBytes = 0
        var isNewParagraph = false
        var kind = mainRoot == 0 ? Kind.main : .outside

        document.text.withUnsafeBufferPointer { text in
            var position = 0
            var blocks: [Block] = []
            blocks.reserveCapacity(64)

            func append(upTo end: Int) {
                guard end > position else { return }
                let start = collector.bytes.count
                collector.append(text[position..<end])
                position = end
                let added = start..<collector.bytes.count
                guard kind == .main || kind == .paragraph, !added.isEmpty, mainBytes < Self.maximumSnippetBytes else {
                    return
                }
                mainBytes += added.count
                Self.extend(&ranges, with: added)
                guard kind == .paragraph else { return }
                if isNewParagraph { paragraphs.append(added) } else { Self.extend(&paragraphs, with: added) }
                isNewParagraph = false
            }

            func closeBlocks(before index: HTMLDocument.Index) {
                while let block = blocks.last, Int(document.elements[block.index].subtreeEnd) <= index {
                    append(upTo: Int(document.elements[block.index].textEnd))
                    collector.separate()
                    kind = block.kindBefore
                    blocks.removeLast()
                }
            }

            var next = 0
            let end = document.elements.count
            while next < end {
                closeBlocks(before: next)
                let element = document.elements[next]
                let name = element.name
                append(upTo: Int(element.textStart))
                let separates = name.separatesText || next == mainRoot
                if separates { collector.separate() }
                if name == .script || name == .style || name.isUnseen
                    || mayBeHidden && document.has(.hidden, on: next)
                {
                    position = max(position, Int(element.textEnd))
                    next = Int(element.subtreeEnd)
                    continue
                }
                if separates {
                    blocks.append(Block(index: next, kindBefore: kind))
                    kind = Self.kind(of: name, inside: kind, isMainRoot: next == mainRoot)
                    if name == .p { isNewParagraph = true }
                }
                next += 1
            }
            closeBlocks(before: end)
            append(upTo: text.count)
        }
        bytes = collector.bytes
        mainRanges = ranges
        self.paragraphs = paragraphs
    }

    private static func kind(of name: HTMLName, inside kind: Kind, isMainRoot: Bool) -> Kind {
        if isMainRoot { return .main }
        if kind == .outside || kind == .boilerplate { return kind }
        switch name {
        case .nav, .header, .footer, .aside, .form, .figcaption, .h1: return .boilerplate
        case .p: return .paragraph
        default: return kind
        }
    }

    /// Pieces that touch become one range; a block between them starts another.
    private static func extend(_ ranges: inout [Range<Int>], with added: Range<Int>) {
        if let last = ranges.last, last.upperBound == added.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<added.upperBound
        } else {
            ranges.append(added)
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
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        bytes.withUnsafeBufferPointer { bytes in
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        let digits = (0..<16).map { UInt8.hexDigit(UInt8(truncatingIfNeeded: hash >> UInt64(60 - 4 * $0) & 0xF)) }
        return String(decoding: digits.map(\.asciiLowercased), as: UTF8.self)
    }
}
