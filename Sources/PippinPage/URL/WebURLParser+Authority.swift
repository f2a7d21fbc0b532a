extension WebURLParser {
    // MARK: Authority

    mutating func noHost() {
        layout.usernameEnd = UInt32(out.count)
        layout.hostStart = layout.usernameEnd
        layout.hostEnd = layout.usernameEnd
        layout.pathStart = layout.usernameEnd
    }

    mutating func emptyHost() {
        out.append(0x2F)
        out.append(0x2F)
        layout.hasHost = true
        noHost()
    }

    /// Authority, host and port state, with the pointer after the slashes.
    mutating func authority() -> Bool {
        emptyHost()
        let end = authorityEnd
        if let sign = input[at..<end].lastIndex(of: 0x40) {
            credentials(slice(at..<sign))
            at = sign + 1
            if at == end { return false }
        }
        layout.hostStart = UInt32(out.count)

        var hostEnd = at
        var insideBrackets = false
        while hostEnd < end {
            switch input[hostEnd] {
            case 0x5B: insideBrackets = true
            case 0x5D: insideBrackets = false
            default: break
            }
            if input[hostEnd] == 0x3A, !insideBrackets { break }
            hostEnd += 1
        }
        let hasPort = hostEnd < end
        if hostEnd == at {
            if hasPort || layout.scheme.isSpecial { return false }
        } else if !WebURLHost.append(slice(at..<hostEnd), isOpaque: !layout.scheme.isSpecial, to: &out) {
            return false
        }
        layout.hostEnd = UInt32(out.count)
        if hasPort, !port(slice(hostEnd + 1..<end)) { return false }
        at = end
        layout.pathStart = UInt32(out.count)
        return pathStart()
    }

    mutating func credentials(_ bytes: UnsafeBufferPointer<UInt8>) {
        let colon = bytes.firstIndex(of: 0x3A) ?? bytes.count
        out.append(UnsafeBufferPointer(rebasing: bytes[..<colon]), percentEncoding: PercentEncodeSet.userinfo)
        layout.usernameEnd = UInt32(out.count)
        let hasPassword = colon + 1 < bytes.count
        if hasPassword {
            out.append(0x3A)
            out.append(
                UnsafeBufferPointer(rebasing: bytes[(colon + 1)...]), percentEncoding: PercentEncodeSet.userinfo)
        }
        if hasPassword || layout.usernameEnd > layout.schemeEnd + 3 { out.append(0x40) }
    }

    mutating func port(_ digits: UnsafeBufferPointer<UInt8>) -> Bool {
        var value = 0
        for byte in digits {
            guard byte.isASCIIDigit else { return false }
            value = value * 10 + Int(byte - 0x30)
            if value > 65535 { return false }
        }
        if !digits.isEmpty, value != layout.scheme.defaultPort {
            out.append(0x3A)
            out.append(contentsOf: String(value).utf8)
        }
        return true
    }

    // MARK: file

    /// File state, with "file:" written.
    mutating func file() -> Bool {
        let base = base.flatMap { $0.layout.scheme == .file ? $0 : nil }
        if isSlash(peek()) {
            at += 1
            return fileSlash(base)
        }
        guard let base else {
            emptyHost()
            return path()
        }
        switch peek() {
        case nil, 0x23:
            copy(base, to: base.layout.fragmentStart)
            return queryAndFragment(keepingQuery: true)
        case 0x3F:
            copy(base, to: base.layout.queryStart)
            return queryAndFragment()
        default:
            if startsWithWindowsDriveLetter { copyAuthority(base) } else { copyParent(base) }
            return path()
        }
    }

    mutating func fileSlash(_ base: WebURL?) -> Bool {
        if isSlash(peek()) {
            at += 1
            return fileHost()
        }
        guard let base else {
            emptyHost()
            return path()
        }
        copyAuthority(base)
        if !startsWithWindowsDriveLetter {
            base.withBytes { bytes in
                let path = bytes[Int(base.layout.pathStart)..<Int(base.layout.queryStart)]
                let start = path.startIndex
                if path.count >= 3, path[start + 1].isASCIILetter, path[start + 2] == 0x3A,
                    path.count == 3 || path[start + 3] == 0x2F
                {
                    out.append(contentsOf: path.prefix(3))
                }
            }
        }
        return path()
    }

    mutating func fileHost() -> Bool {
        let end = authorityEnd
        let host = slice(at..<end)
        emptyHost()
        if Self.isWindowsDriveLetter(host) { return path() }
        if !host.isEmpty {
            let start = out.count
            guard WebURLHost.append(host, isOpaque: false, to: &out) else { return false }
            if out[start...].elementsEqual("localhost".utf8) { out.removeLast(out.count - start) }
            layout.hostEnd = UInt32(out.count)
            layout.pathStart = layout.hostEnd
            at = end
        }
        return pathStart()
    }
}
