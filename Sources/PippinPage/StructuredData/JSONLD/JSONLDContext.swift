/// An active context (JSON-LD 1.1 API §4.1): the meaning of keys under the contexts around them.
///
/// Contexts form a chain: each has the terms that it adds to its parent, so the cost of a nested context does not include inherited
/// terms. Long chains are flattened. A context changes only while it is being processed.
final class JSONLDContext {
    enum Direction: String {
        case leftToRight = "ltr"
        case rightToLeft = "rtl"
    }

    /// Nil after `"@base": null`.
    var base: IRIReference?
    /// The document's base, which a null context restores.
    let originalBase: IRIReference?
    var vocabulary: String?
    /// True if a remote context is not available and no vocabulary is set. Names then stay as written.
    var keepsNames = false
    var language: String?
    var direction: Direction?
    /// The context that the next node object restores, if this one is not propagated.
    var previous: JSONLDContext?

    private var own: [String: JSONLDTerm?] = [:]
    private var parent: JSONLDContext?
    private var depth = 0
    /// The number of protected terms, with inherited ones.
    private(set) var protectedCount = 0
    /// Cache of expanded keys and types, because a page repeats a few names in every node.
    var names: [String: JSONLDName] = [:]

    private static let maximumDepth = 8

    /// A newly-initialized active context.
    init(originalBase: IRIReference?) {
        self.originalBase = originalBase
        base = originalBase
    }

    /// A child whose changes do not affect the parent.
    init(above parent: JSONLDContext) {
        base = parent.base
        originalBase = parent.originalBase
        vocabulary = parent.vocabulary
        keepsNames = parent.keepsNames
        language = parent.language
        direction = parent.direction
        previous = parent.previous
        protectedCount = parent.protectedCount
        if parent.own.isEmpty, let grandparent = parent.parent {
            self.parent = grandparent
            depth = parent.depth
        } else {
            self.parent = parent
            depth = parent.depth + 1
        }
    }

    /// Merges the terms of a long chain into one table; returns the number of copies.
    func flattenIfDeep() -> Int {
        guard depth > Self.maximumDepth else { return 0 }
        var chain: [JSONLDContext] = []
        var link = parent
        while let context = link {
            chain.append(context)
            link = context.parent
        }
        // The first table, which is often schema.org's, is copied as a whole.
        var all = chain.last?.own ?? [:]
        var copied = all.count
        for context in chain.dropLast().reversed() {
            copied += context.own.count
            for (name, term) in context.own { all[name] = .some(term) }
        }
        for (name, term) in own { all[name] = .some(term) }
        own = all
        parent = nil
        depth = 0
        return copied
    }

    func term(_ name: String) -> JSONLDTerm? {
        var link: JSONLDContext? = self
        while let context = link {
            if let found = context.own[name] { return found }
            link = context.parent
        }
        return nil
    }

    /// Replaces the terms of this context, which has none yet. No term may be protected.
    func define(_ terms: [String: JSONLDTerm?]) { own = terms }

    /// Defines a term.
    func set(_ name: String, _ term: JSONLDTerm?) {
        if self.term(name)?.isProtected == true { protectedCount -= 1 }
        if term?.isProtected == true { protectedCount += 1 }
        own[name] = .some(term)
    }
}

/// A key or type, and its meaning in a context.
struct JSONLDName {
    let key: String
    /// An IRI, blank node identifier or keyword; nil if the key has no meaning in the context.
    let iri: String?
    /// The definition of the term with that name, if any.
    let term: JSONLDTerm?

    static let graph = JSONLDName(key: "@graph", iri: "@graph", term: nil)
    static let reverse = JSONLDName(key: "@reverse", iri: "@reverse", term: nil)
}

/// A term definition (JSON-LD 1.1 API §4.1).
///
/// `@unchecked Sendable` because it does not change once it is in a context: the terms of schema.org are shared by all pages.
final class JSONLDTerm: @unchecked Sendable {
    /// An IRI, blank node identifier or keyword; nil for a term mapped to null.
    var iri: String?
    var isPrefix = false
    var isProtected = false
    var isReverse = false
    var container: JSONLDContainer = []
    var type: String?
    /// Nil if not defined; `.some(nil)` if defined as null.
    var language: String??
    var direction: JSONLDContext.Direction??
    var index: String?
    var nest: String?
    var context: JSONValue?
    /// The base of relative addresses in `context`.
    var contextBase = ""

    /// Whether two definitions are equal, except for protection.
    func says(sameAs other: JSONLDTerm) -> Bool {
        iri == other.iri && isPrefix == other.isPrefix && isReverse == other.isReverse && container == other.container
            && type == other.type && language == other.language && direction == other.direction && index == other.index
            && nest == other.nest && context == other.context
    }
}

struct JSONLDContainer: OptionSet {
    let rawValue: UInt8

    static let graph = JSONLDContainer(rawValue: 1)
    static let id = JSONLDContainer(rawValue: 2)
    static let index = JSONLDContainer(rawValue: 4)
    static let language = JSONLDContainer(rawValue: 8)
    static let list = JSONLDContainer(rawValue: 16)
    static let set = JSONLDContainer(rawValue: 32)
    static let type = JSONLDContainer(rawValue: 64)

    private static let names: [String: JSONLDContainer] = [
        "@graph": .graph, "@id": .id, "@index": .index, "@language": .language, "@list": .list, "@set": .set,
        "@type": .type,
    ]

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Create Term Definition, step 19.1; nil for a value the standard does not allow.
    init?(_ value: JSONValue) {
        self = []
        let elements = value.array ?? [value]
        for element in elements {
            guard let name = element.string, let part = Self.names[name], !contains(part) else { return nil }
            insert(part)
        }
        if elements.count == 1 { return }
        if contains(.graph) {
            let others = subtracting([.graph, .set])
            guard others.isEmpty || others == .id || others == .index else { return nil }
        } else {
            guard contains(.set), elements.count == 2, !contains(.list) else { return nil }
        }
    }
}

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
