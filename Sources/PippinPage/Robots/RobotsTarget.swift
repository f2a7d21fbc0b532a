// Matching of path patterns (RFC 9309 §2.2.2, §2.2.3).
//
// Pattern and target first get the same spelling, so that matching can compare octets:
//   · %XX of an unreserved character becomes that character; every other %XX gets upper-case hex digits
//   · octets that are not allowed in a URI (above 0x7F, controls, space, `"`, `<` …) are percent-encoded
//   · a literal star is %2A and a literal dollar sign %24 on both sides, so that a raw star in a pattern can only be the
//     wildcard
//   · a reserved character and its encoding stay different, as in a URL: `/a%2Fb` is not `/a/b`. In a query, however, `:`,
//     `/`, `?` and `@` are not delimiters, and the table of RFC 9309 §2.2.2 treats `?u=https://a` and `?u=https%3A%2F%2Fa` as
//     equal. Patterns and targets with such an encoding have a second, decoded form.

/// Orders rules: more octets win, `allow` wins a tie (RFC 9309 §2.2.2).
struct RuleStrength: Sendable, Comparable {
    let octets: Int
    let isAllow: Bool

    static func < (a: Self, b: Self) -> Bool {
        a.octets != b.octets ? a.octets < b.octets : !a.isAllow && b.isAllow
    }
}

/// The text that patterns are compared with: path and query of a URL, in canonical spelling.
struct RobotsTarget {
    let octets: UnsafeBufferPointer<UInt8>
    let queryForm: UnsafeBufferPointer<UInt8>?

    var isRobotsFile: Bool {
        octets.count == 11 && "/robots.txt".utf8.elementsEqual(octets)
    }

    /// Calls `body` with the target of a URL. Most URLs already have the canonical spelling and are not copied.
    static func withTarget<Result>(of url: WebURL, _ body: (RobotsTarget) -> Result) -> Result {
        var href = url.href
        return href.withUTF8 { all in
            let written = UnsafeBufferPointer(rebasing: all[Int(url.layout.pathStart)..<Int(url.layout.fragmentStart)])
            if written.first == UInt8(ascii: "/"), written.allSatisfy(RobotsSpelling.isCanonical) {
                return body(RobotsTarget(octets: written, queryForm: nil))
            }
            var octets: [UInt8] = []
            octets.reserveCapacity(written.count + 16)
            // Only URLs without a host can lack the slash, and they have no robots.txt.
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

/// The canonical spelling of paths, in which robots rules are compared.
enum RobotsSpelling {
    /// Whether an octet is its own canonical spelling at any place of a target.
    static func isCanonical(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || isReserved(byte)
    }

    /// Appends the canonical spelling of the character at `index` (one octet, or a percent-encoded triple) and moves `index`
    /// after it.
    static func appendCanonical<Bytes: Collection<UInt8>>(
        _ bytes: Bytes, at index: inout Bytes.Index, to octets: inout [UInt8]
    ) {
        let byte = bytes[index]
        bytes.formIndex(after: &index)
        if byte == UInt8(ascii: "%") {
            var end = index
            guard let high = hexDigit(bytes, at: &end), let low = hexDigit(bytes, at: &end) else {
                return octets.append(byte)  // a stray percent sign, which the URL Standard keeps
            }
            index = end
            let value = high << 4 | low
            if isUnreserved(value) { octets.append(value) } else { octets.appendPercentEncoded(value) }
        } else if isCanonical(byte) {
            octets.append(byte)
        } else {
            octets.appendPercentEncoded(byte)
        }
    }

    /// The octets with `:`, `/`, `?`, `@` of the query decoded; nil if none of them is encoded.
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
        return byte.hexDigitValue
    }

    /// Whether an octet is unreserved (RFC 3986 §2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether an octet is reserved (RFC 3986 §2.2), except `*` and `$`, which have a meaning in patterns.
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
