// From bytes to the arena. No `xmlDoc` is built, and no pointer of libxml2 leaves TagForms.swift.
//
// 1. `HTMLTokenizer` splits the page into tags and texts, some thousand at a time.
// 2. libxml2 says which names the tags have (`TagForms`).
// 3. `TreeBuilder` builds the tree in the arena, by HTML's rules.
// 4. The contents of templates are removed, and element indices are grouped by name.

extension HTMLDocument {
    /// Parses a page. Reached limits leave `notes`.
    ///
    /// - Parameter bytes: valid UTF-8 without NUL, as `CharacterEncoding.decode` returns it.
    public init(utf8 bytes: [UInt8], limits: ReadingLimits = .standard) {
        if bytes.isEmpty {
            self.init()
            return
        }
        let lines = SourceLines(bytes)
        self = lines.text.withUnsafeBufferPointer { page in
            var reader = MarkupReader(page: page, lines: lines, limits: limits)
            return reader.parse()
        }
    }
}

/// Passes a page's tags and texts to the builder.
private struct MarkupReader {
    private var builder: TreeBuilder
    private var tokenizer: HTMLTokenizer
    private var names: NameNumbers
    private let limits: ReadingLimits
    private let page: UnsafeBufferPointer<UInt8>

    init(page: UnsafeBufferPointer<UInt8>, lines: SourceLines, limits: ReadingLimits) {
        self.page = page
        self.limits = limits
        tokenizer = HTMLTokenizer(
            page, maximumAttributes: limits.maximumAttributesPerElement, interruption: limits.interruption)
        tokenizer.advance()
        names = NameNumbers(maximum: limits.maximumNames)
        builder = TreeBuilder(
            lines, limits: limits, type: tokenizer.documentType, expectedElements: tokenizer.expectedStartTags,
            expectedTextBytes: page.count / 2)
    }

    mutating func parse() -> HTMLDocument {
        var isCrowded = false
        while !tokenizer.tokens.isEmpty, !limits.isInterrupted {
            if tokenizer.hasCrowdedTag, !isCrowded {
                isCrowded = true
                builder.note(
                    .document(.tooManyAttributes),
                    "An element has more than \(limits.maximumAttributesPerElement) attributes; the rest of its tag was dropped."
                )
            }
            if !tokenizer.forms.readNew(numbering: &names) {
                builder.stop(.document(.parserUnavailable), "libxml2 could not be started; the page was not read.")
            }
            passTokens()
            if builder.isFull { break }
            tokenizer.advance()
        }
        builder.document.ownNames = names.own
        builder.endOfPage()
        return builder.finish()
    }

    private mutating func passTokens() {
        for (i, token) in tokenizer.tokens.enumerated() {
            if i & 63 == 63, limits.isInterrupted { return }
            if builder.isFull { return }
            let bytes = UnsafeBufferPointer(rebasing: page[Int(token.start)..<Int(token.end)])
            switch token.kind {
            case .startTag, .selfClosingTag: start(token)
            case .endTag: if let number = number(of: token) { builder.end(number) }
            case .rawText: builder.text(bytes)
            case .text:
                if let decoded = CharacterReferences.decodedAsHTML(bytes) {
                    decoded.withUnsafeBufferPointer { builder.text($0) }
                } else {
                    builder.text(bytes)
                }
            }
        }
    }

    private mutating func start(_ token: HTMLToken) {
        guard let number = number(of: token) else { return }
        while !builder.tagAttributes.isEmpty { builder.tagAttributes.removeLast() }
        for attribute in tokenizer.forms.attributes(of: token.form) {
            let value = tokenizer.values[Int(token.values) + Int(attribute.value)]
            builder.tagAttributes.append(
                TreeBuilder.TagAttribute(
                    number: attribute.number, start: value.start,
                    written: UnsafeBufferPointer(rebasing: page[Int(value.start)..<Int(value.end)])))
        }
        builder.start(
            TreeBuilder.StartTag(
                number: number, isSelfClosing: token.kind == .selfClosingTag, start: token.start, end: token.end))
    }

    /// The number of a tag's name; nil if the reading ends there, because the page has too many names.
    private mutating func number(of token: HTMLToken) -> UInt16? {
        if let number = tokenizer.forms.name(of: token.form) { return number }
        builder.stop(
            .document(.tooManyNames),
            "The page has more than \(limits.maximumNames) names of elements and attributes; the rest was not read.")
        return nil
    }
}

extension HTMLDocument {
    /// Sorts the element indices by name (counting sort), so that `elements(named:)` is a slice.
    mutating func groupByName() {
        let known = HTMLName.allCases.count
        func isGrouped(_ element: Element) -> Bool {
            element.nameNumber < known && (!element.isForeign || element.name.meansTheSameInSVG)
        }
        var starts = Array(repeating: 0, count: known + 1)
        for element in elements where isGrouped(element) { starts[Int(element.nameNumber) + 1] += 1 }
        for i in 1...known { starts[i] += starts[i - 1] }
        groupStarts = starts
        indicesByName = Array(repeating: 0, count: starts[known])
        for (i, element) in elements.enumerated() where isGrouped(element) {
            indicesByName[starts[Int(element.nameNumber)]] = i
            starts[Int(element.nameNumber)] += 1
        }
    }
}
