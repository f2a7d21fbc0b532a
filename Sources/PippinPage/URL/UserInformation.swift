/// Hides user names and passwords in addresses (RFC 3986 §3.2.1), because other people read logs, summaries and reports.
public enum UserInformation {
    /// The text (UTF-8) with `***` instead of the part between `//` and `@` in each address.
    ///
    /// Addresses are found in running text, even if they cannot be parsed: after a colon, a quotation mark or a space, also
    /// with backslashes, which browsers accept. An address ends with its host.
    public static func hidden(in bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "@")) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var i = 0
        while i < bytes.count {
            guard i + 1 < bytes.count, isSlash(bytes[i]), isSlash(bytes[i + 1]), i == 0 || !isPart(bytes[i - 1]) else {
                result.append(bytes[i])
                i += 1
                continue
            }
            while i < bytes.count, isSlash(bytes[i]) {
                result.append(bytes[i])
                i += 1
            }
            let end = bytes[i...].firstIndex(where: endsAuthority) ?? bytes.count
            if let sign = bytes[i..<end].lastIndex(of: UInt8(ascii: "@")), sign > i {
                result += "***".utf8
                i = sign
            }
            result += bytes[i..<end]
            i = end
        }
        return result
    }

    /// The text with `***` in place of the user information in each address.
    public static func hidden(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        return String(decoding: hidden(in: Array(text.utf8)), as: UTF8.self)
    }

    private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    /// Whether two slashes after this byte belong to a path and do not begin a host.
    private static func isPart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte.isASCIIAlphanumeric || "-._~%+!$&*/\\".utf8.contains(byte)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte <= 0x20 || isSlash(byte) || "?#\"<>".utf8.contains(byte)
    }
}
