// Reads the document's text as people see it: white space collapsed, without scripts and hidden parts.

extension HTMLDocument {
    /// All text of an element with white space collapsed and trimmed, without scripts and styles.
    ///
    /// - Parameter maximumBytes: the text is cut after this many bytes, at a character.
    func collapsedText(of element: Index, maximumBytes: Int = .max) -> String {
        var collector = CollapsingText(maximumBytes: maximumBytes)
        collect(element, into: &collector, leavingOutHidden: false)
        return collector.string
    }

    /// The text of an element that people see: without scripts, styles, `noscript`, form controls and `hidden` elements,
    /// with white space collapsed.
    ///
    /// - Parameter maximumBytes: reading stops after this many bytes of collapsed text.
    public func visibleText(of element: Index, maximumBytes: Int = .max) -> String {
        var collector = CollapsingText(maximumBytes: maximumBytes)
        collect(element, into: &collector, leavingOutHidden: true)
        return collector.string
    }

    /// Appends the text between child elements in document order, without recursion, skipping whole subtrees.
    private func collect(_ root: Index, into collector: inout CollapsingText, leavingOutHidden: Bool) {
        text.withUnsafeBufferPointer { text in
            var position = Int(elements[root].textStart)
            var next = root + 1
            let end = Int(elements[root].subtreeEnd)
            /// Open elements that separate words at their end.
            var blocks: [Index] = []

            func closeBlocks(before index: Index) {
                while let block = blocks.last, Int(elements[block].subtreeEnd) <= index {
                    let blockEnd = max(position, Int(elements[block].textEnd))
                    collector.append(text[position..<blockEnd])
                    collector.separate()
                    position = blockEnd
                    blocks.removeLast()
                }
            }

            while next < end && !collector.isFull {
                closeBlocks(before: next)
                let element = elements[next]
                let name = element.name
                collector.append(text[position..<Int(element.textStart)])
                position = Int(element.textStart)
                if name.separatesText { collector.separate() }
                if name == .script || name == .style {
                    position = Int(element.textEnd)
                    next = Int(element.subtreeEnd)
                } else if leavingOutHidden && isUnseen(next, name) {
                    (next, position) = endOfUnseen(next)
                } else {
                    if name.separatesText { blocks.append(next) }
                    next += 1
                }
            }
            closeBlocks(before: end)
            collector.append(text[position..<max(position, Int(elements[root].textEnd))])
        }
    }

    private func isUnseen(_ element: Index, _ name: HTMLName) -> Bool {
        name.isUnseen || has(.hidden, on: element)
    }

    /// Where reading goes on behind an element that people do not see: the next element, and the offset in `text`. That is behind
    /// its subtree, unless the element is open only because its end tag is missing or misplaced. Behind a misplaced end tag it is
    /// the next character, as in a browser that runs scripts; without an end tag, the next element.
    func endOfUnseen(_ element: Index) -> (next: Index, text: Int) {
        let end = (next: Int(elements[element].subtreeEnd), text: Int(elements[element].textEnd))
        guard !looseEnds.isEmpty, let loose = looseEnds[elements[element].tagStart], !has(.hidden, on: element) else {
            return end
        }
        let next = (element + 1..<end.next).first { elements[$0].tagStart >= loose.tag }
        if let text = loose.text { return (next ?? end.next, Int(text)) }
        return next.map { ($0, Int(elements[$0].textStart)) } ?? end
    }
}

extension HTMLName {
    /// Elements whose text is not part of what people read on a page.
    var isUnseen: Bool {
        switch self {
        case .noscript, .noframes, .head, .title, .select, .textarea, .button, .svg, .object, .canvas: true
        default: false
        }
    }

    /// Elements that separate words even without white space (WHATWG HTML §15.3: block boxes, and `br`).
    var separatesText: Bool {
        switch self {
        case .p, .div, .br, .li, .ul, .ol, .dl, .dt, .dd, .h1, .h2, .h3, .h4, .h5, .h6, .td, .th, .tr, .table, .section,
            .article, .header, .footer, .nav, .aside, .main, .figure, .figcaption, .blockquote, .pre, .hr, .address,
            .option, .form, .fieldset, .details, .summary, .script, .style:
            true
        default: false
        }
    }
}

/// Collects pieces of text; every run of HTML white space and no-break spaces becomes one space.
struct CollapsingText {
    private(set) var bytes: [UInt8] = []
    private var needsSpace = false
    private let maximumBytes: Int

    init(maximumBytes: Int = .max) {
        self.maximumBytes = maximumBytes
    }

    var isFull: Bool { bytes.count >= maximumBytes }

    /// Removes all text and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsSpace = false
    }

    mutating func separate() {
        needsSpace = !bytes.isEmpty
    }

    mutating func append(_ piece: Slice<UnsafeBufferPointer<UInt8>>) {
        append(UnsafeBufferPointer(rebasing: piece))
    }

    mutating func append(_ piece: UnsafeBufferPointer<UInt8>) {
        var i = 0
        while i < piece.count && !isFull {
            let byte = piece[i]
            if byte <= 0x20 {
                separate()
                i = Self.endOfSpace(in: piece, from: i)
            } else if byte == 0xC2 && i + 1 < piece.count && piece[i + 1] == 0xA0 {
                separate()
                i += 2
            } else {
                var end = Self.endOfWords(in: piece, from: i)
                // A word may be as long as the page. It is cut a little beyond the limit, at a character.
                if end - i - Self.maximumRun > maximumBytes - bytes.count {
                    end = i + Self.maximumRun + maximumBytes - bytes.count
                    while end > i, piece[end] & 0xC0 == 0x80 { end -= 1 }
                }
                if needsSpace {
                    bytes.append(0x20)
                    needsSpace = false
                }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: piece[i..<end]))
                i = end
            }
        }
    }

    /// Where the white space at `start` ends.
    private static func endOfSpace(in piece: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(piece)
        var end = start &+ 1
        while end &+ 8 <= piece.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: end, as: UInt64.self))
            let black = ~white(word) & highs
            if black != 0 { return end &+ black.trailingZeroBitCount >> 3 }
            end &+= 8
        }
        while end < piece.count, piece[end] <= 0x20 { end &+= 1 }
        return end
    }

    private static let lows: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The high bit of each byte says whether it is white space.
    @inline(__always)
    private static func white(_ word: UInt64) -> UInt64 {
        ~(((word & lows) &+ 0x5F5F_5F5F_5F5F_5F5F) | word | lows)
    }

    /// Where the words that begin at `start` end: single spaces between them are copied together with them, up to a limit.
    private static func endOfWords(in piece: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(piece)
        let count = piece.count
        var end = start &+ 1
        // Eight bytes per step, while the byte behind them is there and a space is within the limit.
        while end &+ 9 <= count, end &+ 8 &- start < maximumRun {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: end, as: UInt64.self))
            // The high bit of each byte says whether it is white space, a space, or may begin a no-break space.
            let notSpace = word ^ 0x2020_2020_2020_2020
            let space = ~(((notSpace & lows) &+ lows) | notSpace | lows)
            let notLead = word ^ 0xC2C2_C2C2_C2C2_C2C2
            let odd = white(word) | ~(((notLead & lows) &+ lows) | notLead | lows)
            let next = raw[end &+ 8]
            let oddNext = (odd &>> 8) | (next <= 0x20 || next == 0xC2 ? 1 << 63 : 0)
            let stop = (odd & ~space) | (space & oddNext)
            if stop != 0 { return end &+ stop.trailingZeroBitCount >> 3 }
            end &+= 8
        }
        while end < count {
            if piece[end] <= 0x20 {
                guard piece[end] == 0x20, end - start < maximumRun, end + 1 < count, piece[end + 1] > 0x20,
                    piece[end + 1] != 0xC2
                else { break }
            } else if piece[end] == 0xC2 {
                break
            }
            end += 1
        }
        return end
    }

    /// Bytes that are copied at once, but for the rest of a word. A text with a limit has at most as many beyond it.
    private static let maximumRun = 1_024

    /// The text, cut at the limit between two characters.
    var string: String {
        var end = min(bytes.count, maximumBytes)
        while end > 0 && end < bytes.count && bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}

extension Collection<UInt8> where Self: BidirectionalCollection {
    /// The text without HTML's white space (tab, line feed, form feed, carriage return, space) at both ends.
    public func trimmingHTMLSpace() -> SubSequence {
        var start = startIndex
        var end = endIndex
        while start < end, self[start].isHTMLSpace { formIndex(after: &start) }
        while start < end, self[index(before: end)].isHTMLSpace { formIndex(before: &end) }
        return self[start..<end]
    }
}

extension UInt8 {
    /// Whether this is ASCII white space (Infra Standard §4.6).
    public var isHTMLSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D || self == 0x0C
    }
}

extension String {
    /// The text without HTML's white space at both ends.
    public func trimmingHTMLSpace() -> String {
        let trimmed = utf8.trimmingHTMLSpace()
        return trimmed.count == utf8.count ? self : String(Substring(trimmed))
    }

    /// The trimmed text, with every inner run of white space as one space.
    public func collapsingHTMLSpace() -> String {
        var collector = CollapsingText()
        var copy = self
        copy.withUTF8 { collector.append($0) }
        return collector.string
    }
}

extension ArraySlice<UInt8> {
    /// The tokens between HTML white space (Infra "split on ASCII whitespace").
    func splitOnHTMLSpace() -> [ArraySlice<UInt8>] {
        split(whereSeparator: \.isHTMLSpace)
    }
}

extension RandomAccessCollection<UInt8> {
    /// Whether the bytes are this ASCII text in any letter case. `text` must be lower case.
    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        var i = startIndex
        for offset in 0..<count {
            let byte = self[i]
            let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            if lower != text.utf8Start[offset] { return false }
            formIndex(after: &i)
        }
        return true
    }
}

extension HTMLDocument {
    /// The base of the page's relative URLs: the first `base` element with an `href`, resolved against the page's URL (WHATWG
    /// HTML §4.2.3). The page's URL if there is none.
    ///
    /// - Parameter notes: receives the reason if a base is not used.
    public func baseURL(pageURL: WebURL, limits: ReadingLimits = .standard, notes: inout [ParseNote]) -> WebURL {
        for base in elements(named: .base) {
            guard let href = bytes(of: .href, on: base) else { continue }
            let place = place(of: base)
            guard href.count <= limits.maximumBaseBytes else {
                notes.append(
                    ParseNote(
                        .document(.baseTooLong), "The base has \(href.count) bytes and is not honored.",
                        line: place.line,
                        column: place.column))
                return pageURL
            }
            let text = String(decoding: href, as: UTF8.self)
            let address = WrittenAddress(text)
            if let url = WebURL(written: address, base: pageURL) {
                if address.isWrapped {
                    notes.append(
                        ParseNote(
                            .document(.baseWrapped),
                            "The base is wrapped over lines; it is read as \"\(address.text.prefix(200))\".",
                            line: place.line, column: place.column))
                }
                return url
            }
            notes.append(
                ParseNote(
                    .document(.baseMalformed), "The base is not a URL: \"\(text.prefix(200))\".", line: place.line,
                    column: place.column))
            return pageURL
        }
        return pageURL
    }

    /// The same without notes.
    public func baseURL(pageURL: WebURL) -> WebURL {
        var notes: [ParseNote] = []
        return baseURL(pageURL: pageURL, notes: &notes)
    }
}
