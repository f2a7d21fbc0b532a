// From bytes to the arena. No `xmlDoc` is built, and no pointer of libxml2 leaves NameReader.swift.
//
// 1. `HTMLTokenizer` finds the next tag or text of the page.
// 2. libxml2 reads its names (`NameReader`).
// 3. `TreeBuilder` adds it to the tree in the arena, by HTML's rules, and says how the page goes on: as markup, or as the text of
//    a script or the like.
// 4. At the end, the contents of templates are removed, and element indices are grouped by name.

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
    private var tokenizer: HTMLTokenizer
    private var builder: TreeBuilder
    private let limits: ReadingLimits
    private let page: UnsafeBufferPointer<UInt8>

    init(page: UnsafeBufferPointer<UInt8>, lines: SourceLines, limits: ReadingLimits) {
        self.page = page
        self.limits = limits
        tokenizer = HTMLTokenizer(page, limits: limits)
        builder = TreeBuilder(lines, limits: limits)
    }

    mutating func parse() -> HTMLDocument {
        while let token = tokenizer.next(isForeign: builder.isForeign) {
            pass(token)
            if builder.isFull { break }
        }
        if tokenizer.hasCrowdedTag {
            builder.note(
                .document(.tooManyAttributes),
                "An element has more than \(limits.maximumAttributesPerElement) attributes; the rest of its tag was dropped."
            )
        }
        switch tokenizer.names.failure {
        case .noParser:
            builder.stop(.document(.parserUnavailable), "libxml2 could not be started; the page was not read.")
        case .tooManyNames:
            builder.stop(
                .document(.tooManyNames),
                "The page has more than \(limits.maximumNames) names of elements and attributes; the rest was not read."
            )
        case nil: break
        }
        builder.document.ownNames = tokenizer.names.ownNames
        builder.endOfPage()
        return builder.finish()
    }

    private mutating func pass(_ token: HTMLToken) {
        switch token {
        case .documentType(let range): builder.documentType(DocumentType(page[range]))
        case .startTag(let tag): start(tag)
        case .endTag(let name): builder.end(name)
        case .rawText(let range): builder.text(UnsafeBufferPointer(rebasing: page[range]))
        case .text(let range):
            let bytes = UnsafeBufferPointer(rebasing: page[range])
            if let decoded = CharacterReferences.decodedAsHTML(bytes) {
                decoded.withUnsafeBufferPointer { builder.text($0) }
            } else {
                builder.text(bytes)
            }
        }
    }

    private mutating func start(_ tag: TreeBuilder.StartTag) {
        swap(&builder.tagAttributes, &tokenizer.attributes)
        builder.start(tag)
        if let element = builder.textElement, let text = tokenizer.readText(of: element) { pass(text) }
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
