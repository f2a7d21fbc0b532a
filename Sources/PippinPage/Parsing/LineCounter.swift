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
