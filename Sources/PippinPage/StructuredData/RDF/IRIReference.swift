/// Resolves references against a base (RFC 3986 §5.2) and leaves every character as written.
///
/// RDF compares IRIs character by character. A WHATWG URL is normalized, so it would be another IRI.
struct IRIReference {
    private let bytes: [UInt8]
    private var scheme: Range<Int>?
    private var authority: Range<Int>?
    private var path: Range<Int>
    private var query: Range<Int>?
    private var fragment: Range<Int>?

    init(_ text: String) {
        let bytes = Array(text.utf8)
        self.bytes = bytes
        var position = 0
        if let end = Self.schemeEnd(bytes) {
            scheme = 0..<end
            position = end + 1
        }
        func end(_ start: Int, where isStop: (UInt8) -> Bool) -> Int {
            bytes[start...].firstIndex(where: isStop) ?? bytes.count
        }
        let slash = UInt8(ascii: "/")
        let question = UInt8(ascii: "?")
        let hash = UInt8(ascii: "#")
        if position + 1 < bytes.count, bytes[position] == slash, bytes[position + 1] == slash {
            position += 2
            let stop = end(position) { $0 == slash || $0 == question || $0 == hash }
            authority = position..<stop
            position = stop
        }
        let pathEnd = end(position) { $0 == question || $0 == hash }
        path = position..<pathEnd
        position = pathEnd
        if position < bytes.count, bytes[position] == question {
            position += 1
            let stop = end(position) { $0 == hash }
            query = position..<stop
            position = stop
        }
        if position < bytes.count { fragment = position + 1..<bytes.count }
    }

    /// Bytes of the reference.
    var count: Int { bytes.count }

    /// The limit of a vocabulary or prefix, in bytes. It is written before every name, so a long one would multiply the output.
    /// Real ones have fewer than 100 bytes.
    static let maximumPrefixBytes = 1_024

    /// Whether a text starts with a scheme and a colon (RFC 3986 §3.1).
    static func hasScheme(_ text: String) -> Bool {
        schemeEnd(text.utf8) != nil
    }

    /// The length of the scheme, without the colon.
    private static func schemeEnd(_ bytes: some Sequence<UInt8>) -> Int? {
        var i = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if i == 0 { return nil }
            case UInt8(ascii: ":"): return i > 0 ? i : nil
            default: return nil
            }
            i += 1
        }
        return nil
    }

    /// Resolves a reference (RFC 3986 §5.2.2, strict). If the base has no scheme, relative references stay relative.
    static func resolve(_ reference: String, base: IRIReference) -> String {
        // Most addresses are absolute, and nothing is to be done.
        if hasScheme(reference), !reference.has("/.") { return reference }
        let r = IRIReference(reference)
        if r.scheme != nil { return r.hasDots ? r.written(path: r.withoutDots(r.bytes[r.path])) : reference }
        if r.authority != nil { return r.written(path: r.withoutDots(r.bytes[r.path]), scheme: base) }
        if r.path.isEmpty {
            return r.written(
                path: Array(base.bytes[base.path]), scheme: base, authority: base, query: r.query == nil ? base : r)
        }
        if r.bytes[r.path.lowerBound] == UInt8(ascii: "/") {
            return r.written(path: r.withoutDots(r.bytes[r.path]), scheme: base, authority: base)
        }
        var merged: [UInt8]
        if base.authority != nil && base.path.isEmpty {
            merged = [UInt8(ascii: "/")]
        } else {
            let parent = base.bytes[base.path].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? base.path.lowerBound
            merged = Array(base.bytes[base.path.lowerBound..<parent])
        }
        merged += r.bytes[r.path]
        return r.written(path: r.withoutDots(merged[...]), scheme: base, authority: base)
    }

    private var hasDots: Bool {
        var previous = UInt8(ascii: "/")
        for byte in bytes[path] {
            if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return authority != nil }
            previous = byte
        }
        return false
    }

    /// Writes the resolved reference. Components that are nil come from the base.
    private func written(
        path: [UInt8], scheme: IRIReference? = nil, authority: IRIReference? = nil, query: IRIReference? = nil
    ) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + path.count + 32)
        let schemeSource = scheme ?? self
        if let range = schemeSource.scheme {
            result += schemeSource.bytes[range]
            result.append(UInt8(ascii: ":"))
        }
        let authoritySource = authority ?? self
        if let range = authoritySource.authority {
            result += [UInt8(ascii: "/"), UInt8(ascii: "/")]
            result += authoritySource.bytes[range]
        }
        result += path
        let querySource = query ?? self
        if let range = querySource.query {
            result.append(UInt8(ascii: "?"))
            result += querySource.bytes[range]
        }
        if let range = fragment {
            result.append(UInt8(ascii: "#"))
            result += bytes[range]
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Removes dot segments (RFC 3986 §5.2.4), segment by segment.
    private func withoutDots(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let dot = UInt8(ascii: ".")
        var output: [UInt8] = []
        output.reserveCapacity(path.count)
        var i = path.startIndex
        while i < path.endIndex {
            // Read one segment, with the slash before it.
            let start = i
            if path[i] == slash { i += 1 }
            let segmentStart = i
            while i < path.endIndex && path[i] != slash { i += 1 }
            let segment = path[segmentStart..<i]
            let isLast = i == path.endIndex
            if segment.count == 1, segment.first == dot {
                if isLast && segmentStart > start { output.append(slash) }
            } else if segment.count == 2, segment.first == dot, segment.last == dot {
                if let previous = output.lastIndex(of: slash) {
                    output.removeSubrange(previous...)
                } else {
                    output.removeAll(keepingCapacity: true)
                }
                if isLast && segmentStart > start { output.append(slash) }
            } else {
                output += path[start..<i]
            }
        }
        return output
    }
}
