import CCurl

/// Finds functions of OpenSSL, which libcurl brings: the library is loaded by the first use and never linked.
public struct OpenSSLFunctions: Sendable {
    private let need: String

    /// - Parameter need: who needs it, as the beginning of messages: `signatures need`.
    /// - Throws: `ReportedFailure` without libcurl.
    public init(_ need: String) throws {
        self.need = need
        if let trouble = pippin_curl_trouble() {
            throw ReportedFailure("\(need) libcurl's OpenSSL: \(String(cString: trouble)). Install it.", .usage)
        }
    }

    /// A function, whose type must be that of OpenSSL's header.
    ///
    /// - Parameter names: its name in OpenSSL 3, then those before.
    /// - Throws: `ReportedFailure` if the library does not have it.
    public func function<Function>(_ names: String...) throws -> Function {
        for name in names {
            if let symbol = pippin_curl_symbol(name) { return unsafeBitCast(symbol, to: Function.self) }
        }
        throw ReportedFailure(
            "\(need) OpenSSL 1.1.1 or later, and the installed libcurl brings no \(names[0]); install libcurl4", .usage)
    }
}

/// OpenSSL's buffers in memory (openssl/bio.h).
public struct OpenSSLBuffers: Sendable {
    private let memoryMethod: @convention(c) @Sendable () -> OpaquePointer?
    private let new: @convention(c) @Sendable (OpaquePointer?) -> OpaquePointer?
    /// Frees a buffer.
    public let free: @convention(c) @Sendable (OpaquePointer?) -> Int32
    /// Puts bytes behind those that a buffer has. Returns how many it took.
    public let fill: @convention(c) @Sendable (OpaquePointer?, UnsafeRawPointer?, Int32) -> Int32
    /// Takes bytes out of a buffer. Returns how many there were.
    public let drain: @convention(c) @Sendable (OpaquePointer?, UnsafeMutableRawPointer?, Int32) -> Int32
    /// How many bytes a buffer has.
    public let pending: @convention(c) @Sendable (OpaquePointer?) -> Int

    /// - Throws: `ReportedFailure` if the library does not have them.
    public init(_ library: OpenSSLFunctions) throws {
        memoryMethod = try library.function("BIO_s_mem")
        new = try library.function("BIO_new")
        free = try library.function("BIO_free")
        fill = try library.function("BIO_write")
        drain = try library.function("BIO_read")
        pending = try library.function("BIO_ctrl_pending")
    }

    /// An empty buffer; nil without memory.
    public func make() -> OpaquePointer? { new(memoryMethod()) }
}
