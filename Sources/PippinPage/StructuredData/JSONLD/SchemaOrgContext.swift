/// schema.org's JSON-LD context, reduced to what its vocabulary does not have: aliases, prefixes, and types of values.
enum SchemaOrgContext {
    /// The context as a remote document.
    static let document: JSONValue = ["@context": .object(definition)]

    /// Prefixes that a document with this context may use without declaring them.
    static let prefixes: [String: String] = [
        "csvw": "http://www.w3.org/ns/csvw#", "dc": "http://purl.org/dc/elements/1.1/",
        "dcam": "http://purl.org/dc/dcam/", "dcat": "http://www.w3.org/ns/dcat#",
        "dcmitype": "http://purl.org/dc/dcmitype/", "dct": "http://purl.org/dc/terms/",
        "dcterms": "http://purl.org/dc/terms/", "dctype": "http://purl.org/dc/dcmitype/",
        "doap": "http://usefulinc.com/ns/doap#", "foaf": "http://xmlns.com/foaf/0.1/",
        "odrl": "http://www.w3.org/ns/odrl/2/", "org": "http://www.w3.org/ns/org#",
        "owl": "http://www.w3.org/2002/07/owl#", "prof": "http://www.w3.org/ns/dx/prof/",
        "prov": "http://www.w3.org/ns/prov#", "qb": "http://purl.org/linked-data/cube#",
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "schema": "http://schema.org/", "sh": "http://www.w3.org/ns/shacl#",
        "skos": "http://www.w3.org/2004/02/skos/core#", "sosa": "http://www.w3.org/ns/sosa/",
        "ssn": "http://www.w3.org/ns/ssn/", "time": "http://www.w3.org/2006/time#",
        "vann": "http://purl.org/vocab/vann/", "void": "http://rdfs.org/ns/void#",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
    ]

    /// The terms of the definition, prepared once because nearly all pages use them.
    static let terms: [(name: String, iri: String, type: String?, isPrefix: Bool)] = {
        var terms: [(name: String, iri: String, type: String?, isPrefix: Bool)] = [
            ("type", "@type", nil, false), ("id", "@id", nil, false),
            ("xml", "http://www.w3.org/XML/1998/namespace", nil, false),
            ("HTML", RDFTerm.Vocabulary.html, nil, false),
        ]
        terms += prefixes.map { ($0.key, $0.value, nil, true) }
        let address = SchemaOrgVocabulary.address
        terms += SchemaOrgVocabulary.addressTerms.map { ($0, address + $0, "@id", false) }
        terms += SchemaOrgVocabulary.dateTerms.map { ($0, address + $0, address + "Date", false) }
        return terms
    }()

    /// The result of applying the definition to a context without protected terms.
    static func applied(to context: JSONLDContext) -> JSONLDContext {
        let result = JSONLDContext(above: context)
        result.vocabulary = SchemaOrgVocabulary.address
        result.keepsNames = false
        result.define(table)
        return result
    }

    /// Shared by all pages, because making it takes longer than reading the JSON-LD of most pages.
    private static let table: [String: JSONLDTerm?] = {
        var table: [String: JSONLDTerm?] = [:]
        for term in terms {
            let definition = JSONLDTerm()
            definition.iri = term.iri
            definition.type = term.type
            definition.isPrefix = term.isPrefix
            table[term.name] = .some(definition)
        }
        return table
    }()

    private static let definition: JSONObject = {
        var context: JSONObject = [
            "type": "@type", "id": "@id", "@vocab": .string(SchemaOrgVocabulary.address),
            // The IRI ends with a letter, so it is a term and not a prefix.
            "xml": "http://www.w3.org/XML/1998/namespace",
            "HTML": ["@id": "rdf:HTML"],
        ]
        for (prefix, iri) in prefixes.sorted(by: { $0.key < $1.key }) { context[prefix] = .string(iri) }
        func coerce(_ terms: Set<String>, to type: String) {
            for term in terms.sorted() { context[term] = ["@id": .string("schema:" + term), "@type": .string(type)] }
        }
        coerce(SchemaOrgVocabulary.addressTerms, to: "@id")
        coerce(SchemaOrgVocabulary.dateTerms, to: "Date")
        return context
    }()
}
