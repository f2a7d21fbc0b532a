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
