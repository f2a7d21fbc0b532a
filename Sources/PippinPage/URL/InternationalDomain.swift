import CICU

/// Domains with characters beyond ASCII: Unicode IDNA Compatibility Processing (UTS #46) by ICU, with the settings of the
/// URL Standard §3.3: CheckBidi and CheckJoiners, but neither CheckHyphens, UseSTD3ASCIIRules, VerifyDnsLength nor
/// transitional processing.
enum InternationalDomain {
    /// Bytes of a domain that are looked at. DNS ends at 253; Punycode takes quadratic time, so hostile lengths are not
    /// worth their work.
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

    /// ICU reports these whatever the options; they belong to CheckHyphens and VerifyDnsLength: UIDNA_ERROR_EMPTY_LABEL,
    /// _LABEL_TOO_LONG, _DOMAIN_NAME_TOO_LONG, _LEADING_HYPHEN, _TRAILING_HYPHEN, _HYPHEN_3_4.
    private static let ignoredErrors: UInt32 = 0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x20

    /// Appends the domain with its labels in Punycode; false when UTS #46 finds it invalid. Bytes that are not UTF-8 make it
    /// invalid, as U+FFFD is not allowed.
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

    /// UTS #46 §4 step 4 since Unicode 15.1: an "xn--" label must stand for something beyond ASCII. Older ICUs let `xn--`
    /// and `xn--abc-` pass.
    private static func hasHollowLabel(_ domain: ArraySlice<UInt8>) -> Bool {
        domain.split(separator: 0x2E).contains { $0.starts(with: "xn--".utf8) && $0.last == 0x2D }
    }

    /// ICU carries the mapping table of the Unicode version it was built with, and older ones forbid what UTS #46 maps since
    /// revision 33 (Unicode 16); these characters are mapped here first. Newer tables map them just so.
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

    /// What a code point is mapped to; nil when it is ignored.
    private static func mappedSinceUnicode16(_ value: UInt32) -> UInt32? {
        switch value {
        // Capitals that had no lower case in IDNA2003.
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
        // Fillers, and format characters that nobody sees.
        case 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x2061...0x2063, 0x206A...0x206F, 0x3164, 0xFFA0,
            0x1D173...0x1D17A:
            nil
        default: value
        }
    }
}
