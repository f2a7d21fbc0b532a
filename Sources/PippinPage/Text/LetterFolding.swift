import CICU

/// Which characters count as one letter, in names (`FoldedName`) and in search (`FoldedWord`).
///
/// Case, width, ligatures and other compatibility forms do not count (NFKC_Casefold, UAX #31 and #15), and neither do the
/// accents of Latin and Greek letters. Latin letters that Unicode does not decompose lose their stroke: `đ`, `ł`, `ø`.
///
/// Marks that make another letter stay: those of Cyrillic `й`, of kana and of Indic scripts. Points of Hebrew and Arabic, which
/// most texts leave out, go.
enum LetterFolding {
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

    /// The folded characters, composed (NFC). A character may become several, also spaces and signs.
    static func folded(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var units: [UInt16] = []
        for scalar in scalars {
            units.append(contentsOf: UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter)
        }
        let decomposed = normalized(normalized(units, forms.casefold), forms.decomposed)
        var kept = String.UnicodeScalarView()
        var base: Unicode.Scalar = " "
        for scalar in String(decoding: decomposed, as: UTF16.self).unicodeScalars {
            switch scalar.value {
            case 0x300...0x36F:
                // Latin and Greek; of Cyrillic only the dots of `ё`, which most texts leave out.
                if losesAccents(base.value) || (base.value == 0x435 && scalar.value == 0x308) { continue }
                kept.append(scalar)
            case 0x591...0x5C7, 0x610...0x61A, 0x640, 0x64B...0x65F, 0x670: continue
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
        return String(decoding: normalized(Array(String(kept).utf16), forms.composed), as: UTF16.self)
    }

    /// The text with its accents in one character with the letters before them, where there is one (NFC).
    static func composed(_ text: String) -> String {
        String(decoding: normalized(Array(text.utf16), forms.composed), as: UTF16.self)
    }

    /// Whether accents of a character do not count: Latin and Greek, and signs and digits before them.
    static func losesAccents(_ value: UInt32) -> Bool {
        switch value {
        case 0..<0x400, 0x1D00..<0x2000, 0x2C60..<0x2C80, 0xA720..<0xA800, 0xAB30..<0xAB70: true
        default: false
        }
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

    // MARK: One character at a time

    /// What a character is folded to, whatever stands beside it.
    enum Single {
        /// UTF-8 from the lowest byte on, at most four; none where the character goes.
        case letters(UInt32, count: Int)
        /// No letter and no digit: a space, a sign.
        case separator
        /// An accent: it goes behind a character that loses accents.
        case accent
        /// Its neighbors decide, or its folded form is long.
        case dependent
    }

    /// The folded form of one character beyond ASCII. The tables are made of what `folded` says, once.
    static func single(_ value: UInt32) -> Single {
        switch value {
        case 0x80..<0x370: latin[Int(value - 0x80)]
        case 0x370..<0x530: greekAndCyrillic[Int(value - 0x370)]
        case 0x530..<0x700: hebrewAndArabic[Int(value - 0x530)]
        case 0x1E00..<0x2000: extended[Int(value - 0x1E00)]
        // Chinese, kana and Hangul, as they are.
        case 0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3:
            .letters(0xE0 | value >> 12 | (0x80 | value >> 6 & 0x3F) << 8 | (0x80 | value & 0x3F) << 16, count: 3)
        default: Unicode.Scalar(value).map(kind) ?? .separator
        }
    }

    private static let latin = table(0x80..<0x370)
    private static let greekAndCyrillic = table(0x370..<0x530)
    private static let hebrewAndArabic = table(0x530..<0x700)
    private static let extended = table(0x1E00..<0x2000)

    private static func table(_ values: Range<UInt32>) -> [Single] {
        values.map { value in
            guard let scalar = Unicode.Scalar(value), case .dependent = kind(of: scalar) else { return .separator }
            let text = folded(CollectionOfOne(scalar))
            let bytes = Array(text.utf8)
            if (0x300...0x36F).contains(value), bytes.isEmpty { return .accent }
            // A mark that stays may join the letter before it. Of `ŀ`, the point is no letter.
            if bytes.count > 4 || !bytes.isEmpty && scalar.properties.generalCategory.isMark
                || !text.unicodeScalars.allSatisfy(isLetter)
            {
                return .dependent
            }
            return .letters(bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }, count: bytes.count)
        }
    }

    private static func kind(of scalar: Unicode.Scalar) -> Single { isLetter(scalar) ? .dependent : .separator }

    /// Whether a character is part of a word: a letter, a mark or a number (general categories L, M, N), or an invisible one
    /// within words (Cf), like the soft hyphen.
    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .format:
            true
        case let category: category.isMark
        }
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isMark: Bool { self == .nonspacingMark || self == .spacingMark || self == .enclosingMark }
}
