/// The lines of a page, so that an offset can be told as line and column when somebody asks: few elements are asked for theirs.
///
/// What comes before each block of the page is counted once; the rest is counted when a place is wanted, within one block.
struct SourceLines: Sendable {
    private struct Block {
        /// The line that the block begins in, and where that line begins.
        var line = 1
        var lineStart = 0
        /// Bytes before the block that continue a character.
        var continuing = 0
    }

    private static let blockBytes = 1_024
    private static let furthestColumn = Int(UInt16.max)

    private let page: [UInt8]
    private var blocks: [Block] = []

    /// - Parameter page: UTF-8.
    init(_ page: [UInt8]) {
        self.page = page
        blocks.reserveCapacity(page.count / Self.blockBytes + 1)
        page.withUnsafeBufferPointer { page in
            var next = Block()
            for start in stride(from: 0, to: page.count, by: Self.blockBytes) {
                blocks.append(next)
                let bytes = UnsafeBufferPointer(rebasing: page[start..<min(start + Self.blockBytes, page.count)])
                next = Self.passing(bytes, from: start, in: next)
            }
        }
    }

    /// 1-based. The column counts characters up to `furthestColumn`.
    func place(at offset: Int) -> (line: Int, column: Int) {
        guard offset > 0, offset <= page.count else { return (1, 1) }
        return page.withUnsafeBufferPointer { page in
            let reached = reaching(offset, in: page)
            // The line may have begun blocks before.
            let before = reaching(reached.lineStart, in: page)
            let characters = offset - reached.lineStart - (reached.continuing - before.continuing)
            return (reached.line, min(characters + 1, Self.furthestColumn))
        }
    }

    private func reaching(_ offset: Int, in page: UnsafeBufferPointer<UInt8>) -> Block {
        let index = min(offset / Self.blockBytes, blocks.count - 1)
        let start = index * Self.blockBytes
        return Self.passing(UnsafeBufferPointer(rebasing: page[start..<offset]), from: start, in: blocks[index])
    }

    private static func passing(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, in block: Block) -> Block {
        var block = block
        let lines = UTF8Scan.lineFeedCount(in: bytes)
        if lines > 0, let lineFeed = bytes.lastIndex(of: 0x0A) {
            block.line += lines
            block.lineStart = start + lineFeed + 1
        }
        block.continuing += bytes.count - UTF8Scan.characterCount(in: bytes)
        return block
    }
}
