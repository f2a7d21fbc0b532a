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

// MARK: Hiding

// How inline styles hide elements. Records (`HiddenText`, `MainText`) and checks (S23, D18) ask this one table.

extension InlineStyle {
    /// How a style hides its element from people; empty if it does not.
    ///
    /// Google's spam policies name the ways: text in the color of its background, off the screen, and with a font size or opacity
    /// of 0. The others have the same effect. Of two declarations of a property, the last one counts.
    struct Hiding: OptionSet, Sendable {
        let rawValue: UInt16

        /// `display: none`. Scripts show such elements on a click, so it alone is no sign of spam, nor is `invisible`.
        static let notDisplayed = Hiding(rawValue: 1)
        /// `visibility: hidden`
        static let invisible = Hiding(rawValue: 2)
        /// `opacity: 0`, `filter: opacity(0)`
        static let transparent = Hiding(rawValue: 4)
        /// `position: absolute; left: -9999px`, `text-indent: -999em`, `margin-left: -9999px`, `transform: translateX(-9999px)`
        static let offScreen = Hiding(rawValue: 8)
        /// `position: absolute; clip: rect(0, 0, 0, 0)`, `clip-path: inset(50%)`
        static let clipped = Hiding(rawValue: 16)
        /// `font-size: 0`. Parts inside may have a size.
        static let withoutLetters = Hiding(rawValue: 32)
        /// `width: 1px; height: 1px; overflow: hidden`. Height alone is how parts fold that people open.
        static let withoutBox = Hiding(rawValue: 64)
        /// `transform: scale(0)`
        static let shrunk = Hiding(rawValue: 128)
        /// No way of hiding: a transition or an animation, which nothing needs that stays as it is.
        static let animated = Hiding(rawValue: 512)
        /// The color of the text is that of the background, and both are stated here.
        static let sameColor = Hiding(rawValue: 256)
    }

    var hiding: Hiding { Self.mayHide(bytes) ? look.hiding : [] }

    /// Whether it says `display: none`, which is asked of many elements that nothing else is asked of.
    var isNotDisplayed: Bool {
        let mayBe = bytes.withUnsafeBufferPointer { bytes in
            bytes.indices.contains { bytes[$0] | 0x20 == UInt8(ascii: "d") && Self.has("display", bytes, $0) }
        }
        guard mayBe else { return false }
        return reduce(false) { $1.declares("display") ? $1.says("none") : $0 }
    }

    /// What a style says of how its element looks, read once.
    struct Look {
        let hiding: Hiding
        /// The text's color; nil if none is stated that can be read.
        let color: PlainColor?
        /// The value of the background of any kind; nil if none is stated.
        let background: ArraySlice<UInt8>?
    }

    var look: Look {
        var signs = Signs()
        for declaration in self { signs.read(declaration) }
        let color = signs.color.flatMap(PlainColor.init)
        var hiding = signs.hiding
        // A picture has no plain color.
        if let color, let background = signs.background.flatMap(PlainColor.init), color.looksLike(background) {
            hiding.insert(.sameColor)
        }
        return Look(hiding: hiding, color: color, background: signs.background)
    }

    /// Whether a style may state a background. Most do not, and are not taken apart.
    static func mayStateBackground(_ style: ArraySlice<UInt8>) -> Bool {
        style.withUnsafeBufferPointer { bytes in
            bytes.indices.contains { bytes[$0] | 0x20 == UInt8(ascii: "b") && has("background", bytes, $0) }
        }
    }

    /// Whether a style may hide its element. Most styles cannot, and are not taken apart.
    static func mayHide(_ style: ArraySlice<UInt8>) -> Bool {
        style.withUnsafeBufferPointer { bytes in
            var digits = 0
            for (index, byte) in bytes.enumerated() {
                digits = byte.isASCIIDigit ? digits + 1 : 0
                if digits == 4 { return true }
                switch byte.asciiLowercased {
                case 0x2D where index + 1 < bytes.count && bytes[index + 1].isASCIIDigit: return true
                case UInt8(ascii: "c") where has("color", bytes, index) || has("clip", bytes, index): return true
                case UInt8(ascii: "d") where has("display", bytes, index): return true
                case UInt8(ascii: "f") where has("font-size", bytes, index): return true
                case UInt8(ascii: "o") where has("opacity", bytes, index) || has("overflow", bytes, index): return true
                case UInt8(ascii: "s") where has("scale", bytes, index): return true
                case UInt8(ascii: "v") where has("visibility", bytes, index): return true
                default: break
                }
            }
            return false
        }
    }

    private static func has(_ word: StaticString, _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        let length = word.utf8CodeUnitCount
        guard start + length <= bytes.count else { return false }
        for offset in 0..<length where bytes[start + offset].asciiLowercased != word.utf8Start[offset] { return false }
        return true
    }
}

// MARK: The table

/// What single declarations say, which together hide an element.
private struct Signs {
    var alone: InlineStyle.Hiding = []
    var isPositioned = false
    /// By side, because a later `top: 0` does not take back `left: -9999px`.
    var far: Set<String> = []
    var isClipped = false
    /// Which of `width`, `max-width`, `height` and `max-height` leave nothing to see.
    var tiny: Set<String> = []
    var cutsOff = false
    var color: ArraySlice<UInt8>?
    var background: ArraySlice<UInt8>?

    mutating func read(_ declaration: InlineStyle.Declaration) {
        let name = declaration.name
        switch name {
        case "display": set(.notDisplayed, declaration.says("none"))
        case "visibility": set(.invisible, declaration.says("hidden") || declaration.says("collapse"))
        case "opacity": set(.transparent, declaration.length.map { $0.number <= 0.01 } ?? false)
        case "filter": set(.transparent, declaration.arguments(of: "opacity").first?.isZero ?? false)
        case "position": isPositioned = declaration.says("absolute") || declaration.says("fixed")
        case "left", "right", "top", "bottom", "text-indent":
            setFar(name, declaration.lengths.contains(where: \.isFar))
        case "translate": setFar(name, declaration.lengths.contains(where: \.isBeyondSlides))
        case "margin-left", "margin-top": setFar(name, declaration.lengths.first?.isFarBack ?? false)
        case "margin":
            let sides = declaration.lengths
            // Top, right, bottom, left; what is left out is as its other side.
            let left = sides.count == 4 ? sides[3] : sides.count > 1 ? sides[1] : sides.first
            setFar(name, [sides.first, left].contains { $0?.isFarBack ?? false })
        case "transform":
            let moves = declaration.arguments(of: "translate", "translatex", "translatey", "translate3d")
            setFar(name, moves.contains(where: \.isBeyondSlides))
            set(.shrunk, declaration.arguments(of: "scale", "scalex", "scaley", "scale3d").contains(where: \.isZero))
        case "scale": set(.shrunk, declaration.length.map { $0.number == 0 } ?? false)
        case "clip":
            // Top, right, bottom, left, from the left and top: the part between them is shown.
            let edges = declaration.arguments(of: "rect").map(\.number)
            isClipped = edges.count == 4 && edges[1] <= edges[3] && edges[2] <= edges[0]
        case "clip-path":
            let isCut =
                declaration.arguments(of: "inset").first.map { $0.unit == "%" && $0.number >= 50 }
                ?? declaration.arguments(of: "circle").first.map(\.isZero) ?? false
            set(.clipped, isCut)
        case "font-size":
            set(.withoutLetters, declaration.length.map { $0.number <= 0 || $0.number <= 1 && $0.isPixels } ?? false)
        case "width", "max-width", "height", "max-height":
            if isTiny(declaration) { tiny.insert(name) } else { tiny.remove(name) }
        case "overflow": cutsOff = declaration.says("hidden") || declaration.says("clip")
        case "transition", "animation", "will-change": set(.animated, !declaration.says("none"))
        case "color": color = declaration.value
        case "background", "background-color", "background-image": background = declaration.value
        default: break
        }
    }

    var hiding: InlineStyle.Hiding {
        var hiding = alone
        // Sides move what is positioned; the rest moves everything.
        if far.contains(where: { isPositioned || !["left", "right", "top", "bottom"].contains($0) }) {
            hiding.insert(.offScreen)
        }
        if isPositioned && isClipped { hiding.insert(.clipped) }
        let isNarrow = tiny.contains("width") || tiny.contains("max-width")
        let isLow = tiny.contains("height") || tiny.contains("max-height")
        if isNarrow && isLow && cutsOff { hiding.insert(.withoutBox) }
        return hiding
    }

    private mutating func set(_ way: InlineStyle.Hiding, _ isSo: Bool) {
        if isSo { alone.insert(way) } else { alone.remove(way) }
    }

    private mutating func setFar(_ name: String, _ isFar: Bool) {
        if isFar { far.insert(name) } else { far.remove(name) }
    }

    private func isTiny(_ declaration: InlineStyle.Declaration) -> Bool {
        declaration.length.map { $0.number == 0 || $0.number <= 1 && $0.isPixels } ?? false
    }
}

extension InlineStyle.Length {
    /// Further beyond the left or top edge than a slide show moves its pictures.
    fileprivate var isFarBack: Bool { isBeyond(pixels: -900, letters: -90, screens: -300) }

    /// Further than a slide show moves the track of all its pictures.
    fileprivate var isBeyondSlides: Bool { isBeyond(pixels: -9_000, letters: -900, screens: -900) }

    /// Beyond any edge. To the right and to the bottom, pages are longer.
    fileprivate var isFar: Bool { isFarBack || isBeyond(pixels: 5_000, letters: 500, screens: 1_000) }

    private func isBeyond(pixels: Double, letters: Double, screens: Double) -> Bool {
        let bound: Double
        switch unit {
        case "px": bound = pixels
        case "em", "rem", "ex", "ch": bound = letters
        case "%", "vw", "vh", "vmin", "vmax", "dvw", "dvh", "svw", "svh", "lvw", "lvh": bound = screens
        default: return false
        }
        return bound < 0 ? number <= bound : number >= bound
    }
}

// MARK: Colors

/// An opaque color that a style states as such: `#fff`, `rgb(255, 255, 255)`, `white` (CSS Color 4).
struct PlainColor: Equatable {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    static let white = PlainColor(red: 255, green: 255, blue: 255)

    /// Whether people cannot see one on the other.
    func looksLike(_ other: PlainColor) -> Bool {
        func isNear(_ a: UInt8, _ b: UInt8) -> Bool { max(a, b) - min(a, b) <= 8 }
        return isNear(red, other.red) && isNear(green, other.green) && isNear(blue, other.blue)
    }

    private init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// - Returns: nil for other values: pictures, gradients, `transparent`, `inherit`.
    init?(_ value: ArraySlice<UInt8>) {
        var text = String(decoding: value.prefix(60).filter { !$0.isHTMLSpace || $0 == 0x20 }, as: UTF8.self)
            .asciiLowercased.trimmingHTMLSpace()
        if text.hasSuffix("!important") { text = String(text.dropLast(10)).trimmingHTMLSpace() }
        if let digits = text.hasPrefix("#") ? text.dropFirst() : Self.named[text].map({ $0[...] }) {
            self.init(digits: digits)
        } else if text.hasSuffix(")"), let open = text.firstIndex(of: "("), ["rgb", "rgba"].contains(text[..<open]) {
            let parts = text[text.index(after: open)...].dropLast().split { ", /".contains($0) }
            // Of colors that are partly transparent it is not known what they look like.
            guard parts.count == 3 || parts.count == 4 && ["1", "1.0", "100%"].contains(parts[3]) else { return nil }
            let numbers = parts.prefix(3).compactMap { part -> UInt8? in
                guard let number = Double(part.hasSuffix("%") ? part.dropLast() : part) else { return nil }
                return UInt8(exactly: (part.hasSuffix("%") ? number * 2.55 : number).rounded())
            }
            guard numbers.count == 3 else { return nil }
            self.init(red: numbers[0], green: numbers[1], blue: numbers[2])
        } else {
            return nil
        }
    }

    private init?(digits: Substring) {
        var values = digits.utf8.compactMap(\.hexDigitValue)
        guard values.count == digits.utf8.count else { return nil }
        if values.count == 3 || values.count == 4 { values = values.flatMap { [$0, $0] } }
        guard values.count == 6 || values.count == 8 && values[6] == 15 && values[7] == 15 else { return nil }
        self.init(
            red: values[0] << 4 | values[1], green: values[2] << 4 | values[3], blue: values[4] << 4 | values[5])
    }

    /// The names of CSS Color 4 §6.1.
    private static let named: [String: String] = {
        let pairs = """
            aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000
            blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0
            chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff
            darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9
            darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000
            darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f
            darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969
            dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc
            ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080
            honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
            lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff
            lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
            lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
            lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000
            mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371
            mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
            midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080
            oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa
            palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f
            pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f
            royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee
            sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa
            springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0
            violet ee82ee wheat f5deb3 white fff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32
            """.split(whereSeparator: \.isWhitespace)
        var named: [String: String] = [:]
        for index in stride(from: 0, to: pairs.count - 1, by: 2) {
            named[String(pairs[index])] = String(pairs[index + 1])
        }
        return named
    }()
}
