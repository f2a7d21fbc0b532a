// What the microdata attributes of one element say (WHATWG HTML §5.2.2–5.2.4).

extension Microdata {
    enum Value {
        /// From an attribute.
        case text(String)
        /// Absolute; empty where the attribute is missing or no URL.
        case url(String)
        /// The element's own text.
        case content
    }

    /// Value of a property that is no item: W3C's `content` first, then the standard's table.
    func value(of element: HTMLDocument.Index) -> Value {
        if let content = document.value(of: .content, on: element) { return .text(content) }
        switch document.elements[element].name {
        case .meta: return .text("")
        case .audio, .embed, .iframe, .img, .source, .track, .video: return .url(address(.src, element))
        case .a, .area, .link: return .url(address(.href, element))
        case .object: return .url(address(.data, element))
        case .data, .meter: return .text(document.value(of: .value, on: element) ?? "")
        case .time: return document.value(of: .datetime, on: element).map(Value.text) ?? .content
        default: return .content
        }
    }

    private func address(_ attribute: HTMLName, _ element: HTMLDocument.Index) -> String {
        guard let reference = document.value(of: attribute, on: element) else { return "" }
        return WebURL(written: reference, base: baseURL)?.href ?? ""
    }

    /// The item's global identifier.
    func identifier(of element: HTMLDocument.Index) -> String? {
        document.value(of: .itemid, on: element).flatMap { WebURL(written: $0, base: baseURL)?.href }
    }

    /// What joins the item with others of the page. To the standard an empty `itemid` is the page's own address; nobody
    /// means that, a template left it empty.
    func joiningIdentifier(of element: HTMLDocument.Index) -> String? {
        let isEmpty = document.bytes(of: .itemid, on: element)?.trimmingHTMLSpace().isEmpty ?? true
        return isEmpty ? nil : identifier(of: element)
    }

    /// An address of the element that its author wrapped over lines.
    func wrappedAddress(of element: HTMLDocument.Index) -> ArraySlice<UInt8>? {
        let attribute: HTMLName =
            switch document.elements[element].name {
            case .a, .area, .link: .href
            case .object: .data
            default: .src
            }
        return document.bytes(of: attribute, on: element).flatMap { WrittenAddress.unwrapped($0)?[...] }
    }

    /// The distinct tokens of an attribute, in order, as many as anyone means.
    func tokens(of attribute: HTMLName, on element: HTMLDocument.Index) -> [String] {
        guard let bytes = document.bytes(of: attribute, on: element) else { return [] }
        let tokens = bytes.splitOnHTMLSpace().prefix(limits.maximumTokens)
        if tokens.count == 1, let token = tokens.first { return [String(decoding: token, as: UTF8.self)] }
        var seen: Set<String> = []
        return tokens.map { String(decoding: $0, as: UTF8.self) }.filter { seen.insert($0).inserted }
    }
}
