import CICU

/// Words as a search index compares them: without case, width and ligatures (NFKC_Casefold), and without the accents of Latin
/// and Greek letters. `Café`, `CAFÉ` and `ｃａｆｅ` are one word.
///
/// Marks that make another letter stay: those of Cyrillic `й`, of kana and of Indic scripts. Points of Hebrew and Arabic, which
/// most texts leave out, go.
enum FoldedWord {
    /// No word has more. What is longer is cut, so that a run of marks or digits costs little.
    static let maximumBytes = 64
    private static let maximumScalars = 64

    /// ICU's tables.
    // @unchecked because they never change, and ICU allows their use from any thread.
    private struct Forms: @unchecked Sendable {
        let casefold: OpaquePointer?
        let decomposed: OpaquePointer?
        let composed: OpaquePointer?

        init() {
            var status: Int32 = 0
            casefold = pippin_unorm2_getNFKCCasefold(&status)
            decomposed = pippin_unorm2_getNFD(&status)
            composed = pippin_unorm2_getNFC(&status)
        }
    }

    private static let forms = Forms()

    /// The folded word. It holds no space and no ASCII but digits, small letters, `+` and `#`.
    static func of(_ word: Substring.UnicodeScalarView) -> String {
        if word.utf8Bytes.allSatisfy({ $0 < 0x80 }) {
            return String(decoding: word.utf8Bytes.prefix(maximumBytes).map(\.asciiLowercased), as: UTF8.self)
        }
        var units: [UInt16] = []
        for scalar in word.prefix(maximumScalars) {
            units.append(contentsOf: UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter)
        }
        let decomposed = normalized(normalized(units, forms.casefold), forms.decomposed)
        var kept = String.UnicodeScalarView()
        var base: Unicode.Scalar = " "
        for scalar in String(decoding: decomposed, as: UTF16.self).unicodeScalars {
            switch scalar.value {
            case 0x300...0x36F:
                // Latin and Greek; of Cyrillic only the dots of `ё`, which most texts leave out.
                if base.value < 0x400 || (base.value == 0x435 && scalar.value == 0x308) { continue }
                kept.append(scalar)
            case 0x591...0x5C7, 0x610...0x61A, 0x640, 0x64B...0x65F, 0x670: continue
            case 0..<0x80:
                // A compatibility form may hold spaces and signs.
                let byte = UInt8(scalar.value)
                guard byte.isASCIIAlphanumeric || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#") else {
                    continue
                }
                base = scalar
                kept.append(scalar)
            default:
                base = scalar
                switch scalar {
                case "ø": kept.append("o")
                case "ł": kept.append("l")
                case "đ", "ð": kept.append("d")
                case "ħ": kept.append("h")
                case "ı": kept.append("i")
                case "ŧ": kept.append("t")
                case "æ": kept.append(contentsOf: "ae".unicodeScalars)
                case "œ": kept.append(contentsOf: "oe".unicodeScalars)
                case "þ": kept.append(contentsOf: "th".unicodeScalars)
                default: kept.append(scalar)
                }
            }
        }
        let folded = String(decoding: normalized(Array(String(kept).utf16), forms.composed), as: UTF16.self)
        guard folded.utf8.count > maximumBytes else { return folded }
        var cut = String.UnicodeScalarView()
        var count = 0
        for scalar in folded.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= maximumBytes else { break }
            cut.append(scalar)
        }
        return String(cut)
    }

    /// The text in a form of ICU; as it is if ICU refuses it.
    private static func normalized(_ units: [UInt16], _ form: OpaquePointer?) -> [UInt16] {
        guard let form, !units.isEmpty else { return units }
        // One character becomes at most 18 (U+FDFA).
        let capacity = 18 * units.count
        return [UInt16](unsafeUninitializedCapacity: capacity) { room, count in
            var status: Int32 = 0
            let length = pippin_unorm2_normalize(
                form, units, Int32(units.count), room.baseAddress, Int32(capacity), &status)
            if status <= 0, length >= 0, Int(length) <= capacity {
                count = Int(length)
            } else {
                count = units.count
                for (index, unit) in units.enumerated() { room[index] = unit }
            }
        }
    }
}

extension Substring.UnicodeScalarView {
    fileprivate var utf8Bytes: Substring.UTF8View { Substring(self).utf8 }
}
