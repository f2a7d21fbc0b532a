// JSON-LD 1.1 API §4.2.2, Create Term Definition.

/// One context definition while its terms are created. Terms may depend on each other.
final class JSONLDTermScope {
    let context: JSONLDContext
    let local: JSONObject
    let scope: JSONLDProcessor.Scope
    let isProtected: Bool
    /// The standard's `defined`: false while a term is being created, true afterwards.
    var defined: [String: Bool] = [:]

    init(context: JSONLDContext, local: JSONObject, scope: JSONLDProcessor.Scope, isProtected: Bool) {
        self.context = context
        self.local = local
        self.scope = scope
        self.isProtected = isProtected
    }
}

extension JSONLDProcessor {
    /// The limit of terms that depend on each other in a chain, by prefix or by scoped context. Real contexts need a few.
    private static let maximumDependencies = 128

    func createTerm(_ term: String, in scope: JSONLDTermScope) throws(JSONLDError) {
        // 1
        switch scope.defined[term] {
        case true: return
        case false: throw failure(.cyclicIRIMapping, "The term \(term.quotedInMessage) is defined by itself.")
        default: break
        }
        guard termDepth < Self.maximumDependencies else {
            throw overflow("The term \(term.quotedInMessage) needs too many other terms.")
        }
        termDepth += 1
        defer { termDepth -= 1 }
        try spend(64)
        // 2
        if term.isEmpty { throw failure(.invalidTermDefinition, "The empty text is no term.") }
        scope.defined[term] = false
        // 3
        guard let value = scope.local[term] else {
            scope.defined[term] = true
            return
        }
        // 4, 5
        if term == "@type" {
            try checkTypeKeyword(value)
        } else if JSONLDKeyword.isKeyword(term) {
            throw failure(.keywordRedefinition, "\(term) is a keyword and cannot be defined.")
        } else if JSONLDKeyword.hasForm(term) {
            scope.defined[term] = true
            return
        }
        // 6
        let previous = scope.context.term(term)
        if previous != nil { scope.context.set(term, nil) }
        // 7–9
        let isSimple: Bool
        let map: JSONObject
        switch value.content {
        case .null: (map, isSimple) = (["@id": .null], false)
        case .string: (map, isSimple) = (["@id": value], true)
        case .object(let object): (map, isSimple) = (object, false)
        default: throw definitionFailure(term, "is defined by \(value.quotedInMessage)")
        }
        // 10–26
        let definition = JSONLDTerm()
        definition.isProtected = scope.isProtected
        let isKept = try complete(definition, term, map, isSimple: isSimple, scope)
        // 27. Applies to reverse properties too, although the standard returns before this step.
        if let previous, previous.isProtected, !scope.scope.overridesProtected {
            if isKept, !definition.says(sameAs: previous) {
                throw failure(.protectedTermRedefinition, "The term \(term.quotedInMessage) is protected.")
            }
            scope.context.set(term, previous)
        } else if isKept {
            // 28
            try checkLength(definition.iri ?? "", of: term)
            scope.context.set(term, definition)
        }
        scope.defined[term] = true
    }

    private func definitionFailure(_ term: String, _ what: String) -> JSONLDError {
        failure(.invalidTermDefinition, "The term \(term.quotedInMessage) \(what).")
    }

    /// 4: the definition of `@type` may contain only `"@container": "@set"` and `@protected`.
    private func checkTypeKeyword(_ value: JSONValue) throws(JSONLDError) {
        guard !options.isVersion10, let object = value.object, !object.isEmpty,
            object.members.allSatisfy({
                ($0.key == "@container" && $0.value.string == "@set") || $0.key == "@protected"
            })
        else { throw failure(.keywordRedefinition, "@type can be defined as a set and as protected only.") }
    }

    /// Steps 11 to 26. Returns false if the definition is ignored because it looks like a future keyword.
    private func complete(
        _ definition: JSONLDTerm, _ term: String, _ map: JSONObject, isSimple: Bool, _ scope: JSONLDTermScope
    ) throws(JSONLDError) -> Bool {
        // 11
        if let value = map["@protected"] {
            guard let flag = value.bool else {
                throw failure(.invalidProtectedValue, "@protected of \(term.quotedInMessage) is true or false.")
            }
            if options.isVersion10 { throw definitionFailure(term, "is protected, which JSON-LD 1.0 does not have") }
            definition.isProtected = flag
        }
        // 12
        if let value = map["@type"] { definition.type = try typeMapping(value, term, scope) }
        // 13
        if let value = map["@reverse"] { return try fillReverse(definition, term, value, map, scope) }
        // 14–18
        guard try fillIRI(definition, term, map, isSimple: isSimple, scope) else { return false }
        // 19
        if let value = map["@container"] { try fillContainer(definition, term, value) }
        // 20
        if let value = map["@index"] { try fillIndex(definition, term, value, scope) }
        // 21
        if let value = map["@context"] { try fillContext(definition, term, value, scope) }
        // 22
        if let value = map["@language"], map["@type"] == nil {
            guard value.isNull || value.string != nil else {
                throw failure(.invalidLanguageMapping, "@language of \(term.quotedInMessage) is no text.")
            }
            definition.language = .some(value.string)
        }
        // 23
        if let value = map["@direction"], map["@type"] == nil { definition.direction = .some(try direction(value)) }
        // 24
        if let value = map["@nest"] {
            if options.isVersion10 { throw definitionFailure(term, "has @nest, which JSON-LD 1.0 does not have") }
            guard let nest = value.string, nest == "@nest" || !JSONLDKeyword.isKeyword(nest) else {
                throw failure(.invalidNestValue, "@nest of \(term.quotedInMessage) is \(value.quotedInMessage).")
            }
            definition.nest = nest
        }
        // 25
        if let value = map["@prefix"] {
            if options.isVersion10 || term.utf8.contains(UInt8(ascii: ":")) || term.utf8.contains(UInt8(ascii: "/")) {
                throw definitionFailure(term, "cannot be a prefix")
            }
            guard let flag = value.bool else {
                throw failure(.invalidPrefixValue, "@prefix of \(term.quotedInMessage) is true or false.")
            }
            definition.isPrefix = flag
            if flag, let iri = definition.iri, JSONLDKeyword.isKeyword(iri) {
                throw definitionFailure(term, "stands for a keyword and cannot be a prefix")
            }
        }
        // 26
        for member in map.members {
            switch member.key {
            case "@id", "@reverse", "@container", "@context", "@direction", "@index", "@language", "@nest", "@prefix",
                "@protected", "@type":
                continue
            default: throw definitionFailure(term, "is defined with \(member.key.quotedInMessage)")
            }
        }
        return true
    }

    /// Returns the type mapping of a term (12).
    private func typeMapping(
        _ value: JSONValue, _ term: String, _ scope: JSONLDTermScope
    ) throws(JSONLDError) -> String {
        if let text = value.string, let type = try expandIRI(text, scope.context, vocabulary: true, terms: scope) {
            switch type {
            case "@id", "@vocab": return type
            case "@json", "@none": if !options.isVersion10 { return type }
            default: if IRIReference.hasScheme(type) { return type }
            }
        }
        throw failure(.invalidTypeMapping, "@type of \(term.quotedInMessage) is \(value.quotedInMessage).")
    }

    /// Fills in a reverse property (13). Returns false if the definition is ignored.
    private func fillReverse(
        _ definition: JSONLDTerm, _ term: String, _ value: JSONValue, _ map: JSONObject, _ scope: JSONLDTermScope
    ) throws(JSONLDError) -> Bool {
        if map["@id"] != nil || map["@nest"] != nil {
            throw failure(.invalidReverseProperty, "The term \(term.quotedInMessage) has @reverse and @id or @nest.")
        }
        guard let name = value.string else {
            throw failure(.invalidIRIMapping, "@reverse of \(term.quotedInMessage) is no text.")
        }
        // 13.4 makes no exception for real keywords, because nothing can be the reverse of a keyword.
        if JSONLDKeyword.hasForm(name) { return false }
        guard let iri = try expandIRI(name, scope.context, vocabulary: true, terms: scope),
            IRIReference.hasScheme(iri) || iri.hasPrefix("_:")
        else { throw failure(.invalidIRIMapping, "@reverse of \(term.quotedInMessage) is \(name.quotedInMessage).") }
        definition.iri = iri
        if let container = map["@container"] {
            switch container {
            case .null: break
            case "@set": definition.container = .set
            case "@index": definition.container = .index
            default:
                throw failure(
                    .invalidReverseProperty, "The reverse property \(term.quotedInMessage) is a set or an index map.")
            }
        }
        // The standard returns before `@index` (20), although its index maps use `@index` for all terms.
        if let value = map["@index"] { try fillIndex(definition, term, value, scope) }
        definition.isReverse = true
        return true
    }

    /// Reads `@index` (20).
    private func fillIndex(
        _ definition: JSONLDTerm, _ term: String, _ value: JSONValue, _ scope: JSONLDTermScope
    ) throws(JSONLDError) {
        guard !options.isVersion10, definition.container.contains(.index) else {
            throw definitionFailure(term, "has @index without being an index map")
        }
        guard let index = value.string,
            let expanded = try expandIRI(index, scope.context, vocabulary: true, terms: scope),
            IRIReference.hasScheme(expanded)
        else { throw definitionFailure(term, "has an @index that is no property: \(value.quotedInMessage)") }
        definition.index = index
    }

    /// Finds the term's IRI (14 to 18). Returns false if the definition is ignored.
    private func fillIRI(
        _ definition: JSONLDTerm, _ term: String, _ map: JSONObject, isSimple: Bool, _ scope: JSONLDTermScope
    ) throws(JSONLDError) -> Bool {
        let colon = term.utf8.firstIndex(of: UInt8(ascii: ":"))
        let hasSlash = term.utf8.contains(UInt8(ascii: "/"))
        func mappingFailure(_ what: String) -> JSONLDError {
            failure(.invalidIRIMapping, "The term \(term.quotedInMessage) \(what).")
        }
        if let value = map["@id"], value.string != term {
            // 14.1
            if value.isNull { return true }
            // 14.2
            guard let name = value.string else { throw mappingFailure("stands for \(value.quotedInMessage)") }
            if JSONLDKeyword.hasForm(name), !JSONLDKeyword.isKeyword(name) { return false }
            guard let iri = try expandIRI(name, scope.context, vocabulary: true, terms: scope),
                JSONLDKeyword.isKeyword(iri) || IRIReference.hasScheme(iri) || iri.hasPrefix("_:")
                    || scope.context.keepsNames
            else { throw mappingFailure("stands for \(name.quotedInMessage), which is no IRI") }
            if iri == "@context" {
                throw failure(.invalidKeywordAlias, "The term \(term.quotedInMessage) stands for @context.")
            }
            definition.iri = iri
            // 14.2.4: a term that looks like an IRI means that IRI.
            let hasInnerColon = term.utf8.dropFirst().dropLast().contains(UInt8(ascii: ":"))
            if hasInnerColon || hasSlash {
                scope.defined[term] = true
                if try expandIRI(term, scope.context, vocabulary: true, terms: scope) != iri {
                    throw mappingFailure("looks like an IRI and stands for another")
                }
            }
            // 14.2.5
            if colon == nil, !hasSlash, isSimple {
                definition.isPrefix = iri.hasPrefix("_:") || Self.endsWithGenericDelimiter(iri)
            }
            return true
        }
        if let colon, colon > term.utf8.startIndex {
            // 15
            let prefix = String(term[..<colon])
            let suffix = term[term.utf8.index(after: colon)...]
            if prefix != "_", !suffix.hasPrefix("//"), scope.local[prefix] != nil {
                try createTerm(prefix, in: scope)
            }
            if let iri = scope.context.term(prefix)?.iri, !suffix.hasPrefix("//") {
                definition.iri = iri + suffix
            } else {
                definition.iri = term
            }
            try spend(definition.iri?.utf8.count ?? 0)
        } else if hasSlash {
            // 16
            guard let iri = try expandIRI(term, scope.context, vocabulary: true), IRIReference.hasScheme(iri) else {
                throw mappingFailure("is a relative reference that stands for nothing")
            }
            definition.iri = iri
        } else if term == "@type" {
            // 17
            definition.iri = "@type"
        } else if let vocabulary = scope.context.vocabulary {
            // 18
            definition.iri = vocabulary + term
            try spend(vocabulary.utf8.count)
        } else if scope.context.keepsNames {
            definition.iri = term
        } else {
            throw mappingFailure("has no IRI, and there is no vocabulary")
        }
        return true
    }

    /// RFC 3986 §2.2 `gen-delims`
    private static func endsWithGenericDelimiter(_ iri: String) -> Bool {
        switch iri.utf8.last {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "@"):
            return true
        default: return false
        }
    }

    /// Reads `@container` (19).
    private func fillContainer(_ definition: JSONLDTerm, _ term: String, _ value: JSONValue) throws(JSONLDError) {
        guard let container = JSONLDContainer(value),
            !options.isVersion10 || (value.string != nil && container.isDisjoint(with: [.graph, .id, .type]))
        else {
            throw failure(
                .invalidContainerMapping, "@container of \(term.quotedInMessage) is \(value.quotedInMessage).")
        }
        definition.container = container
        if container.contains(.type) {
            let type = definition.type ?? "@id"
            definition.type = type
            if type != "@id" && type != "@vocab" {
                throw failure(
                    .invalidTypeMapping, "The type map \(term.quotedInMessage) has the type \(type.quotedInMessage).")
            }
        }
    }

    /// 21: the scoped context is processed once here, only to find mistakes in it.
    private func fillContext(
        _ definition: JSONLDTerm, _ term: String, _ value: JSONValue, _ scope: JSONLDTermScope
    ) throws(JSONLDError) {
        if options.isVersion10 { throw definitionFailure(term, "has a context, which JSON-LD 1.0 does not have") }
        var inner = scope.scope
        inner.overridesProtected = true
        inner.isPropagated = true
        inner.validatesScopedContext = false
        do throws(JSONLDError) {
            _ = try process(value, on: scope.context, inner)
        } catch {
            if error.code == .contextOverflow { throw error }
            throw failure(
                .invalidScopedContext, "The context of \(term.quotedInMessage) is not valid. \(error.description)")
        }
        definition.context = value
        definition.contextBase = scope.scope.baseURL
    }
}
