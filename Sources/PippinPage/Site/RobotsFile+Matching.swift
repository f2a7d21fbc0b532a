// Matching of path patterns (RFC 9309 §2.2.2, §2.2.3).
//
// Pattern and target are brought to one spelling first, so that matching compares octets:
//   · %XX of an unreserved character is that character; every other %XX has capital hex digits
//   · octets that no URI may hold (above 0x7F, controls, space, `"`, `<` …) are percent-encoded
//   · a star and a dollar that stand for themselves are %2A and %24 on both sides, which leaves a raw star in a pattern
//     free to be the wildcard
//   · a reserved character and its encoding stay different, as they are in a URL: `/a%2Fb` is not `/a/b`; except that in
//     a query `:`, `/`, `?` and `@` delimit nothing, and the table of RFC 9309 §2.2.2 holds `?u=https://a` and
//     `?u=https%3A%2F%2Fa` for the same. Patterns and targets with such an encoding have a second, decoded form.

/// Orders rules: more octets win, `allow` wins a tie (RFC 9309 §2.2.2).
struct RuleStrength: Sendable, Comparable {
    let octets: Int
    let isAllow: Bool

    static func < (a: Self, b: Self) -> Bool {
        a.octets != b.octets ? a.octets < b.octets : !a.isAllow && b.isAllow
    }
}

struct CompiledRule: Sendable {
    let pattern: RobotsPattern
    let strength: RuleStrength
    /// Index into the group's rules.
    let rule: Int
}

/// A path pattern, ready to be matched in time linear in the target and the pattern, without allocating.
struct RobotsPattern: Sendable {
    private let written: RobotsGlob
    /// The same with the query's `:`, `/`, `?`, `@` decoded, where that differs.
    private let queryForm: RobotsGlob?
    /// Octets of the pattern after normalization, wildcards and `$` included: its strength.
    let length: Int

    /// nil for an empty pattern, which matches nothing.
    init?(_ pattern: some Collection<UInt8>) {
        guard !pattern.isEmpty else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(pattern.count)
        var length = 0
        var isAnchored = false
        var index = pattern.startIndex
        while index != pattern.endIndex {
            let byte = pattern[index]
            let next = pattern.index(after: index)
            switch byte {
            case UInt8(ascii: "*"):
                length += 1
                if octets.last != byte { octets.append(byte) }
                index = next
            case UInt8(ascii: "$") where next == pattern.endIndex:
                isAnchored = true
                length += 1
                index = next
            default:
                let before = octets.count
                RobotsSpelling.appendCanonical(pattern, at: &index, to: &octets)
                // A literal dollar is one octet of the file, though three of the canonical spelling.
                length += byte == UInt8(ascii: "$") ? 1 : octets.count - before
            }
        }
        self.length = length
        queryForm = octets.withUnsafeBufferPointer(RobotsSpelling.queryForm)
            .map { RobotsGlob(octets: $0, isAnchored: isAnchored) }
        written = RobotsGlob(octets: octets, isAnchored: isAnchored)
    }

    func matches(_ target: RobotsTarget) -> Bool {
        if written.matches(target.octets) { return true }
        guard queryForm != nil || target.queryForm != nil else { return false }
        return (queryForm ?? written).matches(target.queryForm ?? target.octets)
    }
}

/// Octets with wildcards: pieces that must follow each other in the target.
///
/// Leftmost placement of each piece is enough: what a later piece could do after a match further right, it can do after
/// the leftmost one. Each piece is found by Knuth–Morris–Pratt, so that no octet of the target is gone back to.
private struct RobotsGlob: Sendable {
    /// A star is the wildcard, never two in a row.
    private let octets: [UInt8]
    /// For each octet of the pieces after the first: how many octets of its piece are still matched when the next one
    /// fails. Empty without wildcards.
    private let fallback: [Int32]
    private let isAnchored: Bool

    init(octets: [UInt8], isAnchored: Bool) {
        self.octets = octets
        self.isAnchored = isAnchored
        guard let first = octets.firstIndex(of: Self.wildcard), first + 1 < octets.count else {
            fallback = []
            return
        }
        var fallback = [Int32](repeating: 0, count: octets.count)
        var start = first + 1
        var matched = 0
        for index in (first + 1)..<octets.count {
            if octets[index] == Self.wildcard {
                start = index + 1
                matched = 0
            } else if index > start {
                while matched > 0, octets[index] != octets[start + matched] {
                    matched = Int(fallback[start + matched - 1])
                }
                if octets[index] == octets[start + matched] { matched += 1 }
                fallback[index] = Int32(matched)
            }
        }
        self.fallback = fallback
    }

    func matches(_ target: UnsafeBufferPointer<UInt8>) -> Bool {
        octets.withUnsafeBufferPointer { pattern in
            var end = pattern.firstIndex(of: Self.wildcard) ?? pattern.count
            guard target.starts(with: pattern[..<end]) else { return false }
            var at = end
            while end < pattern.count {
                let start = end + 1
                end = pattern[start...].firstIndex(of: Self.wildcard) ?? pattern.count
                let piece = start..<end
                if end == pattern.count, isAnchored {
                    return target.count - at >= piece.count
                        && target[(target.count - piece.count)...].elementsEqual(pattern[piece])
                }
                if piece.isEmpty { return true }  // a final wildcard
                guard let after = endOfFirst(piece, of: pattern, in: target, from: at) else { return false }
                at = after
            }
            return !isAnchored || at == target.count
        }
    }

    /// Where the first occurrence of a piece ends.
    private func endOfFirst(
        _ piece: Range<Int>, of pattern: UnsafeBufferPointer<UInt8>, in target: UnsafeBufferPointer<UInt8>, from: Int
    ) -> Int? {
        guard target.count - from >= piece.count else { return nil }
        var matched = 0
        for index in from..<target.count {
            let byte = target[index]
            while matched > 0, pattern[piece.lowerBound + matched] != byte {
                matched = Int(fallback[piece.lowerBound + matched - 1])
            }
            if pattern[piece.lowerBound + matched] == byte { matched += 1 }
            if matched == piece.count { return index + 1 }
        }
        return nil
    }

    private static let wildcard = UInt8(ascii: "*")
}

/// What patterns are matched against: path and query of a URL, in canonical spelling.
struct RobotsTarget {
    let octets: UnsafeBufferPointer<UInt8>
    let queryForm: UnsafeBufferPointer<UInt8>?

    var isRobotsFile: Bool {
        octets.count == 11 && "/robots.txt".utf8.elementsEqual(octets)
    }

    /// Lends the target of a URL to `body`. Most URLs are spelled canonically already and are not copied.
    static func withTarget<Result>(of url: WebURL, _ body: (RobotsTarget) -> Result) -> Result {
        var href = url.href
        return href.withUTF8 { all in
            let written = UnsafeBufferPointer(rebasing: all[Int(url.layout.pathStart)..<Int(url.layout.fragmentStart)])
            if written.first == UInt8(ascii: "/"), written.allSatisfy(RobotsSpelling.isCanonical) {
                return body(RobotsTarget(octets: written, queryForm: nil))
            }
            var octets: [UInt8] = []
            octets.reserveCapacity(written.count + 16)
            // Only URLs without a host, which no robots.txt is asked about, can lack the slash.
            if written.first != UInt8(ascii: "/") { octets.append(UInt8(ascii: "/")) }
            var index = written.startIndex
            while index != written.endIndex { RobotsSpelling.appendCanonical(written, at: &index, to: &octets) }
            return octets.withUnsafeBufferPointer { octets in
                guard let queryForm = RobotsSpelling.queryForm(of: octets) else {
                    return body(RobotsTarget(octets: octets, queryForm: nil))
                }
                return queryForm.withUnsafeBufferPointer { body(RobotsTarget(octets: octets, queryForm: $0)) }
            }
        }
    }
}

/// The one spelling of paths that robots rules are compared in.
enum RobotsSpelling {
    /// An octet that is its own canonical spelling wherever it stands in a target.
    static func isCanonical(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || isReserved(byte)
    }

    /// Appends the canonical spelling of the character at `index` (one octet, or a percent-encoded triple) and moves on.
    static func appendCanonical<Bytes: Collection<UInt8>>(
        _ bytes: Bytes, at index: inout Bytes.Index, to octets: inout [UInt8]
    ) {
        let byte = bytes[index]
        bytes.formIndex(after: &index)
        if byte == UInt8(ascii: "%") {
            var end = index
            guard let high = hexDigit(bytes, at: &end), let low = hexDigit(bytes, at: &end) else {
                return octets.append(byte)  // a percent sign of its own, as the URL Standard leaves it
            }
            index = end
            let value = high << 4 | low
            if isUnreserved(value) { octets.append(value) } else { appendEncoded(value, to: &octets) }
        } else if isCanonical(byte) {
            octets.append(byte)
        } else {
            appendEncoded(byte, to: &octets)
        }
    }

    /// The octets with `:`, `/`, `?`, `@` of the query decoded; nil where nothing is encoded.
    static func queryForm(of octets: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard let query = octets.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        var form: [UInt8]?
        var index = query + 1
        while index < octets.count {
            var length = 1
            var byte = octets[index]
            if byte == UInt8(ascii: "%"), index + 2 < octets.count {
                let decoded: UInt8? =
                    switch (octets[index + 1], octets[index + 2]) {
                    case (UInt8(ascii: "3"), UInt8(ascii: "A")): UInt8(ascii: ":")
                    case (UInt8(ascii: "2"), UInt8(ascii: "F")): UInt8(ascii: "/")
                    case (UInt8(ascii: "3"), UInt8(ascii: "F")): UInt8(ascii: "?")
                    case (UInt8(ascii: "4"), UInt8(ascii: "0")): UInt8(ascii: "@")
                    default: nil
                    }
                if let decoded {
                    if form == nil { form = Array(octets[..<index]) }
                    byte = decoded
                    length = 3
                }
            }
            form?.append(byte)
            index += length
        }
        return form
    }

    private static func hexDigit<Bytes: Collection<UInt8>>(_ bytes: Bytes, at index: inout Bytes.Index) -> UInt8? {
        guard index != bytes.endIndex else { return nil }
        let byte = bytes[index]
        bytes.formIndex(after: &index)
        switch byte {
        case 0x30...0x39: return byte - 0x30
        case 0x41...0x46: return byte - 0x41 + 10
        case 0x61...0x66: return byte - 0x61 + 10
        default: return nil
        }
    }

    private static func appendEncoded(_ byte: UInt8, to octets: inout [UInt8]) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
        octets.append(UInt8(ascii: "%"))
        octets.append(digit(byte >> 4))
        octets.append(digit(byte & 0xF))
    }

    /// RFC 3986 §2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// RFC 3986 §2.2, without `*` and `$`, which mean something in a pattern.
    private static func isReserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "["),
            UInt8(ascii: "]"),
            UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"),
            UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
