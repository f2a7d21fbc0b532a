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
