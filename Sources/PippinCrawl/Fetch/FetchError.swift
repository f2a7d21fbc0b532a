import PippinPage

/// The reason why an HTTP exchange gave no response. `FetchError+Words.swift` has the sentences.
public enum FetchError: Error, Sendable, Hashable {
    case unsupportedScheme(String)
    /// Our own rules forbid the request; nothing was sent (`RequestGate`).
    case notAllowed(CrawlScope.Refusal)
    /// The host name has no address.
    case hostNotFound
    /// No name server answered; with the library's message.
    case lookUpFailed(String)
    /// `AddressGuard` refused all addresses of the host (private, loopback, link-local …); with the last one.
    case addressRefused(String)
    /// The connection failed; with the library's message, or `refusedConnection`.
    case connectionFailed(String)
    /// A time limit passed; with the step and the limit.
    case timedOut(String)
    /// The TLS handshake failed, or the certificate is not valid for the host; with OpenSSL's reason.
    case tls(TLSFault, reason: String)
    case bodyTooLarge(limit: Int)
    case headersTooLarge
    /// The connection ended before the announced length.
    case truncatedBody
    /// The body came over HTTP/2 without a length and may be truncated. The host gets HTTP/1.1 from then on, so one more request
    /// helps.
    case endUncertain
    case badContentEncoding(String)
    case protocolError(String)
    /// The server caused work without data: empty frames, chunks of one byte. With the received amount.
    case tooCostly(String)
    case cancelled

    /// The fault of a TLS connection; the raw value is stable.
    public enum TLSFault: String, Sendable, Hashable, CaseIterable {
        /// No trusted authority has signed the certificate.
        case untrusted
        case expired
        case notYetValid = "not-yet-valid"
        case wrongHost = "wrong-host"
        /// The handshake failed before the certificate was checked.
        case handshake
    }

    /// The text of `connectionFailed` if nothing listens at the port.
    static let refusedConnection = "connection refused"

    /// Whether and when to retry.
    public enum Retry: Sendable, Hashable {
        /// The URL may work later.
        case later
        /// The URL will not work.
        case never
        /// The host is in trouble: pause all its URLs.
        case restHost
        /// The host is unreachable: retries in the same run do not help, for any of its URLs.
        case leaveHost
    }

    var retry: Retry {
        switch self {
        case .connectionFailed, .timedOut, .lookUpFailed, .tooCostly: .restHost
        case .hostNotFound, .addressRefused: .leaveHost
        // A failed handshake may succeed with the next connection.
        case .tls(let fault, _): fault == .handshake ? .never : .leaveHost
        case .truncatedBody, .endUncertain, .protocolError, .cancelled: .later
        case .unsupportedScheme, .notAllowed, .bodyTooLarge, .headersTooLarge, .badContentEncoding: .never
        }
    }

    /// Whether a retry in the same run may help.
    var mayPass: Bool {
        switch retry {
        case .later, .restHost: true
        case .never, .leaveHost: false
        }
    }

    /// Whether it concerns the whole host, not only one URL.
    var concernsHost: Bool {
        switch self {
        case .hostNotFound, .lookUpFailed, .addressRefused, .connectionFailed, .timedOut, .tls, .protocolError,
            .tooCostly:
            true
        case .unsupportedScheme, .notAllowed, .bodyTooLarge, .headersTooLarge, .truncatedBody, .endUncertain,
            .badContentEncoding,
            .cancelled:
            false
        }
    }

    /// Whether a connection gave no answer, so that the machine at the address may be in trouble.
    var failsAddress: Bool {
        switch self {
        case .connectionFailed, .timedOut, .tls, .tooCostly: true
        case .unsupportedScheme, .notAllowed, .hostNotFound, .lookUpFailed, .addressRefused, .bodyTooLarge,
            .headersTooLarge, .truncatedBody, .endUncertain, .badContentEncoding, .protocolError, .cancelled:
            false
        }
    }
}

extension FetchError {
    /// Stable name of the kind of failure.
    public enum Kind: String, Sendable, CaseIterable {
        case unsupportedScheme = "unsupported-scheme"
        case notAllowed = "not-allowed"
        case hostNotFound = "host-not-found"
        case lookUpFailed = "look-up-failed"
        case addressRefused = "address-refused"
        case connectionFailed = "connection-failed"
        case timedOut = "timed-out"
        case tls
        case bodyTooLarge = "body-too-large"
        case headersTooLarge = "headers-too-large"
        case truncatedBody = "truncated-body"
        case endUncertain = "end-uncertain"
        case badContentEncoding = "bad-content-encoding"
        case protocolError = "protocol-error"
        case tooCostly = "too-costly"
        case cancelled
    }

    /// The kind of failure.
    public var kind: Kind {
        switch self {
        case .unsupportedScheme: .unsupportedScheme
        case .notAllowed: .notAllowed
        case .hostNotFound: .hostNotFound
        case .lookUpFailed: .lookUpFailed
        case .addressRefused: .addressRefused
        case .connectionFailed: .connectionFailed
        case .timedOut: .timedOut
        case .tls: .tls
        case .bodyTooLarge: .bodyTooLarge
        case .headersTooLarge: .headersTooLarge
        case .truncatedBody: .truncatedBody
        case .endUncertain: .endUncertain
        case .badContentEncoding: .badContentEncoding
        case .protocolError: .protocolError
        case .tooCostly: .tooCostly
        case .cancelled: .cancelled
        }
    }

    /// Stable name of the kind of failure.
    public var code: String { kind.rawValue }

    /// The details beyond the code. Logs and storages keep both.
    public var detail: String? {
        switch self {
        case .unsupportedScheme(let text), .lookUpFailed(let text), .addressRefused(let text),
            .connectionFailed(let text), .timedOut(let text), .badContentEncoding(let text), .protocolError(let text),
            .tooCostly(let text):
            text
        case .notAllowed(let refusal): refusal.rawValue
        case .tls(let fault, let reason): "\(fault.rawValue): \(reason)"
        case .bodyTooLarge(let limit): "more than \(limit) bytes"
        case .hostNotFound, .headersTooLarge, .truncatedBody, .endUncertain, .cancelled: nil
        }
    }

    /// Reads a code and a detail. Nil if they are not known.
    init?(code: String, detail: String?) {
        let text = detail ?? ""
        switch Kind(rawValue: code) {
        case .unsupportedScheme: self = .unsupportedScheme(text)
        case .notAllowed:
            guard let refusal = CrawlScope.Refusal(rawValue: text) else { return nil }
            self = .notAllowed(refusal)
        case .hostNotFound: self = .hostNotFound
        case .lookUpFailed: self = .lookUpFailed(text)
        case .addressRefused: self = .addressRefused(text)
        case .connectionFailed: self = .connectionFailed(text)
        case .timedOut: self = .timedOut(text)
        case .tls:
            let fault = TLSFault.allCases.first { text.hasPrefix("\($0.rawValue): ") }
            self = .tls(fault ?? .handshake, reason: String(text.dropFirst(fault.map { $0.rawValue.count + 2 } ?? 0)))
        case .bodyTooLarge: self = .bodyTooLarge(limit: Int(text.filter(\.isNumber)) ?? 0)
        case .headersTooLarge: self = .headersTooLarge
        case .truncatedBody: self = .truncatedBody
        case .endUncertain: self = .endUncertain
        case .badContentEncoding: self = .badContentEncoding(text)
        case .protocolError: self = .protocolError(text)
        case .tooCostly: self = .tooCostly(text)
        case .cancelled: self = .cancelled
        case nil: return nil
        }
    }
}
