import PippinPage

/// The line that a finding is about, with what is wrong in it: the part that a report shows below the finding.
///
/// A page may try to pass for something else. Characters that steer a terminal, turn the direction of writing or take no room
/// are written out (`⟨U+202E⟩`), tabs become two spaces, and a long line is cut around the place.
struct SourceExcerpt: Sendable, Hashable {
    /// Line and column of the start, 1-based; a column is a Unicode scalar. Without a column the whole line is meant.
    let line: Int
    let column: Int?
    /// Line and column after the last character; nil if it is not known where it ends.
    let endLine: Int?
    let endColumn: Int?
    /// The line in three parts, as shown: what is wrong, and what stands before and after it.
    let before: String
    let marked: String
    let after: String
    /// What is wrong as it is written, up to `maximumSnippetBytes`.
    let snippet: String

    /// The most columns of a line that are shown: with indentation and number it fits into 100.
    static let maximumCells = 80
    /// The most columns before the place in a line that is too long.
    private static let cellsBefore = 24
    /// The most bytes of a line that are looked at on either side. The longest character has 4 bytes, and takes 8 columns as
    /// written out.
    private static let bytesAround = 400
    static let maximumSnippetBytes = 1_000

    /// nil if the text has no such line.
    init?(of place: Finding.Place, in text: SourceLines) {
        guard let number = place.line, let lineStart = text.offset(line: number, column: 1) else { return nil }
        let bytes = text.text
        var start = lineStart
        var end: Int?
        if let written = place.column {
            guard let offset = text.offset(line: number, column: written) else { return nil }
            start = offset
            end = text.endOfToken(at: offset)
        } else {
            while start < bytes.count, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        }
        let lineEnd = Self.endOfLine(from: start, in: bytes)
        line = number
        column = place.column
        if let end {
            let after = text.place(at: end)
            (endLine, endColumn) = (after.line, after.column)
        } else {
            (endLine, endColumn) = (nil, nil)
        }
        let markEnd = place.column == nil ? lineEnd : min(end ?? Self.next(after: start, in: bytes), lineEnd)
        snippet = Self.string(bytes[start..<max(start, Self.cut(end ?? markEnd, start, in: bytes))])

        let earlier = Self.string(bytes[max(lineStart, Self.boundary(start - Self.bytesAround, in: bytes))..<start])
        let middle = Self.string(bytes[start..<max(start, Self.cut(markEnd, start, in: bytes))])
        let rest = Self.string(bytes[markEnd..<max(markEnd, Self.cut(lineEnd, markEnd, in: bytes))])
        // A line that fits is shown from its beginning.
        let behind = min(Self.cellsShown(middle), Self.maximumCells) + min(Self.cellsShown(rest), Self.maximumCells)
        let before = Self.last(
            max(Self.cellsBefore, Self.maximumCells - behind + 1), of: earlier.drop { $0 == " " || $0 == "\t" })
        let room = Self.maximumCells - Self.cells(before)
        marked = Self.first(room, of: middle[...], isWhole: true)
        let left = room - Self.cells(marked)
        after = left > 1 ? Self.first(left, of: rest[...], isWhole: lineEnd - markEnd <= Self.bytesAround) : ""
        self.before = before
    }

    /// Spaces, and the caret under the place.
    var pointer: String {
        String(repeating: " ", count: Self.cells(before)) + "^"
            + String(repeating: "~", count: max(0, Self.cells(marked) - 1))
    }

    // MARK: Bytes

    private static func endOfLine(from start: Int, in bytes: [UInt8]) -> Int {
        let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        return end > start && bytes[end - 1] == 0x0D ? end - 1 : end
    }

    private static func next(after start: Int, in bytes: [UInt8]) -> Int {
        var end = min(start + 1, bytes.count)
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }

    /// The start of the character that an offset is in.
    private static func boundary(_ offset: Int, in bytes: [UInt8]) -> Int {
        var offset = min(max(offset, 0), bytes.count)
        while offset > 0, offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
        return offset
    }

    /// An end that is not too far from a start.
    private static func cut(_ end: Int, _ start: Int, in bytes: [UInt8]) -> Int {
        end - start <= maximumSnippetBytes ? end : boundary(start + maximumSnippetBytes, in: bytes)
    }

    private static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: What is shown

    /// A character as it is shown, and the columns that takes.
    private static func shown(_ scalar: Unicode.Scalar, marks: inout Int) -> (text: String, cells: Int) {
        if scalar == "\t" { return ("  ", 2) }
        let cells = TerminalText.cells(of: scalar)
        marks = cells == 0 ? marks + 1 : 0
        // A stack of accents covers the lines around it; no script needs more than four.
        guard TerminalText.isMark(scalar) || marks > 4 else { return (String(scalar), cells) }
        let text = "⟨U+" + String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4) + "⟩"
        return (text, text.unicodeScalars.count)
    }

    private static func cells(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + TerminalText.cells(of: $1) }
    }

    private static func cellsShown(_ text: String) -> Int {
        var marks = 0
        return text.unicodeScalars.reduce(0) { $0 + shown($1, marks: &marks).cells }
    }

    private static func first(_ room: Int, of text: Substring, isWhole: Bool) -> String {
        var result = ""
        var used = 0
        var marks = 0
        var kept = ""
        for scalar in text.unicodeScalars {
            let (shown, cells) = shown(scalar, marks: &marks)
            // The result as it is if the rest does not fit, with room for an ellipsis.
            if used + 1 <= room { kept = result }
            guard used + cells <= room else { return kept + "…" }
            result += shown
            used += cells
        }
        return isWhole || used == room ? result : result + "…"
    }

    private static func last(_ room: Int, of text: Substring) -> String {
        var pieces: [String] = []
        var used = 0
        var marks = 0
        for scalar in text.unicodeScalars.reversed() {
            let (shown, cells) = shown(scalar, marks: &marks)
            guard used + cells < room else { return "…" + pieces.reversed().joined() }
            pieces.append(shown)
            used += cells
        }
        return pieces.reversed().joined()
    }
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - utf8.count)) + self
    }
}

/// The texts that findings point into, as far as they were read: the page, robots.txt, and Apple's association files.
///
/// Places in a signed file are places of what it holds, so its lines are not shown.
///
/// A card of a page that is validated has them, to show the lines. A crawl's cards do not: it makes thousands of them.
struct PageSources: Sendable {
    private let page: SourceLines?
    private let files: [String: SourceLines]

    /// No text at all.
    init() {
        page = nil
        files = [:]
    }

    /// - Parameter page: the decoded page; nil if it was not read.
    init(page: SourceLines?, evidence: PageEvidence) {
        self.page = page
        var files: [String: SourceLines] = [:]
        func add(_ url: WebURL, _ bytes: [UInt8]?) {
            guard let bytes, !bytes.isEmpty else { return }
            let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
            files[url.href] = SourceLines(hasMark ? Array(bytes.dropFirst(3)) : bytes)
        }
        if let robots = evidence.robots.value { add(robots.url, robots.text) }
        for found in evidence.association.value?.files.hosts ?? [] {
            for outcome in [found.wellKnown, found.rootCopy] where outcome.file?.isSigned == false {
                add(outcome.url, outcome.bytes)
            }
        }
        self.files = files
    }

    /// The line of a place; nil if the place has none, or its text is not at hand.
    func excerpt(of place: Finding.Place?) -> SourceExcerpt? {
        guard let place, place.line != nil else { return nil }
        let text =
            switch place.source {
            case .markup: page
            case .file: files[place.name]
            case .header, .fetch: nil as SourceLines?
            }
        return text.flatMap { SourceExcerpt(of: place, in: $0) }
    }
}
