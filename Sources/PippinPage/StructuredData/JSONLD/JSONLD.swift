/// The JSON-LD scripts of a page.
///
/// Each script is read separately: as JSON; if that fails, with repairs (`JSONRepair`); if that fails too, with repairs after
/// its character references are decoded. A script that fails all three is left out. All steps but the first leave notes.
public struct JSONLD: Sendable {
    /// One value per script, as written; several if a script has several without an array around them.
    public private(set) var documents: [JSONValue] = []
    /// The script of each document.
    private var scripts: [JSONLDScriptText] = []
    /// The nodes of all scripts, joined by `@id`.
    public private(set) var structuredData = StructuredData()
    /// Leniencies used and limits reached while reading.
    public private(set) var notes: [ParseNote] = []
    private let baseURL: String
    private let limits: ReadingLimits

    /// Reads all scripts of the type `application/ld+json`.
    ///
    /// - Parameter baseURL: the base of relative identifiers.
    public init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard) {
        self.baseURL = baseURL.href
        self.limits = limits
        var notes = BoundedNotes(maximum: limits.maximumNotes)
        var reader: JSONLDReader?
        for element in document.elements(named: .script) where Self.isJSONLD(document.bytes(of: .type, on: element)) {
            if limits.isInterrupted { break }
            let (found, foundNotes) = JSONLDScript.read(element, of: document, limits: limits)
            notes.add(foundNotes)
            for (value, script) in found {
                documents.append(value)
                scripts.append(script)
                var current = reader ?? JSONLDReader(baseURL: baseURL.href, limits: limits)
                reader = nil
                current.read(value, script)
                reader = current
            }
        }
        if var reader {
            structuredData = reader.finish()
            notes.add(reader.notes)
        }
        self.notes = notes.finished()
    }

    /// The statements of all scripts (Deserialize JSON-LD to RDF). Each script is a separate document; invalid JSON-LD gives no
    /// statements.
    public var dataset: RDFDataset {
        var conversion = JSONLDToRDF()
        for document in documents {
            let processor = JSONLDProcessor(baseURL: baseURL, lenientWithin: limits)
            do throws(JSONLDError) {
                try conversion.add(processor.expandedScript(document))
            } catch {
                // The error is among the notes already.
                continue
            }
        }
        return conversion.dataset
    }

    /// The dataset as N-Quads in UTF-8.
    public var nquads: [UInt8] { dataset.nquads }

    /// The JSON form, as `extract` prints it: one parsed document per script.
    public var json: JSONValue { .array(documents) }

    /// The place of a key, or of a string value, of a node; nil if the node does not have it as written.
    ///
    /// - Parameter place: the place of the node, or of its `script` element if the node's own is not known. A script has to
    ///   have the text exactly once.
    public func place(
        of text: String, isKey: Bool, inNodeAt place: (line: Int?, column: Int?)
    ) -> (line: Int, column: Int)? {
        guard let line = place.line, let column = place.column else { return nil }
        var found: [(script: JSONLDScriptText, offset: Int)] = []
        for (document, script) in zip(documents, scripts) {
            if let offset = script.offset(of: (line, column)), let node = document.object(at: offset) {
                return node.offset(of: text, isKey: isKey).flatMap { script.place(at: $0) }
            }
            guard script.element.lineAndColumn == (line, column) else { continue }
            var offsets: [Int] = []
            document.findOffsets(of: text, isKey: isKey, upTo: 2, &offsets)
            found += offsets.map { (script, $0) }
        }
        return found.count == 1 ? found[0].script.place(at: found[0].offset) : nil
    }

    /// Whether a media type is JSON-LD; parameters (`charset`, `profile`) are ignored.
    static func isJSONLD(_ type: ArraySlice<UInt8>?) -> Bool {
        guard let type, type.count >= 19 else { return false }
        let essence = type.prefix { $0 != UInt8(ascii: ";") }
        return essence.trimmingHTMLSpace().equalsIgnoringCase("application/ld+json")
    }
}

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
