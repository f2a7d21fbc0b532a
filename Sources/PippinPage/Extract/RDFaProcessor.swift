/// RDFa Core 1.1 §7.5 with the rules of HTML+RDFa 1.1 §3, over the document's elements in order.
///
/// The recursion of the standard is a stack of frames here, one for every open element, so that depth costs no stack of
/// the thread. Numbers in comments are the steps of §7.5.
struct RDFaProcessor {
    /// The evaluation context that an element hands to its children.
    struct Frame {
        /// Where the element ends.
        let end: HTMLDocument.Index
        var parentSubject: RDFTerm
        var parentObject: RDFTerm
        /// Statements that wait for a resource below.
        var incomplete: [Incomplete] = []
        /// Index into `lists`.
        var list: Int
        /// The list mappings that began here and are written when the element ends.
        var ownedLists: [Int] = []
        var language: String?
        var names: RDFaNames
    }

    enum Incomplete {
        case forward(RDFTerm)
        case reverse(RDFTerm)
        case list(Int, RDFTerm)
    }

    /// A list mapping: the values of `inlist` properties of one subject.
    struct Lists {
        let subject: RDFTerm
        var predicates: [RDFTerm] = []
        var values: [RDFTerm: [RDFTerm]] = [:]

        mutating func begin(_ predicate: RDFTerm) {
            if values[predicate] == nil {
                predicates.append(predicate)
                values[predicate] = []
            }
        }
    }

    let document: HTMLDocument
    let limits: ReadingLimits
    /// Reads what people meant: schema.org for terms without vocabulary, and for all its spellings.
    let isLenient: Bool
    private(set) var dataset = RDFDataset()
    private(set) var notes: [ParseNote] = []
    /// Where each subject is first spoken of.
    private(set) var lines: [RDFTerm: Int] = [:]
    var texts: TextBudget

    private let page: RDFTerm
    private var frames: [Frame] = []
    private var lists: [Lists] = []
    private var blanks: [String: RDFTerm] = [:]
    private let namespaceNames: [UInt16: String]
    private let maximumStatements: Int
    /// Statements made so far, those made twice counted twice: a relation of many names above many elements makes their
    /// product.
    private var statementCount = 0
    private var isFull: Bool { statementCount >= maximumStatements }

    init(_ document: HTMLDocument, baseURL: WebURL, lenient: Bool, limits: ReadingLimits) {
        self.document = document
        self.limits = limits
        isLenient = lenient
        texts = TextBudget(limits)
        // An item has some ten statements.
        maximumStatements = limits.maximumItems.multipliedReportingOverflow(by: 10).partialValue
        let base = IRIReference(baseURL.href)
        page = .iri(IRIReference.resolve("", base: base))
        var namespaces: [UInt16: String] = [:]
        for (i, name) in document.ownNames.enumerated() where name.hasPrefix("xmlns:") {
            namespaces[HTMLDocument.firstOwnName + UInt16(i)] = String(name.dropFirst(6))
        }
        namespaceNames = namespaces
        var names = RDFaNames(prefixes: .initial, vocabulary: nil, base: base)
        names.isRDFa10 =
            !document.elements.isEmpty
            && document.attributes(of: 0).contains { $0.name == "version" && $0.value.contains("XHTML+RDFa 1.0") }
        lists.append(Lists(subject: page))
        frames.append(
            Frame(
                end: .max, parentSubject: page, parentObject: page, list: 0, ownedLists: [0],
                names: names))
    }

    mutating func run() {
        var element = 0
        while element < document.elements.count && !isFull {
            close(before: element)
            process(element)
            element += 1
        }
        close(before: .max)
        for list in frames.popLast()?.ownedLists ?? [] { writeLists(list) }
        if isFull {
            notes.append(
                ParseNote("too-many-items", "The page has more than \(maximumStatements) statements in RDFa."))
        }
        if texts.isExhausted { notes.append(texts.note) }
        copyPatterns()
    }

    private mutating func close(before element: HTMLDocument.Index) {
        while frames.count > 1, let frame = frames.last, frame.end <= element {
            frames.removeLast()
            for list in frame.ownedLists { writeLists(list) }
        }
    }

    // MARK: One element

    private mutating func process(_ element: HTMLDocument.Index) {
        guard let context = frames.last else { return }
        let attributes = RDFaAttributes(document, element, namespaceNames: namespaceNames)
        let isRoot = element == 0
        // Without any attribute of RDFa the element hands on what it got.
        if attributes.isEmpty && !isRoot { return }
        // 1
        var frame = context
        frame.incomplete = []
        frame.ownedLists = []
        // 2, 3, 4
        declare(attributes, &frame)
        let step = Step(
            element: element, attributes: attributes, context: context, names: frame.names, language: frame.language,
            isRoot: isRoot)
        let rel = relations(attributes.rel, step)
        let rev = relations(attributes.rev, step)

        if let roles = attributes.role, !isLenient { writeRoles(roles, step) }

        // 5, 6
        var found = Found()
        if rel == nil && rev == nil {
            if attributes.property != nil && attributes.content == nil && attributes.datatype == nil {
                establishForProperty(step, &found)
            } else {
                establishSubject(step, &found)
            }
        } else {
            establishForRelation(step, &found)
        }
        // 7
        if let resource = found.typedResource, let types = attributes.typeof {
            for token in types.splitOnHTMLSpace() {
                guard let type = term(step.names.name(token, fallback: isLenient ? SchemaOrgVocabulary.address : nil))
                else { continue }
                insert(resource, .iri(RDFTerm.Vocabulary.type), type, at: element)
            }
        }
        // 8
        if let subject = found.subject, subject != context.parentObject {
            beginLists(of: subject, &frame)
        }
        // 9, 10
        if rel != nil || rev != nil, let subject = found.subject {
            relate(subject, rel ?? [], rev ?? [], step, &found, &frame)
        }
        // 11
        if let property = attributes.property, let subject = found.subject {
            write(property, of: subject, hasRelation: rel != nil || rev != nil, found, step, list: frame.list)
        }
        // 12
        if !found.isSkipped, let subject = found.subject { complete(context, with: subject, at: element) }
        // 13
        let end = Int(document.elements[element].subtreeEnd)
        var inner = Frame(
            end: end, parentSubject: context.parentSubject, parentObject: context.parentObject,
            incomplete: context.incomplete, list: context.list, language: frame.language, names: frame.names)
        if !found.isSkipped {
            inner.parentSubject = found.subject ?? context.parentSubject
            inner.parentObject = found.object ?? found.subject ?? context.parentSubject
            inner.incomplete = frame.incomplete
            inner.list = frame.list
            inner.ownedLists = frame.ownedLists
            // What stands in a list below is said of the object, not of the subject beside it (test 0226).
            if inner.parentObject != inner.parentSubject { beginLists(of: inner.parentObject, &inner) }
        }
        frames.append(inner)
    }

    /// What is known of an element while it is processed.
    struct Step {
        let element: HTMLDocument.Index
        let attributes: RDFaAttributes
        let context: Frame
        let names: RDFaNames
        let language: String?
        let isRoot: Bool
    }

    /// What steps 5 and 6 establish.
    struct Found {
        var subject: RDFTerm?
        var object: RDFTerm?
        var typedResource: RDFTerm?
        var isSkipped = false
    }

    // MARK: Statements

    mutating func insert(_ subject: RDFTerm, _ predicate: RDFTerm, _ object: RDFTerm, at element: HTMLDocument.Index) {
        guard !isFull else { return }
        statementCount += 1
        if case .literal = subject { return }
        dataset.insert(RDFQuad(subject, predicate, object))
        if lines[subject] == nil { lines[subject] = Int(document.elements[element].line) }
    }

    mutating func makeBlank() -> RDFTerm { dataset.makeBlank() }

    /// A name of the page as a term; blank nodes of one name are one.
    mutating func term(_ resource: RDFaNames.Resource?) -> RDFTerm? {
        switch resource {
        case .iri(let iri): return .iri(iri)
        case .blank(let name):
            if let known = blanks[name] { return known }
            let blank = makeBlank()
            blanks[name] = blank
            return blank
        case nil: return nil
        }
    }

    private mutating func beginLists(of subject: RDFTerm, _ frame: inout Frame) {
        frame.list = lists.count
        frame.ownedLists.append(lists.count)
        lists.append(Lists(subject: subject))
    }

    mutating func add(_ value: RDFTerm, toList list: Int, _ predicate: RDFTerm) {
        guard !isFull else { return }
        statementCount += 1
        lists[list].begin(predicate)
        lists[list].values[predicate]?.append(value)
    }

    mutating func beginList(_ list: Int, _ predicate: RDFTerm) {
        lists[list].begin(predicate)
    }

    /// 14
    private mutating func writeLists(_ index: Int) {
        let list = lists[index]
        // Nothing refers to it any more; the memory of a page of many subjects is given back.
        lists[index] = Lists(subject: list.subject)
        for predicate in list.predicates {
            var head = RDFTerm.iri(RDFTerm.Vocabulary.nilList)
            for value in (list.values[predicate] ?? []).reversed() {
                let cell = makeBlank()
                dataset.insert(cell, RDFTerm.Vocabulary.first, value)
                dataset.insert(cell, RDFTerm.Vocabulary.rest, head)
                head = cell
            }
            dataset.insert(RDFQuad(list.subject, predicate, head))
        }
    }

    /// HTML+RDFa §3.5: what a pattern says is said of those who copy it; patterns that were copied are dropped.
    private mutating func copyPatterns() {
        let copy = RDFTerm.iri(RDFTerm.Vocabulary.rdfa + "copy")
        let type = RDFTerm.iri(RDFTerm.Vocabulary.type)
        let pattern = RDFTerm.iri(RDFTerm.Vocabulary.rdfa + "Pattern")
        guard dataset.quads.contains(where: { $0.predicate == copy }) else { return }
        let patterns = Set(dataset.quads.filter { $0.predicate == type && $0.object == pattern }.map(\.subject))
        var statements: [RDFTerm: [RDFQuad]] = [:]
        for quad in dataset.quads where patterns.contains(quad.subject) {
            statements[quad.subject, default: []].append(quad)
        }
        // Copying may bring further copies; a statement is handled once, so this ends.
        var next = 0
        while next < dataset.quads.count && !isFull {
            let quad = dataset.quads[next]
            next += 1
            guard quad.predicate == copy, patterns.contains(quad.object) else { continue }
            for statement in statements[quad.object] ?? [] {
                if isFull { break }
                statementCount += 1
                if statement.predicate == type && statement.object == pattern { continue }
                dataset.insert(RDFQuad(quad.subject, statement.predicate, statement.object))
            }
        }
        let copied = Set(dataset.quads.filter { $0.predicate == copy && patterns.contains($0.object) }.map(\.object))
        dataset.removeAll { quad in
            copied.contains(quad.subject) || quad.predicate == copy && copied.contains(quad.object)
        }
    }
}
