import PippinPage

/// The reason why an HTTP exchange gave no response.
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
    /// The answer asks for a signature that the request did not have (`Accept-Signature`); with its status.
    case signatureWanted(status: Int)
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
        case .truncatedBody, .endUncertain, .protocolError, .signatureWanted, .cancelled: .later
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
            .badContentEncoding, .signatureWanted, .cancelled:
            false
        }
    }

    /// Whether a connection gave no answer, so that the machine at the address may be in trouble.
    var failsAddress: Bool {
        switch self {
        case .connectionFailed, .timedOut, .tls, .tooCostly: true
        case .unsupportedScheme, .notAllowed, .hostNotFound, .lookUpFailed, .addressRefused, .bodyTooLarge,
            .headersTooLarge, .truncatedBody, .endUncertain, .badContentEncoding, .protocolError, .signatureWanted,
            .cancelled:
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
        case signatureWanted = "signature-wanted"
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
        case .signatureWanted: .signatureWanted
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
        case .signatureWanted(let status): "\(status)"
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
        case .signatureWanted: self = .signatureWanted(status: Int(text) ?? 401)
        case .cancelled: self = .cancelled
        case nil: return nil
        }
    }
}

// MARK: Words

// All messages about network failures use these words, of running and of earlier crawls.

extension FetchError {
    /// Half a sentence: what happened, and where. `the certificate of shop.example is not trusted (self-signed certificate)`
    ///
    /// - Parameters:
    ///   - url: the requested URL.
    ///   - isPlain: whether the message of a library is left out, which may differ from one try to the next.
    func clause(asking url: WebURL, isPlain: Bool = false) -> String {
        let host = url.politenessHost
        func words(_ text: String) -> String { isPlain || text.isEmpty ? "" : " (\(text))" }
        switch self {
        case .unsupportedScheme: return "\(url.scheme) is neither http nor https"
        case .notAllowed(let refusal):
            return "\(url.href) is not asked for: "
                + (isPlain ? "the configuration leaves it out" : refusal.sentence(.both))
        case .hostNotFound: return "no address was found for the name \(host)"
        case .lookUpFailed(let text): return "no name server could say where \(host) is\(words(text))"
        case .addressRefused(let address):
            if isPlain || address.isEmpty { return "the addresses of \(host) are not public" }
            let isPrivate = HostReach(host: address.contains(":") ? "[\(address)]" : address) == .privateHost
            let name = host == address || host == "[\(address)]" ? address : "\(address), the address of \(host),"
            return "\(name) is \(isPrivate ? "a private" : "not a public") address"
        case .connectionFailed(let text):
            let place = "\(host):\(url.port ?? (url.scheme == "http" ? 80 : 443))"
            if !isPlain, text == FetchError.refusedConnection { return "nothing listens at \(place)" }
            return "the connection to \(place) failed\(words(text))"
        case .timedOut(let text): return "\(host) took too long" + (isPlain || text.isEmpty ? "" : ": \(text)")
        case .tls(let fault, let reason):
            let why = words(Self.shortened(reason))
            return switch fault {
            case .untrusted: "the certificate of \(host) is not trusted\(why)"
            case .expired: "the certificate of \(host) has expired\(why)"
            case .notYetValid: "the certificate of \(host) is not valid yet\(why)"
            case .wrongHost: "the certificate of \(host) is for another host\(why)"
            case .handshake: "no TLS connection to \(host) could be agreed on\(why)"
            }
        case .bodyTooLarge: return "the answer is too large\(words(detail ?? ""))"
        case .headersTooLarge: return "the header of the answer is too large"
        case .truncatedBody: return "the connection ended in the middle of the answer"
        case .endUncertain: return "its answer over HTTP/2 has no length, and may have been cut short"
        case .badContentEncoding(let text): return "the body of the answer cannot be decoded\(words(text))"
        case .protocolError(let text): return "what \(host) answered is not HTTP\(words(text))"
        case .tooCostly(let text): return "\(host) keeps us busy without answering\(words(text))"
        case .signatureWanted(let status): return "\(host) wants signed requests\(words("status \(status)"))"
        case .cancelled: return "the run ended before the answer came"
        }
    }

    /// The remedy, without a full stop; nil if there is none.
    func remedy(_ spelling: Setting.Spelling) -> String? {
        func name(_ setting: Setting) -> String { setting.spelled(spelling) }
        switch self {
        case .hostNotFound: return "Check the spelling of the name, and its DNS entry"
        case .addressRefused: return "Allow private addresses with \(name(.allowPrivateNetworks))"
        case .connectionFailed(let text):
            return text == FetchError.refusedConnection ? "Check the port, and the server" : nil
        case .timedOut:
            return "The time limits are \(name(.connectTimeout)) and \(name(.timeout)); for robots.txt never above 10 s"
        case .tls(let fault, _):
            return switch fault {
            case .untrusted: "Add its authority with \(name(.certificateAuthority)), or fix the server's certificate"
            case .expired, .notYetValid, .wrongHost: "Fix the server's certificate"
            case .handshake: nil
            }
        case .bodyTooLarge:
            return "The limit is \(name(.maximumBody)), or smaller for robots.txt and other files of sites"
        case .lookUpFailed: return "Check the name servers that this machine asks, and those of the domain"
        case .unsupportedScheme, .notAllowed, .headersTooLarge, .truncatedBody, .endUncertain, .badContentEncoding,
            .protocolError, .tooCostly, .signatureWanted, .cancelled:
            return nil
        }
    }

    /// The failure and its remedy, without the last full stop.
    func explanation(asking url: WebURL, _ spelling: Setting.Spelling) -> String {
        clause(asking: url) + (remedy(spelling).map { ". \($0)" } ?? "")
    }

    /// The reason without the words that the sentence around it already has.
    private static func shortened(_ reason: String) -> String {
        for prefix in ["SSL certificate problem: ", "SSL: "] where reason.hasPrefix(prefix) {
            return String(reason.dropFirst(prefix.count))
        }
        return reason
    }
}

extension Duration {
    /// The duration in seconds: `30 s`, `0.3 s`.
    public var words: String {
        let tenths = (self / .milliseconds(100)).rounded() / 10
        return tenths == tenths.rounded() && abs(tenths) < 1e15 ? "\(Int(tenths)) s" : "\(tenths) s"
    }
}
