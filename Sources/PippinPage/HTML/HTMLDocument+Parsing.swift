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

// MARK: Templates

// What stands in a `template` is no part of its page: it belongs to another document, which nobody sees, follows or indexes, until a
// script copies it (WHATWG HTML §4.12.3). So it is not kept, and no reader of the document has to know.
//
// `<template shadowrootmode>` is not kept out: browsers put its contents into a shadow tree, in which people see them
// (§13.2.6.4.4, "A start tag whose tag name is template"). They are read as contents of the element around it.

extension HTMLDocument {
    /// Removes the contents of all templates. The templates themselves stay, with their attributes.
    mutating func removeTemplateContents() {
        let mode = ownNames.firstIndex(of: "shadowrootmode").map { Self.firstOwnName + UInt16($0) }
        /// Elements that have a shadow tree. There is one an element; a second template is a plain one.
        var hosts: Set<Index> = []
        var removed: [Range<Index>] = []
        var next = 0
        while next < elements.count {
            let element = next
            next += 1
            guard elements[element].name == .template, !elements[element].isForeign else { continue }
            if let mode, let parent = parent(of: element), opensShadowTree(element, mode), mayHaveShadowTree(parent),
                hosts.insert(parent).inserted
            {
                continue
            }
            removed.append(descendants(of: element))
            next = descendants(of: element).upperBound
        }
        remove(removed)
    }

    /// - Parameter mode: the number of the attribute `shadowrootmode`.
    private func opensShadowTree(_ template: Index, _ mode: UInt16) -> Bool {
        attributeRange(of: template).first { attributes[$0].nameNumber == mode }.map { i in
            let value = value(of: attributes[i])
            return value.equalsIgnoringCase("open") || value.equalsIgnoringCase("closed")
        } ?? false
    }

    /// Whether an element is one that a shadow tree can be attached to (DOM §4.9, "valid shadow host name").
    private func mayHaveShadowTree(_ element: Index) -> Bool {
        guard !elements[element].isForeign else { return false }
        switch elements[element].name {
        case .article, .aside, .blockquote, .body, .div, .footer, .h1, .h2, .h3, .h4, .h5, .h6, .header, .main, .nav,
            .p,
            .section, .span:
            return true
        case .annotationXML: return false
        default: return spelling(ofName: elements[element].nameNumber).utf8.contains(0x2D)
        }
    }

    /// Removes elements, which are all descendants of some elements, with their attributes and their text.
    ///
    /// - Parameter parts: in document order.
    private mutating func remove(_ parts: [Range<Index>]) {
        var cutElements = Cuts()
        var cutAttributes = Cuts()
        var cutText = Cuts()
        for part in parts {
            let around = elements[part.lowerBound - 1]
            cutText.append(Int(around.textStart)..<Int(around.textEnd))
            guard !part.isEmpty else { continue }
            cutElements.append(part)
            let end =
                part.upperBound < elements.count ? Int(elements[part.upperBound].attributesStart) : attributes.count
            cutAttributes.append(Int(elements[part.lowerBound].attributesStart)..<end)
        }
        if !cutElements.parts.isEmpty {
            elements = cutElements.rest(of: elements)
            attributes = cutAttributes.rest(of: attributes)
        } else if cutText.parts.isEmpty {
            return
        }
        text = cutText.rest(of: text)
        for (start, end) in looseEnds { looseEnds[start]?.text = end.text.map(cutText.moved) }
        for i in elements.indices {
            elements[i].parent = cutElements.moved(elements[i].parent)
            elements[i].subtreeEnd = cutElements.moved(elements[i].subtreeEnd)
            elements[i].attributesStart = cutAttributes.moved(elements[i].attributesStart)
            elements[i].textStart = cutText.moved(elements[i].textStart)
            elements[i].textEnd = cutText.moved(elements[i].textEnd)
        }
    }

    /// Parts to be removed from an array, and where that moves what is behind them.
    private struct Cuts {
        /// Not empty, in order, apart.
        private(set) var parts: [Range<Int>] = []
        /// How much is removed up to the end of each part.
        private var removed: [Int] = []

        mutating func append(_ part: Range<Int>) {
            guard !part.isEmpty else { return }
            parts.append(part)
            removed.append((removed.last ?? 0) + part.count)
        }

        func rest<Element>(of array: [Element]) -> [Element] {
            var rest: [Element] = []
            rest.reserveCapacity(array.count - (removed.last ?? 0))
            var position = 0
            for part in parts {
                rest += array[position..<part.lowerBound]
                position = part.upperBound
            }
            return rest + array[position...]
        }

        /// The new offset. That of one in a part is where the part was: an end tag out of place may stand in a template.
        func moved(_ offset: UInt32) -> UInt32 {
            var (low, high) = (0, parts.count)
            while low < high {
                let middle = (low + high) / 2
                if parts[middle].upperBound <= Int(offset) { low = middle + 1 } else { high = middle }
            }
            let kept = low < parts.count ? min(offset, UInt32(parts[low].lowerBound)) : offset
            return low == 0 ? kept : kept - UInt32(removed[low - 1])
        }
    }
}
