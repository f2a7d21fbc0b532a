/// RDFa Core 1.1 §7.5 with the rules of HTML+RDFa 1.1 §3, over the document's elements in order.
///
/// The standard's recursion is replaced by a stack of frames, one per open element, so that deep pages do not use up the
/// thread's stack. Numbers in comments are the steps of §7.5.
struct RDFaProcessor {
    typealias TermID = RDFDataset.TermID

    /// The evaluation context of an element's children.
    struct Frame {
        /// The index after the element's last descendant.
        let end: HTMLDocument.Index
        var parentSubject: TermID
        var parentObject: TermID
        /// Incomplete statements that wait for a resource inside the element.
        var incomplete: [Incomplete] = []
        /// The index of the list mapping in `lists`.
        var list: Int
        /// The list mappings that begin at this element. They are written at its end.
        var ownedLists: [Int] = []
        var language: String?
        var names: RDFaNames
        /// Mappings hidden by the element's prefixes. They are restored at its end.
        var hiddenPrefixes: [RDFaPrefixes.Hidden] = []
    }

    enum Incomplete {
        case forward(TermID)
        case reverse(TermID)
        case list(Int, TermID)
    }

    /// A list mapping: the values of `inlist` properties of one subject.
    struct Lists {
        let subject: TermID
        var predicates: [TermID] = []
        var values: [TermID: [TermID]] = [:]

        mutating func begin(_ predicate: TermID) {
            if values[predicate] == nil {
                predicates.append(predicate)
                values[predicate] = []
            }
        }
    }

    let document: HTMLDocument
    let limits: ReadingLimits
    /// Whether terms without a vocabulary, and all spellings of schema.org's address, are read as schema.org's.
    let isLenient: Bool
    private(set) var dataset = RDFDataset()
    private(set) var notes: BoundedNotes
    /// The first element of each subject, by the subject's number; negative for terms that are not subjects.
    private var firstElements: [HTMLDocument.Index] = []
    /// The element of each statement; negative for those of lists. Empty if patterns were copied.
    private var statementElements: [Int32] = []
    var texts: TextBudget

    /// The page itself, as a subject.
    let page: TermID
    private var frames: [Frame] = []
    private var lists: [Lists] = []
    private var blanks: [String: TermID] = [:]
    /// The terms of IRIs that many statements have, once they are in use.
    private var frequent: (type: TermID?, usesVocabulary: TermID?)
    private let namespaceNames: [UInt16: String]
    var declaresNamespaces: Bool { !namespaceNames.isEmpty || document.hasAttribute(.xmlns) }
    private let maximumStatements: Int
    /// The limit of all statements, in bytes. Many statements about one long address can be far larger than the page.
    private let maximumBytes: Int
    /// The number of statements so far, including repeated ones. A relation with many names around many elements gives their
    /// product.
    private var statementCount = 0
    private var isFull: Bool {
        statementCount >= maximumStatements || dataset.byteCount >= maximumBytes || limits.isInterrupted
    }

    init(_ document: HTMLDocument, baseURL: WebURL, lenient: Bool, limits: ReadingLimits) {
        self.document = document
        self.limits = limits
        notes = BoundedNotes(maximum: limits.maximumNotes)
        isLenient = lenient
        texts = TextBudget(document, limits)
        // An item has about ten statements.
        maximumStatements = limits.maximumItems.multipliedReportingOverflow(by: 10).partialValue
        let base = IRIReference(baseURL.href)
        page = dataset.id(of: .iri(IRIReference.resolve("", base: base)))
        maximumBytes = 1_000_000 + 20 * (document.text.count + document.valueByteCount)
        var namespaces: [UInt16: String] = [:]
        for (i, name) in document.ownNames.enumerated() where name.hasPrefix("xmlns:") {
            namespaces[HTMLDocument.firstOwnName + UInt16(i)] = String(name.dropFirst(6))
        }
        namespaceNames = namespaces
        let names = RDFaNames(page: RDFaNames.Page(base: base, isRDFa10: document.declaresRDFa10), vocabulary: nil)
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
        copyPatterns()
        if statementCount >= maximumStatements {
            notes.add(.rdfa(.tooManyItems), "The page has more than \(maximumStatements) statements in RDFa.")
        } else if isFull {
            notes.add(
                .rdfa(.tooLong), "The statements of the page's RDFa have more than \(maximumBytes) bytes together.")
        }
        if texts.isExhausted { notes.add([texts.note(.rdfa(.textsTooLong))]) }
    }

    private mutating func close(before element: HTMLDocument.Index) {
        while frames.count > 1, let frame = frames.last, frame.end <= element {
            frames.removeLast()
            for hidden in frame.hiddenPrefixes.reversed() { frame.names.page.prefixes.restore(hidden) }
            for list in frame.ownedLists { writeLists(list) }
        }
    }

    // MARK: One element

    private mutating func process(_ element: HTMLDocument.Index) {
        guard let context = frames.last else { return }
        let attributes = RDFaAttributes(document, element, namespaceNames: namespaceNames)
        let isRoot = element == 0
        // An element without RDFa attributes passes its context on.
        if attributes.isEmpty && !isRoot { return }
        // 1
        var frame = context
        frame.incomplete = []
        frame.ownedLists = []
        frame.hiddenPrefixes = []
        // 2, 3, 4
        declare(attributes, &frame, element)
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
            let predicate = frequent.type ?? iri(RDFTerm.Vocabulary.type)
            frequent.type = predicate
            for token in tokens(types, at: element) {
                guard let type = name(token, step, isType: true) else { continue }
                insert(resource, predicate, type, at: element)
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
            // Lists inside the element belong to the object, not to the subject (test 0226).
            if inner.parentObject != inner.parentSubject { beginLists(of: inner.parentObject, &inner) }
        }
        inner.hiddenPrefixes = frame.hiddenPrefixes
        frames.append(inner)
    }

    /// The element that is being processed.
    struct Step {
        let element: HTMLDocument.Index
        let attributes: RDFaAttributes
        let context: Frame
        let names: RDFaNames
        let language: String?
        let isRoot: Bool
    }

    /// The results of steps 5 and 6.
    struct Found {
        var subject: TermID?
        var object: TermID?
        var typedResource: TermID?
        var isSkipped = false
    }

    // MARK: Statements

    mutating func insert(_ subject: TermID, _ predicate: TermID, _ object: TermID, at element: HTMLDocument.Index) {
        guard !isFull else { return }
        statementCount += 1
        if case .literal = dataset[subject] { return }
        let count = dataset.count
        dataset.insert(RDFDataset.Statement(subject, predicate, object))
        if dataset.count > count {
            statementElements += repeatElement(-1, count: count - statementElements.count)
            statementElements.append(Int32(clamping: element))
        }
        if subject.index >= firstElements.count {
            firstElements += Array(
                repeating: -1, count: max(firstElements.count, subject.index + 1 - firstElements.count))
        }
        if firstElements[subject.index] < 0 { firstElements[subject.index] = element }
    }

    /// The first element with a statement about a subject.
    func element(of subject: TermID) -> HTMLDocument.Index? {
        guard firstElements.indices.contains(subject.index), firstElements[subject.index] >= 0 else { return nil }
        return firstElements[subject.index]
    }

    /// The element that a statement comes from.
    ///
    /// - Parameter position: in the dataset's statements.
    func element(ofStatement position: Int) -> HTMLDocument.Index? {
        guard position < statementElements.count, statementElements[position] >= 0 else { return nil }
        return Int(statementElements[position])
    }

    /// The place of the subject's first element.
    func place(of subject: TermID) -> SourcePlace? { element(of: subject).map { document.place(of: $0) } }

    /// States that the page uses a vocabulary (RDFa Core 1.1 §7.5, step 2).
    mutating func insertUse(of vocabulary: String) {
        let predicate = frequent.usesVocabulary ?? iri(RDFTerm.Vocabulary.rdfa + "usesVocabulary")
        frequent.usesVocabulary = predicate
        insert(page, predicate, iri(vocabulary), at: 0)
    }

    mutating func makeBlank() -> TermID { dataset.id(of: dataset.makeBlank()) }

    mutating func iri(_ iri: String) -> TermID { dataset.id(of: .iri(iri)) }

    /// A name of the page as a term. Blank nodes with the same name are the same term.
    mutating func term(_ resource: RDFaNames.Resource?) -> TermID? {
        switch resource {
        case .iri(let iri): return self.iri(iri)
        case .blank(let name):
            if let known = blanks[name] { return known }
            let blank = makeBlank()
            blanks[name] = blank
            return blank
        case nil: return nil
        }
    }

    mutating func value(_ term: RDFTerm) -> TermID { dataset.id(of: term) }

    mutating func note(_ code: ParseNote.Code, _ message: @autoclosure () -> String, at element: HTMLDocument.Index) {
        let document = document
        notes.add(code, message(), at: document.place(of: element))
    }

    private mutating func beginLists(of subject: TermID, _ frame: inout Frame) {
        frame.list = lists.count
        frame.ownedLists.append(lists.count)
        lists.append(Lists(subject: subject))
    }

    mutating func add(_ value: TermID, toList list: Int, _ predicate: TermID) {
        guard !isFull else { return }
        // A list cell is two statements.
        statementCount += 2
        lists[list].begin(predicate)
        lists[list].values[predicate]?.append(value)
    }

    mutating func beginList(_ list: Int, _ predicate: TermID) {
        guard !isFull else { return }
        statementCount += 1
        lists[list].begin(predicate)
    }

    /// Writes the list mappings that end here (step 14).
    private mutating func writeLists(_ index: Int) {
        let list = lists[index]
        // The list is not used any more. Clearing it frees memory.
        lists[index] = Lists(subject: list.subject)
        guard !list.predicates.isEmpty else { return }
        let first = iri(RDFTerm.Vocabulary.first)
        let rest = iri(RDFTerm.Vocabulary.rest)
        let end = iri(RDFTerm.Vocabulary.nilList)
        for predicate in list.predicates {
            var head = end
            for value in (list.values[predicate] ?? []).reversed() {
                let cell = makeBlank()
                dataset.insert(RDFDataset.Statement(cell, first, value))
                dataset.insert(RDFDataset.Statement(cell, rest, head))
                head = cell
            }
            dataset.insert(RDFDataset.Statement(list.subject, predicate, head))
        }
    }

    /// HTML+RDFa §3.5: copies a pattern's statements to the subjects that refer to it, and removes copied patterns.
    private mutating func copyPatterns() {
        guard let copy = dataset.knownID(of: .iri(RDFTerm.Vocabulary.rdfa + "copy")),
            let pattern = dataset.knownID(of: .iri(RDFTerm.Vocabulary.rdfa + "Pattern"))
        else { return }
        let type = iri(RDFTerm.Vocabulary.type)
        let patterns = Set(
            dataset.statements.filter { $0.predicate == type && $0.object == pattern }.map(\.subject))
        var statements: [TermID: [RDFDataset.Statement]] = [:]
        for statement in dataset.statements where patterns.contains(statement.subject) {
            statements[statement.subject, default: []].append(statement)
        }
        let dropped = Set(
            dataset.statements.filter { $0.predicate == copy && patterns.contains($0.object) }.map(\.object))
        // Copied statements may cause further copies. Each statement is handled once, so this ends.
        var next = 0
        while next < dataset.count && !isFull {
            let statement = dataset.statements[next]
            next += 1
            guard statement.predicate == copy, patterns.contains(statement.object),
                !dropped.contains(statement.subject)
            else { continue }
            for copied in statements[statement.object] ?? [] {
                if isFull { break }
                statementCount += 1
                if copied.predicate == type && copied.object == pattern { continue }
                dataset.insert(RDFDataset.Statement(statement.subject, copied.predicate, copied.object))
            }
        }
        if !dropped.isEmpty { statementElements = [] }
        dataset.removeStatements { statement in
            dropped.contains(statement.subject) || statement.predicate == copy && dropped.contains(statement.object)
        }
    }
}

extension HTMLDocument {
    /// Whether the page declares RDFa 1.0 (RDFa in XHTML §4.1), by its document type or `version`.
    fileprivate var declaresRDFa10: Bool {
        if publicID?.has("xhtml+rdfa 1.0") == true { return true }
        return !elements.isEmpty
            && attributes(of: 0).contains { $0.name == "version" && $0.value.has("XHTML+RDFa 1.0") }
    }
}
