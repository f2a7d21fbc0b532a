/// A node of an RDF graph (RDF 1.1 Concepts §3).
public enum RDFTerm: Sendable, Hashable {
    case iri(String)
    /// Numbered within its dataset.
    case blank(Int)
    /// A text with the IRI of its datatype or with a language tag; a plain string has neither.
    case literal(String, datatype: String? = nil, language: String? = nil)

    /// IRIs that the extractors write themselves.
    enum Vocabulary {
        static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        static let type = rdf + "type"
        static let first = rdf + "first"
        static let rest = rdf + "rest"
        static let nilList = rdf + "nil"
        static let xmlLiteral = rdf + "XMLLiteral"
        static let html = rdf + "HTML"
        static let xsd = "http://www.w3.org/2001/XMLSchema#"
        static let rdfa = "http://www.w3.org/ns/rdfa#"
    }
}

extension RDFTerm {
    /// The approximate length of the written term, in bytes.
    var byteCount: Int {
        switch self {
        case .iri(let iri): iri.utf8.count
        case .blank: 8
        case .literal(let text, let datatype, let language):
            text.utf8.count + (datatype?.utf8.count ?? 0) + (language?.utf8.count ?? 0)
        }
    }
}

/// A statement; in the default graph if `graph` is nil.
public struct RDFQuad: Sendable, Hashable {
    public let subject: RDFTerm
    public let predicate: RDFTerm
    public let object: RDFTerm
    public let graph: RDFTerm?

    public init(_ subject: RDFTerm, _ predicate: RDFTerm, _ object: RDFTerm, graph: RDFTerm? = nil) {
        self.subject = subject
        self.predicate = predicate
        self.object = object
        self.graph = graph
    }
}
