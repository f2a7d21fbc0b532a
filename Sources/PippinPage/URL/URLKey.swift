/// The form of a URL that decides whether it was seen before.
///
/// URLs with the same key count as the same page. For http and https URLs, the key differs from the URL:
/// - fragment, user name and password are removed: they are never sent;
/// - the host has no trailing dot, and an empty query is removed;
/// - `%XX` of letters, digits and `-._~` is decoded, other `%XX` are in upper case (RFC 3986 §6.2.2), a stray `%` is `%25`;
/// - session identifiers and tracking parameters are removed (see `SessionAndTracking`).
///
/// The order of parameters, the letter case of the path and its trailing slash stay: servers may distinguish them. URLs of other
/// schemes only lose the fragment.
public struct URLKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The normalized URL.
    public let string: String

    /// The key of a URL of any scheme.
    public init(_ url: WebURL) {
        string = Self.needsRewriting(url) ? Self.rewritten(url) : url.removingFragment().href
    }

    public var description: String { string }

    public static func < (a: URLKey, b: URLKey) -> Bool { a.string < b.string }

    // MARK: Deciding

    private static func needsRewriting(_ url: WebURL) -> Bool {
        guard url.isHTTP else { return false }
        let layout = url.layout
        return url.withBytes { bytes in
            if layout.hostStart != layout.schemeEnd + 3 || bytes[Int(layout.hostEnd) - 1] == 0x2E { return true }
            for byte in bytes[Int(layout.pathStart)..<Int(layout.fragmentStart)]
            where byte == 0x25 || byte == 0x3B || byte == 0x28 {
                return true
            }
            guard layout.queryStart < layout.fragmentStart else { return false }
            let query = bytes[Int(layout.queryStart + 1)..<Int(layout.fragmentStart)]
            if query.isEmpty { return true }
            let isAppleStore = SessionAndTracking.isAppleStore(bytes[Int(layout.hostStart)..<Int(layout.hostEnd)])
            return query.split(separator: 0x26, omittingEmptySubsequences: false).contains {
                SessionAndTracking.isDropped(parameter: $0, onAppleStore: isAppleStore)
            }
        }
    }

    // MARK: Rewriting

    private static func rewritten(_ url: WebURL) -> String {
        let layout = url.layout
        var out: [UInt8] = []
        out.reserveCapacity(url.href.utf8.count)
        url.withBytes { bytes in
            let host = bytes[Int(layout.hostStart)..<Int(layout.hostEnd)]
            out.append(contentsOf: bytes[..<(Int(layout.schemeEnd) + 3)])
            // If there are several dots, all stay, because without them the host could end in a number and become invalid.
            let dropsDot = host.last == 0x2E && host.count > 1 && host[host.endIndex - 2] != 0x2E
            out.append(contentsOf: dropsDot ? host.dropLast() : host)
            out.append(contentsOf: bytes[Int(layout.hostEnd)..<Int(layout.pathStart)])

            var path: [UInt8] = []
            appendNormalized(bytes[Int(layout.pathStart)..<Int(layout.queryStart)], to: &path)
            SessionAndTracking.appendWithoutSession(path: path, to: &out)

            guard layout.queryStart < layout.fragmentStart else { return }
            var query: [UInt8] = []
            appendNormalized(bytes[Int(layout.queryStart + 1)..<Int(layout.fragmentStart)], to: &query)
            let isAppleStore = SessionAndTracking.isAppleStore(host)
            let mark = out.count
            out.append(0x3F)
            var isFirst = true
            for parameter in query.split(separator: 0x26, omittingEmptySubsequences: false)
            where !SessionAndTracking.isDropped(parameter: parameter, onAppleStore: isAppleStore) {
                if !isFirst { out.append(0x26) }
                out.append(contentsOf: parameter)
                isFirst = false
            }
            if out.count == mark + 1 { out.removeLast() }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func appendNormalized(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, to out: inout [UInt8]) {
        var i = bytes.startIndex
        while i < bytes.endIndex {
            guard bytes[i] == 0x25 else {
                out.append(bytes[i])
                i += 1
                continue
            }
            guard i + 2 < bytes.endIndex, let high = bytes[i + 1].hexDigitValue, let low = bytes[i + 2].hexDigitValue
            else {
                // Unencoded, the percent sign could precede decoded digits and get another meaning.
                out.appendPercentEncoded(0x25)
                i += 1
                continue
            }
            let byte = high &<< 4 | low
            if isUnreserved(byte) { out.append(byte) } else { out.appendPercentEncoded(byte) }
            i += 3
        }
    }

    /// Whether a byte is unreserved (RFC 3986 §2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == 0x2D || byte == 0x2E || byte == 0x5F || byte == 0x7E
    }
}
