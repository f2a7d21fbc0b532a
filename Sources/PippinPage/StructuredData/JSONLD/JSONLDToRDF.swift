/// Deserialize JSON-LD to RDF (JSON-LD 1.1 API §8.1), from expanded form.
///
/// Statements are written node by node. The standard first makes a node map (§7.2), which joins nodes with the same identifier.
/// That step is left out because a dataset is a set and joins them too.
public struct JSONLDToRDF {
    /// The form of a base direction, which RDF lacks (§10.2 `rdfDirection`).
    public enum Direction: String, Sendable, CaseIterable {
        case i18nDatatype = "i18n-datatype"
        case compoundLiteral = "compound-literal"
    }

    /// The statements of all added documents.
    public private(set) var dataset = RDFDataset()
    private let direction: Direction?
    /// Blank nodes by the identifiers of one document.
    private var blanks: [String: RDFTerm] = [:]
    private var indexes: [Node: String] = [:]
    private var compounds: [Compound: RDFTerm] = [:]

    private struct Node: Hashable {
        let graph: Graph
        let id: RDFTerm
    }

    /// Key of a compound literal. Equal values of one property share one literal.
    private struct Compound: Hashable {
        let graph: Graph
        let subject: RDFTerm
        let predicate: String
        let value: JSONValue
    }

    private enum Graph: Hashable {
        case standard
        case named(RDFTerm)
        /// A graph whose name is not an IRI. Its statements are dropped, but not those of graphs inside it.
        case dropped(String)
    }

    /// The subject and predicate that an object belongs to, or a cell of a list.
    private struct Place {
        let graph: Graph
        let subject: RDFTerm
        let predicate: String
    }

    /// Starts with an empty dataset.
    ///
    /// - Parameter direction: the form of base directions; nil drops them.
    public init(direction: Direction? = nil) {
        self.direction = direction
    }

    /// Adds an expanded document. Blank node identifiers belong to one document.
    mutating func add(_ expanded: [JSONValue]) throws(JSONLDError) {
        blanks.removeAll(keepingCapacity: true)
        indexes.removeAll(keepingCapacity: true)
        compounds.removeAll(keepingCapacity: true)
        for element in expanded {
            if case .object(let node) = element.content { _ = try add(node, .standard) }
        }
    }

    // MARK: Nodes

    private mutating func blank(_ identifier: String) -> RDFTerm {
        if let known = blanks[identifier] { return known }
        let blank = dataset.makeBlank()
        blanks[identifier] = blank
        return blank
    }

    /// The IRI or blank node of an identifier; nil if it is not a well-formed IRI.
    private mutating func resource(_ identifier: String) -> RDFTerm? {
        if identifier.hasPrefix("_:") { return blank(identifier) }
        return IRISyntax.isWellFormed(identifier) ? .iri(identifier) : nil
    }

    private mutating func insert(_ graph: Graph, _ subject: RDFTerm, _ predicate: String, _ object: RDFTerm) {
        switch graph {
        case .standard: dataset.insert(RDFQuad(subject, .iri(predicate), object))
        case .named(let name): dataset.insert(RDFQuad(subject, .iri(predicate), object, graph: name))
        case .dropped: break
        }
    }

    /// Adds the statements of a node object. Returns its term; nil if its identifier is not an IRI.
    private mutating func add(_ node: JSONObject, _ graph: Graph) throws(JSONLDError) -> RDFTerm? {
        let id = node["@id"]?.string
        let subject = node["@id"] == nil ? dataset.makeBlank() : id.flatMap { resource($0) }
        if let index = node["@index"]?.string { try note(index, of: subject ?? .iri(id ?? ""), graph) }
        for member in node.members {
            switch member.key {
            case "@type":
                guard let subject else { continue }
                for case .string(let type) in (member.value.array ?? [member.value]).lazy.map(\.content) {
                    if let type = resource(type) { insert(graph, subject, RDFTerm.Vocabulary.type, type) }
                }
            case "@graph":
                let inner = subject.map(Graph.named) ?? .dropped(id ?? "")
                for case .object(let object) in (member.value.array ?? [member.value]).lazy.map(\.content) {
                    _ = try add(object, inner)
                }
            case "@included":
                for case .object(let object) in (member.value.array ?? [member.value]).lazy.map(\.content) {
                    _ = try add(object, graph)
                }
            case "@reverse":
                for property in member.value.object?.members ?? [] {
                    for case .object(let object) in (property.value.array ?? [property.value]).lazy.map(\.content) {
                        guard let other = try add(object, graph), let subject, isPredicate(property.key) else {
                            continue
                        }
                        insert(graph, other, property.key, subject)
                    }
                }
            case _ where member.key.utf8.first == UInt8(ascii: "@"): continue
            default:
                // Nodes inside keep their statements even if this node or the property is dropped.
                let place = subject.flatMap { subject in
                    isPredicate(member.key) ? Place(graph: graph, subject: subject, predicate: member.key) : nil
                }
                for value in member.value.array ?? [member.value] {
                    guard let object = try term(of: value, graph, at: place), let place else { continue }
                    insert(graph, place.subject, place.predicate, object)
                }
            }
        }
        return subject
    }

    private func isPredicate(_ property: String) -> Bool {
        !property.hasPrefix("_:") && IRISyntax.isWellFormed(property)
    }

    /// Adds the index of a node (§7.2.2 step 6.8), which must be the same wherever the node has one.
    private mutating func note(_ index: String, of node: RDFTerm, _ graph: Graph) throws(JSONLDError) {
        let key = Node(graph: graph, id: node)
        if let known = indexes[key], known != index {
            throw JSONLDError(
                .conflictingIndexes, "A node has the indexes \(known.quotedInMessage) and \(index.quotedInMessage).")
        }
        indexes[key] = index
    }

    // MARK: Objects (§8.2.2)

    private mutating func term(
        of value: JSONValue, _ graph: Graph, at place: Place?
    ) throws(JSONLDError) -> RDFTerm? {
        guard case .object(let object) = value.content else { return nil }
        if let list = object["@list"] { return try add(Optional(list).elements, listIn: graph) }
        if let literal = object["@value"] { return self.literal(literal, object, graph, at: place) }
        return try add(object, graph)
    }

    /// §8.3.2, List to RDF Conversion.
    private mutating func add(_ list: [JSONValue], listIn graph: Graph) throws(JSONLDError) -> RDFTerm {
        let nilList = RDFTerm.iri(RDFTerm.Vocabulary.nilList)
        let cells = list.map { _ in dataset.makeBlank() }
        for (index, item) in list.enumerated() {
            let place = Place(graph: graph, subject: cells[index], predicate: RDFTerm.Vocabulary.first)
            if let object = try term(of: item, graph, at: place) {
                insert(graph, cells[index], RDFTerm.Vocabulary.first, object)
            }
            let rest = index + 1 < cells.count ? cells[index + 1] : nilList
            insert(graph, cells[index], RDFTerm.Vocabulary.rest, rest)
        }
        return cells.first ?? nilList
    }

    private mutating func literal(
        _ value: JSONValue, _ object: JSONObject, _ graph: Graph, at place: Place?
    ) -> RDFTerm? {
        // 4 to 6
        var datatype = object["@type"].elements.first?.string
        if let datatype, datatype != "@json", !IRISyntax.isWellFormed(datatype) { return nil }
        let language = object["@language"]?.string
        if let language, !LanguageTag.isWellFormed(language) { return nil }
        // 7 to 11
        let xsd = RDFTerm.Vocabulary.xsd
        let text: String
        if datatype == "@json" {
            guard let canonical = CanonicalJSON.text(of: value) else { return nil }
            return .literal(canonical, datatype: RDFTerm.Vocabulary.rdf + "JSON")
        }
        switch value.content {
        case .bool(let flag):
            text = flag ? "true" : "false"
            datatype = datatype ?? xsd + "boolean"
        case .number(let number):
            if datatype != xsd + "double", let integer = CanonicalNumber.integer(number) {
                text = integer
                datatype = datatype ?? xsd + "integer"
            } else {
                text = CanonicalNumber.double(number)
                datatype = datatype ?? xsd + "double"
            }
        case .string(let string): text = string
        case .null, .array, .object: return nil
        }
        // 13
        if let written = object["@direction"]?.string, let direction {
            let tag = language?.lowercased() ?? ""
            switch direction {
            case .i18nDatatype:
                return .literal(text, datatype: "https://www.w3.org/ns/i18n#" + tag + "_" + written)
            case .compoundLiteral:
                return compound(text, language: language.map { _ in tag }, direction: written, object, graph, at: place)
            }
        }
        return .literal(text, datatype: datatype, language: language)
    }

    /// Returns the compound literal of a value with a direction (13.3).
    private mutating func compound(
        _ text: String, language: String?, direction: String, _ object: JSONObject, _ graph: Graph, at place: Place?
    ) -> RDFTerm {
        var key: Compound?
        if let place, place.predicate != RDFTerm.Vocabulary.first {
            key = Compound(
                graph: graph, subject: place.subject, predicate: place.predicate, value: .object(object))
        }
        if let key, let known = compounds[key] { return known }
        let node = dataset.makeBlank()
        if let key { compounds[key] = node }
        let rdf = RDFTerm.Vocabulary.rdf
        insert(graph, node, rdf + "value", .literal(text))
        if let language { insert(graph, node, rdf + "language", .literal(language)) }
        insert(graph, node, rdf + "direction", .literal(direction))
        return node
    }
}
