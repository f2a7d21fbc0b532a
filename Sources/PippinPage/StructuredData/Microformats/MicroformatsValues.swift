/// Reads what the properties of microformats say. One reader is used for one output, because it bounds the text of all values
/// together.
struct MicroformatsValues {
    enum Value {
        /// Text, or an absolute address.
        case text(String)
        /// An image with the text that stands for it.
        case photo(url: String, alt: String)
        /// Markup, the text in it, and its language if one is declared.
        case markup(html: String, text: String, language: String?)

        /// The value where only text can stand.
        var text: String {
            switch self {
            case .text(let text), .photo(let text, _), .markup(_, let text, _): text
            }
        }
    }

    private let document: HTMLDocument
    private let baseURL: WebURL
    private(set) var texts: TextBudget
    private var languages = DeclaredLanguages()
    private var steps: InterruptibleSteps
    /// Whether texts have their white space collapsed and markup is left out, for people to read.
    private let collapses: Bool

    /// - Parameter collapsing: whether texts have their white space collapsed, and markup is left out.
    init(_ microformats: Microformats, collapsing: Bool = false) {
        collapses = collapsing
        document = microformats.document
        baseURL = microformats.baseURL
        texts = TextBudget(microformats.document, microformats.limits)
        steps = InterruptibleSteps(microformats.limits)
    }

    /// The value of a property's element; nil for one that is implied and not there, or that says nothing.
    ///
    /// - Parameter day: the last day that a time property of the item has named; it completes a time without one.
    mutating func value(of property: Microformats.Property, day: inout String?) -> Value? {
        if steps.isInterrupted() { return nil }
        let element = property.element
        switch property.kind {
        case .text: return .text(text(of: element))
        case .url: return url(of: element)
        case .time: return .text(time(of: element, day: &day))
        case .markup: return markup(of: element)
        case .tag: return tag(of: element)
        case .impliedName: return .text(impliedName(of: element))
        case .impliedPhoto: return impliedPhoto(of: element)
        case .impliedURL: return impliedURL(of: element).map(Value.text)
        }
    }

    // MARK: Text

    /// "Parsing a `p-` property".
    mutating func text(of element: HTMLDocument.Index) -> String {
        if let parts = valueParts(of: element) { return parts.joined() }
        let attribute: HTMLName? =
            switch document.elements[element].name {
            case .abbr, .link: .title
            case .data, .input: .value
            case .img, .area: .alt
            default: nil
            }
        if let attribute, let value = copied(attribute, of: element) { return value }
        return content(of: element, images: .altOrAddress)
    }

    enum Images {
        case none, alt, altOrAddress
    }

    /// The text of an element without scripts and styles, trimmed. Images count as what stands for them.
    mutating func content(of root: HTMLDocument.Index, images: Images) -> String {
        guard texts.takeText(of: root) else { return "" }
        if collapses {
            let text = document.collapsedText(of: root)
            if !text.isEmpty { return text }
        }
        var bytes: [UInt8] = []
        var position = Int(document.elements[root].textStart)
        var next = root
        let end = Int(document.elements[root].subtreeEnd)
        while next < end {
            if steps.isInterrupted() { return "" }
            let element = document.elements[next]
            bytes += document.text[position..<max(position, Int(element.textStart))]
            position = max(position, Int(element.textStart))
            switch element.name {
            case .script, .style:
                position = Int(element.textEnd)
                next = max(next + 1, Int(element.subtreeEnd))
            case .img where images != .none:
                if let alt = document.bytes(of: .alt, on: next) {
                    if texts.take(alt.count) { bytes += [0x20] + alt + [0x20] }
                } else if images == .altOrAddress, let source = document.value(of: .src, on: next) {
                    bytes += [0x20] + address(source).utf8 + [0x20]
                }
                next += 1
            default: next += 1
            }
        }
        bytes += document.text[position..<max(position, Int(document.elements[root].textEnd))]
        return String(decoding: bytes[...].trimmingHTMLSpace(), as: UTF8.self)
    }

    /// Whether there is room for so many more bytes.
    mutating func takes(bytes: Int) -> Bool { texts.take(bytes) }

    /// The text of an attribute; nil if the element lacks it.
    mutating func copied(_ name: HTMLName, of element: HTMLDocument.Index) -> String? {
        guard let bytes = document.bytes(of: name, on: element) else { return nil }
        return texts.take(bytes.count) ? String(decoding: bytes, as: UTF8.self) : ""
    }

    // MARK: Value class pattern

    /// Classes of children that hold the value.
    private static let valueNames = ["value".utf8, "value-title".utf8]

    /// What the children with class `value` or `value-title` say; nil without any ("value class pattern", basic parsing).
    private mutating func valueParts(of element: HTMLDocument.Index, ofTime: Bool = false) -> [String]? {
        var parts: [String] = []
        var hasParts = false
        for child in document.children(of: element) {
            if steps.isInterrupted() { return nil }
            guard document.elements[child].name != .template, let names = document.bytes(of: .class, on: child) else {
                continue
            }
            // An element may have a thousand properties, and each looks at its children.
            guard texts.take(8 + names.count) else { return nil }
            var isTitle = false
            var isValue = false
            for token in names.splitOnHTMLSpace() {
                isValue = isValue || token.elementsEqual(Self.valueNames[0])
                isTitle = isTitle || token.elementsEqual(Self.valueNames[1])
            }
            guard isTitle || isValue else { continue }
            hasParts = true
            parts.append(isTitle ? copied(.title, of: child) ?? "" : valuePart(child, ofTime: ofTime))
        }
        return hasParts ? parts : nil
    }

    private mutating func valuePart(_ child: HTMLDocument.Index, ofTime: Bool) -> String {
        let attribute: HTMLName? =
            switch document.elements[child].name {
            case .img, .area: .alt
            case .data: .value
            case .abbr: .title
            case .time, .del, .ins: ofTime ? .datetime : nil
            default: nil
            }
        if let attribute, let value = copied(attribute, of: child) { return value }
        return content(of: child, images: .none)
    }

    // MARK: Addresses

    /// "Parsing a `u-` property".
    private mutating func url(of element: HTMLDocument.Index) -> Value {
        let name = document.elements[element].name
        if name == .img, let photo = photo(element) { return photo }
        let written: ArraySlice<UInt8>? =
            switch name {
            case .a, .area, .link: document.bytes(of: .href, on: element)
            case .audio, .source, .iframe: document.bytes(of: .src, on: element)
            case .video: document.bytes(of: .src, on: element) ?? document.bytes(of: .poster, on: element)
            case .object: document.bytes(of: .data, on: element)
            default: nil
            }
        if let written { return .text(address(String(decoding: written, as: UTF8.self))) }
        return .text(address(writtenAddress(of: element)))
    }

    /// The text of a `u-` property whose element is no link, before it is resolved.
    mutating func writtenAddress(of element: HTMLDocument.Index) -> String {
        if let parts = valueParts(of: element) { return parts.joined() }
        let attribute: HTMLName? =
            switch document.elements[element].name {
            case .data, .input: .value
            case .abbr: .title
            default: nil
            }
        return attribute.flatMap { copied($0, of: element) } ?? content(of: element, images: .none)
    }

    /// The absolute address of a link; nil without one.
    mutating func href(of element: HTMLDocument.Index) -> String? {
        document.value(of: .href, on: element).map { address($0) }
    }

    /// The absolute form of an address; as written if it has none.
    private mutating func address(_ written: String) -> String {
        guard texts.take(written.utf8.count + Self.lengthOfBase(baseURL)) else { return "" }
        return WebURL(written: written, base: baseURL)?.href ?? written
    }

    private static func lengthOfBase(_ url: WebURL) -> Int { url.href.utf8.count }

    private mutating func photo(_ element: HTMLDocument.Index) -> Value? {
        guard let source = document.value(of: .src, on: element) else { return nil }
        let url = address(source)
        return copied(.alt, of: element).map { .photo(url: url, alt: $0) } ?? .text(url)
    }

    /// A tag is the last part of its link's address (rel-tag).
    private mutating func tag(of element: HTMLDocument.Index) -> Value? {
        guard let href = document.bytes(of: .href, on: element), texts.take(href.count),
            let last = href.split(separator: UInt8(ascii: "/")).last
        else { return nil }
        return .text(String(decoding: last, as: UTF8.self).percentDecoded)
    }

    // MARK: Times

    /// "Parsing a `dt-` property".
    mutating func time(of element: HTMLDocument.Index, day: inout String?) -> String {
        if let parts = valueParts(of: element, ofTime: true) {
            var whole = MicroformatsTime()
            for part in parts.compactMap({ MicroformatsTime($0.trimmingHTMLSpace()) }) {
                whole.add(part)
                if part.date != nil, part.time != nil { break }
            }
            whole.complete(with: day)
            if let text = whole.text {
                day = whole.date ?? day
                return text
            }
        }
        let attribute: HTMLName? =
            switch document.elements[element].name {
            case .time, .del, .ins: .datetime
            case .data, .input: .value
            case .abbr: .title
            default: nil
            }
        let written = attribute.flatMap { copied($0, of: element) } ?? content(of: element, images: .none)
        guard var time = MicroformatsTime(written.trimmingHTMLSpace()) else { return written }
        if time.date == nil, time.time != nil, day != nil {
            time.complete(with: day)
            return time.text ?? written
        }
        day = time.date ?? day
        return written
    }

    // MARK: Markup

    /// "Parsing an `e-` property".
    private mutating func markup(of element: HTMLDocument.Index) -> Value {
        if collapses { return .text(content(of: element, images: .none)) }
        let html = document.markup(inside: element, asXML: false, base: baseURL, &texts)
        return .markup(
            html: html.trimmingHTMLSpace(), text: content(of: element, images: .altOrAddress),
            language: language(of: element))
    }

    /// The language that an element or one around it declares.
    mutating func language(of element: HTMLDocument.Index) -> String? {
        languages.language(of: element, in: document)
    }

    // MARK: Implied properties

    /// The child, or the child of the only child, that stands for an element ("parsing for implied properties").
    private mutating func impliedName(of element: HTMLDocument.Index) -> String {
        if let name = labelled(element) { return name }
        if let child = onlyChild(of: element), !isRoot(child) {
            if let name = labelled(child) { return name }
            if let grandchild = onlyChild(of: child), !isRoot(grandchild), let name = labelled(grandchild) {
                return name
            }
        }
        return content(of: element, images: .alt)
    }

    /// The alternative of an image or area, or what an abbreviation stands for.
    private mutating func labelled(_ element: HTMLDocument.Index) -> String? {
        let name = document.elements[element].name
        let isImage = name == .img || name == .area
        guard isImage || name == .abbr, let label = copied(isImage ? .alt : .title, of: element),
            !label.isEmpty
        else { return nil }
        return label
    }

    private mutating func impliedPhoto(of element: HTMLDocument.Index) -> Value? {
        if let photo = ownPhoto(element) { return photo }
        return impliedSource(of: element, [.img, .object]).flatMap { ownPhoto($0) }
    }

    private mutating func ownPhoto(_ element: HTMLDocument.Index) -> Value? {
        switch document.elements[element].name {
        case .img: photo(element)
        case .object: document.value(of: .data, on: element).map { .text(address($0)) }
        default: nil
        }
    }

    private mutating func impliedURL(of element: HTMLDocument.Index) -> String? {
        func href(_ element: HTMLDocument.Index) -> String? {
            switch document.elements[element].name {
            case .a, .area: document.value(of: .href, on: element)
            default: nil
            }
        }
        return (href(element) ?? impliedSource(of: element, [.a, .area]).flatMap(href)).map { address($0) }
    }

    /// The only child of one of these names, else that of the only child.
    private mutating func impliedSource(of element: HTMLDocument.Index, _ names: [HTMLName]) -> HTMLDocument.Index? {
        for name in names {
            if let found = only(name, in: element) { return found }
        }
        guard let child = onlyChild(of: element), !isRoot(child) else { return nil }
        for name in names {
            if let found = only(name, in: child) { return found }
        }
        return nil
    }

    private mutating func only(_ name: HTMLName, in element: HTMLDocument.Index) -> HTMLDocument.Index? {
        var found: HTMLDocument.Index?
        for child in document.children(of: element) {
            if steps.isInterrupted() { return nil }
            guard document.elements[child].name == name else { continue }
            if found != nil { return nil }
            found = child
        }
        return found.flatMap { isRoot($0) ? nil : $0 }
    }

    private func onlyChild(of element: HTMLDocument.Index) -> HTMLDocument.Index? {
        var found: HTMLDocument.Index?
        for child in document.children(of: element) where document.elements[child].name != .template {
            if found != nil { return nil }
            found = child
        }
        return found
    }

    private func isRoot(_ element: HTMLDocument.Index) -> Bool {
        document.bytes(of: .class, on: element)?.splitOnHTMLSpace().contains { MicroformatsNames.isRoot($0) } ?? false
    }
}
