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

/// The prefix mappings at the current element: the initial context, and the declarations of open elements.
///
/// There is one table. An element that declares a prefix changes it, and the end of the element restores it. Copies per element
/// would be costly: a hostile page can declare many prefixes and nest deeply.
final class RDFaPrefixes {
    private var mappings = RDFaPrefixes.initial

    /// A mapping that a declaration hides.
    typealias Hidden = (name: String, iri: String?)

    func declare(_ name: String, _ iri: String) -> Hidden {
        let name = Self.folded(name)
        return (name, mappings.updateValue(iri, forKey: name))
    }

    /// Restores a mapping at the end of an element. The last declaration must be restored first.
    func restore(_ hidden: Hidden) {
        mappings[hidden.name] = hidden.iri
    }

    /// The IRI of a prefix; its letter case is ignored.
    subscript(prefix: String) -> String? { mappings[Self.folded(prefix)] }

    private static func folded(_ name: String) -> String {
        name.utf8.allSatisfy { $0 < 0x80 } ? name.asciiLowercased : name.lowercased()
    }

    /// The prefixes of the RDFa Core Initial Context (W3C, as updated in 2020).
    private static let initial = [
        "as": "https://www.w3.org/ns/activitystreams#", "csvw": "http://www.w3.org/ns/csvw#",
        "dcat": "http://www.w3.org/ns/dcat#", "dqv": "http://www.w3.org/ns/dqv#",
        "duv": "https://www.w3.org/ns/duv#", "grddl": "http://www.w3.org/2003/g/data-view#",
        "jsonld": "http://www.w3.org/ns/json-ld#", "ldp": "http://www.w3.org/ns/ldp#",
        "ma": "http://www.w3.org/ns/ma-ont#", "oa": "http://www.w3.org/ns/oa#",
        "odrl": "http://www.w3.org/ns/odrl/2/", "org": "http://www.w3.org/ns/org#",
        "owl": "http://www.w3.org/2002/07/owl#", "prov": "http://www.w3.org/ns/prov#",
        "qb": "http://purl.org/linked-data/cube#", "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rdfa": "http://www.w3.org/ns/rdfa#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "rif": "http://www.w3.org/2007/rif#", "rr": "http://www.w3.org/ns/r2rml#",
        "sd": "http://www.w3.org/ns/sparql-service-description#", "skos": "http://www.w3.org/2004/02/skos/core#",
        "skosxl": "http://www.w3.org/2008/05/skos-xl#", "ssn": "http://www.w3.org/ns/ssn/",
        "sosa": "http://www.w3.org/ns/sosa/", "time": "http://www.w3.org/2006/time#",
        "void": "http://rdfs.org/ns/void#", "wdr": "http://www.w3.org/2007/05/powder#",
        "wdrs": "http://www.w3.org/2007/05/powder-s#", "xhv": "http://www.w3.org/1999/xhtml/vocab#",
        "xml": "http://www.w3.org/XML/1998/namespace", "xsd": "http://www.w3.org/2001/XMLSchema#",
        "cc": "http://creativecommons.org/ns#", "ctag": "http://commontag.org/ns#",
        "dc": "http://purl.org/dc/terms/", "dcterms": "http://purl.org/dc/terms/",
        "dc11": "http://purl.org/dc/elements/1.1/", "foaf": "http://xmlns.com/foaf/0.1/",
        "gr": "http://purl.org/goodrelations/v1#", "ical": "http://www.w3.org/2002/12/cal/icaltzd#",
        "og": "http://ogp.me/ns#", "rev": "http://purl.org/stuff/rev#", "sioc": "http://rdfs.org/sioc/ns#",
        "v": "http://rdf.data-vocabulary.org/#", "vcard": "http://www.w3.org/2006/vcard/ns#",
        "schema": "http://schema.org/",
    ]

    /// The pairs of a `prefix` attribute: `name: IRI name: IRI …`. Other tokens are skipped.
    static func pairs(in value: ArraySlice<UInt8>) -> [(name: String, iri: String)] {
        var result: [(String, String)] = []
        var name: String?
        for token in value.splitOnHTMLSpace() {
            let text = String(decoding: token, as: UTF8.self)
            if let declared = name {
                if isPrefixName(declared) { result.append((declared, text)) }
                name = nil
            } else if token.last == UInt8(ascii: ":") {
                name = String(text.dropLast())
            }
        }
        return result
    }

    /// Whether a name is an NCName of XML; any character beyond ASCII is allowed. `_` is reserved for blank nodes.
    static func isPrefixName(_ name: String) -> Bool {
        guard name != "_", let first = name.utf8.first else { return false }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): return false
        default: return name.utf8.allSatisfy(isNameByte)
        }
    }

    /// Whether a byte is a letter, a digit, `_`, `-`, `.`, or not ASCII.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }
}
