/// The text of a page with its structure: headings, lists, links, tables, code and quotes.
///
/// Which text that is, `MainText` has decided: this walk writes its blocks, and nothing else. Linear in the page's elements and
/// text.
public struct PageText: Sendable {
    public let bytes: [UInt8]
    /// Whether the page has more text than was asked for.
    public let isCut: Bool

    public var string: String { String(decoding: bytes, as: UTF8.self) }

    /// - Parameters:
    ///   - main: the main text of the document.
    ///   - baseURL: of the document's links.
    ///   - maximumBytes: the text ends with the last block that fits, or in a block that has more than half of it.
    ///   - isQuoted: whether what the page forbids to quote (`data-nosnippet`) is left out.
    init(
        _ document: HTMLDocument, main: MainText, baseURL: WebURL, _ form: TextForm, maximumBytes: Int, isQuoted: Bool,
        limits: ReadingLimits = .standard
    ) {
        var walk = Walk(
            document, main, baseURL, TextWriter(form, maximumBytes: maximumBytes), isMarkdown: form == .markdown,
            isQuoted: isQuoted, limits)
        document.text.withUnsafeBufferPointer { walk.read($0) }
        bytes = walk.writer.bytes
        isCut = walk.writer.isFull
    }
}

/// The walk over a page's elements.
private struct Walk {
    /// What the end of an element does.
    private enum End {
        case block, heading, container, list, link, code, exponent, table, row, unquoted
        case cell(span: Int, rows: Int)
    }

    private struct Open {
        let subtreeEnd: Int
        let textEnd: Int
        let end: End
    }

    private let document: HTMLDocument
    private let baseURL: WebURL
    private let isMarkdown: Bool
    private var unseen: VisibleText.UnseenElements
    private let mayBeUnquoted: Bool
    /// The parts of the document's text that are the page's, in order.
    private var parts: [Range<Int>] = []
    /// The first part that is not behind `position`.
    private var part = 0
    private var position = 0
    private var open: [Open] = []
    private var unquotedDepth = 0
    /// Of links, which a long base makes many times longer than the page.
    private var addressBytes = 0
    private static let maximumAddressBytes = 2_000_000
    private var isInTable = false
    private var steps: InterruptibleSteps
    private(set) var writer: TextWriter

    init(
        _ document: HTMLDocument, _ main: MainText, _ baseURL: WebURL, _ writer: TextWriter, isMarkdown: Bool,
        isQuoted: Bool, _ limits: ReadingLimits
    ) {
        self.document = document
        self.baseURL = baseURL
        self.isMarkdown = isMarkdown
        self.writer = writer
        unseen = main.visible.unseenElements()
        mayBeUnquoted = isQuoted && document.hasAttribute(.dataNosnippet)
        steps = InterruptibleSteps(limits)
        parts = Self.parts(of: main, in: document)
    }

    /// Where the main text's blocks stand in the document's text: each until the next block, its own or another.
    private static func parts(of main: MainText, in document: HTMLDocument) -> [Range<Int>] {
        let all = main.visible.blocks
        var parts: [Range<Int>] = []
        var i = 0
        for block in main.blocks {
            while all[i].textStart != block.textStart { i += 1 }
            i += 1
            let end = i < all.count ? all[i].textStart : document.text.count
            if parts.last?.upperBound == block.textStart {
                parts[parts.count - 1] = parts[parts.count - 1].lowerBound..<end
            } else {
                parts.append(block.textStart..<end)
            }
        }
        return parts
    }

    mutating func read(_ text: UnsafeBufferPointer<UInt8>) {
        var next = 0
        let elements = document.elements
        while next < elements.count, !writer.isFull, !steps.isInterrupted() {
            close(before: next, text)
            let element = elements[next]
            let name = element.name
            take(text, upTo: Int(element.textStart))
            if unseen.contains(next) {
                // A script in a paragraph is no end of it.
                if name == .script || name == .style {
                    writer.inline.separate()
                } else if name.separatesText {
                    writer.endBlock()
                }
                let end = document.endOfUnseen(next)
                position = max(position, end.text)
                next = end.next
            } else if name == .pre {
                next = readCode(next, text)
            } else {
                enter(next, element, name)
                next += 1
            }
        }
        close(before: elements.count, text)
        take(text, upTo: text.count)
        writer.endBlock()
    }

    private mutating func take(_ text: UnsafeBufferPointer<UInt8>, upTo end: Int) {
        forEachPart(upTo: end) { walk, range in
            if walk.unquotedDepth == 0 { walk.writer.inline.append(text[range]) }
        }
    }

    private mutating func forEachPart(upTo end: Int, _ body: (inout Walk, Range<Int>) -> Void) {
        while position < end, part < parts.count {
            let start = max(position, parts[part].lowerBound)
            let stop = min(end, parts[part].upperBound)
            if start < stop { body(&self, start..<stop) }
            guard parts[part].upperBound <= end else { break }
            part += 1
        }
        position = max(position, end)
    }

    // MARK: Elements

    private mutating func enter(_ index: HTMLDocument.Index, _ element: HTMLDocument.Element, _ name: HTMLName) {
        func onEnd(_ end: End) {
            open.append(Open(subtreeEnd: Int(element.subtreeEnd), textEnd: Int(element.textEnd), end: end))
        }
        if mayBeUnquoted, VisibleText.forbidsQuotes(index, name, document) {
            unquotedDepth += 1
            onEnd(.unquoted)
        }
        switch name {
        case .br: writer.breakLine()
        case .a:
            if isMarkdown, addressBytes < Self.maximumAddressBytes, let address = address(of: index) {
                addressBytes += address.utf8.count
                writer.inline.openLink(address)
                onEnd(.link)
            }
        case .code, .tt:
            writer.inline.openCode()
            onEnd(.code)
        case .sup:
            guard unquotedDepth == 0, isExponent(index) else { return }
            writer.inline.openExponent()
            onEnd(.exponent)
        case .h1, .h2, .h3, .h4, .h5, .h6:
            writer.openHeading(Int(name.rawValue - HTMLName.h1.rawValue) + 1)
            onEnd(.heading)
        case .blockquote:
            writer.openQuote()
            onEnd(.container)
        case .ul, .ol, .menu:
            writer.openList(isOrdered: name == .ol, start: start(of: index))
            onEnd(.list)
        case .li:
            writer.openItem()
            onEnd(.container)
        case .table where !isInTable:
            if let columns = DataTable.columns(of: index, in: document) {
                isInTable = true
                writer.openTable(columns: columns)
                onEnd(.table)
            } else {
                writer.endBlock()
                onEnd(.block)
            }
        case .tr where isInTable: onEnd(.row)
        case .td where isInTable, .th where isInTable:
            writer.openCell()
            onEnd(.cell(span: number("colspan", of: index) ?? 1, rows: number("rowspan", of: index) ?? 1))
        default:
            guard name.separatesText || name.isBesideText else { return }
            writer.endBlock()
            onEnd(.block)
        }
    }

    private mutating func close(before index: HTMLDocument.Index, _ text: UnsafeBufferPointer<UInt8>) {
        while let last = open.last, last.subtreeEnd <= index {
            take(text, upTo: last.textEnd)
            switch last.end {
            case .block: writer.endBlock()
            case .heading: writer.closeHeading()
            case .container: writer.closeContainer()
            case .list: writer.closeList()
            case .link: writer.inline.closeLink()
            case .code: writer.inline.closeCode()
            case .exponent: writer.inline.closeExponent()
            case .cell(let span, let rows): writer.closeCell(span: span, rows: rows)
            case .row: writer.closeRow()
            case .table:
                writer.closeTable()
                isInTable = false
            case .unquoted: unquotedDepth -= 1
            }
            open.removeLast()
        }
    }

    /// Whether a superscript is a number; `st` in `1st` is none.
    private func isExponent(_ sup: HTMLDocument.Index) -> Bool {
        guard document.textBytes(of: sup).count <= 20,
            !document.descendants(of: sup).contains(where: { document.elements[$0].name.separatesText })
        else { return false }
        let text = document.textContent(of: sup)
        let digits = text.drop { "+-−–".contains($0) }
        return !digits.isEmpty && text.count - digits.count <= 1 && digits.utf8.allSatisfy(\.isASCIIDigit)
    }

    /// The address that a link leads to, outside of this page.
    private func address(of link: HTMLDocument.Index) -> String? {
        guard let href = document.bytes(of: .href, on: link)?.trimmingHTMLSpace(), !href.isEmpty,
            href.first != UInt8(ascii: "#"), href.count <= WrittenAddress.maximumBytes
        else { return nil }
        let url = WebURL(written: String(decoding: href, as: UTF8.self), base: baseURL)
        // A long base makes long addresses of short ones.
        guard let url, url.isHTTP || url.scheme == "mailto", url.href.utf8.count <= WrittenAddress.maximumBytes else {
            return nil
        }
        return url.href
    }

    private func start(of list: HTMLDocument.Index) -> Int {
        guard document.elements[list].name == .ol, let start = number("start", of: list) else { return 1 }
        return (0...999_999_999).contains(start) ? start : 1
    }

    private func number(_ name: String, of element: HTMLDocument.Index) -> Int? {
        document.number(name, of: element)
    }

    // MARK: Code

    /// Code as it stands in the page, without hidden parts; lines that are elements are lines.
    ///
    /// - Returns: the element behind it.
    private mutating func readCode(_ pre: HTMLDocument.Index, _ text: UnsafeBufferPointer<UInt8>) -> Int {
        writer.endBlock()
        var code: [UInt8] = []
        let elements = document.elements
        let end = Int(elements[pre].subtreeEnd)
        var next = pre + 1
        func add(upTo end: Int) {
            forEachPart(upTo: end) { walk, range in
                if walk.unquotedDepth == 0 { code += text[range] }
            }
        }
        func endLine() {
            if let last = code.last, last != 0x0A { code.append(0x0A) }
        }
        while next < end, !steps.isInterrupted() {
            let element = elements[next]
            add(upTo: Int(element.textStart))
            if unseen.contains(next) {
                let unseen = document.endOfUnseen(next)
                position = max(position, unseen.text)
                next = unseen.next
                continue
            }
            if mayBeUnquoted, VisibleText.forbidsQuotes(next, element.name, document) {
                position = max(position, Int(element.textEnd))
                next = Int(element.subtreeEnd)
                continue
            }
            if element.name == .br {
                code.append(0x0A)
            } else if element.name.separatesText {
                endLine()
            }
            next += 1
        }
        add(upTo: Int(elements[pre].textEnd))
        writer.writeCode(Self.withoutEmptyLines(code[...]), language: language(of: pre))
        return max(next, end)
    }

    /// Without empty lines at both ends.
    private static func withoutEmptyLines(_ code: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = code.firstIndex(where: { $0 > 0x20 }), let last = code.lastIndex(where: { $0 > 0x20 }) else {
            return []
        }
        let start = code[..<first].lastIndex(of: 0x0A).map { $0 + 1 } ?? code.startIndex
        return code[start...last]
    }

    /// `class="language-swift"` of the code or of what is around it.
    private func language(of pre: HTMLDocument.Index) -> String {
        var elements = [pre]
        if pre + 1 < Int(document.elements[pre].subtreeEnd) { elements.append(pre + 1) }
        if let parent = document.parent(of: pre) {
            elements.append(parent)
            if let next = document.parent(of: parent) { elements.append(next) }
        }
        for element in elements {
            guard let names = document.bytes(of: .class, on: element)?.prefix(400) else { continue }
            for name in names.split(whereSeparator: \.isHTMLSpace) {
                for prefix in ["language-", "lang-", "highlight-source-"] where name.starts(with: prefix.utf8) {
                    let language = name.dropFirst(prefix.utf8.count)
                    let isName = language.allSatisfy {
                        $0.isASCIIAlphanumeric || "+-#._".utf8.contains($0)
                    }
                    if isName, (1...30).contains(language.count) { return String(decoding: language, as: UTF8.self) }
                }
            }
        }
        return ""
    }
}

extension HTMLDocument {
    fileprivate func number(_ name: String, of element: Index) -> Int? {
        attributes(of: element).first { $0.name == name }.flatMap { Int($0.value) }
    }
}

/// Tells tables of data from those that only place what is in them.
private enum DataTable {
    /// A larger table is no table that a text shows.
    private static let maximumElements = 20_000
    private static let maximumColumns = 50
    /// Of the text of a cell, on average: what has more is a column of a page.
    private static let maximumCellBytes = 400

    /// How many columns a table of data has; nil for one that places parts of a page.
    static func columns(of table: HTMLDocument.Index, in document: HTMLDocument) -> Int? {
        let element = document.elements[table]
        guard document.bytes(of: .role, on: table)?.equalsIgnoringCase("presentation") != true,
            Int(element.subtreeEnd) - table <= maximumElements
        else { return nil }
        var (rows, cells, inRow, columns) = (0, 0, 0, 0)
        var covered = RowSpans(columns: maximumColumns)
        func endRow() {
            for column in inRow..<max(inRow, maximumColumns) where covered.takes(column) { inRow = column + 1 }
            columns = max(columns, inRow)
            inRow = 0
        }
        for inner in document.descendants(of: table) {
            switch document.elements[inner].name {
            case .tr:
                endRow()
                rows += 1
            case .td, .th:
                cells += 1
                while covered.takes(inRow) { inRow += 1 }
                covered.cover(inRow..<inRow + 1, rows: document.number("rowspan", of: inner) ?? 1)
                inRow += 1
            case .table, .pre, .menu, .ul, .ol, .blockquote, .h1, .h2, .h3, .h4, .h5, .h6, .form, .article, .section:
                return nil
            default: break
            }
        }
        endRow()
        guard rows > 1, (2...maximumColumns).contains(columns),
            document.textBytes(of: table).count <= cells * maximumCellBytes
        else { return nil }
        return columns
    }
}
