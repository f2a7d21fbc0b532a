import PippinPage

/// Why an HTTP exchange gave no response. `FetchError+Words.swift` says it in words.
public enum FetchError: Error, Sendable, Hashable {
    case unsupportedScheme(String)
    /// The host name has no address.
    case hostNotFound
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
    case badContentEncoding(String)
    case protocolError(String)
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
    }

    public var retry: Retry {
        switch self {
        case .hostNotFound, .connectionFailed, .timedOut: .restHost
        case .truncatedBody, .protocolError, .cancelled: .later
        case .unsupportedScheme, .addressRefused, .tls, .bodyTooLarge, .headersTooLarge, .badContentEncoding: .never
        }
    }
}
