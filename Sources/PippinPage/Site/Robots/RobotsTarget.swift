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
            if isUnreserved(value) { octets.append(value) } else { octets.appendPercentEncoded(value) }
        } else if isCanonical(byte) {
            octets.append(byte)
        } else {
            octets.appendPercentEncoded(byte)
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
        return byte.hexDigitValue
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
