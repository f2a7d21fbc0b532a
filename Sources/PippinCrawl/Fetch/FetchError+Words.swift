import PippinPage

// The words for network failures. All messages about failures, of running and of earlier crawls, use them.

extension FetchError {
    /// Half a sentence: what happened, and where. `the certificate of shop.example is not trusted (self-signed certificate)`
    ///
    /// - Parameters:
    ///   - url: the requested URL.
    ///   - isPlain: whether the message of a library is left out, which may differ from one try to the next.
    public func clause(asking url: WebURL, isPlain: Bool = false) -> String {
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
        case .cancelled: return "the run ended before the answer came"
        }
    }

    /// The remedy, without a full stop; nil if there is none.
    public func remedy(_ spelling: Setting.Spelling) -> String? {
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
            case .untrusted: "Add its authority with \(name(.certificateAuthority)), or mend the server's certificate"
            case .expired, .notYetValid, .wrongHost: "Mend the server's certificate"
            case .handshake: nil
            }
        case .bodyTooLarge:
            return "The limit is \(name(.maximumBody)), or smaller for robots.txt and other files of sites"
        case .lookUpFailed: return "Check the name servers that this machine asks, and those of the domain"
        case .unsupportedScheme, .notAllowed, .headersTooLarge, .truncatedBody, .endUncertain, .badContentEncoding,
            .protocolError, .tooCostly, .cancelled:
            return nil
        }
    }

    /// The failure and its remedy, without the last full stop.
    public func explanation(asking url: WebURL, _ spelling: Setting.Spelling) -> String {
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
