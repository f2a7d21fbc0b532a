/// The host parser and serializer (URL Standard §3.5): domains, IP addresses, opaque hosts.
///
/// The functions append the serialized host to `out`. They return false for failure; then the appended bytes are invalid.
enum WebURLHost {
    /// Forbidden host code points (§3.2).
    private static let forbidden = ASCIISet([0, 9, 10, 13]).adding(" #/:<>?@[\\]^|")
    /// Forbidden domain code points (§3.2).
    private static let forbiddenInDomain = forbidden.adding("%").union(PercentEncodeSet.c0Control)

    static func append(_ bytes: UnsafeBufferPointer<UInt8>, isOpaque: Bool, to out: inout [UInt8]) -> Bool {
        if bytes.first == 0x5B {
            guard bytes.last == 0x5D,
                let address = IPv6Address(UnsafeBufferPointer(rebasing: bytes.dropFirst().dropLast()))
            else { return false }
            address.append(to: &out)
            return true
        }
        if isOpaque {
            if bytes.contains(where: forbidden.contains) { return false }
            out.append(bytes, percentEncoding: PercentEncodeSet.c0Control)
            return true
        }
        guard bytes.contains(0x25) else { return appendDomain(bytes, to: &out) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        decoded.appendPercentDecoded(bytes)
        return decoded.withUnsafeBufferPointer { appendDomain($0, to: &out) }
    }

    /// Appends a percent-decoded domain in ASCII, or its IPv4 address if it is one.
    private static func appendDomain(_ bytes: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) -> Bool {
        let start = out.count
        // Domain to ASCII (§3.3): an ASCII domain is only lower-cased, even with an invalid "xn--" label.
        if bytes.contains(where: { $0 >= 0x80 }) {
            guard InternationalDomain.appendASCII(bytes, to: &out) else { return false }
        } else {
            for byte in bytes { out.append(byte.asciiLowercased) }
        }
        guard out.count > start, !out[start...].contains(where: forbiddenInDomain.contains) else { return false }
        guard endsInNumber(out[start...]) else { return true }
        guard let address = ipv4Address(out[start...]) else { return false }
        out.removeLast(out.count - start)
        appendIPv4(address, to: &out)
        return true
    }

    // MARK: IPv4

    /// Whether the host must be an IPv4 address (the ends-in-a-number checker, §3.5).
    private static func endsInNumber(_ host: ArraySlice<UInt8>) -> Bool {
        let trimmed = host.last == 0x2E ? host.dropLast() : host
        let label = trimmed[((trimmed.lastIndex(of: 0x2E) ?? trimmed.startIndex - 1) + 1)...]
        guard let first = label.first, first.isASCIIDigit else { return false }
        return label.allSatisfy(\.isASCIIDigit) || ipv4Number(label) != nil
    }

    /// Parses an IPv4 address (§3.5): one to four parts, each decimal, octal or hexadecimal. Nil if it is invalid.
    private static func ipv4Address(_ host: ArraySlice<UInt8>) -> UInt32? {
        let trimmed = host.last == 0x2E ? host.dropLast() : host
        var address: UInt64 = 0
        var rest = trimmed
        for place in 0..<4 {
            let end = rest.firstIndex(of: 0x2E)
            guard let number = ipv4Number(rest[..<(end ?? rest.endIndex)]) else { return nil }
            guard let end else {
                // The last part fills the remaining bytes.
                guard number < 1 &<< UInt64(8 * (4 - place)) else { return nil }
                return UInt32(truncatingIfNeeded: address + number)
            }
            guard number <= 255 else { return nil }
            address += number &<< UInt64(8 * (3 - place))
            rest = rest[(end + 1)...]
        }
        return nil
    }

    /// Parses a part of an IPv4 address (the IPv4 number parser, §3.5). Numbers beyond 32 bits stop growing and are refused
    /// later.
    private static func ipv4Number(_ text: ArraySlice<UInt8>) -> UInt64? {
        guard let first = text.first else { return nil }
        var digits = text
        var radix: UInt64 = 10
        if first == 0x30, text.count >= 2 {
            if text[text.startIndex + 1] | 0x20 == 0x78 {
                digits = text.dropFirst(2)
                radix = 16
            } else {
                digits = text.dropFirst()
                radix = 8
            }
        }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = byte.hexDigitValue, digit < radix else { return nil }
            value = min(value &* radix &+ UInt64(digit), 1 &<< 40)
        }
        return value
    }

    static func appendIPv4(_ address: UInt32, to out: inout [UInt8]) {
        for shift: UInt32 in [24, 16, 8, 0] {
            out.append(contentsOf: String(address &>> shift & 0xFF).utf8)
            if shift > 0 { out.append(0x2E) }
        }
    }
}
