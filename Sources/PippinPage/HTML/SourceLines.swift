import Synchronization

/// A place in a page. Line and column are computed on request, because nearly everything has a place but few places are
/// reported.
public struct SourcePlace: Sendable {
    let lines: SourceLines
    /// The offset in the decoded page.
    let offset: UInt32

    /// Line and column, 1-based. The column counts characters and is at most 65535.
    var lineAndColumn: (line: Int, column: Int) {
        let place = lines.place(at: Int(offset))
        return (place.line, min(place.column, Self.furthestColumn))
    }

    private static let furthestColumn = Int(UInt16.max)
    /// The line, 1-based.
    public var line: Int { lineAndColumn.line }
    /// The column, 1-based.
    public var column: Int { lineAndColumn.column }
}

/// The lines of a page or of another text.
///
/// Lines are counted once per block, up to the last requested place; the rest is counted within one block.
final class SourceLines: Sendable {
    private struct Block {
        /// The line at the start of the block, and the offset where that line begins.
        var line: UInt32 = 1
        var lineStart: UInt32 = 0
        /// The number of continuation bytes before the block.
        var continuing: UInt32 = 0
    }

    private static let blockBytes = 512

    private let page: [UInt8]
    /// The blocks from the beginning of the page on; never empty.
    private let blocks = Mutex([Block()])

    /// Prepares for counting; nothing is counted yet.
    ///
    /// - Parameter page: UTF-8.
    init(_ page: [UInt8]) { self.page = page }

    /// Line and column of an offset, 1-based. The column counts characters.
    func place(at offset: Int) -> (line: Int, column: Int) {
        guard offset > 0, offset <= page.count else { return (1, 1) }
        return page.withUnsafeBufferPointer { page in
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
