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
