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
