/// Reads the documents of a page's scripts into items: plain ones by the walk, others by expansion.
struct JSONLDReader {
    private let baseURL: String
    private let walk: JSONLDWalk
    private var items: JSONLDItems
    private let processor: JSONLDProcessor
    /// Whether plain documents are expanded too, so that tests can compare.
    private let expandsAll: Bool

    init(baseURL: String, limits: ReadingLimits, expandsAll: Bool = false) {
        self.baseURL = baseURL
        self.expandsAll = expandsAll
        walk = JSONLDWalk(base: baseURL)
        items = JSONLDItems(limits: limits)
        processor = JSONLDProcessor(baseURL: baseURL, lenientWithin: limits, ignoringEmptyIdentifiers: true)
    }

    var notes: [ParseNote] { items.notes }

    mutating func read(_ document: JSONValue, _ script: JSONLDScriptText) {
        items.begin(script)
        let screening = JSONLDScreening(document)
        if screening.lacksContext {
            items.note(.jsonLD(.contextMissing), "A JSON-LD script has no @context; it was read as schema.org's.")
        }
        for (address, offset) in screening.unknownContexts {
            items.note(
                .jsonLD(.contextUnknown),
                "The context \(address.quotedInMessage) is not at hand; names are taken as they are written.",
                at: offset, once: false)
        }
        if screening.lane == .unknownContexts || (screening.lane == .plain && !expandsAll) {
            walk.read(document, into: &items)
            return
        }
        for (key, offset) in screening.misspelledKeywords.prefix(1) {
            items.note(
                .jsonLD(.keywordCase), "\(key.quotedInMessage) is written \"\(key.lowercased())\".", at: offset)
        }
        do throws(JSONLDError) {
            let expanded = try processor.expandedScript(
                screening.misspelledKeywords.isEmpty ? document : document.withKeywordsInLowerCase)
            JSONLDExpandedItems().read(expanded, into: &items)
        } catch {
            items.note(.jsonLDError(error.code), "A JSON-LD script is read by guess: \(error.description)")
            walk.read(document, into: &items)
        }
    }

    mutating func finish() -> StructuredData { items.finish() }
}

extension JSONLDProcessor {
    /// A lenient processor for pages.
    convenience init(
        baseURL: String, lenientWithin limits: ReadingLimits, ignoringEmptyIdentifiers: Bool = false
    ) {
        self.init(
            baseURL: baseURL,
            options: Options(
                isLenient: true, ignoresEmptyIdentifiers: ignoringEmptyIdentifiers,
                maximumWork: limits.maximumJSONLDWork, interruption: limits.interruption))
    }

    /// The document of one script in expanded form. Nodes without a context that names a vocabulary are schema.org's.
    func expandedScript(_ document: JSONValue) throws(JSONLDError) -> [JSONValue] {
        var result: [JSONValue] = []
        for element in document.array ?? [document] {
            let isOwn = element["@context"].map(Self.namesVocabulary) ?? false
            result += try expandedDocument(element, context: isOwn ? emptyContext() : schemaOrgContext())
        }
        return result
    }

    private static func namesVocabulary(_ context: JSONValue) -> Bool {
        switch context.content {
        case .array(let parts): parts.contains(where: namesVocabulary)
        case .object(let object): object["@vocab"] != nil
        default: true
        }
    }

    private func emptyContext() throws(JSONLDError) -> JSONLDContext {
        if let known = initialContexts.empty { return known }
        let context = try initialContext()
        initialContexts.empty = context
        return context
    }

    private func schemaOrgContext() throws(JSONLDError) -> JSONLDContext {
        if let known = initialContexts.schemaOrg { return known }
        let context = try process(.string(SchemaOrgVocabulary.address), on: emptyContext(), Scope(baseURL: baseURL))
        initialContexts.schemaOrg = context
        return context
    }
}

extension JSONValue {
    /// The object with `@Type` as `@type`, unless it has both.
    fileprivate var withKeywordsInLowerCase: JSONValue {
        switch content {
        case .array(let elements): return .array(elements.map(\.withKeywordsInLowerCase))
        case .object(let object):
            var result = JSONObject()
            for member in object.members {
                let lower = member.key.utf8.first == UInt8(ascii: "@") ? member.key.lowercased() : member.key
                let isMisspelled = lower != member.key && JSONLDKeyword.isKeyword(lower) && object[lower] == nil
                result.set(
                    isMisspelled ? lower : member.key, member.value.withKeywordsInLowerCase, keyOffset: member.keyOffset
                )
            }
            return .object(result)
        default: return self
        }
    }
}
