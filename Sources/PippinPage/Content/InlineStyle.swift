/// The declarations of a `style` attribute: `width: 400px; color: #fff`.
///
/// Read as CSS Style Attributes and css-syntax-3 §5 say, as far as declarations without nested blocks go; semicolons in
/// parentheses and strings separate nothing. At most 2,000 bytes and 50 declarations are read.
public struct InlineStyle: Sequence, Sendable {
    /// One declaration. Property and value are written as on the page, without space around them.
    public struct Declaration: Sendable {
        public let property: ArraySlice<UInt8>
        public let value: ArraySlice<UInt8>

        /// The property in lower case.
        var name: String { String(decoding: property.prefix(30), as: UTF8.self).asciiLowercased }

        /// Whether it is a declaration of this property, in any letter case.
        public func declares(_ name: StaticString) -> Bool { property.equalsIgnoringCase(name) }

        /// Whether the value begins with this word, in any letter case: `none` in `none !important`.
        public func says(_ word: StaticString) -> Bool { firstWord.equalsIgnoringCase(word) }

        private var firstWord: ArraySlice<UInt8> { value.prefix { !$0.isHTMLSpace && $0 != 0x21 } }

        /// The value as a number of CSS pixels, without `!important`: `-9999px`, `0`, `1.5px`; nil for other units, and for
        /// numbers other than 0 without unit.
        public var pixels: Double? {
            guard let length else { return nil }
            return length.isPixels || length.unit.isEmpty && length.isZero ? length.number : nil
        }

        /// The number that the value begins with, and its unit; nil if it does not begin with one.
        var length: Length? { Self.length(firstWord) }

        /// The lengths of a list: `-9999px 0`. What is no length is left out.
        var lengths: [Length] {
            value.prefix(200).split(whereSeparator: \.isHTMLSpace).prefix(4).compactMap { Self.length($0) }
        }

        /// The arguments of the functions of these names: those of `translate` in `rotate(1deg) translate(-9999px, 0)`. Empty if
        /// none is called.
        func arguments(of functions: String...) -> [Length] {
            var found: [Length] = []
            var rest = value.prefix(200)
            while let open = rest.firstIndex(of: UInt8(ascii: "(")) {
                let before = rest[..<open]
                let start = before.lastIndex { !$0.isASCIILetter && !$0.isASCIIDigit && $0 != 0x2D }.map { $0 + 1 }
                let name = String(decoding: before[(start ?? before.startIndex)...], as: UTF8.self).asciiLowercased
                let inside = rest[(open + 1)...].prefix { $0 != UInt8(ascii: ")") }
                if functions.contains(name) {
                    found += inside.split { $0.isHTMLSpace || $0 == UInt8(ascii: ",") }.compactMap { Self.length($0) }
                }
                rest = rest[inside.endIndex...]
            }
            return found
        }

        private static func length(_ word: ArraySlice<UInt8>) -> Length? {
            let digits = word.prefix { $0.isASCIIDigit || $0 == 0x2E || $0 == 0x2D || $0 == 0x2B }
            guard digits.count < 20, let number = Double(String(decoding: digits, as: UTF8.self)) else { return nil }
            let unit = word[digits.endIndex...].prefix { $0.isASCIILetter || $0 == UInt8(ascii: "%") }
            return Length(number: number, unit: String(decoding: unit.prefix(8), as: UTF8.self).asciiLowercased)
        }
    }

    /// A number with its unit in lower case, which may be empty.
    struct Length {
        let number: Double
        let unit: String

        var isPixels: Bool { unit == "px" }
        var isZero: Bool { number == 0 }
    }

    static let maximumBytes = 2_000

    let bytes: ArraySlice<UInt8>

    /// Reads the value of a `style` attribute.
    public init(_ value: ArraySlice<UInt8>) {
        bytes = value.prefix(Self.maximumBytes)
    }

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
