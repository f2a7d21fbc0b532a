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
