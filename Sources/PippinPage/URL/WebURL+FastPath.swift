// Most links are already in normal form, or are simple relative paths. For these, each byte is read only once: the string is
// kept, or joined to a part of the base. All others go to `WebURLParser`, which must give the same result for simple ones too.

extension WebURL {
    /// The limit of a URL and of a base, in bytes. Offsets have 32 bits, and encoding can triple the length. Browsers stop at 2
    /// MB.
    static let maximumInputBytes = 1 << 28

    /// Parses bytes that may not be UTF-8.
    static func parse(untrusted bytes: UnsafeBufferPointer<UInt8>, base: WebURL?) -> WebURL? {
        guard fits(bytes, base) else { return nil }
        // Only ASCII is in normal form.
        if let url = parseNormal(bytes, as: nil, base: base) { return url }
        guard bytes.contains(where: { $0 >= 0x80 }) else { return WebURLParser.parse(bytes, base: base) }
        // Decoding replaces invalid bytes by U+FFFD.
        var repaired = String(decoding: bytes, as: UTF8.self)
        return repaired.withUTF8 { fits($0, base) ? WebURLParser.parse($0, base: base) : nil }
    }

    /// Parses valid UTF-8. `string` has the same content as `bytes` and can be shared instead of copied.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, as string: String?, base: WebURL?) -> WebURL? {
        guard fits(bytes, base) else { return nil }
        return parseNormal(bytes, as: string, base: base) ?? WebURLParser.parse(bytes, base: base)
    }

    private static func fits(_ bytes: UnsafeBufferPointer<UInt8>, _ base: WebURL?) -> Bool {
        bytes.count + (base?.href.utf8.count ?? 0) <= maximumInputBytes
    }

    /// The URL if it is in normal form, or a simple relative path; nil if the parser must decide.
    private static func parseNormal(
        _ bytes: UnsafeBufferPointer<UInt8>, as string: String?, base: WebURL?
    ) -> WebURL? {
        if let layout = layoutOfNormalURL(bytes) {
            return WebURL(href: string ?? String(decoding: bytes, as: UTF8.self), layout: layout)
        }
        guard let base, base.layout.scheme == .https || base.layout.scheme == .http else { return nil }
        return joined(bytes, to: base)
    }

    /// The layout of an http or https URL in normal form; nil if the parser must decide.
    private static func layoutOfNormalURL(_ bytes: UnsafeBufferPointer<UInt8>) -> Layout? {
        let count = bytes.count
        // "http://a/" is the shortest candidate.
        guard count >= 9, bytes[0] == 0x68, bytes[1] == 0x74, bytes[2] == 0x74, bytes[3] == 0x70 else { return nil }
        let secure = bytes[4] == 0x73
        let colon = secure ? 5 : 4
        guard bytes[colon] == 0x3A, bytes[colon + 1] == 0x2F, bytes[colon + 2] == 0x2F else { return nil }

        // The host: plain letters, digits, hyphens and dots. A last label that begins with a digit may be an IPv4 address.
        let hostStart = colon + 3
        var at = hostStart
        var labelStart = hostStart
        while at < count, bytes[at] != 0x2F {
            let byte = bytes[at]
            if byte == 0x2E {
                guard at > labelStart else { return nil }
                labelStart = at + 1
            } else if !(byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x2D) {
                return nil
            }
            at += 1
        }
        guard at < count, at > labelStart, !bytes[labelStart].isASCIIDigit else { return nil }
        guard let (queryStart, fragmentStart) = scanNormal(bytes, from: at) else {
            return nil
        }
        return Layout(
            scheme: secure ? .https : .http, hasHost: true, schemeEnd: UInt32(colon), usernameEnd: UInt32(hostStart),
            hostStart: UInt32(hostStart), hostEnd: UInt32(at), pathStart: UInt32(at), queryStart: UInt32(queryStart),
            fragmentStart: UInt32(fragmentStart))
    }

    /// Joins a relative reference without dot segments to an http or https base; nil if the parser must decide.
    private static func joined(_ bytes: UnsafeBufferPointer<UInt8>, to base: WebURL) -> WebURL? {
        guard let first = bytes.first else { return nil }
        var layout = base.layout
        let kept: Int
        switch first {
        case 0x2F:  // "/path", but not "//host"
            guard bytes.count < 2 || (bytes[1] != 0x2F && bytes[1] != 0x5C) else { return nil }
            kept = Int(layout.pathStart)
        case 0x23:
            kept = Int(layout.fragmentStart)
        case 0x3F:
            kept = Int(layout.queryStart)
        default:
            // "name.html": a colon in the first segment would end a scheme.
            guard first.isASCIILetter || first.isASCIIDigit || first == 0x5F || first == 0x2D else { return nil }
            for byte in bytes where byte == 0x3A || byte == 0x2F || byte == 0x3F || byte == 0x23 {
                if byte == 0x3A { return nil }
                break
            }
            let path = base.withBytes { $0[Int(layout.pathStart)..<Int(layout.queryStart)].lastIndex(of: 0x2F) }
            guard let path else { return nil }
            kept = path + 1
        }
        guard let (queryStart, fragmentStart) = scanNormal(bytes, from: 0) else {
            return nil
        }
        // Missing parts come from the base (path, query) or stay missing (query, fragment).
        if first != 0x23 {
            if first != 0x3F { layout.queryStart = UInt32(kept + queryStart) }
            layout.fragmentStart = UInt32(kept + fragmentStart)
        }
        let count = kept + bytes.count
        let href = base.withBytes { prefix in
            String(unsafeUninitializedCapacity: count) { room in
                _ = room[..<kept].initialize(fromContentsOf: prefix[..<kept])
                _ = room[kept...].prefix(bytes.count).initialize(fromContentsOf: bytes)
                return count
            }
        }
        return WebURL(href: href, layout: layout)
    }

    /// The starts of query and fragment, if nothing needs encoding or removing; else nil.
    private static func scanNormal(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> (queryStart: Int, fragmentStart: Int)? {
        marks.withUnsafeBufferPointer { marks in
            let count = bytes.count
            var at = start
            path: while true {
                while at < count, marks[Int(bytes[at])] & markInPath == 0 { at &+= 1 }
                guard at < count else { break path }
                switch bytes[at] {
                case 0x3F, 0x23: break path
                case 0x2E, 0x25:
                    // "/." and "/%2e" may begin a dot segment, "/%D0" does not.
                    if at > start, bytes[at - 1] == 0x2F,
                        bytes[at] == 0x2E || (at + 1 < count && bytes[at + 1] == 0x32)
                    {
                        return nil
                    }
                    at &+= 1
                default: return nil
                }
            }
            let queryStart = at
            if at < count, bytes[at] == 0x3F {
                at &+= 1
                while at < count, marks[Int(bytes[at])] & markInQuery == 0 { at &+= 1 }
                if at < count, bytes[at] != 0x23 { return nil }
            }
            let fragmentStart = at
            if at < count {
                at &+= 1
                while at < count, marks[Int(bytes[at])] & markInFragment == 0 { at &+= 1 }
                if at < count { return nil }
            }
            return (queryStart, fragmentStart)
        }
    }

    private static let markInPath: UInt8 = 1
    private static let markInQuery: UInt8 = 2
    private static let markInFragment: UInt8 = 4

    /// For each byte, in which parts it ends the part, needs encoding, or has to be looked at.
    private static let marks: [UInt8] = (0...255).map { (byte: UInt8) in
        let isInPath = PercentEncodeSet.path.encodes(byte) || byte == 0x5C || byte == 0x2E || byte == 0x25
        return (isInPath ? markInPath : 0) | (PercentEncodeSet.specialQuery.encodes(byte) ? markInQuery : 0)
            | (PercentEncodeSet.fragment.encodes(byte) ? markInFragment : 0)
    }
}
