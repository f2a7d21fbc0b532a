// Where the head of a page ends. Without scripts, an `img` in a `noscript` ends it; a browser that runs scripts takes all of a
// `noscript` for text, and its head goes on behind it.

extension HTMLDocument {
    /// What ended the head too early for readers that run no scripts, though not for browsers that run them.
    struct EarlyHeadEnd: Sendable {
        /// The `noscript` that holds what a head may not hold.
        let noscript: Index
        /// The offset in the page behind its end tag.
        let noscriptEnd: Int
        /// The offset in the page at which a browser that runs scripts ends the head.
        let headEnd: Int
    }

    /// Whether an element stands in the body for everybody: also for browsers that run scripts.
    ///
    /// - Parameters:
    ///   - body: the page's, if it has one.
    ///   - early: `earlyHeadEnd` of the document.
    func isInBody(_ element: Index, body: Index?, _ early: EarlyHeadEnd?) -> Bool {
        guard let body, isElement(element, inside: body) else { return false }
        return early.map { Int(elements[element].tagStart) >= $0.headEnd } ?? true
    }

    /// The `noscript` in the head that ends the head for readers that run no scripts; nil for nearly all pages.
    public var noscriptThatEndsHead: Index? { earlyHeadEnd()?.noscript }

    /// The first element in it that a head may not hold; nil if that is text.
    public var elementThatEndsHead: Index? {
        guard let early = earlyHeadEnd(), let body = elements(named: .body).first,
            let first = children(of: body).first(where: { _ in true }),
            Int(elements[first].tagStart) < early.noscriptEnd
        else { return nil }
        return first
    }

    /// Nil for nearly all pages: their head ends where it ends for everybody.
    func earlyHeadEnd() -> EarlyHeadEnd? {
        guard let body = elements(named: .body).first, let head = elements(named: .head).first,
            // The body was not written: something in the head has begun it.
            elements[body].tagStart == elements[body].tagEnd,
            let noscript = elements(named: .noscript).last(where: { isElement($0, inside: head) })
        else { return nil }
        let start = Int(elements[noscript].tagEnd)
        guard start <= lines.text.count, Int(elements[body].tagStart) >= start else { return nil }
        return lines.text.withUnsafeBufferPointer { page in
            var scan = HeadScan(page: page, position: start)
            guard let end = scan.end(ofTextUntil: "</noscript"), Int(elements[body].tagStart) < end else { return nil }
            scan.position = end
            return EarlyHeadEnd(noscript: noscript, noscriptEnd: end, headEnd: scan.endOfHead())
        }
    }
}

/// Reads what a head may hold (WHATWG HTML §13.2.6.4.4, "in head"), with scripts.
private struct HeadScan {
    let page: UnsafeBufferPointer<UInt8>
    var position: Int

    private static let tags: [StaticString] = ["base", "link", "meta", "basefont", "bgsound"]
    /// Elements with what ends them.
    private static let texts: [(name: StaticString, end: StaticString)] = [
        ("title", "</title"), ("style", "</style"), ("script", "</script"), ("noscript", "</noscript"),
        ("noframes", "</noframes"), ("template", "</template"),
    ]

    /// The offset of the first thing that ends the head.
    mutating func endOfHead() -> Int {
        while position < page.count {
            let start = position
            if page[position].isHTMLSpace {
                position += 1
            } else if page[position] != UInt8(ascii: "<") {
                return start
            } else if has("<!--", at: position) {
                position = HTMLComment.end(ofCommentAt: position, in: page)
            } else if Self.tags.contains(where: { hasName($0, at: position + 1) }) {
                position = endOfTag(at: position)
            } else if let text = Self.texts.first(where: { hasName($0.name, at: position + 1) }) {
                position = endOfTag(at: position)
                guard let end = end(ofTextUntil: text.end) else { return start }
                position = end
            } else if hasName("/head", at: position + 1) {
                // What belongs to the head goes there even behind its end.
                position = endOfTag(at: position)
            } else {
                return start
            }
        }
        return page.count
    }

    /// The offset behind the next end tag of an element whose content is text; nil if there is none.
    func end(ofTextUntil endTag: StaticString) -> Int? {
        var next = position
        while next < page.count {
            if page[next] == UInt8(ascii: "<"), has(endTag, at: next) { return endOfTag(at: next) }
            next += 1
        }
        return nil
    }

    /// The offset behind a tag's `>`; quotes around values hide it.
    private func endOfTag(at start: Int) -> Int {
        var next = start
        var quote: UInt8?
        while next < page.count {
            let byte = page[next]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return next + 1
            }
            next += 1
        }
        return page.count
    }

    private func hasName(_ name: StaticString, at start: Int) -> Bool {
        let end = start + name.utf8CodeUnitCount
        guard has(name, at: start) else { return false }
        return end >= page.count || page[end].isHTMLSpace || page[end] == UInt8(ascii: ">")
            || page[end] == UInt8(ascii: "/")
    }

    private func has(_ word: StaticString, at start: Int) -> Bool {
        guard start + word.utf8CodeUnitCount <= page.count else { return false }
        for offset in 0..<word.utf8CodeUnitCount
        where page[start + offset].asciiLowercased != word.utf8Start[offset] { return false }
        return true
    }
}
