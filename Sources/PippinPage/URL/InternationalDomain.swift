import CICU

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
