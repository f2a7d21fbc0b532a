import Foundation

/// Text that inline styles hide from people and leave to search engines: far off the screen, without size, in the color of its
/// background, or a block of links to other sites that is not displayed. Google's spam policies call it hidden text.
///
/// Parts that scripts show on a click (menus, tabs, dialogs) are no hidden text, so `display: none` alone is none. Short texts
/// off the screen are help for screen readers: see `isTelling`. Style sheets are not read.
public struct HiddenText: Sendable {
    /// How a part is hidden.
    public enum Way: String, Sendable, CaseIterable {
        case offScreen = "off-screen"
        case noSize = "no-size"
        case sameColor = "same-color"
        case links = "links"
    }

    /// One element whose text is hidden.
    public struct Part: Sendable {
        public let way: Way
        public let element: HTMLDocument.Index
        public let words: Int
    }

    /// The parts in document order, none inside of another; at most 1,000.
    public let parts: [Part]

    /// How many words are hidden.
    public var words: Int { parts.reduce(0) { $0 + $1.words } }

    /// Whether so many words are hidden that people are meant to miss them.
    public var isTelling: Bool { words >= 30 }

    /// Reads the whole document once.
    ///
    /// - Parameters:
    ///   - visible: of the same document. A part with more than half of it is no hidden text: scripts show such pages later.
    ///   - url: of the page; tells which links lead to other sites.
    public init(_ document: HTMLDocument, visible: VisibleText, url: WebURL) {
        var parts: [Part] = []
        guard document.hasAttribute(.style) else {
            self.parts = []
            return
        }
        var next = 0
        // Hostile pages nest parts: those that are read in vain are counted, and links of a part are counted once.
        var larger = 0
        var notDisplayedEnd = 0
        while next < document.elements.count, parts.count < 1_000, larger < 20 {
            let element = document.elements[next]
            let name = element.name
            if name == .script || name == .style || name.isUnseen, name != .head {
                next = max(next + 1, document.endOfUnseen(next).next)
                continue
            }
            if name != .html, name != .body, let style = document.bytes(of: .style, on: next),
                let way = Self.way(of: next, style, document, url, notDisplayedEnd: &notDisplayedEnd)
            {
                let text = document.visibleText(of: next, maximumBytes: visible.bytes.count / 2 + 1)
                let words = text.utf8.split(separator: 0x20).count
                if words > 0, text.utf8.count * 2 <= visible.bytes.count {
                    parts.append(Part(way: way, element: next, words: words))
                    next = Int(element.subtreeEnd)
                    continue
                }
                larger += 1
            }
            next += 1
        }
        self.parts = parts
    }

    /// What stands in a style that may hide an element.
    private struct Signs: OptionSet {
        let rawValue: UInt8

        /// A number below zero, `font-size` or `background`.
        static let look = Signs(rawValue: 1)
        /// `display`.
        static let display = Signs(rawValue: 2)
    }

    /// Most styles have no sign, and are not taken apart.
    private static func signs(in style: ArraySlice<UInt8>) -> Signs {
        style.withUnsafeBufferPointer { bytes in
            var signs: Signs = []
            for i in bytes.indices {
                switch bytes[i] {
                case 0x2D where i + 1 < bytes.count && bytes[i + 1].isASCIIDigit: signs.insert(.look)
                case 0x42, 0x62: if has("background", in: bytes, at: i) { signs.insert(.look) }
                case 0x44, 0x64: if has("display", in: bytes, at: i) { signs.insert(.display) }
                case 0x46, 0x66: if has("font-size", in: bytes, at: i) { signs.insert(.look) }
                default: break
                }
            }
            return signs
        }
    }

    private static func has(_ word: StaticString, in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        let length = word.utf8CodeUnitCount
        guard start + length <= bytes.count else { return false }
        for offset in 0..<length where bytes[start + offset].asciiLowercased != word.utf8Start[offset] { return false }
        return true
    }

    private static func way(
        of element: HTMLDocument.Index, _ written: ArraySlice<UInt8>, _ document: HTMLDocument, _ url: WebURL,
        notDisplayedEnd: inout HTMLDocument.Index
    ) -> Way? {
        let signs = signs(in: written)
        let style = InlineStyle(written)
        if signs.contains(.look), let way = way(of: element, style, document) { return way }
        if signs.contains(.display), element >= notDisplayedEnd, style.isNotDisplayed {
            notDisplayedEnd = Int(document.elements[element].subtreeEnd)
            if holdsForeignLinks(element, document, url) { return .links }
        }
        return nil
    }

    /// How the look of an element hides it.
    private static func way(
        of element: HTMLDocument.Index, _ style: InlineStyle, _ document: HTMLDocument
    ) -> Way? {
        var isPositioned = false
        var isFarOff = false
        var hasFarIndent = false
        var hasNoSize = false
        // Of two declarations, the last one counts.
        var color: ArraySlice<UInt8>?
        var background: ArraySlice<UInt8>?
        for declaration in style {
            switch declaration.property.count {
            case 3, 4, 5, 6:
                if declaration.declares("left") || declaration.declares("top") || declaration.declares("right")
                    || declaration.declares("bottom")
                {
                    isFarOff = isFarOff || Self.isFarOff(declaration)
                } else if declaration.declares("color") {
                    color = declaration.value
                }
            case 8 where declaration.declares("position"):
                isPositioned = declaration.says("absolute") || declaration.says("fixed")
            case 9 where declaration.declares("font-size"):
                if let (size, unit) = declaration.length {
                    hasNoSize = size <= 0 || size <= 1 && unit.equalsIgnoringCase("px")
                }
            case 10 where declaration.declares("background"): background = declaration.value
            case 11 where declaration.declares("text-indent"): hasFarIndent = Self.isFarOff(declaration)
            case 16 where declaration.declares("background-color"): background = declaration.value
            default: break
            }
        }
        if isPositioned && isFarOff || hasFarIndent { return .offScreen }
        if let color, let background, let same = Self.color(color), same == Self.color(background) { return .sameColor }
        return hasNoSize && !isStyledInside(element, document) ? .noSize : nil
    }

    /// Further to the left or top than a slide show moves its pictures.
    private static func isFarOff(_ declaration: InlineStyle.Declaration) -> Bool {
        guard let (number, unit) = declaration.length else { return false }
        if unit.equalsIgnoringCase("px") { return number <= -900 }
        return number <= -90 && (unit.equalsIgnoringCase("em") || unit.equalsIgnoringCase("rem"))
    }

    /// A list without font size is a habit to close the gaps between its items, which have a size of their own.
    private static func isStyledInside(_ element: HTMLDocument.Index, _ document: HTMLDocument) -> Bool {
        document.descendants(of: element).prefix(50).contains {
            document.has(.class, on: $0) || document.has(.style, on: $0) || document.has(.id, on: $0)
        }
    }

    /// Five links or more to other sites, and little text but them: what is put into pages of others.
    private static func holdsForeignLinks(
        _ element: HTMLDocument.Index, _ document: HTMLDocument, _ url: WebURL
    ) -> Bool {
        var linkBytes = 0
        var links = 0
        /// Those that may lead to another site.
        var absolute: [ArraySlice<UInt8>] = []
        for inner in document.descendants(of: element).prefix(2_000)
        where document.elements[inner].nameNumber == HTMLName.a.rawValue {
            guard let href = document.bytes(of: .href, on: inner), links < 200 else { continue }
            links += 1
            linkBytes += Int(document.elements[inner].textEnd - document.elements[inner].textStart)
            let trimmed = href.trimmingHTMLSpace().prefix(1_000)
            if trimmed.starts(with: "http".utf8) || trimmed.starts(with: "//".utf8) { absolute.append(trimmed) }
        }
        let bytes = Int(document.elements[element].textEnd - document.elements[element].textStart)
        // Which site a host belongs to takes a while to find out.
        guard absolute.count >= 5, absolute.count * 2 > links, linkBytes * 3 >= bytes else { return false }
        let own = url.host
        let foreign = absolute.count { address in
            guard let target = WebURL(utf8: address, base: url) else { return false }
            return !SiteIdentity.isSameSite(target.host, own)
        }
        return foreign >= 5 && foreign * 2 > links
    }

    /// A color in one form, so that equal ones are the same; nil for what is no plain color.
    private static func color(_ value: ArraySlice<UInt8>) -> String? {
        let squeezed = String(
            decoding: value.prefix(40).filter { !$0.isHTMLSpace }.map(\.asciiLowercased), as: UTF8.self)
        let text = squeezed.hasSuffix("!important") ? String(squeezed.dropLast(10)) : squeezed
        switch text {
        case "white": return "ffffff"
        case "black": return "000000"
        default: break
        }
        if text.hasPrefix("#") {
            let digits = text.dropFirst()
            guard digits.utf8.allSatisfy({ $0.hexDigitValue != nil }) else { return nil }
            if digits.utf8.count == 3 { return String(digits.flatMap { [$0, $0] }) }
            return digits.utf8.count == 6 ? String(digits) : nil
        }
        if text.hasPrefix("rgb("), text.hasSuffix(")") {
            let numbers = text.dropFirst(4).dropLast().split(separator: ",").map { UInt8($0) }
            guard numbers.count == 3, !numbers.contains(nil) else { return nil }
            return numbers.compactMap { $0 }.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        // A name, but not `inherit`, `transparent` or a function.
        let isName = text.utf8.allSatisfy(\.isASCIILetter)
        return isName && !["inherit", "transparent", "initial", "unset", "none", "currentcolor"].contains(text)
            ? text : nil
    }
}
