/// The RDFa of a page (RDFa Core 1.1, HTML+RDFa 1.1).
///
/// `dataset` is what the standard's processor generates. `structuredData` is read more kindly: terms without a vocabulary
/// and all spellings of schema.org's address are schema.org's.
public struct RDFa: Sendable {
    private let document: HTMLDocument
    private let baseURL: WebURL
    private let limits: ReadingLimits
    public private(set) var structuredData = StructuredData()
    public private(set) var notes: [ParseNote] = []

    /// - Parameter baseURL: the document base URL (`HTMLDocument.baseURL`).
    public init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard) {
        self.document = document
        self.baseURL = baseURL
        self.limits = limits
        // `property` on `meta` alone is Open Graph, which has its own reader.
        guard document.hasAttribute(.typeof) || document.hasAttribute(.vocab) || document.hasAttribute(.about) else {
            return
        }
        let processor = run(lenient: true)
        notes = processor.notes
        structuredData = RDFaItems.read(processor)
    }

    /// Statements of the default graph: no processor graph, no vocabulary expansion.
    public var dataset: RDFDataset {
        let names: [HTMLName] = [.property, .typeof, .vocab, .rel, .rev, .role]
        guard names.contains(where: document.hasAttribute) else { return RDFDataset() }
        return run(lenient: false).dataset
    }

    /// The dataset as N-Quads in UTF-8.
    public var nquads: [UInt8] { dataset.nquads(keepingRelativeIRIs: true) }

    /// The statements by subject, as expanded JSON-LD: `[{"@id":…,"@type":[…],PREDICATE:[{"@value":…}]}]`.
    public var json: JSONValue { dataset.expandedJSON }

    private func run(lenient: Bool) -> RDFaProcessor {
        var processor = RDFaProcessor(document, baseURL: baseURL, lenient: lenient, limits: limits)
        processor.run()
        return processor
    }
}

extension RDFDataset {
    /// The default graph as flat expanded JSON-LD, one node object a subject, in order.
    var expandedJSON: JSONValue {
        var order: [RDFTerm] = []
        var nodes: [RDFTerm: JSONObject] = [:]
        for quad in quads where quad.graph == nil {
            guard case .iri(let predicate) = quad.predicate else { continue }
            var node: JSONObject
            if let known = nodes.removeValue(forKey: quad.subject) {
                node = known
            } else {
                order.append(quad.subject)
                node = ["@id": .string(Self.name(quad.subject))]
            }
            let isType = predicate == RDFTerm.Vocabulary.type
            let key = isType ? "@type" : predicate
            node.append(isType ? .string(Self.name(quad.object)) : Self.json(quad.object), to: key)
            nodes[quad.subject] = node
        }
        return .array(order.compactMap { nodes[$0].map(JSONValue.object) })
    }

    private static func name(_ term: RDFTerm) -> String {
        switch term {
        case .iri(let iri): iri
        case .blank(let number): "_:b\(number)"
        case .literal(let text, _, _): text
        }
    }

    private static func json(_ term: RDFTerm) -> JSONValue {
        switch term {
        case .iri, .blank: return ["@id": .string(name(term))]
        case .literal(let text, let datatype, let language):
            var object: JSONObject = ["@value": .string(text)]
            if let language { object["@language"] = .string(language) }
            if let datatype { object["@type"] = .string(datatype) }
            return .object(object)
        }
    }
}

extension JSONObject {
    /// Adds an element to the array that a key stands for.
    fileprivate mutating func append(_ value: JSONValue, to key: String) {
        guard case .array(var values) = self[key] else {
            self[key] = [value]
            return
        }
        // The object gives up its copy, so that appending does not copy the array.
        self.set(key, .null)
        values.append(value)
        self.set(key, .array(values))
    }
}

/// Reads the statements of a page as items.
enum RDFaItems {
    /// Subjects with a type, subjects that speak schema.org, and what they refer to.
    static func read(_ processor: RDFaProcessor) -> StructuredData {
        let quads = processor.dataset.quads
        var indices: [RDFTerm: Int] = [:]
        var items: [StructuredItem] = []
        for quad in quads where indices[quad.subject] == nil && isOfInterest(quad) {
            guard items.count < processor.limits.maximumItems else { break }
            indices[quad.subject] = items.count
            var id: String?
            if case .iri(let iri) = quad.subject { id = iri }
            items.append(StructuredItem(syntax: .rdfa, id: id, line: processor.lines[quad.subject]))
        }
        let lists = ListCells(quads)
        for quad in quads {
            guard let subject = indices[quad.subject], case .iri(let predicate) = quad.predicate else { continue }
            if predicate == RDFTerm.Vocabulary.type {
                if case .iri(let type) = quad.object {
                    items[subject].types.append(SchemaOrgVocabulary.shortened(type))
                }
                continue
            }
            if predicate == RDFTerm.Vocabulary.rdfa + "usesVocabulary" { continue }
            let name = SchemaOrgVocabulary.shortened(predicate)
            for object in lists.members(of: quad.object) {
                let value: StructuredItem.Value
                if let index = indices[object] {
                    value = .item(index)
                    if index != subject { items[index].isTopLevel = false }
                } else {
                    switch object {
                    case .iri(let iri): value = .url(iri)
                    case .literal(let text, _, let language):
                        value = .text(text.collapsingHTMLSpace(), language: language)
                    case .blank: continue
                    }
                }
                items[subject].properties.append(StructuredItem.Property(name: name, value: value))
            }
        }
        return StructuredData(items: items)
    }

    private static func isOfInterest(_ quad: RDFQuad) -> Bool {
        // A pattern is there to be copied.
        if quad.object == .iri(RDFTerm.Vocabulary.rdfa + "Pattern") { return false }
        guard case .iri(let predicate) = quad.predicate else { return false }
        return predicate == RDFTerm.Vocabulary.type || predicate.hasPrefix(SchemaOrgVocabulary.address)
    }

    /// The cells of `inlist` lists.
    private struct ListCells {
        private var first: [RDFTerm: RDFTerm] = [:]
        private var rest: [RDFTerm: RDFTerm] = [:]

        init(_ quads: [RDFQuad]) {
            for quad in quads {
                guard case .blank = quad.subject else { continue }
                if quad.predicate == .iri(RDFTerm.Vocabulary.first) { first[quad.subject] = quad.object }
                if quad.predicate == .iri(RDFTerm.Vocabulary.rest) { rest[quad.subject] = quad.object }
            }
        }

        /// The members of a list; the term itself for what is none.
        func members(of head: RDFTerm) -> [RDFTerm] {
            if head == .iri(RDFTerm.Vocabulary.nilList) { return [] }
            guard first[head] != nil else { return [head] }
            var members: [RDFTerm] = []
            var cell = head
            // A page may name the cells itself and close a circle.
            while let member = first[cell], members.count <= first.count {
                members.append(member)
                guard let next = rest[cell] else { break }
                cell = next
            }
            return members
        }
    }
}
