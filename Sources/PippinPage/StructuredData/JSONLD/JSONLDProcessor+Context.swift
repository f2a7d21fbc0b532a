// JSON-LD 1.1 API §4.1.2, Context Processing Algorithm.

extension JSONLDProcessor {
    /// The inputs of context processing in addition to the two contexts.
    struct Scope {
        var baseURL: String
        /// Remote contexts being read, outermost first.
        var remoteContexts: [String] = []
        var overridesProtected = false
        var isPropagated = true
        var validatesScopedContext = true
    }

    /// The limit of remote contexts that refer to each other.
    private static let maximumRemoteContexts = 32

    func process(
        _ local: JSONValue, on active: JSONLDContext, _ scope: Scope
    ) throws(JSONLDError) -> JSONLDContext {
        var scope = scope
        // 1, 2
        var result = active
        if let propagate = local["@propagate"]?.bool { scope.isPropagated = propagate }
        // 3
        if !scope.isPropagated, result.previous == nil {
            result = JSONLDContext(above: result)
            result.previous = active
        }
        // 4, 5
        let contexts = local.array ?? [local]
        for context in contexts {
            let before = result
            let processed = try skippingMistakes { () throws(JSONLDError) in
                try process(part: context, on: before, scope)
            }
            result = processed ?? before
        }
        return result
    }

    private func process(
        part context: JSONValue, on active: JSONLDContext, _ scope: Scope
    ) throws(JSONLDError) -> JSONLDContext {
        switch context.content {
        case .null: return try nullified(active, scope)
        case .string(let reference): return try remote(reference, at: context.offset, on: active, scope)
        case .object(let definition):
            try spend(16)
            return try defined(definition, on: active, scope)
        default:
            throw failure(
                .invalidLocalContext, "A context is an object, an address or null, not \(context.quotedInMessage).")
        }
    }

    /// The scoped context of a term, at one of its uses.
    func scopedContext(
        of term: JSONLDTerm, on active: JSONLDContext, overridesProtected: Bool, isPropagated: Bool
    ) throws(JSONLDError) -> JSONLDContext {
        guard let local = term.context else { return active }
        let key = ScopedKey(
            context: ObjectIdentifier(active), term: ObjectIdentifier(term), isPropagated: isPropagated,
            overridesProtected: overridesProtected)
        if let known = scopedContexts[key] { return known }
        let scope = Scope(
            baseURL: term.contextBase, overridesProtected: overridesProtected, isPropagated: isPropagated)
        let result = try process(local, on: active, scope)
        kept += [active, term]
        scopedContexts[key] = result
        return result
    }

    /// 5.1: back to the initial context.
    private func nullified(_ result: JSONLDContext, _ scope: Scope) throws(JSONLDError) -> JSONLDContext {
        if !scope.overridesProtected, result.protectedCount > 0 {
            throw failure(.invalidContextNullification, "A null context would drop protected terms.")
        }
        let initial = JSONLDContext(originalBase: result.originalBase)
        // With several nulls, the node restores the context from before the whole local context.
        if !scope.isPropagated { initial.previous = result.previous ?? result }
        return initial
    }

    // MARK: 5.2, remote contexts

    private func remote(
        _ reference: String, at offset: Int, on result: JSONLDContext, _ scope: Scope
    ) throws(JSONLDError) -> JSONLDContext {
        // 5.2.1
        let address =
            isSchemaOrg(reference) ? SchemaOrgVocabulary.address : try absolute(reference, scope.baseURL)
        // 5.2.2
        if !scope.validatesScopedContext, scope.remoteContexts.contains(address) { return result }
        // 5.2.3
        if scope.remoteContexts.count >= Self.maximumRemoteContexts {
            throw failure(
                .contextOverflow, "Remote contexts name each other; the last one is \(address.quotedInMessage).")
        }
        let key = NamedKey(
            context: ObjectIdentifier(result), address: address, overridesProtected: scope.overridesProtected)
        if scope.remoteContexts.isEmpty, let known = namedContexts[key] {
            if contextsNotAtHand.contains(address) { noteUnknownContext(reference, at: offset) }
            return known
        }
        if result.protectedCount == 0, scope.remoteContexts.isEmpty, documents.isBuiltIn(address) {
            let processed = SchemaOrgContext.applied(to: result)
            kept.append(result)
            namedContexts[key] = processed
            return processed
        }
        // 5.2.4–5.2.6. The remote context may override protected terms if the term that names it may.
        guard let document = try contextDocument(at: address, writtenAs: reference, at: offset) else {
            let context = JSONLDContext(above: result)
            context.keepsNames = result.vocabulary == nil
            // Most contexts define these two terms.
            for (alias, keyword) in [("id", "@id"), ("type", "@type")] where context.term(alias) == nil {
                let term = JSONLDTerm()
                term.iri = keyword
                context.set(alias, term)
            }
            kept.append(result)
            namedContexts[key] = context
            return context
        }
        guard let loaded = document["@context"] else {
            throw failure(.invalidRemoteContext, "\(address.quotedInMessage) has no @context.")
        }
        var inner = scope
        inner.baseURL = address
        inner.remoteContexts.append(address)
        let processed = try process(loaded, on: result, inner)
        if scope.remoteContexts.isEmpty {
            kept.append(result)
            namedContexts[key] = processed
        }
        return processed
    }

    private func isSchemaOrg(_ address: String) -> Bool {
        options.isLenient && SchemaOrgVocabulary.isVocabulary(address)
    }

    /// The document with a context, read once. If mistakes are skipped, nil for a context that is not available.
    private func contextDocument(
        at address: String, writtenAs reference: String, at offset: Int
    ) throws(JSONLDError) -> JSONValue? {
        if let known = contextDocuments[address] { return known }
        let document: JSONValue
        do throws(JSONLDError) {
            document = try documents.contextDocument(at: address)
        } catch {
            if options.skipsMistakes {
                contextsNotAtHand.insert(address)
                noteUnknownContext(reference, at: offset)
                return nil
            }
            throw failure(.loadingRemoteContextFailed, error.message)
        }
        contextDocuments[address] = document
        return document
    }

    private func absolute(_ reference: String, _ baseURL: String) throws(JSONLDError) -> String {
        if IRIReference.hasScheme(baseURL) { return IRIReference.resolve(reference, base: IRIReference(baseURL)) }
        if IRIReference.hasScheme(reference) { return reference }
        throw failure(
            .loadingDocumentFailed, "The context \(reference.quotedInMessage) is relative, and there is no base for it."
        )
    }

    // MARK: 5.4, context definitions

    private func defined(
        _ definition: JSONObject, on active: JSONLDContext, _ scope: Scope
    ) throws(JSONLDError) -> JSONLDContext {
        var definition = definition
        // 5.5
        if let version = definition["@version"] {
            guard version.double == 1.1 else {
                throw failure(.invalidVersionValue, "@version is 1.1, not \(version.quotedInMessage).")
            }
            if options.isVersion10 { throw failure(.processingModeConflict, "@version 1.1 is read as JSON-LD 1.0.") }
        }
        // 5.6
        if let value = definition["@import"] { definition = try imported(value, into: definition, scope) }

        // `@vocab` with schema.org's address has the effect of schema.org's context.
        var parent = active
        if let vocabulary = definition["@vocab"]?.string, isSchemaOrg(vocabulary),
            !scope.remoteContexts.contains(SchemaOrgVocabulary.address)
        {
            parent = try remote(vocabulary, at: 0, on: active, scope)
        }
        let result = JSONLDContext(above: parent)
        try spend(result.flattenIfDeep() * 8)
        _ = try skippingMistakes { () throws(JSONLDError) in try setBase(definition, result, scope) }
        let hasVocabulary: Void? = try skippingMistakes { () throws(JSONLDError) in
            try setVocabulary(definition, result)
        }
        if hasVocabulary == nil { result.keepsNames = result.vocabulary == nil }
        _ = try skippingMistakes { () throws(JSONLDError) in try setLanguage(definition, result) }
        // 5.10
        if let value = definition["@direction"] {
            try requireVersion11("@direction")
            result.direction = try direction(value)
        }
        // 5.11
        if let value = definition["@propagate"] {
            try requireVersion11("@propagate")
            guard value.bool != nil else {
                throw failure(.invalidPropagateValue, "@propagate is true or false, not \(value.quotedInMessage).")
            }
        }
        var isProtected = false
        if let value = definition["@protected"] {
            try requireVersion11("@protected")
            guard let flag = value.bool else {
                throw failure(.invalidProtectedValue, "@protected is true or false, not \(value.quotedInMessage).")
            }
            isProtected = flag
        }
        // 5.12, 5.13
        let terms = JSONLDTermScope(context: result, local: definition, scope: scope, isProtected: isProtected)
        for member in definition.members {
            switch member.key {
            case "@base", "@direction", "@import", "@language", "@propagate", "@protected", "@version", "@vocab":
                continue
            default:
                if isDoneWithContexts { return result }
                let previous = result.term(member.key)
                let isCreated: Void? = try skippingMistakes { () throws(JSONLDError) in
                    try createTerm(member.key, in: terms)
                }
                if isCreated == nil {
                    result.set(member.key, previous)
                    terms.defined[member.key] = true
                }
            }
        }
        return result
    }

    private func requireVersion11(_ keyword: String) throws(JSONLDError) {
        if options.isVersion10 { throw failure(.invalidContextEntry, "\(keyword) is not in JSON-LD 1.0.") }
    }

    /// `"ltr"`, `"rtl"` or null.
    func direction(_ value: JSONValue) throws(JSONLDError) -> JSONLDContext.Direction? {
        if value.isNull { return nil }
        guard let direction = value.string.flatMap(JSONLDContext.Direction.init) else {
            throw failure(.invalidBaseDirection, "@direction is \"ltr\" or \"rtl\", not \(value.quotedInMessage).")
        }
        return direction
    }

    /// 5.6: the terms of the imported context; the terms of this context override them.
    private func imported(
        _ value: JSONValue, into definition: JSONObject, _ scope: Scope
    ) throws(JSONLDError) -> JSONObject {
        try requireVersion11("@import")
        guard let reference = value.string else {
            throw failure(.invalidImportValue, "@import is an address, not \(value.quotedInMessage).")
        }
        let address = try absolute(reference, scope.baseURL)
        guard let document = try contextDocument(at: address, writtenAs: reference, at: value.offset) else {
            return definition
        }
        guard var merged = document["@context"]?.object else {
            throw failure(.invalidRemoteContext, "\(address.quotedInMessage) has no @context that is an object.")
        }
        if merged["@import"] != nil {
            throw failure(.invalidContextEntry, "\(address.quotedInMessage) is imported and imports another.")
        }
        try spend(merged.count * 8)
        for member in definition.members { merged.set(member.key, member.value) }
        return merged
    }

    /// 5.7: only contexts in the document itself change the base.
    private func setBase(_ definition: JSONObject, _ result: JSONLDContext, _ scope: Scope) throws(JSONLDError) {
        guard let value = definition["@base"], scope.remoteContexts.isEmpty else { return }
        switch value.content {
        case .null: result.base = nil
        case .string(let reference) where IRIReference.hasScheme(reference): result.base = IRIReference(reference)
        case .string(let reference) where result.base != nil:
            if let base = result.base { result.base = IRIReference(IRIReference.resolve(reference, base: base)) }
        default: throw failure(.invalidBaseIRI, "@base is no address: \(value.quotedInMessage).")
        }
        try checkLength(value.string ?? "", of: "@base")
    }

    /// Applies `@language` (5.9).
    private func setLanguage(_ definition: JSONObject, _ result: JSONLDContext) throws(JSONLDError) {
        guard let value = definition["@language"] else { return }
        switch value.content {
        case .null: result.language = nil
        case .string(let language): result.language = language
        default: throw failure(.invalidDefaultLanguage, "@language is no text: \(value.quotedInMessage).")
        }
    }

    /// Applies `@vocab` (5.8).
    private func setVocabulary(_ definition: JSONObject, _ result: JSONLDContext) throws(JSONLDError) {
        guard let value = definition["@vocab"] else { return }
        result.keepsNames = false
        switch value.content {
        case .null: result.vocabulary = nil
        case .string(let text):
            if isSchemaOrg(text) {
                result.vocabulary = SchemaOrgVocabulary.address
                return
            }
            let expanded = try expandIRI(text, result, documentRelative: true, vocabulary: true)
            let isAbsolute = IRIReference.hasScheme(text) || text.hasPrefix("_:")
            guard let expanded, !JSONLDKeyword.isKeyword(expanded), isAbsolute || !options.isVersion10,
                IRIReference.hasScheme(expanded) || expanded.hasPrefix("_:")
            else { throw failure(.invalidVocabMapping, "@vocab is no address: \(text.quotedInMessage).") }
            try checkLength(expanded, of: "@vocab")
            result.vocabulary = expanded
        default: throw failure(.invalidVocabMapping, "@vocab is no address: \(value.quotedInMessage).")
        }
    }
}

extension JSONValue {
    /// The value as JSON for a message, shortened.
    var quotedInMessage: String {
        switch content {
        case .string(let text): text.quotedInMessage
        case .object: "an object"
        case .array: "an array"
        default: text()
        }
    }
}
