import Glibc

/// Finds the end of HTML comments (WHATWG HTML §13.2.5.43 … 52). They end earlier than XML comments: `<!-->` and `<!--->` are
/// whole comments, and `--!>` closes one too.
public enum HTMLComment {
    /// The offset after the comment that begins with `<!--` at `start`; the end of the page if it is not closed.
    public static func end(ofCommentAt start: Int, in page: UnsafeBufferPointer<UInt8>) -> Int {
        var i = start + 4
        if isAt(">", i, page) { return i + 1 }
        if isAt("->", i, page) { return i + 2 }
        while let base = page.baseAddress, i < page.count, let found = memchr(base + i, 0x2D, page.count - i) {
            let dash = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
            if isAt("-->", dash, page) { return dash + 3 }
            if isAt("--!>", dash, page) { return dash + 4 }
            i = dash + 1
        }
        return page.count
    }

    private static func isAt(_ text: StaticString, _ start: Int, _ page: UnsafeBufferPointer<UInt8>) -> Bool {
        guard start + text.utf8CodeUnitCount <= page.count else { return false }
        for offset in 0..<text.utf8CodeUnitCount where page[start + offset] != text.utf8Start[offset] { return false }
        return true
    }
}
