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
