/// Why an HTTP exchange gave no response.
public enum FetchError: Error, Sendable, Hashable {
    case unsupportedScheme(String)
    /// The host name has no address.
    case hostNotFound
    /// `AddressGuard` refused every address of the host (private, loopback, link-local …).
    case addressRefused(String)
    case connectionFailed(String)
    case timedOut
    /// TLS could not be agreed on, or the certificate is not valid for the host.
    case tls(String)
    case bodyTooLarge(limit: Int)
    case headersTooLarge
    /// The connection ended before the announced length.
    case truncatedBody
    case badContentEncoding(String)
    case protocolError(String)
    case cancelled

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
