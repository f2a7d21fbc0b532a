import NIOCore
import PippinCrawl

/// The functions of OpenSSL that a server needs. libcurl brings the library, so it is loaded by the first use and never linked.
///
/// Types and numbers are those of openssl/ssl.h, bio.h and err.h, the same in OpenSSL 1.1.1 and 3.
struct OpenSSL: Sendable {
    /// SSL_CTX, SSL, BIO and the like.
    typealias Handle = OpaquePointer
    typealias ChooseProtocol =
        @convention(c) (
            Handle?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?,
            UInt32, UnsafeMutableRawPointer?
        ) -> Int32

    let serverMethod: @convention(c) @Sendable () -> Handle?
    let newContext: @convention(c) @Sendable (Handle?) -> Handle?
    let controlContext: @convention(c) @Sendable (Handle?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let setContextOptions: @convention(c) @Sendable (Handle?, UInt) -> UInt
    let useCertificateChain: @convention(c) @Sendable (Handle?, UnsafePointer<CChar>) -> Int32
    let usePrivateKey: @convention(c) @Sendable (Handle?, UnsafePointer<CChar>, Int32) -> Int32
    let chooseProtocol: @convention(c) @Sendable (Handle?, ChooseProtocol?, UnsafeMutableRawPointer?) -> Void
    let freeContext: @convention(c) @Sendable (Handle?) -> Void
    let newConnection: @convention(c) @Sendable (Handle?) -> Handle?
    let freeConnection: @convention(c) @Sendable (Handle?) -> Void
    let accept: @convention(c) @Sendable (Handle?) -> Void
    let setBuffers: @convention(c) @Sendable (Handle?, Handle?, Handle?) -> Void
    let handshake: @convention(c) @Sendable (Handle?) -> Int32
    let read: @convention(c) @Sendable (Handle?, UnsafeMutableRawPointer?, Int32) -> Int32
    let write: @convention(c) @Sendable (Handle?, UnsafeRawPointer?, Int32) -> Int32
    let shutdown: @convention(c) @Sendable (Handle?) -> Int32
    let kindOfError: @convention(c) @Sendable (Handle?, Int32) -> Int32
    let buffers: OpenSSLBuffers
    let clearErrors: @convention(c) @Sendable () -> Void
    let nextError: @convention(c) @Sendable () -> UInt
    let reason: @convention(c) @Sendable (UInt) -> UnsafePointer<CChar>?

    /// The library, or why it cannot be used.
    static let loaded = Result { try OpenSSL() }

    private init() throws {
        let library = try OpenSSLFunctions("TLS of the demo site needs")
        serverMethod = try library.function("TLS_server_method")
        newContext = try library.function("SSL_CTX_new")
        controlContext = try library.function("SSL_CTX_ctrl")
        setContextOptions = try library.function("SSL_CTX_set_options")
        useCertificateChain = try library.function("SSL_CTX_use_certificate_chain_file")
        usePrivateKey = try library.function("SSL_CTX_use_PrivateKey_file")
        chooseProtocol = try library.function("SSL_CTX_set_alpn_select_cb")
        freeContext = try library.function("SSL_CTX_free")
        newConnection = try library.function("SSL_new")
        freeConnection = try library.function("SSL_free")
        accept = try library.function("SSL_set_accept_state")
        setBuffers = try library.function("SSL_set_bio")
        handshake = try library.function("SSL_do_handshake")
        read = try library.function("SSL_read")
        write = try library.function("SSL_write")
        shutdown = try library.function("SSL_shutdown")
        kindOfError = try library.function("SSL_get_error")
        buffers = try OpenSSLBuffers(library)
        clearErrors = try library.function("ERR_clear_error")
        nextError = try library.function("ERR_get_error")
        reason = try library.function("ERR_reason_error_string")
    }

    /// Takes the errors of this thread and says the first.
    func takeReason() -> String {
        let text = reason(nextError()).map { String(cString: $0) }
        clearErrors()
        return text ?? "the connection broke"
    }
}

/// What all TLS connections of a server share: its certificate and key.
///
/// `@unchecked Sendable` because OpenSSL lets threads use a context at once, and nothing changes it after `init`.
final class TLSContext: @unchecked Sendable {
    fileprivate let library: OpenSSL
    fileprivate let handle: OpenSSL.Handle

    /// - Parameters:
    ///   - certificate: the path of the certificate, and of those that lead to the authority (PEM).
    ///   - key: the path of its private key (PEM).
    /// - Throws: `ReportedFailure` if OpenSSL is missing or cannot use a file.
    init(certificate: String, key: String) throws {
        library = try OpenSSL.loaded.get()
        library.clearErrors()
        guard let handle = library.newContext(library.serverMethod()) else {
            throw ReportedFailure("OpenSSL cannot serve TLS: \(library.takeReason())", .usage)
        }
        self.handle = handle
        // SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION.
        let hasMinimum = library.controlContext(handle, 123, 0x0303, nil) == 1
        precondition(hasMinimum, "OpenSSL must offer TLS 1.2")
        // SSL_CTRL_SET_SESS_CACHE_MODE: clients keep their sessions in tickets, so the server remembers none.
        _ = library.controlContext(handle, 44, 0, nil)
        // SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS: an idle connection keeps no buffers.
        _ = library.controlContext(handle, 33, 0x10, nil)
        // SSL_OP_NO_RENEGOTIATION: a client cannot make the server compute again and again.
        _ = library.setContextOptions(handle, 1 << 30)
        library.chooseProtocol(handle, Self.chooseProtocol, nil)
        guard library.useCertificateChain(handle, certificate) == 1 else {
            throw ReportedFailure(
                "the certificate \(certificate) cannot be used: \(library.takeReason())", .usage)
        }
        // SSL_FILETYPE_PEM. The key is compared with the certificate.
        guard library.usePrivateKey(handle, key, 1) == 1 else {
            throw ReportedFailure("the private key \(key) cannot be used: \(library.takeReason())", .usage)
        }
    }

    deinit { library.freeContext(handle) }

    /// Takes http/1.1 from the list of a client (RFC 7301 §3.1: names behind their lengths), or leaves the extension out of the answer.
    private static let chooseProtocol: OpenSSL.ChooseProtocol = { _, chosen, chosenLength, list, length, _ in
        let notAcknowledged: Int32 = 3
        guard let chosen, let chosenLength, let list else { return notAcknowledged }
        let names = UnsafeBufferPointer(start: list, count: Int(length))
        var start = 0
        while start < names.count {
            let name = names[(start + 1)...].prefix(Int(names[start]))
            if name.elementsEqual("http/1.1".utf8) {
                chosen.pointee = list + start + 1
                chosenLength.pointee = names[start]
                return 0
            }
            start += 1 + Int(names[start])
        }
        return notAcknowledged
    }
}

/// The server's side of one TLS connection: encrypted bytes go in and come out, no socket is involved. Its event loop owns it.
final class TLSConnection {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// RFC 8446 §5.1: no record holds more.
    private static let recordBytes = 1 << 14
    /// What is encrypted at once: a long body is never in memory thrice.
    private static let pieceBytes = 1 << 18

    private let context: TLSContext
    private let handle: OpenSSL.Handle
    /// They belong to `handle`. OpenSSL empties `received` as far as records are complete, so it never holds more than one record and
    /// what arrived at once.
    private let received: OpenSSL.Handle
    private let toSend: OpenSSL.Handle
    /// Whether the handshake is done.
    private(set) var isOpen = false
    /// Whether the client has said that it sends no more (RFC 8446 §6.1, close_notify).
    private(set) var clientIsDone = false
    /// Whether we have said so.
    private(set) var isDone = false

    private var library: OpenSSL { context.library }

    init(_ context: TLSContext) throws {
        let library = context.library
        library.clearErrors()
        guard let handle = library.newConnection(context.handle) else {
            throw Failure(description: "no memory for a TLS connection")
        }
        guard let received = library.buffers.make() else {
            library.freeConnection(handle)
            throw Failure(description: "no memory for a TLS connection")
        }
        guard let toSend = library.buffers.make() else {
            _ = library.buffers.free(received)
            library.freeConnection(handle)
            throw Failure(description: "no memory for a TLS connection")
        }
        self.context = context
        self.handle = handle
        self.received = received
        self.toSend = toSend
        library.setBuffers(handle, received, toSend)
        library.accept(handle)
    }

    deinit { library.freeConnection(handle) }

    /// Takes bytes of the client.
    func receive(_ bytes: ByteBuffer) throws {
        let taken = bytes.withUnsafeReadableBytes { library.buffers.fill(received, $0.baseAddress, Int32($0.count)) }
        guard Int(taken) == bytes.readableBytes else { throw Failure(description: "no memory for received bytes") }
    }

    /// Goes on with the handshake as far as the received bytes allow.
    func handshake() throws {
        library.clearErrors()
        let result = library.handshake(handle)
        if result == 1 {
            isOpen = true
        } else {
            try waitOrFail(result, in: "the TLS handshake failed")
        }
    }

    /// What the client sent, at most one record; nil until more is received.
    func read(_ allocator: ByteBufferAllocator) throws -> ByteBuffer? {
        guard !clientIsDone else { return nil }
        var buffer = allocator.buffer(capacity: Self.recordBytes)
        var result: Int32 = 0
        library.clearErrors()
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordBytes) { room in
            result = library.read(handle, room.baseAddress, Int32(Self.recordBytes))
            return max(0, Int(result))
        }
        if result > 0 { return buffer }
        try waitOrFail(result, in: "the TLS connection failed")
        return nil
    }

    /// Encrypts bytes; `output` has them then.
    func write(_ bytes: ByteBuffer, _ output: (ByteBuffer) -> Void, _ allocator: ByteBufferAllocator) throws {
        var rest = bytes
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceBytes)), piece.readableBytes > 0 {
            library.clearErrors()
            let written = piece.withUnsafeReadableBytes { library.write(handle, $0.baseAddress, Int32($0.count)) }
            // Into memory it writes everything, or the connection has failed.
            guard Int(written) == piece.readableBytes else {
                throw Failure(description: "the TLS connection failed: \(library.takeReason())")
            }
            if let encrypted = takeOutput(allocator) { output(encrypted) }
        }
    }

    /// Says that nothing more will be sent.
    func finish() {
        guard isOpen, !isDone else { return }
        isDone = true
        library.clearErrors()
        // Its result says whether the client is done, which `read` finds out.
        _ = library.shutdown(handle)
    }

    /// The bytes for the client.
    func takeOutput(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        let count = library.buffers.pending(toSend)
        guard count > 0 else { return nil }
        var buffer = allocator.buffer(capacity: count)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
            max(0, Int(library.buffers.drain(toSend, room.baseAddress, Int32(count))))
        }
        return buffer
    }

    private func waitOrFail(_ result: Int32, in action: String) throws {
        switch library.kindOfError(handle, result) {
        // SSL_ERROR_WANT_READ
        case 2: return
        // SSL_ERROR_ZERO_RETURN
        case 6: clientIsDone = true
        default: throw Failure(description: "\(action): \(library.takeReason())")
        }
    }
}
