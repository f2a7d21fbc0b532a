/// The parts of a page whose text nobody reads in it: scripts, controls, what is hidden, marks of references, sources of formulas.
/// `VisibleText` asks it, and tells the walks of `PageText` and `Byline` what it said, so that all have the same text.
struct UnseenParts {
    private let document: HTMLDocument
    private let readsNoscript: Bool
    private let mayBeHidden: Bool
    private let hasStyles: Bool

    /// A longer part is no mark.
    private static let maximumMarkBytes = 40
    /// A longer part that is not displayed may be what people open.
    private static let maximumAsideBytes = 300
    /// Of a mark, that are looked at.
    private static let maximumElements = 12

    init(_ document: HTMLDocument, readsNoscript: Bool) {
        self.document = document
        self.readsNoscript = readsNoscript
        mayBeHidden = document.hasAttribute(.hidden)
        hasStyles = document.hasAttribute(.style)
    }

    func contains(_ element: HTMLDocument.Index, _ name: HTMLName) -> Bool {
        switch name {
        case .script, .style: return true
        case .annotation, .annotationXML: if document.elements[element].isForeign { return true }
        case .sup: if isReference(element) { return true }
        case .a:
            if leadsIntoPage(element), isReferenceAround(element) || isSignOfHeading(element) { return true }
            if isControlOfHeading(element) { return true }
        case .span, .small: if isControlOfHeading(element) { return true }
        default: break
        }
        return name.isUnseen && !(readsNoscript && name == .noscript)
            || mayBeHidden && document.has(.hidden, on: element)
            || hasStyles && !name.separatesText && isNotDisplayed(element)
    }

    /// Whether the words around it do without it: they are shown, and it is not. Blocks that are not displayed are often tabs;
    /// a formula has a picture beside it, which says nothing.
    private func isNotDisplayed(_ element: HTMLDocument.Index) -> Bool {
        guard let style = document.bytes(of: .style, on: element),
            document.textBytes(of: element).count <= Self.maximumAsideBytes,
            InlineStyle(style).isNotDisplayed
        else { return false }
        return !document.descendants(of: element).prefix(Self.maximumElements).contains {
            document.elements[$0].name == .math || document.elements[$0].name.separatesText
        }
    }

    // MARK: References

    /// Whether a superscript is only links into the page: `<sup><a href="#note-1">[1]</a></sup>`.
    private func isReference(_ sup: HTMLDocument.Index) -> Bool {
        guard isMark(sup) else { return false }
        var position = Int(document.elements[sup].textStart)
        var hasLink = false
        for inner in document.descendants(of: sup)
        where document.elements[inner].name == .a && leadsIntoPage(inner) {
            let link = document.elements[inner]
            guard !hasWords(document.text[position..<max(position, Int(link.textStart))]) else { return false }
            position = Int(link.textEnd)
            hasLink = true
        }
        return hasLink && !hasWords(document.text[position..<max(position, Int(document.elements[sup].textEnd))])
    }

    /// Whether a link into the page is only a superscript: `<a href="#note-1"><sup>1</sup></a>`.
    private func isReferenceAround(_ link: HTMLDocument.Index) -> Bool {
        guard isMark(link),
            let sup = document.descendants(of: link).first(where: { document.elements[$0].name == .sup })
        else { return false }
        let (outer, inner) = (document.elements[link], document.elements[sup])
        return inner.textEnd > inner.textStart
            && !hasWords(document.text[Int(outer.textStart)..<Int(inner.textStart)])
            && !hasWords(document.text[Int(inner.textEnd)..<Int(outer.textEnd)])
    }

    private func isMark(_ element: HTMLDocument.Index) -> Bool {
        document.textBytes(of: element).count <= Self.maximumMarkBytes
            && document.descendants(of: element).count <= Self.maximumElements
    }

    private func leadsIntoPage(_ link: HTMLDocument.Index) -> Bool {
        document.bytes(of: .href, on: link)?.trimmingHTMLSpace().first == UInt8(ascii: "#")
    }

    private func hasWords(_ text: ArraySlice<UInt8>) -> Bool {
        String(decoding: text, as: UTF8.self).contains { $0.isLetter || $0.isNumber }
    }

    // MARK: Headings

    /// Whether a link into the page is the sign of a heading that people copy its address from: `¶`, `#`, `§`.
    private func isSignOfHeading(_ link: HTMLDocument.Index) -> Bool {
        isMark(link) && !document.textBytes(of: link).isEmpty && !hasWords(document.textBytes(of: link))
            && heading(around: link) != nil
    }

    /// Whether an element behind the words of a heading is links in brackets: `[edit]`.
    private func isControlOfHeading(_ element: HTMLDocument.Index) -> Bool {
        let text = document.textBytes(of: element)
        guard text.count <= Self.maximumMarkBytes, let first = text.first(where: { $0 > 0x20 }),
            first == UInt8(ascii: "["), text.last(where: { $0 > 0x20 }) == UInt8(ascii: "]"), isMark(element),
            document.elements[element].name == .a
                || document.descendants(of: element).contains(where: { document.elements[$0].name == .a })
        else { return false }
        if let heading = heading(around: element) {
            let words = Int(document.elements[heading].textStart)..<Int(document.elements[element].textStart)
            return hasWords(document.text[words])
        }
        return isBehindHeading(element)
    }

    private func heading(around element: HTMLDocument.Index) -> HTMLDocument.Index? {
        var next = document.parent(of: element)
        for _ in 0..<4 {
            guard let around = next else { return nil }
            if document.elements[around].name.rules.contains(.heading) { return around }
            next = document.parent(of: around)
        }
        return nil
    }

    /// Whether the element before it is a heading, as in `<div><h2>Pears</h2><span>[<a href=/edit>edit</a>]</span></div>`.
    private func isBehindHeading(_ element: HTMLDocument.Index) -> Bool {
        var next = element > 0 ? element - 1 : nil
        for _ in 0..<Self.maximumElements {
            guard let before = next, Int(document.elements[before].subtreeEnd) == element else { return false }
            if document.elements[before].name.rules.contains(.heading) {
                return document.parent(of: before) == document.parent(of: element)
            }
            next = document.parent(of: before)
        }
        return false
    }
}
