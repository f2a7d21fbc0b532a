/// Ampersands that begin no reference, the commonest mistake of sitemaps: `?a=1&b=2`. An XML parser that goes on after
/// the error has lost the `&b` and would hand us another address.
enum LooseAmpersands {
    /// UTF-8 with every loose ampersand written as `&amp;`; nil where there is none. Sections and comments are left
    /// alone, an ampersand is plain text there. What would become longer than `maximumBytes` ends before, and so does what is
    /// interrupted.
    static func escaped(_ octets: [UInt8], maximumBytes: Int, limits: ReadingLimits = .standard) -> [UInt8]? {
        var result: [UInt8] = []
        var copied = 0
        var index = 0
        while index < octets.count {
            if index & 0xFFFF == 0, limits.isInterrupted { return result }
            switch octets[index] {
            case UInt8(ascii: "&") where !beginsReference(octets[(index + 1)...]):
                result += octets[copied...index]
                result += "amp;".utf8
                if result.count > maximumBytes { return result }
                index += 1
                copied = index
            case UInt8(ascii: "<"):
                if octets[index...].starts(with: "<![CDATA[".utf8) {
                    index = end(of: "]]>", in: octets, from: index + 9)
                } else if octets[index...].starts(with: "<!--".utf8) {
                    index = end(of: "-->", in: octets, from: index + 4)
                } else {
                    index += 1
                }
            default: index += 1
            }
        }
        return copied == 0 ? nil : result + octets[copied...]
    }

    /// `amp;`, `#38;`, `#x26;`: a name or number of reasonable length and a semicolon.
    private static func beginsReference(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let semicolon = rest.prefix(64).firstIndex(of: UInt8(ascii: ";")), semicolon > rest.startIndex else {
            return false
        }
        var name = rest[..<semicolon]
        if name.first == UInt8(ascii: "#") {
            name.removeFirst()
            return !name.isEmpty && name.allSatisfy { isDigit($0) || isLetter($0) }
        }
        guard let first = name.first, isLetter(first) || first == UInt8(ascii: "_") else { return false }
        return name.allSatisfy {
            isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
    }

    private static func end(of mark: StaticString, in octets: [UInt8], from start: Int) -> Int {
        mark.withUTF8Buffer { mark in
            var index = start
            while index + mark.count <= octets.count {
                if octets[index] == mark[0], octets[index...].starts(with: mark) { return index + mark.count }
                index += 1
            }
            return octets.count
        }
    }

    private static func isLetter(_ octet: UInt8) -> Bool {
        (0x61...0x7A).contains(octet | 0x20) || octet > 0x7F
    }

    private static func isDigit(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet)
    }
}
