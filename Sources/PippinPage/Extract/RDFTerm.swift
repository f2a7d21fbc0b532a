/// A node of an RDF graph (RDF 1.1 Concepts §3).
public enum RDFTerm: Sendable, Hashable {
    case iri(String)
    /// Numbered within its dataset.
    case blank(Int)
    /// A text with the IRI of its datatype, or with a language tag; neither for a plain string.
    case literal(String, datatype: String? = nil, language: String? = nil)

    /// The IRIs of the vocabulary that the extractors themselves write.
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

/// A statement, in the default graph where `graph` is nil.
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

/// Statements in the order they were found, each once.
public struct RDFDataset: Sendable {
    public private(set) var quads: [RDFQuad] = []
    private var known: Set<RDFQuad> = []
    private var blankCount = 0

    public init() {}

    /// A blank node that no other statement of this dataset names.
    public mutating func makeBlank() -> RDFTerm {
        defer { blankCount += 1 }
        return .blank(blankCount)
    }

    public mutating func insert(_ quad: RDFQuad) {
        if known.insert(quad).inserted { quads.append(quad) }
    }

    mutating func insert(_ subject: RDFTerm, _ predicate: String, _ object: RDFTerm) {
        insert(RDFQuad(subject, .iri(predicate), object))
    }

    public mutating func removeAll(where isRemoved: (RDFQuad) -> Bool) {
        quads.removeAll(where: isRemoved)
        known = Set(quads)
    }
}
