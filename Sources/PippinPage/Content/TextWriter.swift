/// How a page's text is written.
public enum TextForm: String, Sendable, CaseIterable {
    /// Words, lists with their markers, code as it is, cells with tabs between them.
    case plain
    /// CommonMark, with tables as GitHub writes them.
    case markdown
}

/// Writes blocks of text: paragraphs and headings, in lists and quotes, code, and tables.
///
/// A block is gathered (`InlineText`) and written when it ends. The output is linear in the text: nesting beyond `maximumContainers` adds nothing to a line,
/// and a link's address is written once, whatever it spans.
struct TextWriter {
    /// What a block stands in.
    private enum Container {
        case quote(Int)
        /// `marker` is written before its first line, spaces of that width before the others.
        case item(Int, marker: [UInt8], isBegun: Bool)

        var identifier: Int {
            switch self {
            case .quote(let identifier), .item(let identifier, _, _): identifier
            }
        }
    }

    /// An open list.
    private struct List {
        let isOrdered: Bool
        var number: Int
        let mark: UInt8
        /// Its items have later ones.
        let firstIdentifier: Int
    }

    private let form: TextForm
    private let maximumBytes: Int
    private(set) var bytes: [UInt8] = []
    private(set) var isFull = false

    /// The block that is gathered.
    var inline = InlineText()
    private var headingLevel = 0

    // What is around it.
    private var containers: [Container] = []
    private var lists: [List] = []
    /// Quotes and items that were opened too deep, or outside of a list, and add no container.
    private var opened: [Bool] = []
    private var identifiers = 0
    private var blockCount = 0
    private var containersOfLast: [Int] = []
    /// The list that ended last: its depth, its mark, and how many blocks there were. A list right behind it needs another mark.
    private var ended: (depth: Int, mark: UInt8, blockCount: Int)?

    // The open table.
    private var row: [[UInt8]] = []
    /// Cells of rows above that reach into the next ones.
    private var covered = RowSpans(columns: 0)
    private var columns = 0
    private var rowCount = 0
    private var isInTable = false
    private var isInCell = false

    /// Items and quotes around a block that are written. Real ones have fewer than 8; what is deeper is written at this depth.
    private static let maximumContainers = 12

    init(_ form: TextForm, maximumBytes: Int) {
        self.form = form
        self.maximumBytes = maximumBytes
    }

    // MARK: Blocks

    mutating func openHeading(_ level: Int) {
        endBlock()
        headingLevel = level
    }

    mutating func closeHeading() {
        endBlock()
        headingLevel = 0
    }

    mutating func breakLine() {
        if headingLevel > 0 || isInCell { inline.separate() } else { inline.breakLine() }
    }

    /// Ends the block, or keeps words apart where there are no blocks: in a cell.
    mutating func endBlock() {
        guard !isInCell else { return inline.separate() }
        let text = inline.take(form, headingLevel > 0 ? .heading : .paragraph)
        guard !text.isEmpty else { return }
        var line = [UInt8](repeating: UInt8(ascii: "#"), count: form == .markdown ? headingLevel : 0)
        if !line.isEmpty { line.append(0x20) }
        write(line + text)
    }

    /// Code, as it stands in the page.
    ///
    /// - Parameter language: written behind the fence of markdown.
    mutating func writeCode(_ code: ArraySlice<UInt8>, language: String) {
        guard !code.isEmpty else { return }
        guard form == .markdown else { return write(Array(code), isVerbatim: true) }
        let fence = [UInt8](repeating: UInt8(ascii: "`"), count: max(3, InlineText.longestRun(ofBackticksIn: code) + 1))
        write(fence + Array(language.utf8) + [0x0A] + code + [0x0A] + fence)
    }

    // MARK: Containers

    mutating func openQuote() {
        endBlock()
        // In plain text, a quote has no mark.
        open(form == .markdown ? .quote(identifiers) : nil)
    }

    mutating func openList(isOrdered: Bool, start: Int) {
        endBlock()
        var mark = UInt8(ascii: isOrdered ? "." : "-")
        if let ended, ended.depth == containers.count, ended.blockCount == blockCount, ended.mark == mark {
            mark = UInt8(ascii: isOrdered ? ")" : "*")
        }
        lists.append(List(isOrdered: isOrdered, number: start, mark: mark, firstIdentifier: identifiers))
    }

    mutating func closeList() {
        endBlock()
        guard let list = lists.popLast() else { return }
        ended = (containers.count, list.mark, blockCount)
    }

    mutating func openItem() {
        endBlock()
        guard let list = lists.last else { return open(nil) }
        var marker = list.isOrdered ? Array(String(list.number).utf8) : []
        marker += [list.mark, 0x20]
        open(.item(identifiers, marker: marker, isBegun: false))
    }

    /// Closes a quote or an item.
    mutating func closeContainer() {
        endBlock()
        guard opened.popLast() == true, case .item(_, _, let isBegun) = containers.removeLast(), isBegun,
            !lists.isEmpty, lists[lists.count - 1].number < 999_999_999
        else { return }
        lists[lists.count - 1].number += 1
    }

    private mutating func open(_ container: Container?) {
        identifiers += 1
        guard let container, containers.count < Self.maximumContainers else { return opened.append(false) }
        containers.append(container)
        opened.append(true)
    }

    // MARK: Tables

    mutating func openTable(columns: Int) {
        endBlock()
        (self.columns, rowCount, row) = (columns, 0, [])
        covered = RowSpans(columns: columns)
        isInTable = true
    }

    mutating func closeTable() {
        endBlock()
        isInTable = false
    }

    mutating func openCell() {
        endBlock()
        isInCell = true
        while covered.takes(row.count) { row.append([]) }
    }

    /// - Parameters:
    ///   - span: the columns it stands in.
    ///   - rows: the rows it stands in.
    mutating func closeCell(span: Int, rows: Int) {
        let start = row.count
        row.append(inline.take(form, .cell))
        isInCell = false
        let end = min(columns, row.count + max(0, min(span, columns) - 1))
        while row.count < end { row.append([]) }
        covered.cover(start..<row.count, rows: rows)
    }

    mutating func closeRow() {
        defer { row = [] }
        // Behind the last cell of its own.
        for column in row.count..<max(row.count, columns) where covered.takes(column) {
            while row.count <= column { row.append([]) }
        }
        guard row.contains(where: { !$0.isEmpty }) else { return }
        var line: [UInt8] = []
        if form == .plain {
            line = Array(row.joined(separator: [0x09]))
            while line.last == 0x09 { line.removeLast() }
        } else {
            while rowCount == 0, row.count < columns { row.append([]) }
            line = Self.line(of: row)
            if rowCount == 0 {
                line.append(0x0A)
                line += Self.line(of: row.map { _ in Array("---".utf8) })
            }
        }
        write(line, isNextRow: rowCount > 0)
        rowCount += 1
    }

    private static func line(of cells: [[UInt8]]) -> [UInt8] {
        cells.reduce(into: Array("|".utf8)) { line, cell in
            if !cell.isEmpty { line.append(0x20) }
            line += cell
            line += " |".utf8
        }
    }

    // MARK: Output

    /// Writes a block with what its containers put before each line.
    private mutating func write(_ block: [UInt8], isVerbatim: Bool = false, isNextRow: Bool = false) {
        guard !isFull else { return }
        // What stands between the rows of a table ends it.
        if !isNextRow { rowCount = 0 }
        let start = bytes.count
        if isNextRow {
            bytes.append(0x0A)
        } else if !bytes.isEmpty {
            separateBlocks()
        }
        if !isVerbatim { writePrefix(isFirst: true) }
        for byte in block {
            bytes.append(byte)
            if byte == 0x0A, !isVerbatim { writePrefix(isFirst: false) }
            // What containers put before lines may be many times longer than the lines.
            if bytes.count > maximumBytes { break }
        }
        blockCount += 1
        containersOfLast = containers.map(\.identifier)
        guard bytes.count > maximumBytes else { return }
        isFull = true
        // Half of the text is better than half a block.
        if start * 2 >= maximumBytes {
            bytes.removeSubrange(start...)
        } else {
            var end = maximumBytes
            while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            bytes.removeSubrange(end...)
        }
    }

    /// An empty line, but none between the items of a list.
    private mutating func separateBlocks() {
        bytes.append(0x0A)
        let shared = zip(containersOfLast, containers).prefix { $0 == $1.identifier }.count
        if case .item(_, let marker, false)? = containers.last, containers.count <= shared + 1 {
            if containersOfLast.count > shared {
                if isItemOfSameList(at: shared) { return }
            } else if shared > 0, case .item = containers[shared - 1] {
                // Behind the text of the item around it. A number but 1 cannot end a paragraph.
                if !marker[0].isASCIIDigit || marker.starts(with: "1.".utf8) || marker.starts(with: "1)".utf8) {
                    return
                }
            }
        }
        let before = bytes.count
        for container in containers.prefix(shared) {
            switch container {
            case .quote: bytes += "> ".utf8
            case .item(_, let marker, _): bytes += repeatElement(0x20, count: marker.count)
            }
        }
        while bytes.count > before, bytes.last == 0x20 { bytes.removeLast() }
        bytes.append(0x0A)
    }

    /// Whether the last block stood in an earlier item of the list that is open at a depth.
    private func isItemOfSameList(at depth: Int) -> Bool {
        guard let list = lists.last, depth < containers.count else { return false }
        return containersOfLast[depth] >= list.firstIdentifier
    }

    private mutating func writePrefix(isFirst: Bool) {
        for i in containers.indices {
            switch containers[i] {
            case .quote: bytes += "> ".utf8
            case .item(let identifier, let marker, let isBegun):
                if isFirst, !isBegun {
                    containers[i] = .item(identifier, marker: marker, isBegun: true)
                    bytes += marker
                } else {
                    bytes += repeatElement(0x20, count: marker.count)
                }
            }
        }
    }
}

/// In how many rows to come the columns of a table are taken by cells above: `rowspan`.
struct RowSpans {
    private var left: [Int]

    /// HTML's own limit (WHATWG HTML §4.9.11).
    private static let maximumRows = 65_534

    init(columns: Int) { left = Array(repeating: 0, count: columns) }

    /// Whether the next row has no cell of its own in a column, which is asked once for each row.
    mutating func takes(_ column: Int) -> Bool {
        guard left.indices.contains(column), left[column] > 0 else { return false }
        left[column] -= 1
        return true
    }

    /// - Parameter rows: 0 reaches to the end.
    mutating func cover(_ columns: Range<Int>, rows: Int) {
        let more = rows == 0 ? Self.maximumRows : min(max(rows, 1), Self.maximumRows) - 1
        for column in columns where left.indices.contains(column) { left[column] = more }
    }
}
