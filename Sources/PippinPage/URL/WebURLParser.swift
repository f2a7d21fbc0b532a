/// The basic URL parser (URL Standard §4.4), with one method per state or run of states.
///
/// The states of authority, host, port and file URLs are in `+Authority`, those of path, query and fragment in `+Path`.
/// It reads the bytes of the input and writes the serialization at once; `at` is the standard's pointer. Methods that return
/// `Bool` return false for failure.
struct WebURLParser {
    let input: UnsafeBufferPointer<UInt8>
    let base: WebURL?
    var at = 0
    var out: [UInt8] = []
    var layout = WebURL.Layout()

    /// Parses valid UTF-8.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, base: WebURL?) -> WebURL? {
        var start = 0
        var end = bytes.count
        while start < end, bytes[start] <= 0x20 { start += 1 }
        while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
        let trimmed = UnsafeBufferPointer(rebasing: bytes[start..<end])
        guard trimmed.contains(where: isTabOrNewline) else { return parse(clean: trimmed, base: base) }
        return trimmed.filter { !isTabOrNewline($0) }.withUnsafeBufferPointer { parse(clean: $0, base: base) }
    }

    static func isTabOrNewline(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }

    static func parse(clean bytes: UnsafeBufferPointer<UInt8>, base: WebURL?) -> WebURL? {
        var parser = WebURLParser(input: bytes, base: base)
        parser.out.reserveCapacity(bytes.count + (base?.href.utf8.count ?? 0) + 16)
        guard parser.parseURL() else { return nil }
        return WebURL(href: String(decoding: parser.out, as: UTF8.self), layout: parser.layout)
    }

    private init(input: UnsafeBufferPointer<UInt8>, base: WebURL?) {
        self.input = input
        self.base = base
    }

    // MARK: Looking at the input

    /// The byte `ahead` of the pointer; nil at the end of the input.
    func peek(_ ahead: Int = 0) -> UInt8? {
        at + ahead < input.count ? input[at + ahead] : nil
    }

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: input[range])
    }

    func isSlash(_ byte: UInt8?) -> Bool {
        byte == 0x2F || (byte == 0x5C && layout.scheme.isSpecial)
    }

    func endsAuthority(_ byte: UInt8) -> Bool {
        byte == 0x3F || byte == 0x23 || isSlash(byte)
    }

    /// The end of the authority or segment at the pointer.
    var authorityEnd: Int {
        var end = at
        while end < input.count, !endsAuthority(input[end]) { end += 1 }
        return end
    }

    mutating func skipSlashes() {
        while isSlash(peek()) { at += 1 }
    }

    static func isWindowsDriveLetter(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.count == 2 && bytes[0].isASCIILetter && (bytes[1] == 0x3A || bytes[1] == 0x7C)
    }

    /// Whether the rest of the input starts with a Windows drive letter (§4.1).
    var startsWithWindowsDriveLetter: Bool {
        guard input.count - at >= 2, Self.isWindowsDriveLetter(slice(at..<at + 2)) else { return false }
        guard let next = peek(2) else { return true }
        return next == 0x2F || next == 0x5C || next == 0x3F || next == 0x23
    }

    // MARK: Scheme

    /// Scheme start, scheme and no scheme state.
    mutating func parseURL() -> Bool {
        if let colon = schemeEnd {
            for byte in input[..<colon] { out.append(byte.asciiLowercased) }
            layout.scheme = Self.scheme(out)
            out.append(0x3A)
            layout.schemeEnd = UInt32(colon)
            at = colon + 1
            switch layout.scheme {
            case .file:
                return file()
            case .other:
                if peek() != 0x2F { return opaquePath() }
                at += 1
                if peek() != 0x2F {
                    noHost()
                    return path()
                }
                at += 1
                return authority()
            case .http, .https, .ws, .wss, .ftp:
                if let base, base.layout.scheme == layout.scheme, !(peek() == 0x2F && peek(1) == 0x2F) {
                    return relative(to: base)
                }
                skipSlashes()
                return authority()
            }
        }
        guard let base else { return false }
        if base.layout.hasOpaquePath {
            guard peek() == 0x23 else { return false }
            copy(base, to: base.layout.fragmentStart)
            return queryAndFragment(keepingQuery: true)
        }
        layout.scheme = base.layout.scheme
        if base.layout.scheme == .file {
            out.append(contentsOf: "file:".utf8)
            layout.schemeEnd = 4
            return file()
        }
        return relative(to: base)
    }

    /// The position of the colon that ends a scheme.
    var schemeEnd: Int? {
        guard let first = input.first, first.isASCIILetter else { return nil }
        for i in input.indices {
            let byte = input[i]
            if byte == 0x3A { return i }
            guard byte.isASCIILetter || byte.isASCIIDigit || byte == 0x2B || byte == 0x2D || byte == 0x2E else {
                return nil
            }
        }
        return nil
    }

    static func scheme(_ name: [UInt8]) -> WebURL.Scheme {
        guard name.count <= 5 else { return .other }
        if name.elementsEqual("https".utf8) { return .https }
        if name.elementsEqual("http".utf8) { return .http }
        if name.elementsEqual("ws".utf8) { return .ws }
        if name.elementsEqual("wss".utf8) { return .wss }
        if name.elementsEqual("ftp".utf8) { return .ftp }
        if name.elementsEqual("file".utf8) { return .file }
        return .other
    }

    // MARK: Taking over from the base

    /// Replaces the output by the base up to `end`, one of its own offsets not before the path.
    mutating func copy(_ base: WebURL, to end: UInt32) {
        layout = base.layout
        out.removeAll(keepingCapacity: true)
        base.withBytes { out.append(contentsOf: $0[..<Int(end)]) }
    }

    /// Copies scheme, user, host and port of the base, without its path.
    mutating func copyAuthority(_ base: WebURL) {
        // The "/." before a path is not part of it; `pathEnd` decides whether the new path needs it.
        copy(base, to: base.layout.hasHost ? base.layout.pathStart : base.layout.schemeEnd + 1)
        layout.pathStart = UInt32(out.count)
    }

    /// Copies the authority, and the path without its last segment.
    mutating func copyParent(_ base: WebURL) {
        copyAuthority(base)
        base.withBytes { out.append(contentsOf: $0[Int(base.layout.pathStart)..<Int(base.layout.queryStart)]) }
        shortenPath()
    }

    /// Relative state.
    mutating func relative(to base: WebURL) -> Bool {
        if isSlash(peek()) {
            at += 1
            return relativeSlash(to: base)
        }
        switch peek() {
        case nil, 0x23:
            copy(base, to: base.layout.fragmentStart)
            return queryAndFragment(keepingQuery: true)
        case 0x3F:
            copy(base, to: base.layout.queryStart)
            return queryAndFragment()
        default:
            copyParent(base)
            return path()
        }
    }

    /// Relative slash state.
    mutating func relativeSlash(to base: WebURL) -> Bool {
        guard isSlash(peek()) else {
            copyAuthority(base)
            return path()
        }
        let schemeEnd = base.layout.schemeEnd
        out.removeAll(keepingCapacity: true)
        base.withBytes { out.append(contentsOf: $0[...Int(schemeEnd)]) }
        layout.schemeEnd = schemeEnd
        if layout.scheme.isSpecial { skipSlashes() } else { at += 1 }
        return authority()
    }
}

// MARK: Path, query and fragment

extension WebURLParser {
    /// Path start state.
    mutating func pathStart() -> Bool {
        if isSlash(peek()) {
            at += 1
            return path()
        }
        return layout.scheme.isSpecial ? path() : pathEnd()
    }

    /// Path state, with the slash before the first segment consumed.
    mutating func path() -> Bool {
        while true {
            let end = authorityEnd
            let segment = slice(at..<end)
            at = end
            let slashFollows = isSlash(peek())
            switch Self.dots(segment) {
            case 1:
                if !slashFollows { out.append(0x2F) }
            case 2:
                shortenPath()
                if !slashFollows { out.append(0x2F) }
            default:
                let isFirst = out.count == Int(layout.pathStart)
                out.append(0x2F)
                if isFirst, layout.scheme == .file, Self.isWindowsDriveLetter(segment) {
                    out.append(segment[0])
                    out.append(0x3A)
                } else {
                    out.append(segment, percentEncoding: PercentEncodeSet.path)
                }
            }
            guard slashFollows else { return pathEnd() }
            at += 1
        }
    }

    /// Drops the last segment, except a lone drive letter of a file URL.
    mutating func shortenPath() {
        let start = Int(layout.pathStart)
        if layout.scheme == .file, out.count == start + 3, out[start + 1].isASCIILetter, out[start + 2] == 0x3A {
            return
        }
        if let slash = out[start...].lastIndex(of: 0x2F) { out.removeLast(out.count - slash) }
    }

    /// The number of dots, plain or as `%2e`, if the segment has only dots; else nil.
    static func dots(_ segment: UnsafeBufferPointer<UInt8>) -> Int? {
        guard segment.count <= 6 else { return nil }
        var dots = 0
        var i = 0
        while i < segment.count {
            if segment[i] == 0x2E {
                i += 1
            } else if i + 2 < segment.count, segment[i] == 0x25, segment[i + 1] == 0x32, segment[i + 2] | 0x20 == 0x65 {
                i += 3
            } else {
                return nil
            }
            dots += 1
        }
        return dots
    }

    /// Writes the "/." that keeps a path from being read as a host (§4.5).
    mutating func pathEnd() -> Bool {
        let start = Int(layout.pathStart)
        if !layout.hasHost, out.count >= start + 2, out[start] == 0x2F, out[start + 1] == 0x2F {
            out.insert(contentsOf: [0x2F, 0x2E], at: start)
            layout.pathStart += 2
        }
        return queryAndFragment()
    }

    /// Opaque path state.
    mutating func opaquePath() -> Bool {
        noHost()
        layout.hasOpaquePath = true
        let end = input[at...].firstIndex { $0 == 0x3F || $0 == 0x23 } ?? input.count
        // A space stays, but the last one before a query or fragment is encoded: without these it would be trimmed.
        if end < input.count, end > at, input[end - 1] == 0x20 {
            out.append(slice(at..<end - 1), percentEncoding: PercentEncodeSet.c0Control)
            out.appendPercentEncoded(0x20)
        } else {
            out.append(slice(at..<end), percentEncoding: PercentEncodeSet.c0Control)
        }
        at = end
        return queryAndFragment()
    }

    /// Query and fragment state; the output ends with the path, or with the base's query.
    mutating func queryAndFragment(keepingQuery: Bool = false) -> Bool {
        if !keepingQuery {
            layout.queryStart = UInt32(out.count)
            if peek() == 0x3F {
                let end = input[at...].firstIndex(of: 0x23) ?? input.count
                out.append(0x3F)
                let set = layout.scheme.isSpecial ? PercentEncodeSet.specialQuery : PercentEncodeSet.query
                out.append(slice(at + 1..<end), percentEncoding: set)
                at = end
            }
        }
        layout.fragmentStart = UInt32(out.count)
        if peek() == 0x23 {
            out.append(0x23)
            out.append(slice(at + 1..<input.count), percentEncoding: PercentEncodeSet.fragment)
        }
        return true
    }
}
