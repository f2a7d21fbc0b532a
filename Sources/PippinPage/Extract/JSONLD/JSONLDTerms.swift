/// The meaning of keys under the contexts of a JSON-LD script, as far as the walk needs it.
///
/// Contexts form a chain, one link per `@context`, so nothing is copied for a nested one.
final class JSONLDTerms: Sendable {
    /// One key of a context.
    struct Definition: Sendable {
        enum Container: Sendable { case none, language, index, id }

        /// Its IRI or keyword; nil if the key is mapped to null.
        var iri: String?
        /// Whether its texts are addresses.
        var isAddress = false
        var isReverse = false
        var container = Container.none
        /// Language of its texts; an empty one removes the context's.
        var language: String?
    }

    private let parent: JSONLDTerms?
    private var definitions: [String: Definition] { own.definitions }
    private let own: Own

    private struct Own: Sendable {
        var definitions: [String: Definition] = [:]
        /// Aliases of keywords, a few of each.
        var aliases: [String: [String]] = [:]
        /// Empty for schema.org and unknown contexts: names stay bare.
        var vocabulary = ""
        var isSchemaOrg = false
        var language: String?
        var base: IRIReference
    }

    /// Without a context, names are schema.org's, as nearly all scripts mean.
    init(base: String) {
        parent = nil
        own = Own(
            aliases: ["@id": ["id"], "@type": ["type"]], isSchemaOrg: true, base: IRIReference(base))
    }

    private init(parent: JSONLDTerms, own: Own) {
        self.parent = parent
        self.own = own
    }

    var language: String? { own.language }
    var isSchemaOrg: Bool { own.isSchemaOrg }

    /// These terms with another context (a text, an object, or an array of them).
    func adding(_ context: JSONValue) -> JSONLDTerms {
        var next = own
        next.definitions = [:]
        next.aliases = [:]
        let parts = context.array ?? [context]
        // A script whose context has only other vocabularies is not schema.org's; with schema.org among others it is.
        if parts.contains(where: { $0.string != nil }) { next.isSchemaOrg = false }
        for part in parts {
            switch part.content {
            case .string(let address):
                if SchemaOrgVocabulary.isVocabulary(address) {
                    next.isSchemaOrg = true
                    next.vocabulary = ""
                }
            case .object(let object): read(object, into: &next)
            default: break
            }
        }
        return JSONLDTerms(parent: self, own: next)
    }

    private func read(_ object: JSONObject, into next: inout Own) {
        for member in object {
            switch member.key {
            case "@vocab":
                guard let vocabulary = member.value.string, vocabulary.utf8.count <= IRIReference.maximumPrefixBytes
                else { continue }
                next.isSchemaOrg = SchemaOrgVocabulary.isVocabulary(vocabulary)
                next.vocabulary = next.isSchemaOrg ? "" : vocabulary
            case "@language": next.language = member.value.string
            case "@base":
                if let base = member.value.string, base.utf8.count <= IRIReference.maximumPrefixBytes {
                    next.base = IRIReference(
                        IRIReference.hasScheme(base) ? base : IRIReference.resolve(base, base: next.base))
                }
            default:
                guard !member.key.hasPrefix("@") else { continue }
                let definition = definition(from: member.value, key: member.key)
                if let iri = definition.iri, iri.utf8.count > IRIReference.maximumPrefixBytes { continue }
                next.definitions[member.key] = definition
                if let keyword = definition.iri, keyword.hasPrefix("@"), next.aliases[keyword, default: []].count < 4 {
                    next.aliases[keyword, default: []].append(member.key)
                }
            }
        }
    }

    private func definition(from value: JSONValue, key: String) -> Definition {
        guard let object = value.object else { return Definition(iri: value.string) }
        var definition = Definition(iri: object["@id"]?.string ?? object["@reverse"]?.string ?? key)
        if object["@id"]?.isNull == true { definition.iri = nil }
        definition.isReverse = object["@reverse"] != nil
        definition.isAddress = object["@type"]?.string == "@id"
        definition.language = object["@language"].map { $0.string ?? "" }
        let containers = object["@container"].map { $0.array ?? [$0] } ?? []
        for container in containers {
            switch container.string {
            case "@language": definition.container = .language
            case "@index", "@graph", "@type": definition.container = .index
            case "@id": definition.container = .id
            default: break
            }
        }
        return definition
    }

    // MARK: Asking

    func definition(of key: String) -> Definition? {
        var link: JSONLDTerms? = self
        while let terms = link {
            if let definition = terms.definitions[key] { return definition }
            link = terms.parent
        }
        return nil
    }

    /// The value of a keyword or one of its aliases in an object.
    func value(of keyword: String, in object: JSONObject) -> JSONValue? {
        if let value = object[keyword] { return value }
        var link: JSONLDTerms? = self
        while let terms = link {
            for alias in terms.own.aliases[keyword] ?? [] {
                if let value = object[alias] { return value }
            }
            link = terms.parent
        }
        return nil
    }

    /// The keyword of a key or alias, also in the wrong letter case.
    func keyword(for key: String) -> String? {
        if key.utf8.first == UInt8(ascii: "@") { return key.lowercased() }
        var link: JSONLDTerms? = self
        while let terms = link {
            if let definition = terms.definitions[key] {
                return definition.iri?.utf8.first == UInt8(ascii: "@") ? definition.iri : nil
            }
            if terms.parent == nil, key == "id" || key == "type" { return "@" + key }
            link = terms.parent
        }
        return nil
    }

    /// The name of a key: bare for schema.org, an absolute IRI by the context, else as written.
    func name(for key: String) -> String {
        if let iri = definition(of: key)?.iri, iri != key { return SchemaOrgVocabulary.itemName(of: expanded(iri)) }
        return SchemaOrgVocabulary.itemName(of: expanded(key))
    }

    /// A compact IRI with its prefix expanded; other names with the vocabulary in front.
    private func expanded(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: ":")) else { return own.vocabulary + name }
        return withPrefixExpanded(name) ?? name
    }

    private func withPrefixExpanded(_ name: String) -> String? {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let suffix = name[name.utf8.index(after: colon)...]
        if suffix.hasPrefix("//") { return nil }
        let written = String(name[..<colon])
        if let definition = definition(of: written) {
            guard let prefix = definition.iri, prefix != name else { return nil }
            return prefix + suffix
        }
        guard own.isSchemaOrg, let prefix = SchemaOrgContext.prefixes[written] else { return nil }
        return prefix + suffix
    }

    /// The identifier of an `@id`. By the standard an empty one is the page's address; here it is nil, because templates leave it
    /// empty.
    func identifier(_ text: String) -> String? {
        text.trimmingHTMLSpace().isEmpty ? nil : address(text)
    }

    /// An identifier or address with its prefix expanded or resolved. Nil for texts in the form of keywords.
    func address(_ text: String) -> String? {
        let text = text.trimmingHTMLSpace()
        if text.utf8.first == UInt8(ascii: "@"), JSONLDKeyword.hasForm(text) { return nil }
        if let expanded = withPrefixExpanded(text) { return expanded }
        if text.hasPrefix("_:") || IRIReference.hasScheme(text) { return text }
        return IRIReference.resolve(text, base: own.base)
    }
}
