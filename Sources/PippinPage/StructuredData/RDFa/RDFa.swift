/// The RDFa of a page (RDFa Core 1.1, HTML+RDFa 1.1).
///
/// `dataset` is the output of the standard's processor. `structuredData` is read leniently: terms without a vocabulary, and all
/// spellings of schema.org's address, are schema.org's.
public struct RDFa: Sendable {
    private let document: HTMLDocument
    private let baseURL: WebURL
    private let limits: ReadingLimits
    /// The items, read leniently.
    public private(set) var structuredData = StructuredData()
    /// Leniencies used and limits reached while reading.
    public private(set) var notes: [ParseNote] = []

    /// Reads the statements of a page.
    ///
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
        var notes = processor.notes
        structuredData = RDFaItems.read(processor, &notes)
        self.notes = notes.finished()
    }

    /// Statements of the default graph: no processor graph, no vocabulary expansion.
    public var dataset: RDFDataset {
        let names: [HTMLName] = [.property, .typeof, .vocab, .rel, .rev, .role]
        guard names.contains(where: { document.hasAttribute($0) }) else { return RDFDataset() }
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
    /// The default graph as flat expanded JSON-LD, one node object per subject, in order.
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
    /// Adds an element to the array of a key.
    fileprivate mutating func append(_ value: JSONValue, to key: String) {
        guard case .array(var values)? = self[key]?.content else {
            self[key] = [value]
            return
        }
        // The object releases its copy, so that appending does not copy the array.
        self.set(key, .null)
        values.append(value)
        self.set(key, .array(values))
    }
}

/// Reads the statements of a page as items.
struct RDFaItems {
    private typealias TermID = RDFDataset.TermID
    private static let noItem: Int32 = -1

    private let dataset: RDFDataset
    /// The item of each subject, by the subject's number.
    private var indices: [Int32]
    /// The normalized values of terms. A text is normalized once, even if many properties have it.
    private var values: [TermID: StructuredItem.Value] = [:]

    private init(_ dataset: RDFDataset) {
        self.dataset = dataset
        indices = Array(repeating: Self.noItem, count: dataset.terms.count)
    }

    /// Reads three kinds of subjects: with a type, with schema.org properties, and those that one of these refers to.
    static func read(_ processor: RDFaProcessor, _ notes: inout BoundedNotes) -> StructuredData {
        var items = RDFaItems(processor.dataset)
        return items.read(processor, &notes)
    }

    private mutating func read(_ processor: RDFaProcessor, _ notes: inout BoundedNotes) -> StructuredData {
        var items: [StructuredItem] = []
        let names = predicateNames()
        let pattern = dataset.knownID(of: .iri(RDFTerm.Vocabulary.rdfa + "Pattern"))
        for statement in dataset.statements where indices[statement.subject.index] == Self.noItem {
            // Statements of patterns are only copied to other subjects.
            guard statement.object != pattern, names[statement.predicate.index].isOfInterest else { continue }
            let place = processor.place(of: statement.subject)
            guard items.count < processor.limits.maximumItems else {
                notes.add(
                    .rdfa(.tooManyItems),
                    "The page has more than \(items.count) items in RDFa; the rest was not read.", at: place)
                break
            }
            indices[statement.subject.index] = Int32(items.count)
            var id: String?
            if case .iri(let iri) = dataset[statement.subject] { id = iri }
            items.append(
                StructuredItem(syntax: .rdfa, id: id, place: place, element: processor.element(of: statement.subject)))
        }
        guard !items.isEmpty else { return StructuredData() }
        let lists = ListCells(dataset)
        // A list that many statements name is a value of each of them: without a limit, the page's size squared.
        var remainingMembers = 1_000 + 4 * dataset.statements.count
        var steps = InterruptibleSteps(processor.limits)
        for (position, statement) in dataset.statements.enumerated() {
            if steps.isInterrupted() { break }
            let subject = Int(indices[statement.subject.index])
            guard subject >= 0 else { continue }
            switch names[statement.predicate.index] {
            case .none: continue
            case .type:
                guard case .iri(let type) = dataset[statement.object] else { continue }
                items[subject].types.append(SchemaOrgVocabulary.shortened(type))
            case .property(let name, _):
                guard remainingMembers > 0 || !lists.isList(statement.object) else { continue }
                for object in lists.members(of: statement.object) {
                    remainingMembers -= 1
                    if steps.isInterrupted() { break }
                    guard let value = value(of: object) else { continue }
                    if case .item(let index) = value, index != subject { items[index].isTopLevel = false }
                    items[subject].properties.append(
                        StructuredItem.Property(
                            name: name, value: value, element: processor.element(ofStatement: position)))
                }
            }
        }
        if remainingMembers <= 0 {
            notes.add(.rdfa(.tooManyValues), "Many statements in RDFa name the same long lists; some were not read.")
        }
        return StructuredData(items: items)
    }

    /// What a predicate means for an item.
    private enum Name {
        case type
        /// The property's name, and whether its address is schema.org's.
        case property(String, isSchemaOrg: Bool)
        case none

        init(_ predicate: RDFTerm) {
            guard case .iri(let iri) = predicate, iri != RDFTerm.Vocabulary.rdfa + "usesVocabulary" else {
                self = .none
                return
            }
            if iri == RDFTerm.Vocabulary.type {
                self = .type
            } else {
                self = .property(
                    SchemaOrgVocabulary.shortened(iri), isSchemaOrg: iri.hasPrefix(SchemaOrgVocabulary.address))
            }
        }

        var isOfInterest: Bool {
            switch self {
            case .type: true
            case .property(_, let isSchemaOrg): isSchemaOrg
            case .none: false
            }
        }
    }

    /// The name of each predicate, by its number. Many statements have few predicates, so each is read once.
    private func predicateNames() -> [Name] {
        var names = [Name](repeating: .none, count: dataset.terms.count)
        var isKnown = [Bool](repeating: false, count: names.count)
        for statement in dataset.statements where !isKnown[statement.predicate.index] {
            isKnown[statement.predicate.index] = true
            names[statement.predicate.index] = Name(dataset[statement.predicate])
        }
        return names
    }

    /// The value of an object; nil for a blank node without statements.
    private mutating func value(of object: TermID) -> StructuredItem.Value? {
        if indices[object.index] != Self.noItem { return .item(Int(indices[object.index])) }
        if let known = values[object] { return known }
        let value: StructuredItem.Value
        switch dataset[object] {
        case .iri(let iri): value = .url(iri)
        case .literal(let text, let datatype?, _) where XSDLexical.isNumber(text, datatype: datatype):
            value = .number(text.trimmingHTMLSpace())
        case .literal(let text, _, let language): value = .text(text.collapsingHTMLSpace(), language: language)
        case .blank: return nil
        }
        values[object] = value
        return value
    }

    /// The cells of `inlist` lists.
    private struct ListCells {
        private var first: [TermID: TermID] = [:]
        private var rest: [TermID: TermID] = [:]
        private let end: TermID?

        init(_ dataset: RDFDataset) {
            end = dataset.knownID(of: .iri(RDFTerm.Vocabulary.nilList))
            let firstName = dataset.knownID(of: .iri(RDFTerm.Vocabulary.first))
            let restName = dataset.knownID(of: .iri(RDFTerm.Vocabulary.rest))
            for statement in dataset.statements {
                guard statement.predicate == firstName || statement.predicate == restName,
                    case .blank = dataset[statement.subject]
                else { continue }
                if statement.predicate == firstName {
                    first[statement.subject] = statement.object
                } else {
                    rest[statement.subject] = statement.object
                }
            }
        }

        func isList(_ head: TermID) -> Bool { first[head] != nil }

        /// The members of a list; the term itself if it is not a list.
        func members(of head: TermID) -> [TermID] {
            if head == end { return [] }
            guard first[head] != nil else { return [head] }
            var members: [TermID] = []
            var cell = head
            // A page can name the cells itself, so a list can be circular.
            while let member = first[cell], members.count <= first.count {
                members.append(member)
                guard let next = rest[cell] else { break }
                cell = next
            }
            return members
        }
    }
}
