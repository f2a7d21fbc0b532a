import PippinPage

/// Why an HTTP exchange gave no response. `FetchError+Words.swift` says it in words.
public enum FetchError: Error, Sendable, Hashable {
    case unsupportedScheme(String)
    /// Our own rules do not let it be asked for; nothing was sent (`RequestGate`).
    case notAllowed(CrawlScope.Refusal)
    /// The host name has no address.
    case hostNotFound
    /// No name server could say whether the host name has an address; with the words of the library.
    case lookUpFailed(String)
    /// `AddressGuard` refused every address of the host (private, loopback, link-local …); with the last of them.
    case addressRefused(String)
    /// With the words of the library, or `refusedConnection`.
    case connectionFailed(String)
    /// With what did not happen within which time.
    case timedOut(String)
    /// TLS could not be agreed on, or the certificate does not stand for the host; with OpenSSL's reason as it gave it.
    case tls(TLSFault, reason: String)
    case bodyTooLarge(limit: Int)
    case headersTooLarge
    /// The connection ended before the announced length.
    case truncatedBody
    /// The body came over HTTP/2 without a length, and it cannot be told whether it is whole. The host is spoken to in HTTP/1.1 from
    /// then on, where it can be: ask once more.
    case endUncertain
    case badContentEncoding(String)
    case protocolError(String)
    /// The server made work without end that brought nothing: empty frames, chunks of one byte. With what came.
    case tooCostly(String)
    case cancelled

    /// What is wrong with a TLS connection; the raw value is stable.
    public enum TLSFault: String, Sendable, Hashable, CaseIterable {
        /// Nobody who is trusted has signed the certificate.
        case untrusted
        case expired
        case notYetValid = "not-yet-valid"
        case wrongHost = "wrong-host"
        /// No certificate was judged: the two sides did not agree on a way to speak.
        case handshake
    }

    /// The words of a `connectionFailed` where nothing listens at the port.
    static let refusedConnection = "connection refused"

    /// What the failure says about trying again.
    public enum Retry: Sendable, Hashable {
        /// The URL may work later.
        case later
        /// It will not work however often it is asked.
        case never
        /// The host is in trouble: leave all its URLs alone for a while.
        case restHost
        /// The host cannot be reached as things are: asking once more in the same run does not help, for no URL of it.
        case leaveHost
    }

    var retry: Retry {
        switch self {
        case .connectionFailed, .timedOut, .lookUpFailed, .tooCostly: .restHost
        case .hostNotFound, .addressRefused: .leaveHost
        // A server that stumbles while it begins to speak may do better with the next connection.
        case .tls(let fault, _): fault == .handshake ? .never : .leaveHost
        case .truncatedBody, .endUncertain, .protocolError, .cancelled: .later
        case .unsupportedScheme, .notAllowed, .bodyTooLarge, .headersTooLarge, .badContentEncoding: .never
        }
    }

    /// Whether trying again in the same run may help.
    var mayPass: Bool {
        switch retry {
        case .later, .restHost: true
        case .never, .leaveHost: false
        }
    }

    /// Whether the request is made again in its host's next turn, beside the retries that are configured: another version of HTTP
    /// mends it.
    ///
    /// - Parameter attempt: how often it was made again already.
    func isAskedAgainAtOnce(attempt: Int) -> Bool { self == .endUncertain && attempt == 0 }

    /// What the failure shows about its host.
    var sign: PolitenessSchedule.HostSign {
        switch self {
        case .notAllowed: .untouched
        case .hostNotFound, .lookUpFailed, .connectionFailed, .timedOut, .tooCostly: .troubled(retryAfter: nil)
        case .truncatedBody, .protocolError, .cancelled: .stumbled
        // A fault of this URL alone, or of a certificate or address: the host has answered, or was not asked at all.
        case .unsupportedScheme, .addressRefused, .tls, .bodyTooLarge, .headersTooLarge, .endUncertain,
            .badContentEncoding:
            .answered(.zero, isError: true)
        }
    }

    /// Whether it says something about the host, and not about one URL of it alone.
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

    /// Whether a connection was tried, and brought no answer: the machine at the address may be in trouble.
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

    /// What the code leaves out; with the code it says all that `FetchError+Words.swift` needs.
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
}
