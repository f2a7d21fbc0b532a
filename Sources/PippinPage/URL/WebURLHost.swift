import CICU

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

/// Domains with characters beyond ASCII: Unicode IDNA Compatibility Processing (UTS #46) by ICU, with the settings of the
/// URL Standard §3.3: CheckBidi and CheckJoiners, but neither CheckHyphens, UseSTD3ASCIIRules, VerifyDnsLength nor
/// transitional processing.
enum InternationalDomain {
    /// The longest domain that is processed, in bytes. DNS allows 253; Punycode takes quadratic time.
    private static let maximumBytes = 2048

    /// ICU's processor.
    // @unchecked because it never changes after it was opened, and ICU allows its use from any thread.
    private struct Processor: @unchecked Sendable {
        let pointer: OpaquePointer?

        init() {
            var status: Int32 = 0
            // UIDNA_CHECK_BIDI, UIDNA_CHECK_CONTEXTJ, UIDNA_NONTRANSITIONAL_TO_ASCII, UIDNA_NONTRANSITIONAL_TO_UNICODE
            pointer = pippin_uidna_openUTS46(0x04 | 0x08 | 0x10 | 0x20, &status)
        }
    }

    private static let processor = Processor()

    /// ICU always reports these errors of CheckHyphens and VerifyDnsLength, which the standard ignores: UIDNA_ERROR_EMPTY_LABEL,
    /// _LABEL_TOO_LONG, _DOMAIN_NAME_TOO_LONG, _LEADING_HYPHEN, _TRAILING_HYPHEN, _HYPHEN_3_4.
    private static let ignoredErrors: UInt32 = 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x20

    /// Appends the domain with its labels in Punycode; false if it is invalid by UTS #46. Invalid UTF-8 makes it invalid, because
    /// U+FFFD is not allowed.
    static func appendASCII(_ domain: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) -> Bool {
        guard let idna = processor.pointer, domain.count <= maximumBytes else { return false }
        let bytes = alignedWithCurrentUnicode(domain)
        let start = out.count
        let written = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8 * maximumBytes) { room -> Int? in
            var info = PippinIDNAInfo()
            info.size = Int16(MemoryLayout<PippinIDNAInfo>.size)
            var status: Int32 = 0
            let length = bytes.withUnsafeBufferPointer { name in
                name.withMemoryRebound(to: CChar.self) {
                    pippin_uidna_nameToASCII_UTF8(
                        idna, $0.baseAddress, Int32($0.count), room.baseAddress, Int32(room.count), &info, &status)
                }
            }
            guard status <= 0, info.errors & ~ignoredErrors == 0, length >= 0,
                Int(length) <= room.count
            else { return nil }
            for character in room.prefix(Int(length)) { out.append(UInt8(bitPattern: character)) }
            return Int(length)
        }
        return written != nil && !hasHollowLabel(out[start...])
    }

    /// UTS #46 §4 step 4 since Unicode 15.1: an "xn--" label must encode a character beyond ASCII. Older ICUs accept `xn--` and
    /// `xn--abc-`.
    private static func hasHollowLabel(_ domain: ArraySlice<UInt8>) -> Bool {
        domain.split(separator: 0x2E).contains { $0.starts(with: "xn--".utf8) && $0.last == 0x2D }
    }

    /// Maps the characters that UTS #46 maps since revision 33 (Unicode 16). The tables of older ICUs forbid them; newer ones map
    /// them in the same way.
    private static func alignedWithCurrentUnicode(_ domain: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(domain.count)
        for scalar in String(decoding: domain, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case ..<0x04C0:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            case let value:
                guard let mapped = mappedSinceUnicode16(value) else { continue }
                let result = Unicode.Scalar(mapped).flatMap { UTF8.encode($0) }
                bytes.append(contentsOf: result ?? UTF8.encodedReplacementCharacter)
            }
        }
        return bytes
    }

    /// The mapping of a code point; nil if it is ignored.
    private static func mappedSinceUnicode16(_ value: UInt32) -> UInt32? {
        switch value {
        // Upper-case letters without a lower case in IDNA2003.
        case 0x04C0: 0x04CF
        case 0x10A0...0x10C5: value - 0x10A0 + 0x2D00
        case 0x1E9E: 0x00DF
        case 0x2132: 0x214E
        case 0x2183: 0x2184
        // Compatibility ideographs whose decomposition was corrected.
        case 0x2F868: 0x36FC
        case 0x2F874: 0x5F53
        case 0x2F91F: 0x243AB
        case 0x2F95F: 0x7AEE
        case 0x2F9BF: 0x45D7
        // Fillers, and invisible format characters.
        case 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x2061...0x2063, 0x206A...0x206F, 0x3164, 0xFFA0,
            0x1D173...0x1D17A:
            nil
        default: value
        }
    }
}

/// An IPv6 address as written in a URL (URL Standard §3.5).
struct IPv6Address: Equatable {
    private(set) var pieces: [UInt16] = Array(repeating: 0, count: 8)

    /// Parses the text between the brackets; nil if it is not an address.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        var compress: Int?
        var at = 0

        if text.first == 0x3A {
            guard text.count >= 2, text[1] == 0x3A else { return nil }
            at = 2
            index = 1
            compress = 1
        }
        while at < text.count {
            if index == 8 { return nil }
            if text[at] == 0x3A {
                if compress != nil { return nil }
                at += 1
                index += 1
                compress = index
                continue
            }
            var value: UInt16 = 0
            var length = 0
            while length < 4, at < text.count, let digit = text[at].hexDigitValue {
                value = value &<< 4 | UInt16(digit)
                at += 1
                length += 1
            }
            if at < text.count, text[at] == 0x2E {
                // The last 32 bits may be written as an IPv4 address, in decimal only.
                guard length > 0, index <= 6,
                    let address = Self.embeddedIPv4(UnsafeBufferPointer(rebasing: text[(at - length)...]))
                else { return nil }
                pieces[index] = UInt16(truncatingIfNeeded: address &>> 16)
                pieces[index + 1] = UInt16(truncatingIfNeeded: address)
                index += 2
                break
            }
            if at < text.count {
                guard text[at] == 0x3A else { return nil }
                at += 1
                if at == text.count { return nil }
            }
            pieces[index] = value
            index += 1
        }

        if let compress {
            // The pieces after "::" move to the end.
            let moved = index - compress
            for i in 0..<max(moved, 0) where index - 1 - i != 7 - i {
                pieces[7 - i] = pieces[index - 1 - i]
                pieces[index - 1 - i] = 0
            }
        } else if index != 8 {
            return nil
        }
    }

    private static func embeddedIPv4(_ text: UnsafeBufferPointer<UInt8>) -> UInt32? {
        var address: UInt32 = 0
        var at = 0
        for part in 0..<4 {
            if part > 0 {
                guard at < text.count, text[at] == 0x2E else { return nil }
                at += 1
            }
            var value: UInt32?
            while at < text.count, text[at].isASCIIDigit {
                // A leading zero is not allowed.
                if value == 0 { return nil }
                let next = (value ?? 0) * 10 + UInt32(text[at] - 0x30)
                if next > 255 { return nil }
                value = next
                at += 1
            }
            guard let value else { return nil }
            address = address &<< 8 | value
        }
        return at == text.count ? address : nil
    }

    /// Appends the address in brackets, with the first longest run of two or more zero pieces as `::`.
    func append(to out: inout [UInt8]) {
        var run = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, pieces[end] == 0 { end += 1 }
            if end - start > max(run.count, 1) { run = start..<end }
            start = max(end, start + 1)
        }
        out.append(0x5B)
        var index = 0
        while index < 8 {
            if index == run.lowerBound, !run.isEmpty {
                out.append(contentsOf: index == 0 ? [0x3A, 0x3A] : [0x3A])
                index = run.upperBound
                continue
            }
            out.append(contentsOf: String(pieces[index], radix: 16).utf8)
            index += 1
            if index < 8 { out.append(0x3A) }
        }
        out.append(0x5D)
    }
}
