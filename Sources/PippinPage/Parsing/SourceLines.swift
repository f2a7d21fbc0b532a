import Synchronization

/// A place in a page. Line and column are computed on request, because nearly everything has a place but few places are
/// reported.
public struct SourcePlace: Sendable {
    let lines: SourceLines
    /// The offset in the decoded page.
    let offset: UInt32

    /// Line and column, 1-based. The column counts characters.
    var lineAndColumn: (line: Int, column: Int) { lines.place(at: Int(offset)) }

    /// How many bytes of the decoded page come before it.
    public var byteOffset: Int { Int(offset) }
    /// The line, 1-based.
    public var line: Int { lineAndColumn.line }
    /// The column, 1-based.
    public var column: Int { lineAndColumn.column }
}

/// The lines of a page or of another text.
///
/// Lines are counted once per block, up to the last requested place; the rest is counted within one block.
public final class SourceLines: Sendable {
    private struct Block {
        /// The line at the start of the block, and the offset where that line begins.
        var line: UInt32 = 1
        var lineStart: UInt32 = 0
        /// The number of continuation bytes before the block.
        var continuing: UInt32 = 0
    }

    private static let blockBytes = 512

    /// The text, in UTF-8.
    public let text: [UInt8]
    /// The blocks from the beginning of the page on; never empty.
    private let blocks = Mutex([Block()])

    /// Prepares for counting; nothing is counted yet.
    ///
    /// - Parameter text: UTF-8.
    public init(_ text: [UInt8]) { self.text = text }

    /// Line and column of an offset, 1-based. The column counts characters.
    public func place(at offset: Int) -> (line: Int, column: Int) {
        guard offset > 0, offset <= text.count else { return (1, 1) }
        return text.withUnsafeBufferPointer { page in
            blocks.withLock { blocks in
                Self.count(to: offset, in: page, &blocks)
                let reached = Self.reaching(offset, in: page, blocks)
                let lineStart = Int(reached.lineStart)
                // The line may have begun in an earlier block.
                let before = Self.reaching(lineStart, in: page, blocks)
                let characters = offset - lineStart - Int(reached.continuing - before.continuing)
                return (Int(reached.line), characters + 1)
            }
        }
    }

    /// The offset of a place; nil if the text has no such line, or the line no such column. One column after the last
    /// character is the line's end.
    public func offset(line: Int, column: Int) -> Int? {
        guard line > 0, column > 0 else { return nil }
        return text.withUnsafeBufferPointer { page in
            blocks.withLock { blocks in
                Self.count(to: page.count, in: page, &blocks)
                guard let start = Self.start(ofLine: line, in: page, blocks) else { return nil }
                let index = start / Self.blockBytes
                let passed = Self.passing(page, from: index * Self.blockBytes, to: start, in: blocks[index])
                let character = start - Int(passed.continuing) + column - 1
                guard let offset = Self.offset(ofCharacter: character, in: page, blocks),
                    column == 1 || Int(Self.reaching(offset, in: page, blocks).line) == line
                else { return nil }
                return offset
            }
        }
    }

    private static func start(ofLine line: Int, in page: UnsafeBufferPointer<UInt8>, _ blocks: [Block]) -> Int? {
        if line == 1 { return 0 }
        // The last block that begins before the line does.
        var low = 0
        var high = blocks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(blocks[middle].line) < line { low = middle } else { high = middle }
        }
        var current = Int(blocks[low].line)
        var i = low * blockBytes
        let end = min(i + blockBytes, page.count)
        while i < end {
            if page[i] == 0x0A {
                current += 1
                if current == line { return i + 1 }
            }
            i += 1
        }
        return nil
    }

    /// The offset of a character of the text, counted from 0; the end of the text for the number after the last.
    private static func offset(
        ofCharacter number: Int, in page: UnsafeBufferPointer<UInt8>, _ blocks: [Block]
    ) -> Int? {
        var low = 0
        var high = blocks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if middle * blockBytes - Int(blocks[middle].continuing) <= number { low = middle } else { high = middle }
        }
        var passed = low * blockBytes - Int(blocks[low].continuing)
        var i = low * blockBytes
        while i < page.count {
            if page[i] & 0xC0 != 0x80 {
                if passed == number { return i }
                passed += 1
            }
            i += 1
        }
        return passed == number ? page.count : nil
    }

    private static func count(to offset: Int, in page: UnsafeBufferPointer<UInt8>, _ blocks: inout [Block]) {
        while blocks.count <= offset / blockBytes {
            let end = blocks.count * blockBytes
            blocks.append(passing(page, from: end - blockBytes, to: end, in: blocks[blocks.count - 1]))
        }
    }

    private static func reaching(_ offset: Int, in page: UnsafeBufferPointer<UInt8>, _ blocks: [Block]) -> Block {
        let index = offset / blockBytes
        return passing(page, from: index * blockBytes, to: offset, in: blocks[index])
    }

    private static func passing(_ page: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int, in block: Block)
        -> Block
    {
        var block = block
        let bytes = UnsafeBufferPointer(rebasing: page[start..<end])
        let lines = UTF8Scan.lineFeedCount(in: bytes)
        if lines > 0, let lineFeed = UTF8Scan.lastLineFeed(in: bytes) {
            block.line += UInt32(lines)
            block.lineStart = UInt32(start + lineFeed + 1)
        }
        block.continuing += UInt32(bytes.count - UTF8Scan.characterCount(in: bytes))
        return block
    }
}

/// A place in a text. Line and column are 1-based; a column is a Unicode scalar.
public struct TextPlace: Sendable, Hashable {
    /// The line, 1-based.
    public let line: Int
    /// The column, 1-based, in Unicode scalars.
    public let column: Int
}

/// Turns byte offsets of a UTF-8 text into lines and columns (1-based, a column is a Unicode scalar).
///
/// It continues from the last place, so increasing offsets take linear time in total.
struct LineCounter: Sendable {
    private var offset = 0
    private var line = 1
    private var column = 1

    mutating func place(of target: Int, in bytes: UnsafeBufferPointer<UInt8>) -> (line: Int, column: Int) {
        if target < offset { self = LineCounter() }
        let end = min(target, bytes.count)
        while offset < end {
            let byte = bytes[offset]
            offset += 1
            if byte == 0x0A {
                line += 1
                column = 1
            } else if offset == bytes.count || bytes[offset] & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }
}
