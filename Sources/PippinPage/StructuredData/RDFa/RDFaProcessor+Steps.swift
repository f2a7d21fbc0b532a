// Steps 2 to 12 of RDFa Core 1.1 §7.5 for one element.

extension RDFaProcessor {
    // MARK: Context (2, 3, 4)

    /// The limit of prefixes per element. Generators declare about twenty.
    private static let maximumPrefixes = 1_000

    mutating func declare(_ attributes: RDFaAttributes, _ frame: inout Frame, _ element: HTMLDocument.Index) {
        if let vocab = attributes.vocab { declareVocabulary(vocab, &frame, element) }
        let prefixes = frame.names.page.prefixes
        for namespace in attributes.namespaces
        where RDFaPrefixes.isPrefixName(namespace.name) && namespace.iri.count <= IRIReference.maximumPrefixBytes {
            let iri = String(decoding: namespace.iri.trimmingHTMLSpace(), as: UTF8.self)
            frame.hiddenPrefixes.append(prefixes.declare(namespace.name, iri))
        }
        if let prefix = attributes.prefix {
            let pairs = RDFaPrefixes.pairs(in: prefix)
            if pairs.count > Self.maximumPrefixes {
                note(
                    .rdfa(.tooManyPrefixes),
                    "An element declares \(pairs.count) prefixes; the first \(Self.maximumPrefixes) are read.",
                    at: element)
            }
            for pair in pairs.prefix(Self.maximumPrefixes) where pair.iri.utf8.count <= IRIReference.maximumPrefixBytes
            {
                frame.hiddenPrefixes.append(prefixes.declare(pair.name, pair.iri))
            }
        }
        if let declared = attributes.xmlLang ?? attributes.lang {
            frame.language = LanguageTag.wellFormed(String(decoding: declared, as: UTF8.self))
        }
    }

    private mutating func declareVocabulary(
        _ value: ArraySlice<UInt8>, _ frame: inout Frame, _ element: HTMLDocument.Index
    ) {
        let text = String(decoding: value.trimmingHTMLSpace(), as: UTF8.self)
        if text.isEmpty || text.utf8.count > IRIReference.maximumPrefixBytes {
            frame.names.vocabulary = nil
        } else if isLenient && SchemaOrgVocabulary.isVocabulary(text) {
            if !SchemaOrgVocabulary.isSpelledOut(text) {
                note(
                    .rdfa(.vocabSpelling), "The vocabulary is written \"\(text)\", not \"https://schema.org/\".",
                    at: element)
            }
            frame.names.vocabulary = SchemaOrgVocabulary.address
        } else {
            let vocabulary = frame.names.address(text)
            frame.names.vocabulary = vocabulary
            insertUse(of: vocabulary)
        }
    }

    /// Role Attribute 1.0 §4: writes the roles of the element's `id`, or of a blank node. Terms are XHTML's.
    mutating func writeRoles(_ roles: ArraySlice<UInt8>, _ step: Step) {
        let predicate = iri(RDFaNames.xhtmlVocabulary + "role")
        var names = step.names
        names.vocabulary = RDFaNames.xhtmlVocabulary
        var subject: TermID?
        for token in tokens(roles, at: step.element) {
            guard let role = term(names.name(token)) else { continue }
            let element: TermID
            if let subject {
                element = subject
            } else if let id = step.attributes.id {
                element = iri(names.address("#" + String(decoding: id.trimmingHTMLSpace(), as: UTF8.self)))
            } else {
                element = makeBlank()
            }
            subject = element
            insert(element, predicate, role, at: step.element)
        }
    }

    /// The tokens of `rel` or `rev`; nil if the attribute is absent, or is ignored because of a `property`.
    mutating func relations(_ value: ArraySlice<UInt8>?, _ step: Step) -> [ArraySlice<UInt8>]? {
        guard let value else { return nil }
        let tokens = tokens(value, at: step.element)
        guard step.attributes.property != nil else { return tokens }
        let kept = tokens.filter(step.names.isCURIEOrAbsoluteIRI)
        return kept.isEmpty ? nil : kept
    }

    /// The tokens of an attribute, up to a limit.
    mutating func tokens(_ value: ArraySlice<UInt8>, at element: HTMLDocument.Index) -> [ArraySlice<UInt8>] {
        let tokens = value.splitOnHTMLSpace()
        let maximum = limits.maximumTokens
        guard tokens.count > maximum else { return tokens }
        note(
            .rdfa(.tooManyNames), "An attribute has \(tokens.count) names; the first \(maximum) are read.", at: element
        )
        return Array(tokens.prefix(maximum))
    }

    private static let dataVocabulary = "http://rdf.data-vocabulary.org/#"

    /// A token of `typeof` or `property` as a term. In lenient reading, a token without a vocabulary is schema.org's.
    mutating func name(_ token: ArraySlice<UInt8>, _ step: Step, isType: Bool) -> TermID? {
        let resource = step.names.name(token)
        if let term = term(resource) {
            if isType, isLenient, case .iri(let iri) = resource, iri.hasPrefix(Self.dataVocabulary) {
                note(
                    .rdfa(.dataVocabulary),
                    "The type \"\(iri.prefix(200))\" is of data-vocabulary.org, which schema.org has replaced.",
                    at: step.element)
            }
            return term
        }
        guard isLenient, let term = term(step.names.name(token, fallback: SchemaOrgVocabulary.address)) else {
            return nil
        }
        if isType {
            note(
                .rdfa(.vocabMissing),
                "The type \"\(String(decoding: token.prefix(100), as: UTF8.self))\" has no vocabulary; schema.org is assumed.",
                at: step.element)
        }
        return term
    }

    // MARK: Subject and object (5, 6)

    private mutating func resource(_ value: ArraySlice<UInt8>?, _ step: Step) -> TermID? {
        term(value.flatMap { step.names.resource($0) })
    }

    private mutating func address(_ value: ArraySlice<UInt8>?, _ step: Step) -> TermID? {
        term(value.flatMap { step.names.address($0) })
    }

    /// The resource in `resource`, or else in `href`, or else in `src`.
    private mutating func object(_ step: Step) -> TermID? {
        resource(step.attributes.resource, step) ?? address(step.attributes.href, step)
            ?? address(step.attributes.src, step)
    }

    /// The implied subject: the page for the root; the parent object for `head` and `body` without a resource (HTML+RDFa §3.1).
    private mutating func implied(_ step: Step) -> TermID? {
        let a = step.attributes
        let name = document.elements[step.element].name
        if name == .head || name == .body, a.about == nil, a.resource == nil, a.href == nil, a.src == nil {
            return step.context.parentObject
        }
        return step.isRoot ? page : nil
    }

    /// Step 5.1: an element with `property` but neither `content` nor `datatype`.
    mutating func establishForProperty(_ step: Step, _ found: inout Found) {
        let about = resource(step.attributes.about, step)
        found.subject = about ?? implied(step) ?? step.context.parentObject
        guard step.attributes.typeof != nil else { return }
        if let about {
            found.typedResource = about
        } else if step.isRoot {
            found.typedResource = found.subject
        } else {
            found.typedResource = object(step) ?? makeBlank()
            found.object = found.typedResource
        }
    }

    /// Step 5.2: finds the subject of other elements without `rel` and `rev`.
    mutating func establishSubject(_ step: Step, _ found: inout Found) {
        if let subject = resource(step.attributes.about, step) ?? object(step) ?? implied(step) {
            found.subject = subject
        } else if step.attributes.typeof != nil {
            found.subject = makeBlank()
        } else {
            found.subject = step.context.parentObject
            found.isSkipped = step.attributes.property == nil
        }
        if step.attributes.typeof != nil { found.typedResource = found.subject }
    }

    /// Step 6: an element with `rel` or `rev`.
    mutating func establishForRelation(_ step: Step, _ found: inout Found) {
        let about = resource(step.attributes.about, step)
        found.subject = about ?? implied(step) ?? step.context.parentObject
        found.object = object(step)
        guard step.attributes.typeof != nil else { return }
        if about != nil {
            found.typedResource = found.subject
        } else {
            if found.object == nil { found.object = makeBlank() }
            found.typedResource = found.object
        }
    }

    // MARK: Relations (9, 10, 12)

    mutating func relate(
        _ subject: TermID, _ rel: [ArraySlice<UInt8>], _ rev: [ArraySlice<UInt8>], _ step: Step, _ found: inout Found,
        _ frame: inout Frame
    ) {
        let forward = rel.compactMap { term(step.names.name($0)) }
        let reverse = rev.compactMap { term(step.names.name($0)) }
        if let object = found.object {
            for predicate in forward {
                if step.attributes.isInList {
                    add(object, toList: frame.list, predicate)
                } else {
                    insert(subject, predicate, object, at: step.element)
                }
            }
            for predicate in reverse { insert(object, predicate, subject, at: step.element) }
            return
        }
        for predicate in forward {
            if step.attributes.isInList {
                beginList(frame.list, predicate)
                frame.incomplete.append(.list(frame.list, predicate))
            } else {
                frame.incomplete.append(.forward(predicate))
            }
        }
        for predicate in reverse { frame.incomplete.append(.reverse(predicate)) }
        found.object = makeBlank()
    }

    mutating func complete(_ context: Frame, with subject: TermID, at element: HTMLDocument.Index) {
        for incomplete in context.incomplete {
            switch incomplete {
            case .forward(let predicate): insert(context.parentSubject, predicate, subject, at: element)
            case .reverse(let predicate): insert(subject, predicate, context.parentSubject, at: element)
            case .list(let list, let predicate): add(subject, toList: list, predicate)
            }
        }
    }

    // MARK: Properties (11)

    mutating func write(
        _ property: ArraySlice<UInt8>, of subject: TermID, hasRelation: Bool, _ found: Found, _ step: Step, list: Int
    ) {
        // Statements about the page without a vocabulary belong to other conventions, such as Open Graph.
        let isOfPage = subject == page
        var predicates: [TermID] = []
        for token in tokens(property, at: step.element) {
            let predicate = isOfPage ? term(step.names.name(token)) : name(token, step, isType: false)
            if let predicate { predicates.append(predicate) }
        }
        guard !predicates.isEmpty, let value = value(hasRelation: hasRelation, found, step) else { return }
        for predicate in predicates {
            if step.attributes.isInList {
                add(value, toList: list, predicate)
            } else {
                insert(subject, predicate, value, at: step.element)
            }
        }
    }

    private mutating func value(hasRelation: Bool, _ found: Found, _ step: Step) -> TermID? {
        let a = step.attributes
        if a.datatype == nil && a.content == nil && a.datetime == nil {
            if !hasRelation, let object = object(step) { return object }
            if a.typeof != nil && a.about == nil, let typed = found.typedResource { return typed }
        }
        return value(literal(step))
    }

    private mutating func literal(_ step: Step) -> RDFTerm {
        let a = step.attributes
        guard let datatype = a.datatype else {
            if let content = a.content { return literal(content, datatype: nil, language: step.language) }
            if let datetime = a.datetime { return timeLiteral(datetime, step.language) }
            if isXMLLiteral(step) { return xmlLiteral(step.element) }
            let text = self.text(step.element)
            let isTime = document.elements[step.element].name == .time
            return isTime ? timeLiteral(text, step.language) : literal(text, datatype: nil, language: step.language)
        }
        let type: String? =
            switch step.names.name(datatype.trimmingHTMLSpace()) {
            case .iri(let iri): iri
            default: nil
            }
        switch type {
        case RDFTerm.Vocabulary.xmlLiteral:
            return xmlLiteral(step.element)
        case RDFTerm.Vocabulary.html:
            return .literal(document.markup(inside: step.element, asXML: false, &texts), datatype: type)
        default:
            return literal(a.content ?? a.datetime ?? text(step.element), datatype: type, language: step.language)
        }
    }

    /// Whether the value is an XML literal: in RDFa 1.0, an element with markup inside it (RDFa in XHTML §5.5, step 9). In
    /// lenient reading, the value is always the text.
    private func isXMLLiteral(_ step: Step) -> Bool {
        step.names.page.isRDFa10 && !isLenient && Int(document.elements[step.element].subtreeEnd) > step.element + 1
    }

    private mutating func xmlLiteral(_ element: HTMLDocument.Index) -> RDFTerm {
        let markup = document.markup(inside: element, asXML: true, keepsNamespaces: declaresNamespaces, &texts)
        return .literal(markup, datatype: RDFTerm.Vocabulary.xmlLiteral)
    }

    private func literal(_ text: ArraySlice<UInt8>, datatype: String?, language: String?) -> RDFTerm {
        .literal(String(decoding: text, as: UTF8.self), datatype: datatype, language: datatype == nil ? language : nil)
    }

    private func timeLiteral(_ text: ArraySlice<UInt8>, _ language: String?) -> RDFTerm {
        let text = String(decoding: text, as: UTF8.self)
        let datatype = XSDLexical.timeType(text)
        return .literal(text, datatype: datatype, language: datatype == nil ? language : nil)
    }

    private mutating func text(_ element: HTMLDocument.Index) -> ArraySlice<UInt8> {
        texts.takeText(of: element) ? document.textBytes(of: element) : []
    }
}
