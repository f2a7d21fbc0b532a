// Writes a part of the document as markup, for values with markup: RDFa's literals, microformats' `e-` properties.

extension HTMLDocument {
    /// The content of an element as an HTML fragment (WHATWG HTML §13.3) or as well-formed XML.
    ///
    /// - Parameters:
    ///   - keepsNamespaces: whether XML repeats the outer namespace declarations that it uses (Exclusive XML
    ///     Canonicalization §3), so that it is complete by itself.
    ///   - base: makes addresses absolute, if given, and leaves out templates.
    func markup(
        inside root: Index, asXML: Bool, keepsNamespaces: Bool = false, base: WebURL? = nil, _ texts: inout TextBudget
    ) -> String {
        var writer = MarkupWriter(document: self, asXML: asXML)
        guard texts.take(writer.estimatedBytes(inside: root)), texts.take(writer.valueBytes(inside: root, base)) else {
            return ""
        }
        writer.base = base
        if asXML && keepsNamespaces { writer.outer = namespaces(at: root, &texts) }
        return writer.write(inside: root)
    }

    /// The namespace declarations that apply inside an element, by attribute name (`xmlns`, `xmlns:svg`).
    private func namespaces(at element: Index, _ texts: inout TextBudget) -> [String: String] {
        var found: [String: String] = [:]
        var next: Index? = element
        while let current = next {
            guard texts.take(32 * attributeRange(of: current).count) else { break }
            for attribute in attributes(of: current)
            where Self.isNamespaceDeclaration(attribute.name) && found[attribute.name] == nil {
                found[attribute.name] = attribute.value
            }
            next = parent(of: current)
        }
        return found
    }

    fileprivate static func isNamespaceDeclaration(_ name: String) -> Bool {
        name == "xmlns" || name.hasPrefix("xmlns:")
    }
}

private struct MarkupWriter {
    let document: HTMLDocument
    let asXML: Bool
    /// What addresses are resolved against; nil to leave them as written.
    var base: WebURL?
    /// Namespace declarations of the elements around the part, by attribute name.
    var outer: [String: String] = [:]
    /// The number of open elements of the part that declare each namespace.
    private var declared: [String: Int] = [:]
    /// Declarations of each open element.
    private var declarations: [Set<String>] = []
    private var bytes: [UInt8] = []

    init(document: HTMLDocument, asXML: Bool) {
        self.document = document
        self.asXML = asXML
    }

    /// The length of text and tags before escaping.
    func estimatedBytes(inside root: Int) -> Int {
        document.textBytes(of: root).count + (Int(document.elements[root].subtreeEnd) - root) * 32
    }

    /// The length of the attributes' values, with what resolving makes of them.
    func valueBytes(inside root: Int, _ base: WebURL?) -> Int {
        guard root + 1 < document.elements[root].subtreeEnd else { return 0 }
        let first = document.attributeRange(of: root + 1).lowerBound
        let last = document.attributeRange(of: Int(document.elements[root].subtreeEnd) - 1).upperBound
        let prefix = base?.href.utf8.count ?? 0
        return document.attributes[first..<last].reduce(0) { bytes, attribute in
            let isAddress = base != nil && Self.addresses.contains(attribute.nameNumber)
            return bytes + attribute.valueLength + (isAddress ? prefix : 0)
        }
    }

    /// Attributes whose value is an address.
    private static let addresses = Set([HTMLName.href, .src, .cite, .data, .poster].map(\.rawValue))

    mutating func write(inside root: Int) -> String {
        var position = Int(document.elements[root].textStart)
        var open: [Int] = []
        func rest(_ end: Int) -> Range<Int> { position..<max(position, end) }
        for element in document.descendants(of: root) {
            if base != nil, document.elements[element].name == .template { continue }
            while let last = open.last, Int(document.elements[last].subtreeEnd) <= element {
                position = close(last, rest(Int(document.elements[last].textEnd)))
                open.removeLast()
            }
            let start = Int(document.elements[element].textStart)
            appendText(rest(start), in: open.last ?? root)
            position = max(position, start)
            begin(element)
            open.append(element)
        }
        while let last = open.popLast() { position = close(last, rest(Int(document.elements[last].textEnd))) }
        appendText(rest(Int(document.elements[root].textEnd)), in: root)
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func begin(_ element: Int) {
        bytes.append(UInt8(ascii: "<"))
        appendName(document.spelling(ofName: document.elements[element].nameNumber))
        let attributes = document.attributes(of: element)
        if !outer.isEmpty { declareNamespaces(element, attributes) }
        for attribute in attributes { write(attribute.name, resolved(attribute)) }
        if asXML && isEmpty(element) { bytes.append(UInt8(ascii: "/")) }
        bytes.append(UInt8(ascii: ">"))
    }

    private func resolved(_ attribute: (name: String, value: String)) -> String {
        guard let base, let number = HTMLName.numbers[attribute.name], Self.addresses.contains(number) else {
            return attribute.value
        }
        return WebURL(written: attribute.value, base: base)?.href ?? attribute.value
    }

    private mutating func write(_ name: String, _ value: String) {
        bytes.append(UInt8(ascii: " "))
        appendName(name)
        bytes += [UInt8(ascii: "="), UInt8(ascii: "\"")]
        for byte in value.utf8 { append(byte, isAttribute: true) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// HTML takes any character in names. In XML, those that not all of its names may have become `U` and six digits
    /// (WHATWG HTML §13.2.9).
    private mutating func appendName(_ name: String) {
        guard asXML else {
            bytes += name.utf8
            return
        }
        for (i, scalar) in name.unicodeScalars.enumerated() {
            switch scalar {
            case "a"..."z", "A"..."Z", "_", ":": bytes.append(UInt8(ascii: scalar))
            case "0"..."9" where i > 0, "-" where i > 0, "." where i > 0: bytes.append(UInt8(ascii: scalar))
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                bytes += "U\(String(repeating: "0", count: 6 - digits.count))\(digits)".utf8
            }
        }
    }

    /// Declares the namespaces of an element's names that are not declared yet.
    private mutating func declareNamespaces(_ element: Int, _ attributes: [(name: String, value: String)]) {
        var own = Set(attributes.lazy.map(\.name).filter(HTMLDocument.isNamespaceDeclaration))
        var needed = [Self.declaration(of: document.spelling(ofName: document.elements[element].nameNumber)) ?? "xmlns"]
        needed += attributes.compactMap { Self.declaration(of: $0.name) }
        for name in needed where !own.contains(name) && declared[name] == nil {
            guard let namespace = outer[name] else { continue }
            write(name, namespace)
            own.insert(name)
        }
        for name in own { declared[name, default: 0] += 1 }
        declarations.append(own)
    }

    /// `xmlns:p` for `p:name`; nil for names without prefix, and for prefixes that need no declaration.
    private static func declaration(of name: String) -> String? {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let prefix = name[..<colon]
        return prefix == "xml" || prefix == "xmlns" ? nil : "xmlns:" + prefix
    }

    private func isEmpty(_ element: Int) -> Bool {
        let e = document.elements[element]
        return e.textStart == e.textEnd && Int(e.subtreeEnd) == element + 1
    }

    /// Writes the text up to the end of an element, then its end tag. Returns where the remaining text starts.
    private mutating func close(_ element: Int, _ text: Range<Int>) -> Int {
        appendText(text, in: element)
        if !outer.isEmpty {
            for name in declarations.popLast() ?? [] {
                let count = declared[name] ?? 0
                declared[name] = count > 1 ? count - 1 : nil
            }
        }
        if asXML ? !isEmpty(element) : !document.elements[element].name.isVoid {
            bytes += "</".utf8
            appendName(document.spelling(ofName: document.elements[element].nameNumber))
            bytes.append(UInt8(ascii: ">"))
        }
        return text.upperBound
    }

    private mutating func appendText(_ range: Range<Int>, in element: Int) {
        let name = document.elements[element].name
        if !asXML && (name == .script || name == .style) {
            bytes += document.text[range]
        } else {
            for byte in document.text[range] { append(byte, isAttribute: false) }
        }
    }

    private mutating func append(_ byte: UInt8, isAttribute: Bool) {
        switch byte {
        case UInt8(ascii: "&"): bytes += "&amp;".utf8
        case UInt8(ascii: "<") where !isAttribute || asXML: bytes += "&lt;".utf8
        case UInt8(ascii: ">") where !isAttribute: bytes += "&gt;".utf8
        case UInt8(ascii: "\"") where isAttribute: bytes += "&quot;".utf8
        default: bytes.append(byte)
        }
    }
}
