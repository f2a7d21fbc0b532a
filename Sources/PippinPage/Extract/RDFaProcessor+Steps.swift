// Steps 2 to 12 of RDFa Core 1.1 §7.5 for one element.

extension RDFaProcessor {
    // MARK: Context (2, 3, 4)

    mutating func declare(_ attributes: RDFaAttributes, _ frame: inout Frame) {
        if let vocab = attributes.vocab { declareVocabulary(vocab, &frame) }
        var mappings: [String: String] = [:]
        for namespace in attributes.namespaces
        where RDFaPrefixes.isPrefixName(namespace.name) && namespace.iri.count <= IRIReference.maximumPrefixBytes {
            mappings[namespace.name.lowercased()] = String(decoding: namespace.iri.trimmingHTMLSpace(), as: UTF8.self)
        }
        if let prefix = attributes.prefix {
            for pair in RDFaPrefixes.pairs(in: prefix) where pair.iri.utf8.count <= IRIReference.maximumPrefixBytes {
                mappings[pair.name.lowercased()] = pair.iri
            }
        }
        if !mappings.isEmpty { frame.names.prefixes = frame.names.prefixes.adding(mappings) }
        if let declared = attributes.xmlLang ?? attributes.lang {
            frame.language = LanguageTag.wellFormed(String(decoding: declared, as: UTF8.self))
        }
    }

    private mutating func declareVocabulary(_ value: ArraySlice<UInt8>, _ frame: inout Frame) {
        let text = String(decoding: value.trimmingHTMLSpace(), as: UTF8.self)
        if text.isEmpty || text.utf8.count > IRIReference.maximumPrefixBytes {
            frame.names.vocabulary = nil
        } else if isLenient && SchemaOrgVocabulary.isVocabulary(text) {
            frame.names.vocabulary = SchemaOrgVocabulary.address
        } else {
            let vocabulary = frame.names.address(text)
            frame.names.vocabulary = vocabulary
            insert(
                .iri(frame.names.address("")), .iri(RDFTerm.Vocabulary.rdfa + "usesVocabulary"), .iri(vocabulary),
                at: 0)
        }
    }

    /// Role Attribute 1.0 §4: what an element is for, said of its `id` or of a blank node. Terms are those of XHTML.
    mutating func writeRoles(_ roles: ArraySlice<UInt8>, _ step: Step) {
        let predicate = RDFTerm.iri(RDFaNames.xhtmlVocabulary + "role")
        var names = step.names
        names.vocabulary = RDFaNames.xhtmlVocabulary
        var subject: RDFTerm?
        for token in roles.splitOnHTMLSpace() {
            guard let role = term(names.name(token)) else { continue }
            let element =
                subject
                ?? step.attributes.id.map { id in
                    .iri(names.address("#" + String(decoding: id.trimmingHTMLSpace(), as: UTF8.self)))
                } ?? makeBlank()
            subject = element
            insert(element, predicate, role, at: step.element)
        }
    }

    /// The tokens of `rel` or `rev`; nil when the attribute is absent, or counts as absent beside a `property`.
    func relations(_ value: ArraySlice<UInt8>?, _ step: Step) -> [ArraySlice<UInt8>]? {
        guard let value else { return nil }
        let tokens = value.splitOnHTMLSpace()
        guard step.attributes.property != nil else { return tokens }
        let kept = tokens.filter(step.names.isCURIEOrAbsoluteIRI)
        return kept.isEmpty ? nil : kept
    }

    // MARK: Subject and object (5, 6)

    private mutating func resource(_ value: ArraySlice<UInt8>?, _ step: Step) -> RDFTerm? {
        value.flatMap { term(step.names.resource($0)) }
    }

    private mutating func address(_ value: ArraySlice<UInt8>?, _ step: Step) -> RDFTerm? {
        value.flatMap { term(step.names.address($0)) }
    }

    /// `resource`, else `href`, else `src`.
    private mutating func object(_ step: Step) -> RDFTerm? {
        resource(step.attributes.resource, step) ?? address(step.attributes.href, step)
            ?? address(step.attributes.src, step)
    }

    /// What the element speaks of where no attribute says so: the page for the root, and the parent object for `head` and
    /// `body` without any resource (HTML+RDFa §3.1).
    private mutating func implied(_ step: Step) -> RDFTerm? {
        let a = step.attributes
        let name = document.elements[step.element].name
        if name == .head || name == .body, a.about == nil, a.resource == nil, a.href == nil, a.src == nil {
            return step.context.parentObject
        }
        return step.isRoot ? .iri(step.names.address("")) : nil
    }

    /// 5.1: `property` without `content` and `datatype`.
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

    /// 5.2
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

    /// 6: `rel` or `rev`.
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
        _ subject: RDFTerm, _ rel: [ArraySlice<UInt8>], _ rev: [ArraySlice<UInt8>], _ step: Step, _ found: inout Found,
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

    mutating func complete(_ context: Frame, with subject: RDFTerm, at element: HTMLDocument.Index) {
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
        _ property: ArraySlice<UInt8>, of subject: RDFTerm, hasRelation: Bool, _ found: Found, _ step: Step, list: Int
    ) {
        // What is said of the page itself without a vocabulary is some other convention's.
        let fallback = isLenient && subject != .iri(step.names.address("")) ? SchemaOrgVocabulary.address : nil
        let predicates = property.splitOnHTMLSpace().compactMap { term(step.names.name($0, fallback: fallback)) }
        guard !predicates.isEmpty, let value = value(hasRelation: hasRelation, found, step) else { return }
        for predicate in predicates {
            if step.attributes.isInList {
                add(value, toList: list, predicate)
            } else {
                insert(subject, predicate, value, at: step.element)
            }
        }
    }

    private mutating func value(hasRelation: Bool, _ found: Found, _ step: Step) -> RDFTerm? {
        let a = step.attributes
        let isTime = document.elements[step.element].name == .time
        if let datatype = a.datatype {
            let type: String? =
                switch step.names.name(datatype.trimmingHTMLSpace()) {
                case .iri(let iri): iri
                default: nil
                }
            switch type {
            case RDFTerm.Vocabulary.xmlLiteral:
                return .literal(document.markup(inside: step.element, asXML: true, &texts), datatype: type)
            case RDFTerm.Vocabulary.html:
                return .literal(document.markup(inside: step.element, asXML: false, &texts), datatype: type)
            default:
                let text = a.content ?? a.datetime ?? self.text(step.element)
                return literal(text, datatype: type, language: step.language)
            }
        }
        if let content = a.content { return literal(content, datatype: nil, language: step.language) }
        if let datetime = a.datetime { return timeLiteral(datetime, step.language) }
        if !hasRelation, let object = object(step) { return object }
        if a.typeof != nil && a.about == nil, let typed = found.typedResource { return typed }
        let text = self.text(step.element)
        return isTime ? timeLiteral(text, step.language) : literal(text, datatype: nil, language: step.language)
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
        let text = document.textBytes(of: element)
        return texts.take(text.count) ? text : []
    }
}
