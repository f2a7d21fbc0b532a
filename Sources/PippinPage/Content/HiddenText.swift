import Foundation

/// Text that inline styles hide from people and leave to search engines: off the screen, without size, in the color of its
/// background, transparent, or a block of links to other sites that is not displayed. Google's spam policies call it hidden text.
///
/// `InlineStyle.hiding` is the table of the ways. Parts that scripts show on a click (menus, tabs, dialogs) are no hidden text, so
/// `display: none` alone is none. Short texts off the screen are help for screen readers: see `isTelling`. Style sheets are not
/// read.
public struct HiddenText: Sendable {
    /// How a part is hidden.
    public enum Way: String, Sendable, CaseIterable {
        case offScreen = "off-screen"
        case clipped = "clipped"
        case noSize = "no-size"
        case sameColor = "same-color"
        case transparent = "transparent"
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

    /// The most parts whose text is read in vain. Hostile pages nest them; what is inside of further ones is not looked at.
    private static let maximumInVain = 20

    /// Reads the whole document once.
    ///
    /// - Parameters:
    ///   - visible: of the same document.
    ///   - url: of the page; tells which links lead to other sites.
    public init(
        _ document: HTMLDocument, visible: VisibleText, url: WebURL, limits: ReadingLimits = .standard
    ) {
        let hasFonts = !document.elements(named: .font).isEmpty
        guard document.hasAttribute(.style) || hasFonts else {
            parts = []
            return
        }
        var search = Search(document: document, visibleBytes: visible.bytes.count, url: url)
        var parts: [Part] = []
        var next = 0
        var inVain = 0
        var steps = InterruptibleSteps(limits)
        while next < document.elements.count, parts.count < 1_000, !steps.isInterrupted() {
            let element = document.elements[next]
            let name = element.name
            if name == .script || name == .style || name.isUnseen, name != .head {
                next = max(next + 1, document.endOfUnseen(next).next)
                continue
            }
            guard name != .html, name != .body, let way = search.way(of: next, isFont: hasFonts && name == .font) else {
                next += 1
                continue
            }
            let text = document.visibleText(of: next, maximumBytes: visible.bytes.count + 1)
            let words = text.utf8.split(separator: 0x20).count
            if words > 0, !search.isShownLater(next, way, bytes: text.utf8.count) {
                parts.append(Part(way: way, element: next, words: words))
            } else if words > 0, inVain < Self.maximumInVain {
                inVain += 1
                next += 1
                continue
            }
            next = max(next + 1, Int(element.subtreeEnd))
        }
        self.parts = parts
    }
}

/// Decides how one element hides its text.
private struct Search {
    let document: HTMLDocument
    let visibleBytes: Int
    let url: WebURL
    private var notDisplayedEnd: HTMLDocument.Index = 0
    private lazy var hasPrograms = ScriptData.hasPrograms(document)
    /// Whether a style sheet may say more than the inline styles.
    private lazy var hasSheets =
        !document.elements(named: .style).isEmpty
        || document.elements(named: .link).contains {
            document.value(of: .rel, on: $0)?.asciiLowercased.has("stylesheet") == true
        }

    /// A page with less text outside of a hidden part, in bytes, has no other content: scripts show it later.
    private static let emptyPage = 150

    init(document: HTMLDocument, visibleBytes: Int, url: WebURL) {
        (self.document, self.visibleBytes, self.url) = (document, visibleBytes, url)
    }

    mutating func way(of element: HTMLDocument.Index, isFont: Bool) -> HiddenText.Way? {
        guard let look = look(of: element) else {
            guard isFont, let color = document.bytes(of: .color, on: element).flatMap(PlainColor.init) else {
                return nil
            }
            return isUnseen(color, in: element) ? .sameColor : nil
        }
        let hiding = look.hiding
        // Whatever else its style says, scripts display such a part, or nobody does.
        guard hiding.isDisjoint(with: [.notDisplayed, .invisible]) else {
            guard element >= notDisplayedEnd else { return nil }
            notDisplayedEnd = Int(document.elements[element].subtreeEnd)
            return holdsForeignLinks(element) ? .links : nil
        }
        if hiding.contains(.offScreen) { return .offScreen }
        if hiding.contains(.clipped) { return .clipped }
        if hiding.contains(.sameColor) { return .sameColor }
        if hiding.contains(.withoutBox) { return .noSize }
        if hiding.contains(.withoutLetters), !isStyledInside(element) { return .noSize }
        if !hiding.isDisjoint(with: [.transparent, .shrunk]) { return .transparent }
        if look.background == nil, let color = look.color, isUnseen(color, in: element) {
            return .sameColor
        }
        return nil
    }

    /// Real pages write each of their inline styles four times. Each is read once.
    private var looks: [String: InlineStyle.Look?] = [:]
    private static let maximumLooks = 2_000

    /// What an element's style says, if it may hide the element.
    private mutating func look(of element: HTMLDocument.Index) -> InlineStyle.Look? {
        guard let style = document.bytes(of: .style, on: element)?.prefix(InlineStyle.maximumBytes) else { return nil }
        let written = String(decoding: style, as: UTF8.self)
        if let known = looks[written] { return known }
        let look = InlineStyle.mayHide(style) ? InlineStyle(style).look : nil
        if looks.count < Self.maximumLooks { looks[written] = .some(look) }
        return look
    }

    /// Whether scripts show a part after the page has opened: one that fades in, or the whole content of a page that is hidden
    /// until it is complete. A script must be able to find the part.
    mutating func isShownLater(_ element: HTMLDocument.Index, _ way: HiddenText.Way, bytes: Int) -> Bool {
        guard way == .transparent || visibleBytes - bytes < Self.emptyPage, hasPrograms else { return false }
        switch document.elements[element].name {
        case .div, .p, .section, .span, .a, .b, .font, .i, .li, .td, .ul: break
        // By its name.
        default: return true
        }
        if let style = document.bytes(of: .style, on: element), InlineStyle(style).hiding.contains(.animated) {
            return true
        }
        return document.attributes(of: element).prefix(50).contains {
            $0.name == "id" || $0.name == "class" || $0.name.hasPrefix("data-")
        }
    }

    // MARK: Colors

    /// Whether a color is that of the background which the element gets from the elements around it.
    private mutating func isUnseen(_ color: PlainColor, in element: HTMLDocument.Index) -> Bool {
        guard let background = background(of: element), color.looksLike(background) else { return false }
        return !isStyledInside(element)
    }

    /// What is known of the background of an element.
    private enum Background {
        case plain(PlainColor)
        /// A picture, or what a style sheet may state.
        case unknown
    }

    /// Hostile pages have many parts below many elements. Each element is asked once.
    private var backgrounds: [HTMLDocument.Index: Background] = [:]

    /// The background that an element states or gets from the elements around it; nil if it is not known.
    private mutating func background(of element: HTMLDocument.Index) -> PlainColor? {
        var path: [HTMLDocument.Index] = []
        var next: HTMLDocument.Index? = element
        var found: Background?
        while let current = next, found == nil {
            found = backgrounds[current] ?? ownBackground(of: current)
            path.append(current)
            next = document.parent(of: current)
        }
        let background = found ?? (hasSheets ? .unknown : .plain(.white))
        for element in path { backgrounds[element] = background }
        if case .plain(let color) = background { return color }
        return nil
    }

    private mutating func ownBackground(of element: HTMLDocument.Index) -> Background? {
        func background(_ color: PlainColor?) -> Background { color.map { .plain($0) } ?? .unknown }
        if let style = document.bytes(of: .style, on: element), InlineStyle.mayStateBackground(style),
            let stated = InlineStyle(style).look.background
        {
            return background(PlainColor(stated))
        }
        switch document.elements[element].name {
        case .body, .table, .tr, .td, .th:
            for (name, value) in document.attributes(of: element).prefix(50) {
                if name == "bgcolor" { return background(PlainColor(Array(value.utf8)[...])) }
                if name == "background" { return .unknown }
            }
        default: break
        }
        return hasSheets && (document.has(.class, on: element) || document.has(.id, on: element)) ? .unknown : nil
    }

    /// A list without font size is a habit to close the gaps between its items, which have a size of their own.
    private func isStyledInside(_ element: HTMLDocument.Index) -> Bool {
        document.descendants(of: element).prefix(50).contains {
            document.has(.class, on: $0) || document.has(.style, on: $0) || document.has(.id, on: $0)
        }
    }

    // MARK: Links

    /// Five links or more to other sites, and little text but them: what is put into pages of others.
    private func holdsForeignLinks(_ element: HTMLDocument.Index) -> Bool {
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
}
