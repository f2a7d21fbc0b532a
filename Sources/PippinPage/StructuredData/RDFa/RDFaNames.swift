// Names in RDFa's attribute values (RDFa Core 1.1 §7.4).

/// Resolves names at one element, with the vocabulary and prefixes that apply there.
struct RDFaNames {
    /// The part that is the same for all elements of a page.
    final class Page {
        let base: IRIReference
        /// Whether the page declares RDFa 1.0. The link types of XHTML are terms in it.
        let isRDFa10: Bool
        let prefixes = RDFaPrefixes()

        init(base: IRIReference, isRDFa10: Bool) {
            self.base = base
            self.isRDFa10 = isRDFa10
        }
    }

    let page: Page
    /// The default vocabulary, if declared.
    var vocabulary: String?

    /// The terms of the RDFa Core Initial Context, which need no vocabulary.
    private static let terms = [
        "describedby": "http://www.w3.org/2007/05/powder-s#describedby",
        "license": "http://www.w3.org/1999/xhtml/vocab#license",
        "role": "http://www.w3.org/1999/xhtml/vocab#role",
    ]
    /// The reserved words of RDFa in XHTML 1.0 §9.3.
    private static let xhtmlTerms: Set<String> = [
        "alternate", "appendix", "bookmark", "chapter", "cite", "contents", "copyright", "first", "glossary", "help",
        "icon", "index", "last", "license", "meta", "next", "p3pv1", "prev", "previous", "role", "section", "start",
        "stylesheet", "subsection", "top", "up",
    ]
    /// The vocabulary of CURIEs without a prefix (`:next`), and of terms in `role`.
    static let xhtmlVocabulary = "http://www.w3.org/1999/xhtml/vocab#"

    enum Resource {
        case iri(String)
        /// A blank node, written `_:name`.
        case blank(String)
    }

    /// The value of `about` or `resource`: a safe CURIE, a CURIE or an IRI. Nil if the attribute is ignored.
    func resource(_ value: ArraySlice<UInt8>) -> Resource? {
        let trimmed = value.trimmingHTMLSpace()
        let text = String(decoding: trimmed, as: UTF8.self)
        if trimmed.first == UInt8(ascii: "["), trimmed.last == UInt8(ascii: "]") {
            return curie(String(text.dropFirst().dropLast()))
        }
        return curie(text) ?? .iri(address(text))
    }

    /// The value of `href` or `src`.
    func address(_ value: ArraySlice<UInt8>) -> Resource {
        .iri(address(String(decoding: value.trimmingHTMLSpace(), as: UTF8.self)))
    }

    func address(_ text: String) -> String {
        IRIReference.resolve(text, base: page.base)
    }

    /// One token of `property`, `rel`, `rev`, `typeof`, or a `datatype`: a term, a CURIE or an absolute IRI.
    ///
    /// - Parameter fallback: the vocabulary of terms if none is declared.
    func name(_ token: ArraySlice<UInt8>, fallback: String? = nil) -> Resource? {
        let text = String(decoding: token, as: UTF8.self)
        if isTerm(token) {
            if let vocabulary { return .iri(vocabulary + text) }
            let lower = text.lowercased()
            if let iri = Self.terms[text] ?? Self.terms[lower] { return .iri(iri) }
            if page.isRDFa10, Self.xhtmlTerms.contains(lower) { return .iri(Self.xhtmlVocabulary + lower) }
            return fallback.map { .iri($0 + text) }
        }
        if let resource = curie(text) { return resource }
        return IRIReference.hasScheme(text) ? .iri(text) : nil
    }

    /// Whether a token has the form `NCNameStartChar (NCNameChar | '/')*`.
    private func isTerm(_ token: ArraySlice<UInt8>) -> Bool {
        guard let first = token.first else { return false }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"):
            return false
        default: return token.allSatisfy { RDFaPrefixes.isNameByte($0) || $0 == UInt8(ascii: "/") }
        }
    }

    /// The IRI of a CURIE; nil if the text is not a CURIE with a declared prefix.
    private func curie(_ text: String) -> Resource? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let prefix = String(text[..<colon])
        let reference = text[text.utf8.index(after: colon)...]
        if prefix == "_" { return .blank(String(reference)) }
        // `http://…` is an address, even if a prefix `http` is declared.
        if reference.hasPrefix("//") { return nil }
        if prefix.isEmpty { return .iri(Self.xhtmlVocabulary + reference) }
        return page.prefixes[prefix].map { .iri($0 + reference) }
    }

    /// Whether a token of `rel` or `rev` counts on an element with `property`. Terms do not (HTML+RDFa §3.1).
    func isCURIEOrAbsoluteIRI(_ token: ArraySlice<UInt8>) -> Bool {
        !isTerm(token) && name(token) != nil
    }
}
