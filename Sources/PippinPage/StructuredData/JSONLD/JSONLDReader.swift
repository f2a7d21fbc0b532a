/// Reads the scripts of a page into items. Mistakes in them are skipped.
struct JSONLDReader {
    private var items: JSONLDItems
    private let processor: JSONLDProcessor

    init(baseURL: String, limits: ReadingLimits) {
        items = JSONLDItems(limits: limits)
        processor = JSONLDProcessor(baseURL: baseURL, lenientWithin: limits, skippingMistakes: true)
    }

    var notes: [ParseNote] { items.notes.finished() }

    mutating func read(_ document: JSONValue, _ script: JSONLDScriptText) {
        items.begin(script)
        if (document.array ?? [document]).contains(where: Self.lacksContext) {
            items.note(.jsonLD(.contextMissing), "A JSON-LD script has no @context; it was read as schema.org's.")
        }
        var expanded: [JSONValue] = []
        do throws(JSONLDError) {
            expanded = try processor.expandedScript(document)
        } catch {
            items.note(.jsonLDError(error.code), "A JSON-LD script is not read: \(error.description)")
        }
        for mistake in processor.takeMistakes() {
            items.note(
                mistake.code, mistake.message, at: mistake.offset, once: mistake.code != .jsonLD(.contextUnknown))
        }
        JSONLDExpandedItems().read(expanded, into: &items)
    }

    private static func lacksContext(_ value: JSONValue) -> Bool {
        guard let object = value.object else { return false }
        return !object.members.contains {
            $0.key.utf8.first == UInt8(ascii: "@") && $0.key.asciiLowercased == "@context"
        }
    }

    mutating func finish() -> StructuredData { items.finish() }
}

extension JSONLDProcessor {
    /// A lenient processor for pages.
    convenience init(
        baseURL: String, lenientWithin limits: ReadingLimits, skippingMistakes: Bool = false
    ) {
        self.init(
            baseURL: baseURL,
            options: Options(
                isLenient: true, skipsMistakes: skippingMistakes,
                maximumWork: limits.maximumJSONLDWork, interruption: limits.interruption))
    }

    /// The document of one script in expanded form. Nodes without a vocabulary are read as schema.org's.
    func expandedScript(_ document: JSONValue) throws(JSONLDError) -> [JSONValue] {
        var result: [JSONValue] = []
        for element in document.array ?? [document] {
            let isOwn = element["@context"].map(Self.namesVocabulary) ?? false
            let expanded = try skippingMistakes { () throws(JSONLDError) in
                try expandedDocument(element, context: isOwn ? emptyContext() : schemaOrgContext())
            }
            result += expanded ?? []
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
