/// The algorithms of JSON-LD 1.1 API for one document, one file per algorithm:
///
/// - `+Context` (§4.1 context processing), `+Terms` (§4.2 create term definition), `+IRI` (§5.2 IRI expansion)
/// - `+Expansion` (§5.1 expansion and §5.3 value expansion), `+Keywords` (steps 13.4 to 13.14 of expansion: the members of a
///   map)
///
/// Comments cite the step numbers of the Recommendation of July 2020.
final class JSONLDProcessor {
    struct Options {
        var isVersion10 = false
        /// Whether to read leniently: all spellings of schema.org's address are its context, and white space around identifiers is
        /// ignored.
        var isLenient = false
        /// For items: a mistake is skipped and noted, and the rest is read. Names stay as written if their context is not
        /// available, keywords may be in the wrong letter case, and an empty `@id` identifies nothing.
        var skipsMistakes = false
        /// The limit of work per document; see `ReadingLimits.maximumJSONLDWork`.
        var maximumWork = ReadingLimits.standard.maximumJSONLDWork
        var interruption: Interruption?
    }

    let options: Options
    let documents: JSONLDDocuments
    /// The base of relative addresses in contexts.
    let baseURL: String
    /// The keys and indices down to the current value, for the pointer of an error.
    var path: [String] = []
    private var work = 0
    /// True after the contexts have used up the work for them. They then define no further terms.
    private(set) var isDoneWithContexts = false
    /// True if reading must stop: the work is used up twice over, or the reading was interrupted.
    private var isSpent = false
    private var mistakes: [Mistake] = []
    private var unknownContexts: Set<String> = []
    /// The number of terms whose creation is in progress, each because the one before needs it.
    var termDepth = 0
    /// The initial contexts for the scripts of a page: an empty one, and one with schema.org's terms.
    var initialContexts: (empty: JSONLDContext?, schemaOrg: JSONLDContext?)
    /// Remote documents with contexts, by address.
    var contextDocuments: [String: JSONValue] = [:]
    /// The addresses of contexts that are not available.
    var contextsNotAtHand: Set<String> = []
    var scopedContexts: [ScopedKey: JSONLDContext] = [:]
    var namedContexts: [NamedKey: JSONLDContext] = [:]

    /// Key of a term's scoped context within an active context. The dictionary does not keep the two objects alive; `kept`
    /// does.
    struct ScopedKey: Hashable {
        let context: ObjectIdentifier
        let term: ObjectIdentifier
        let isPropagated: Bool
        let overridesProtected: Bool
    }

    struct NamedKey: Hashable {
        let context: ObjectIdentifier
        let address: String
        let overridesProtected: Bool
    }

    /// Keeps the objects alive whose identities are keys of the tables above.
    var kept: [AnyObject] = []

    init(baseURL: String, documents: JSONLDDocuments = .builtIn, options: Options = Options()) {
        self.baseURL = baseURL
        self.documents = documents
        self.options = options
    }

    // MARK: The API's methods

    /// The initial context: empty, on the document's base, with an `expandContext` applied.
    func initialContext(expandContext: JSONValue? = nil) throws(JSONLDError) -> JSONLDContext {
        let hash = baseURL.utf8.firstIndex(of: UInt8(ascii: "#"))
        let base = hash.map { String(baseURL[..<$0]) } ?? baseURL
        let context = JSONLDContext(originalBase: IRIReference.hasScheme(base) ? IRIReference(base) : nil)
        guard let expandContext else { return context }
        return try process(expandContext["@context"] ?? expandContext, on: context, Scope(baseURL: baseURL))
    }

    /// `expand()` of §9.2, from step 8 on: the document in expanded form, always an array.
    func expandedDocument(_ document: JSONValue, context: JSONLDContext) throws(JSONLDError) -> [JSONValue] {
        path.removeAll(keepingCapacity: true)
        let expanded = try expand(document, property: nil, context: context)
        if let object = expanded?.object, object.count == 1, let graph = object["@graph"] {
            return graph.array ?? [graph]
        }
        return expanded.elements
    }

    // MARK: Errors and bounds

    /// A mistake that was skipped, or read leniently.
    struct Mistake {
        let code: ParseNote.Code
        let message: String
        /// The offset of the key or text, in the text of the script.
        var offset: Int?
    }

    /// The limit of unknown contexts that are noted.
    private static let maximumUnknownContexts = 10

    /// Returns and clears the mistakes of a script, at its end: the first mistake of each code, and each unknown context.
    func takeMistakes() -> [Mistake] {
        defer {
            mistakes = []
            unknownContexts = []
            // While work is left, one script's mistakes do not limit the next script.
            isDoneWithContexts = work > options.maximumWork
        }
        return mistakes
    }

    func note(_ code: ParseNote.Code, _ message: @autoclosure () -> String, at offset: Int? = nil) {
        if mistakes.contains(where: { $0.code == code }) { return }
        mistakes.append(Mistake(code: code, message: message(), offset: offset))
    }

    func noteUnknownContext(_ address: String, at offset: Int) {
        guard unknownContexts.count < Self.maximumUnknownContexts, unknownContexts.insert(address).inserted else {
            return
        }
        mistakes.append(
            Mistake(
                code: .jsonLD(.contextUnknown),
                message: "The context \(address.quotedInMessage) is not at hand; names are taken as they are written.",
                offset: offset))
    }

    /// The result of `body`. If mistakes are skipped, an error ends only `body`: it is noted, and the result is nil.
    func skippingMistakes<Result>(_ body: () throws(JSONLDError) -> Result) throws(JSONLDError) -> Result? {
        guard options.skipsMistakes else { return try body() }
        let depth = path.count
        do throws(JSONLDError) {
            return try body()
        } catch {
            if isSpent { throw error }
            path.removeLast(path.count - depth)
            note(.jsonLDError(error.code), "What is no valid JSON-LD is skipped: \(error.description)")
            return nil
        }
    }

    /// The error for contexts that need too much work. Also ends the definition of terms.
    func overflow(_ message: String) -> JSONLDError {
        isDoneWithContexts = true
        return failure(.contextOverflow, message)
    }

    func failure(_ code: JSONLDErrorCode, _ message: String) -> JSONLDError {
        // Only the first mistake of each code is noted, so later ones need no place.
        if options.skipsMistakes, mistakes.contains(where: { $0.code == .jsonLDError(code) }) {
            return JSONLDError(code, message)
        }
        let pointer = path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
        return JSONLDError(code, message, pointer: pointer)
    }

    /// Limits the length of prefixes and vocabularies, because they are written before every name.
    func checkLength(_ iri: String, of name: String) throws(JSONLDError) {
        if options.isLenient, iri.utf8.count > IRIReference.maximumPrefixBytes {
            throw failure(.contextOverflow, "\(name.quotedInMessage) stands for \(iri.utf8.count) bytes.")
        }
    }

    /// Limits the work, because contexts can make a small document large. The standard allows such a limit. If mistakes are
    /// skipped, the rest of the document is read without further terms, within the same amount of work once more.
    func spend(_ amount: Int) throws(JSONLDError) {
        work += amount
        isSpent = work > 2 * options.maximumWork || options.interruption?.isSet == true
        if isSpent || (work > options.maximumWork && !isDoneWithContexts) {
            throw overflow("The contexts ask for more work than is spent on one document.")
        }
    }
}

extension String {
    /// The text in quotes for a message, shortened.
    var quotedInMessage: String {
        "\"" + (utf8.count > 200 ? String(prefix(100)) + "…" : self) + "\""
    }
}

/// The reason why a document is not valid JSON-LD or cannot be processed (JSON-LD 1.1 API §10.4 `JsonLdErrorCode`).
public struct JSONLDError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The standard's error code.
    public let code: JSONLDErrorCode
    /// One sentence with the value.
    public let message: String
    /// JSON Pointer (RFC 6901) to the object or value; empty for the whole document.
    public let pointer: String

    init(_ code: JSONLDErrorCode, _ message: String, pointer: String = "") {
        self.code = code
        self.message = message
        self.pointer = pointer
    }

    public var description: String {
        "\(code.rawValue): \(message)" + (pointer.isEmpty ? "" : " At \(pointer).")
    }
}
