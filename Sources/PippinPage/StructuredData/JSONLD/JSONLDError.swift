/// The reason why a document is not valid JSON-LD or cannot be processed (JSON-LD 1.1 API §10.4 `JsonLdErrorCode`).
public struct JSONLDError: Error, Sendable, Hashable, CustomStringConvertible {
    public typealias Code = JSONLDErrorCode

    /// The standard's error code.
    public let code: Code
    /// One sentence with the value.
    public let message: String
    /// JSON Pointer (RFC 6901) to the object or value; empty for the whole document.
    public let pointer: String

    init(_ code: Code, _ message: String, pointer: String = "") {
        self.code = code
        self.message = message
        self.pointer = pointer
    }

    public var description: String {
        "\(code.rawValue): \(message)" + (pointer.isEmpty ? "" : " At \(pointer).")
    }
}
