/// A document: JSON, or HTML with JSON in scripts (JSON-LD 1.1 API §7, HTML Content Algorithms).
struct JSONLDSource {
    let bytes: [UInt8]
    /// The document's address. A fragment selects a script of HTML by its `id`.
    let address: String
    let limits: ReadingLimits

    /// Whether the document is HTML. The file name decides; if it does not, the first character does, since no JSON starts with
    /// `<`.
    static func isHTML(_ bytes: [UInt8], name: String) -> Bool {
        let path = name.prefix { $0 != "#" && $0 != "?" }.lowercased()
        if path.hasSuffix(".html") || path.hasSuffix(".htm") || path.hasSuffix(".xhtml") { return true }
        if path.hasSuffix(".json") || path.hasSuffix(".jsonld") { return false }
        return bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) } == UInt8(ascii: "<")
    }

    /// The document's JSON. If the address does not decide whether it is HTML, `name` does.
    func document(
        name: String? = nil, profile: String? = nil, extractsAllScripts: Bool
    ) throws(JSONLDError) -> JSONValue {
        guard Self.isHTML(bytes, name: name ?? address) else {
            return try Self.parsed(bytes[...], limits, .loadingDocumentFailed, "The document")
        }
        let page = DecodedDocument(bytes: bytes, limits: limits).document
        return try Self.document(
            in: page, address: address, profile: profile, extractsAllScripts: extractsAllScripts, limits: limits)
    }

    /// The base of the document: its address, or HTML's `base` element resolved against the address.
    func baseURL(name: String? = nil) -> String {
        guard Self.isHTML(bytes, name: name ?? address), let url = WebURL(address) else { return address }
        let page = DecodedDocument(bytes: bytes, limits: limits).document
        guard !page.elements(named: .base).isEmpty else { return address }
        return page.baseURL(pageURL: url).href
    }

    // MARK: HTML

    /// The JSON of a page's scripts (§7.1 and the loading steps of §9.4.1).
    private static func document(
        in page: HTMLDocument, address: String, profile: String?, extractsAllScripts: Bool, limits: ReadingLimits
    ) throws(JSONLDError) -> JSONValue {
        let scripts = page.elements(named: .script).filter { JSONLD.isJSONLD(page.bytes(of: .type, on: $0)) }
        if let fragment = fragment(of: address) {
            var decoded: [UInt8] = []
            Array(fragment.utf8).withUnsafeBufferPointer { decoded.appendPercentDecoded($0) }
            let decodedFragment = String(decoding: decoded, as: UTF8.self)
            let named = scripts.first { script in
                guard let id = page.value(of: .id, on: script) else { return false }
                return id == fragment || id == decodedFragment
            }
            guard let named else {
                throw JSONLDError(.loadingDocumentFailed, "No JSON-LD script has the id \(fragment.quotedInMessage).")
            }
            return try content(of: named, page, limits)
        }
        if extractsAllScripts {
            var all: [JSONValue] = []
            for script in scripts { all += Optional(try content(of: script, page, limits)).elements }
            return .array(all)
        }
        var chosen = scripts.first
        if let profile {
            let fitting = scripts.first { script in
                page.value(of: .type, on: script).map { profiles(of: $0).contains(profile) } ?? false
            }
            chosen = fitting ?? chosen
        }
        guard let chosen else { throw JSONLDError(.loadingDocumentFailed, "The page has no JSON-LD script.") }
        return try content(of: chosen, page, limits)
    }

    private static func fragment(of address: String) -> String? {
        guard let hash = address.utf8.firstIndex(of: UInt8(ascii: "#")) else { return nil }
        let fragment = address[address.utf8.index(after: hash)...]
        return fragment.isEmpty ? nil : String(fragment)
    }

    /// The `profile` parameter of a media type: addresses with spaces between them.
    private static func profiles(of type: String) -> [String] {
        for parameter in type.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, String(parts[0]).trimmingHTMLSpace().lowercased() == "profile" else { continue }
            let value = String(parts[1]).trimmingHTMLSpace()
            return value.split(whereSeparator: { $0 == " " || $0 == "\"" }).map(String.init)
        }
        return []
    }

    /// §7.2, Extract Script Content: the text without decoding character references.
    private static func content(
        of script: HTMLDocument.Index, _ page: HTMLDocument, _ limits: ReadingLimits
    ) throws(JSONLDError) -> JSONValue {
        let line = page.line(of: script)
        return try parsed(page.textBytes(of: script), limits, .invalidScriptElement, "The script on line \(line)")
    }

    static func parsed(
        _ bytes: ArraySlice<UInt8>, _ limits: ReadingLimits, _ code: JSONLDErrorCode, _ what: String
    ) throws(JSONLDError) -> JSONValue {
        var parser = JSONParser(limits: limits)
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
        do throws(JSONSyntaxError) {
            return try parser.parse(text)
        } catch {
            throw JSONLDError(code, "\(what) is not JSON: \(error.description).")
        }
    }
}

/// The available remote contexts, by address. Nothing is ever fetched.
public struct JSONLDDocuments: Sendable {
    private var files: [String: @Sendable () throws -> [UInt8]] = [:]
    private let limits: ReadingLimits

    /// Contains schema.org's context only.
    static let builtIn = JSONLDDocuments()

    /// Starts with schema.org's context.
    public init(limits: ReadingLimits = .standard) {
        self.limits = limits
    }

    /// Adds a document and replaces a built-in context with the same address. `read` returns the bytes and is called on first
    /// use.
    public mutating func add(_ address: String, read: @escaping @Sendable () throws -> [UInt8]) {
        files[address] = read
    }

    /// Adds a document from its bytes.
    public mutating func add(_ address: String, bytes: [UInt8]) {
        files[address] = { bytes }
    }

    /// Whether an address is schema.org's context and no added document replaces it.
    func isBuiltIn(_ address: String) -> Bool {
        guard SchemaOrgVocabulary.isVocabulary(address) else { return false }
        return files.isEmpty || (files[address] == nil && files[String(address.prefix { $0 != "#" })] == nil)
    }

    /// The document with a context: JSON, or the first matching script of HTML.
    func contextDocument(at address: String) throws(JSONLDError) -> JSONValue {
        let withoutFragment = address.prefix { $0 != "#" }
        if let read = files[address] ?? files[String(withoutFragment)] {
            let bytes: [UInt8]
            do {
                bytes = try read()
            } catch {
                throw JSONLDError(.loadingDocumentFailed, "\(address.quotedInMessage) cannot be read: \(error).")
            }
            let source = JSONLDSource(bytes: bytes, address: address, limits: limits)
            return try source.document(profile: "http://www.w3.org/ns/json-ld#context", extractsAllScripts: false)
        }
        if SchemaOrgVocabulary.isVocabulary(address) { return SchemaOrgContext.document }
        throw JSONLDError(
            .loadingDocumentFailed, "\(address.quotedInMessage) is not among the documents at hand.")
    }
}

/// Processes one JSON-LD document strictly by the standard: the methods `expand` and `toRdf` of JSON-LD 1.1 API §10.1.
public struct JSONLDConversion {
    /// The standard's `JsonLdOptions`, as far as the command has options for them.
    public struct Options: Sendable {
        /// Whether `processingMode` is `json-ld-1.0`.
        public var isVersion10 = false
        /// A context to apply before the document's own.
        public var expandContext: JSONValue?
        /// The form of base directions; nil drops them.
        public var rdfDirection: JSONLDToRDF.Direction?
        /// Whether all scripts of an HTML document are read, not only the first.
        public var extractsAllScripts = false

        /// The standard's defaults.
        public init() {}
    }

    private let source: JSONLDSource
    private let name: String
    private let documents: JSONLDDocuments
    private let options: Options
    private let limits: ReadingLimits

    /// Prepares a document for conversion.
    ///
    /// - Parameters:
    ///   - address: the document's address and base; a fragment selects a script of HTML.
    ///   - name: the file's name, which distinguishes HTML from JSON. If it does not, the bytes do.
    public init(
        bytes: [UInt8], address: String, name: String, documents: JSONLDDocuments, options: Options = Options(),
        limits: ReadingLimits = .standard
    ) {
        source = JSONLDSource(bytes: bytes, address: address, limits: limits)
        self.name = name
        self.documents = documents
        self.options = options
        self.limits = limits
    }

    /// The expanded form: an array of node objects.
    public func expanded() throws(JSONLDError) -> [JSONValue] {
        let document = try source.document(name: name, extractsAllScripts: options.extractsAllScripts)
        let processor = JSONLDProcessor(
            baseURL: source.baseURL(name: name), documents: documents,
            options: JSONLDProcessor.Options(
                isVersion10: options.isVersion10, maximumWork: limits.maximumJSONLDWork,
                interruption: limits.interruption))
        return try processor.expandedDocument(
            document, context: processor.initialContext(expandContext: options.expandContext))
    }

    /// The statements of the document.
    public func dataset() throws(JSONLDError) -> RDFDataset {
        var conversion = JSONLDToRDF(direction: options.rdfDirection)
        try conversion.add(expanded())
        return conversion.dataset
    }
}
