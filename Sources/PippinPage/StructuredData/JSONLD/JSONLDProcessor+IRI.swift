// JSON-LD 1.1 API §5.2.2, IRI Expansion.

extension JSONLDProcessor {
    /// The IRI, blank node identifier or keyword for a text. It stays relative without a base or vocabulary. Nil for a term
    /// mapped to null, and for text in the form of a keyword.
    ///
    /// - Parameters:
    ///   - documentRelative: whether relative references are resolved against the base.
    ///   - vocabulary: whether terms and the vocabulary mapping apply.
    ///   - terms: the context definition whose terms are being created.
    ///   - known: the context's term for the text, where it was looked up before.
    func expandIRI(
        _ value: String, _ context: JSONLDContext, documentRelative: Bool = false, vocabulary: Bool = false,
        terms: JSONLDTermScope? = nil, term known: JSONLDTerm?? = nil
    ) throws(JSONLDError) -> String? {
        // 1, 2
        if value.utf8.first == UInt8(ascii: "@") {
            if JSONLDKeyword.isKeyword(value) { return value }
            if JSONLDKeyword.hasForm(value) {
                guard options.skipsMistakes, vocabulary, !documentRelative else { return nil }
                let lower = value.asciiLowercased
                return JSONLDKeyword.isKeyword(lower) ? lower : nil
            }
        }
        // 3
        if let terms, terms.local[value] != nil, terms.defined[value] != true { try createTerm(value, in: terms) }
        // 4, 5
        if let term = known ?? context.term(value) {
            let isIdentifier = options.isLenient && documentRelative && !vocabulary
            if let iri = term.iri, JSONLDKeyword.isKeyword(iri), !isIdentifier { return iri }
            if vocabulary { return term.iri }
        }
        // 6
        if let colon = value.utf8.dropFirst().firstIndex(of: UInt8(ascii: ":")) {
            let first = value.utf8.first == UInt8(ascii: ":") ? value.utf8.startIndex : colon
            let suffix = value[value.utf8.index(after: first)...]
            let prefix = String(value[..<first])
            if prefix == "_" || suffix.hasPrefix("//") { return value }
            if let terms, terms.local[prefix] != nil, terms.defined[prefix] != true {
                try createTerm(prefix, in: terms)
            }
            if let term = context.term(prefix), term.isPrefix, let iri = term.iri {
                try spend(iri.utf8.count)
                return iri + suffix
            }
            if IRIReference.hasScheme(value) { return value }
        }
        // 7
        if vocabulary, let vocabulary = context.vocabulary {
            try spend(vocabulary.utf8.count)
            return vocabulary + value
        }
        // 8
        if documentRelative, let base = context.base {
            try spend(base.count)
            return IRIReference.resolve(value, base: base)
        }
        return value
    }

    /// The meaning of a key or type in a context. Cached, because pages repeat a few names.
    func name(_ key: String, _ context: JSONLDContext) throws(JSONLDError) -> JSONLDName {
        if let known = context.names[key] { return known }
        let term = context.term(key)
        let name = JSONLDName(
            key: key, iri: try expandIRI(key, context, vocabulary: true, term: .some(term)), term: term)
        context.names[key] = name
        return name
    }

    /// The meaning of each key of a map, in order.
    func names(of object: JSONObject, _ context: JSONLDContext) throws(JSONLDError) -> [JSONLDName] {
        var names: [JSONLDName] = []
        names.reserveCapacity(object.count)
        // Few objects have so many keys; theirs are mostly new.
        if object.count > 100 { context.names.reserveCapacity(context.names.count + object.count) }
        for member in object.members { names.append(try name(member.key, context)) }
        return names
    }

    /// Expands an identifier: the base applies, terms do not.
    func expandIdentifier(_ text: String, _ context: JSONLDContext) throws(JSONLDError) -> String? {
        try expandIRI(options.isLenient ? text.trimmingHTMLSpace() : text, context, documentRelative: true)
    }

    /// Expands a node's `@id`. If mistakes are skipped, an empty `@id` gives nil and identifies nothing.
    func expandNodeIdentifier(_ text: String, _ context: JSONLDContext) throws(JSONLDError) -> String? {
        if options.skipsMistakes, text.trimmingHTMLSpace().isEmpty { return nil }
        return try expandIdentifier(text, context)
    }

    /// Expands a type, or a value of a term with type `@vocab`: terms, the vocabulary and the base apply.
    func expandType(_ text: String, _ context: JSONLDContext) throws(JSONLDError) -> String? {
        let text = options.isLenient ? text.trimmingHTMLSpace() : text
        if context.vocabulary != nil || context.keepsNames { return try name(text, context).iri }
        return try expandIRI(text, context, documentRelative: true, vocabulary: true)
    }
}

/// The words that start with `@` (JSON-LD 1.1 §1.7).
enum JSONLDKeyword {
    static func isKeyword(_ text: String) -> Bool {
        guard text.utf8.first == UInt8(ascii: "@") else { return false }
        switch text {
        case "@base", "@container", "@context", "@direction", "@graph", "@id", "@import", "@included", "@index",
            "@json",
            "@language", "@list", "@nest", "@none", "@prefix", "@propagate", "@protected", "@reverse", "@set", "@type",
            "@value", "@version", "@vocab":
            return true
        default: return false
        }
    }

    /// Whether a text has the form `"@"1*ALPHA`, which is reserved for future keywords.
    static func hasForm(_ text: String) -> Bool {
        var utf8 = text.utf8.makeIterator()
        guard utf8.next() == UInt8(ascii: "@") else { return false }
        var count = 0
        while let byte = utf8.next() {
            guard byte.isASCIILetter else { return false }
            count += 1
        }
        return count > 0
    }
}

/// Checks whether texts are IRIs and language tags for RDF.
enum IRISyntax {
    /// RFC 3987 §2.2: a scheme, and only allowed characters in each part.
    static func isWellFormed(_ iri: String) -> Bool {
        guard IRIReference.hasScheme(iri) else { return false }
        var hexDigitsDue = 0
        var hasFragment = false
        for byte in iri.utf8 {
            if hexDigitsDue > 0 {
                guard byte.isASCIIDigit || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66) else { return false }
                hexDigitsDue -= 1
                continue
            }
            switch byte {
            case 0x00...0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "{"),
                UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "\\"), 0x7F:
                return false
            case UInt8(ascii: "%"): hexDigitsDue = 2
            case UInt8(ascii: "#"):
                if hasFragment { return false }
                hasFragment = true
            default: break
            }
        }
        return hexDigitsDue == 0
    }
}
