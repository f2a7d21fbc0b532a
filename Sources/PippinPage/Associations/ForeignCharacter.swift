/// A character that a file for machines has by accident: nobody sees it, or an editor put it where a straight quotation mark was
/// meant. Found in values and at faults of JSON, and named so that its author can find it.
struct ForeignCharacter: Equatable {
    enum Kind {
        case invisible, quotationMark
    }

    let scalar: Unicode.Scalar
    let kind: Kind

    init?(_ scalar: Unicode.Scalar) {
        guard let kind = Self.kind(of: scalar) else { return nil }
        self.scalar = scalar
        self.kind = kind
    }

    /// The first in a value.
    ///
    /// A quotation mark counts at the ends only, where it replaces a straight one. A joiner or a mark of direction between two letters
    /// beyond ASCII belongs to the writing of Persian, Hindi and others.
    init?(in text: String) {
        guard text.utf8.contains(where: { $0 >= 0x7F || $0 < 0x20 }) else { return nil }
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            guard let found = ForeignCharacter(scalar) else { continue }
            let isInside = index > 0 && index + 1 < scalars.count
            switch found.kind {
            case .quotationMark: if isInside { continue }
            case .invisible:
                if Self.joiners.contains(scalar), isInside, scalars[index - 1].value >= 0x80,
                    scalars[index + 1].value >= 0x80
                {
                    continue
                }
            }
            self = found
            return
        }
        return nil
    }

    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}"]

    private static func kind(of scalar: Unicode.Scalar) -> Kind? {
        switch scalar {
        case "\u{2018}"..."\u{201F}", "\u{2032}", "\u{2033}", "\u{FF02}", "\u{FF07}", "«", "»": return .quotationMark
        default: break
        }
        if scalar.value < 0x7F { return scalar.value < 0x20 ? .invisible : nil }
        let properties = scalar.properties
        let isUnseen =
            properties.isWhitespace || properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format
            || properties.generalCategory == .control
        return isUnseen ? .invisible : nil
    }

    /// `an invisible character, U+200B (zero width space)`
    var name: String {
        let code = "U+" + String(repeating: "0", count: max(0, 4 - hexadecimal.count)) + hexadecimal
        return switch kind {
        case .invisible: "an invisible character, \(code)\(unicodeName)"
        case .quotationMark: "the curly quotation mark \(scalar) (\(code))"
        }
    }

    private var hexadecimal: String { String(scalar.value, radix: 16, uppercase: true) }

    private var unicodeName: String {
        let name = scalar == "\u{FEFF}" ? "byte order mark" : scalar.properties.name?.lowercased()
        return name.map { " (\($0))" } ?? ""
    }

    /// As a message shows it: `⟨U+200B⟩` for what cannot be seen.
    static func visible(_ scalar: Unicode.Scalar) -> String {
        guard let found = ForeignCharacter(scalar), found.kind == .invisible else { return String(scalar) }
        return "⟨U+" + String(repeating: "0", count: max(0, 4 - found.hexadecimal.count)) + found.hexadecimal + "⟩"
    }
}
