/// The declarations of a `style` attribute: `width: 400px; color: #fff`.
///
/// Read as CSS Style Attributes and css-syntax-3 §5 say, as far as declarations without nested blocks go; semicolons in
/// parentheses and strings separate nothing. At most 2,000 bytes and 50 declarations are read.
public struct InlineStyle: Sequence, Sendable {
    /// One declaration. Property and value are written as on the page, without space around them.
    public struct Declaration: Sendable {
        public let property: ArraySlice<UInt8>
        public let value: ArraySlice<UInt8>

        /// Whether it is a declaration of this property, in any letter case.
        public func declares(_ name: StaticString) -> Bool { property.equalsIgnoringCase(name) }

        /// Whether the value begins with this word, in any letter case: `none` in `none !important`.
        public func says(_ word: StaticString) -> Bool { firstWord.equalsIgnoringCase(word) }

        private var firstWord: ArraySlice<UInt8> { value.prefix { !$0.isHTMLSpace && $0 != 0x21 } }

        /// The value as a number of CSS pixels, without `!important`: `-9999px`, `0`, `1.5px`; nil for other units, and for
        /// numbers other than 0 without unit.
        public var pixels: Double? {
            guard let (number, unit) = length else { return nil }
            return unit.equalsIgnoringCase("px") || unit.isEmpty && number == 0 ? number : nil
        }

        /// A number and what follows it up to the next space; nil if the value does not begin with a number.
        var length: (number: Double, unit: ArraySlice<UInt8>)? {
            let word = firstWord
            let digits = word.prefix { $0.isASCIIDigit || $0 == 0x2E || $0 == 0x2D || $0 == 0x2B }
            guard digits.count < 20, let number = Double(String(decoding: digits, as: UTF8.self)) else { return nil }
            return (number, word[digits.endIndex...])
        }
    }

    private let bytes: ArraySlice<UInt8>

    /// Reads the value of a `style` attribute.
    public init(_ value: ArraySlice<UInt8>) {
        bytes = value.prefix(2_000)
    }

    /// Whether the attribute says `display: none`.
    public var isNotDisplayed: Bool { contains { $0.declares("display") && $0.says("none") } }

    public func makeIterator() -> AnyIterator<Declaration> {
        var rest = bytes
        var count = 0
        return AnyIterator {
            while !rest.isEmpty, count < 50 {
                count += 1
                let end = Self.endOfDeclaration(rest)
                let declaration = rest[..<end]
                rest = end < rest.endIndex ? rest[(end + 1)...] : []
                guard let colon = declaration.firstIndex(of: 0x3A) else { continue }
                let property = declaration[..<colon].trimmingHTMLSpace()
                let value = declaration[(colon + 1)...].trimmingHTMLSpace()
                if !property.isEmpty, !value.isEmpty { return Declaration(property: property, value: value) }
            }
            return nil
        }
    }

    private static func endOfDeclaration(_ bytes: ArraySlice<UInt8>) -> Int {
        var depth = 0
        var quote: UInt8?
        for index in bytes.indices {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case 0x22, 0x27: quote = byte
            case 0x28: depth += 1
            case 0x29: depth = Swift.max(0, depth - 1)
            case 0x3B where depth == 0: return index
            default: break
            }
        }
        return bytes.endIndex
    }
}
