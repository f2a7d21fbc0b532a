import Foundation

/// An address in markup. Editors and authors wrap long ones over several lines.
///
/// A URL parser removes the line ends and encodes the indentation after them as `%20%20%20` (URL Standard §4.4), and browsers
/// request that address. Here both are removed, and readers note it.
struct WrittenAddress {
    /// The address without white space at both ends, and without line ends inside and the white space around them.
    let text: String
    let isWrapped: Bool

    /// Browsers and servers refuse longer ones; `data:` URIs of pictures are longer and no addresses.
    static let maximumBytes = 4_096

    init(_ written: String) {
        if let bytes = Self.unwrapped(written.utf8) {
            (text, isWrapped) = (String(decoding: bytes, as: UTF8.self), true)
        } else {
            (text, isWrapped) = (written.trimmingHTMLSpace(), false)
        }
    }

    /// The joined bytes of a wrapped address; nil, without a copy, for other addresses.
    static func unwrapped(_ written: some Collection<UInt8>) -> [UInt8]? {
        let hasLineEnd =
            written.withContiguousStorageIfAvailable { bytes in
                bytes.baseAddress.map { memchr($0, 0x0A, bytes.count) != nil || memchr($0, 0x0D, bytes.count) != nil }
                    ?? false
            } ?? written.contains(where: isLineEnd)
        guard hasLineEnd else { return nil }
        var result: [UInt8] = []
        var isAfterBreak = false
        var isWrapped = false
        for byte in written {
            if isLineEnd(byte) {
                isAfterBreak = true
                while let last = result.last, last.isHTMLSpace { result.removeLast() }
            } else if !byte.isHTMLSpace || !(isAfterBreak || result.isEmpty) {
                // A line end before the first or after the last character does not wrap the address.
                if isAfterBreak, !result.isEmpty { isWrapped = true }
                isAfterBreak = false
                result.append(byte)
            }
        }
        while let last = result.last, last.isHTMLSpace { result.removeLast() }
        return isWrapped ? result : nil
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}

extension WebURL {
    /// The URL of an address in markup, wrapped or not.
    init?(written: WrittenAddress, base: WebURL? = nil) {
        self.init(written.text, base: base)
    }

    /// The URL in the text of an attribute, wrapped or not.
    public init?(written text: String, base: WebURL? = nil) {
        self.init(written: WrittenAddress(text), base: base)
    }
}
