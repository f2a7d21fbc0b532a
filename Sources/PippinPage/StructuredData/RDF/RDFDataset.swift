/// Statements in the order they were found, each once.
///
/// Every term is stored and hashed once; a statement has the numbers of its terms. So a thousand statements about one long
/// address need little memory.
public struct RDFDataset: Sendable {
    /// A term of the dataset.
    struct TermID: Hashable, Sendable {
        fileprivate let number: Int32
        var index: Int { Int(number) }
    }

    /// A statement as the numbers of its terms. The graph number -1 means the default graph.
    struct Statement: Hashable, Sendable {
        let subject: TermID
        let predicate: TermID
        let object: TermID
        fileprivate var graph: Int32 = -1

        init(_ subject: TermID, _ predicate: TermID, _ object: TermID) {
            self.subject = subject
            self.predicate = predicate
            self.object = object
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(
                UInt64(UInt32(bitPattern: subject.number)) << 32 | UInt64(UInt32(bitPattern: predicate.number)))
            hasher.combine(UInt64(UInt32(bitPattern: object.number)) << 32 | UInt64(UInt32(bitPattern: graph)))
        }
    }

    private(set) var statements: [Statement] = []
    /// Terms by their number, including terms without a statement.
    private(set) var terms: [RDFTerm] = []
    private var numbers: [RDFTerm: TermID] = [:]
    private var known: Set<Statement> = []
    private var blankCount = 0
    /// The length in bytes of all statements when written. A term counts in every statement.
    private(set) var byteCount = 0

    /// Creates an empty dataset.
    init() {}

    /// The number of statements.
    var count: Int { statements.count }
    /// Whether there are no statements.
    var isEmpty: Bool { statements.isEmpty }

    var quads: [RDFQuad] {
        statements.map { statement in
            RDFQuad(
                self[statement.subject], self[statement.predicate], self[statement.object],
                graph: statement.graph < 0 ? nil : terms[Int(statement.graph)])
        }
    }

    /// Makes a new blank node of this dataset.
    mutating func makeBlank() -> RDFTerm {
        defer { blankCount += 1 }
        return .blank(blankCount)
    }

    /// Adds a statement unless the dataset already has it.
    mutating func insert(_ quad: RDFQuad) {
        var statement = Statement(id(of: quad.subject), id(of: quad.predicate), id(of: quad.object))
        if let graph = quad.graph { statement.graph = id(of: graph).number }
        insert(statement)
    }

    mutating func insert(_ subject: RDFTerm, _ predicate: String, _ object: RDFTerm) {
        insert(RDFQuad(subject, .iri(predicate), object))
    }

    /// Adds the statements of another dataset. Its blank nodes stay distinct (RDF 1.1 Semantics §4.1, merge).
    mutating func merge(_ other: RDFDataset) {
        let offset = blankCount
        blankCount += other.blankCount
        let ids = other.terms.map { term in
            if case .blank(let number) = term { return id(of: .blank(number + offset)) }
            return id(of: term)
        }
        for statement in other.statements {
            var own = Statement(
                ids[statement.subject.index], ids[statement.predicate.index], ids[statement.object.index])
            if statement.graph >= 0 { own.graph = ids[Int(statement.graph)].number }
            insert(own)
        }
    }

    /// Removes statements and keeps the order of the others.
    mutating func removeAll(where isRemoved: (RDFQuad) -> Bool) {
        let quads = self.quads
        var index = 0
        removeStatements { _ in
            defer { index += 1 }
            return isRemoved(quads[index])
        }
    }

    // MARK: By number

    subscript(id: TermID) -> RDFTerm { terms[id.index] }

    mutating func id(of term: RDFTerm) -> TermID {
        // The readers' limits are far below 2^31 terms.
        let next = TermID(number: Int32(truncatingIfNeeded: terms.count))
        // Looks the term up once, also where it is new.
        let id = { (id: inout TermID) in id }(&numbers[term, default: next])
        guard id == next else { return id }
        terms.append(term)
        if case .blank(let number) = term, number >= blankCount { blankCount = number &+ 1 }
        return id
    }

    /// The number of a known term; nil for others.
    func knownID(of term: RDFTerm) -> TermID? { numbers[term] }

    mutating func insert(_ statement: Statement) {
        guard known.insert(statement).inserted else { return }
        statements.append(statement)
        byteCount += self[statement.subject].byteCount + self[statement.predicate].byteCount
        byteCount += self[statement.object].byteCount + 8
    }

    mutating func removeStatements(where isRemoved: (Statement) -> Bool) {
        statements.removeAll(where: isRemoved)
        known = Set(statements)
    }
}

/// A node of an RDF graph (RDF 1.1 Concepts §3).
enum RDFTerm: Sendable, Hashable {
    case iri(String)
    /// A blank node, by its number within the dataset.
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
struct RDFQuad: Sendable, Hashable {
    /// The subject: an IRI or blank node.
    let subject: RDFTerm
    /// The predicate: an IRI.
    let predicate: RDFTerm
    /// The object: any term.
    let object: RDFTerm
    /// The name of the graph; nil for the default graph.
    let graph: RDFTerm?

    /// Creates a statement, in the default graph if `graph` is nil.
    init(_ subject: RDFTerm, _ predicate: RDFTerm, _ object: RDFTerm, graph: RDFTerm? = nil) {
        self.subject = subject
        self.predicate = predicate
        self.object = object
        self.graph = graph
    }
}

// MARK: N-Quads

// RDF 1.1 N-Quads. Readers of such files may be strict, so statements that the grammar does not allow are left out.

extension RDFDataset {
    /// The dataset as N-Quads in UTF-8, one statement per line. Statements with an IRI that is not absolute, an ill-formed
    /// language tag, or a literal as subject are left out.
    public var nquads: [UInt8] { nquads(keepingRelativeIRIs: false) }

    /// The dataset as N-Quads in UTF-8.
    ///
    /// - Parameter keepingRelativeIRIs: true for RDFa, where a prefix declared as a relative IRI stays relative.
    func nquads(keepingRelativeIRIs: Bool) -> [UInt8] {
        var writer = NQuadsWriter(keepsRelativeIRIs: keepingRelativeIRIs)
        for quad in quads { writer.write(quad) }
        return writer.bytes
    }
}

private struct NQuadsWriter {
    let keepsRelativeIRIs: Bool
    private(set) var bytes: [UInt8] = []

    init(keepsRelativeIRIs: Bool) {
        self.keepsRelativeIRIs = keepsRelativeIRIs
    }

    mutating func write(_ quad: RDFQuad) {
        let start = bytes.count
        guard case .iri = quad.predicate, writeResource(quad.subject), writeResource(quad.predicate),
            write(quad.object), quad.graph.map({ writeResource($0) }) ?? true
        else {
            bytes.removeSubrange(start...)
            return
        }
        bytes += [UInt8(ascii: "."), UInt8(ascii: "\n")]
    }

    private mutating func writeResource(_ term: RDFTerm) -> Bool {
        if case .literal = term { return false }
        return write(term)
    }

    /// Writes the term and a space; false if N-Quads cannot express it.
    private mutating func write(_ term: RDFTerm) -> Bool {
        switch term {
        case .iri(let iri):
            guard writeIRI(iri) else { return false }
        case .blank(let number):
            bytes += "_:b".utf8
            bytes += String(number).utf8
        case .literal(let text, let datatype, let language):
            quote(text)
            if let language {
                guard LanguageTag.isNQuadsTag(language) else { return false }
                bytes.append(UInt8(ascii: "@"))
                bytes += language.utf8
            } else if let datatype, datatype != RDFTerm.Vocabulary.xsd + "string" {
                bytes += "^^".utf8
                guard writeIRI(datatype) else { return false }
            }
        }
        bytes.append(UInt8(ascii: " "))
        return true
    }

    /// Writes `IRIREF ::= '<' ([^#x00-#x20<>"{}|^`\] | UCHAR)* '>'`; false if the IRI is not absolute.
    private mutating func writeIRI(_ iri: String) -> Bool {
        guard keepsRelativeIRIs || IRIReference.hasScheme(iri) else { return false }
        bytes.append(UInt8(ascii: "<"))
        for byte in iri.utf8 {
            switch byte {
            case 0x00...0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "{"),
                UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "\\"):
                escape(byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: ">"))
        return true
    }

    private mutating func escape(_ byte: UInt8) {
        bytes += "\\u00".utf8
        for digit in [byte >> 4, byte & 0xF] {
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x08: bytes += "\\b".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x00...0x1F, 0x7F: escape(byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
