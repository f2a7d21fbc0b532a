/// A pattern of paths of files and URLs: `*` matches any number of bytes within one part of a path, `?` one byte, `**` any
/// number of whole parts, `{a,b}` either text. A slash at the beginning means nothing.
package struct PathGlob: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case anyParts
        case one(URLGlob)
    }

    /// The pattern as written.
    package let pattern: String
    private let alternatives: [[Part]]

    /// The most texts that the braces of a pattern may stand for. Nested braces multiply.
    static let maximumAlternatives = 256

    /// nil if a brace is not closed, or if the braces stand for too many texts.
    package init?(_ pattern: String) {
        self.pattern = pattern
        // Each brace copies the text.
        guard pattern.utf8.count <= 4_096, let texts = Self.withoutBraces(pattern) else { return nil }
        alternatives = texts.map { text in
            Self.parts(text).map { $0 == "**" ? .anyParts : .one(URLGlob(String($0))) }
        }
    }

    /// Whether a text has characters that make it a pattern.
    package static func isPattern(_ text: String) -> Bool { text.utf8.contains { "*?{".utf8.contains($0) } }

    /// The folder in front of the first special character: `dist` of `dist/**/*.html`; empty if there is none.
    package var fixedFolder: String {
        let start = pattern.utf8.prefix { !"*?{".utf8.contains($0) }
        guard let slash = start.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == start.startIndex ? "/" : String(pattern[..<slash])
    }

    /// The number of parts of a path that can match; nil if there is no limit.
    package var maximumParts: Int? {
        alternatives.contains { $0.contains(.anyParts) } ? nil : alternatives.map(\.count).max()
    }

    /// Whether a path matches. The steps are at most the lengths of pattern and path multiplied, because the search only goes
    /// back to the last `**`.
    package func matches(_ path: String) -> Bool {
        let parts = Self.parts(path)
        return alternatives.contains { Self.matches($0, parts) }
    }

    private static func matches(_ pattern: [Part], _ path: [Substring]) -> Bool {
        var (p, t) = (0, 0)
        var fallback: (p: Int, t: Int)?
        while t < path.count {
            if p < pattern.count, pattern[p] == .anyParts {
                fallback = (p, t)
                p += 1
            } else if p < pattern.count, case .one(let glob) = pattern[p], glob.matches(path[t].utf8) {
                p += 1
                t += 1
            } else if let last = fallback {
                fallback = (last.p, last.t + 1)
                (p, t) = (last.p + 1, last.t + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == .anyParts }
    }

    private static func parts(_ text: String) -> [Substring] {
        let path = text.utf8.first == UInt8(ascii: "/") ? text.dropFirst() : text[...]
        return path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// The texts that a pattern with braces stands for, in order.
    private static func withoutBraces(_ text: String) -> [String]? {
        var waiting = [text]
        var done: [String] = []
        while let next = waiting.popLast() {
            guard done.count + waiting.count < maximumAlternatives else { return nil }
            // The innermost pair: the last opening brace, and the first closing one after it.
            guard let open = next.lastIndex(of: "{") else {
                done.append(next)
                continue
            }
            guard let close = next[open...].firstIndex(of: "}") else { return nil }
            let choices = next[next.index(after: open)..<close].split(
                separator: ",", omittingEmptySubsequences: false)
            guard done.count + waiting.count + choices.count <= maximumAlternatives else { return nil }
            let (before, after) = (next[..<open], next[next.index(after: close)...])
            for choice in choices.reversed() { waiting.append("\(before)\(choice)\(after)") }
        }
        return done
    }
}

/// A URL pattern of the configuration. `*` matches any number of bytes, `?` one byte. The whole URL must match.
public struct URLGlob: Sendable, Hashable {
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
