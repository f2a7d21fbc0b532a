/// A URL pattern of the configuration. `*` matches any number of bytes, `?` one byte. The whole URL must match.
package struct URLGlob: Sendable, Hashable {
    private let pattern: [UInt8]

    package init(_ pattern: String) {
        // Several stars in a row mean one star, and fewer stars mean fewer points to go back to.
        var bytes: [UInt8] = []
        for byte in pattern.utf8 where byte != 0x2A || bytes.last != 0x2A { bytes.append(byte) }
        self.pattern = bytes
    }

    /// Whether a text matches. It takes at most pattern × text steps, because the search only goes back to the last star.
    package func matches(_ text: some Collection<UInt8>) -> Bool {
        var p = 0
        var t = text.startIndex
        var fallback: (pattern: Int, text: Int)?
        var position = 0
        var marked = text.startIndex
        while t != text.endIndex {
            if p < pattern.count, pattern[p] == 0x2A {
                fallback = (p, position)
                marked = t
                p += 1
            } else if p < pattern.count, pattern[p] == 0x3F || pattern[p] == text[t] {
                p += 1
                t = text.index(after: t)
                position += 1
            } else if let last = fallback {
                marked = text.index(after: marked)
                t = marked
                position = last.text + 1
                fallback = (last.pattern, position)
                p = last.pattern + 1
            } else {
                return false
            }
        }
        while p < pattern.count, pattern[p] == 0x2A { p += 1 }
        return p == pattern.count
    }
}
