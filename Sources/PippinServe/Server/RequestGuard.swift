import Foundation
import Hummingbird
import PippinPage

/// Decides which requests are looked at: their size, the host they name, where they come from.
struct RequestGuard: Sendable {
    /// Names that requests may have in `Host`, in lower case and without port. Names that the operator did not list are
    /// refused: a foreign page could have its own name resolve to this machine (DNS rebinding).
    let hostNames: Set<String>
    /// Whether `Host` may be any address. An address cannot be made to resolve to another machine.
    let admitsAddresses: Bool

    static let loopbackNames: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

    /// - Parameters:
    ///   - host: the address that is listened on.
    ///   - names: further names of this server.
    init(host: String, names: [String]) {
        let isLoopback = Self.isLoopback(host)
        let own = host.contains(":") ? "[\(host)]" : host
        hostNames = Self.loopbackNames.union((names + [own]).map { $0.lowercased() })
        admitsAddresses = !isLoopback
    }

    static func isLoopback(_ host: String) -> Bool {
        host.lowercased() == "localhost" || host == "::1" || (host.hasPrefix("127.") && isIPv4(host))
    }

    private static func isIPv4(_ host: some StringProtocol) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.utf8.count <= 3 && $0.first != "+" }
    }

    /// Throws if the request is not looked at.
    func check(_ head: HTTPRequest) throws(WebRefusal) {
        let target = head.path ?? ""
        guard target.utf8.count <= WebLimits.targetBytes else {
            throw WebRefusal(.uriTooLong, "The address is longer than \(WebLimits.targetBytes) bytes.")
        }
        let fields = head.headerFields
        let size = fields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
        guard size <= WebLimits.headerBytes, fields.count <= WebLimits.headerFields else {
            throw WebRefusal(
                .requestHeaderFieldsTooLarge,
                "The header fields are more than \(WebLimits.headerBytes) bytes or \(WebLimits.headerFields) fields.")
        }
        // Absolute targets are for proxies (RFC 9112 §3.2).
        guard target.hasPrefix("/") else { throw WebRefusal(.badRequest, "The target of a request is a path.") }
        let isRepeated = fields.contains { $0.name.canonicalName == "host" }
        guard let authority = head.authority, !isRepeated else {
            throw WebRefusal(.badRequest, "A request names its host once.")
        }
        guard admits(authority) else {
            throw WebRefusal(
                .misdirectedRequest,
                "This server does not have the name \(Wording.quoted(authority, to: 80)). If it should, start it with --name."
            )
        }
    }

    func admits(_ authority: String) -> Bool {
        guard let host = Self.host(of: authority) else { return false }
        if hostNames.contains(host) { return true }
        return admitsAddresses && (Self.isIPv4(host) || host.hasPrefix("["))
    }

    /// The host of an authority, in lower case and without port; nil if it is malformed.
    private static func host(of authority: String) -> String? {
        var host = authority.lowercased()[...]
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            let port = host[host.index(after: colon)...]
            guard port.utf8.count <= 5, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            host = host[..<colon]
        }
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"),
                host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
            else { return nil }
        }
        return host.isEmpty ? nil : String(host)
    }

    /// Throws if a page of another site has sent the form. Browsers say where a request comes from (Fetch Metadata; Origin,
    /// RFC 6454); other programs send neither field, and have no cookie that could be misused.
    func checkOrigin(_ head: HTTPRequest, _ fields: [String: String]) throws(WebRefusal) {
        let refusal = WebRefusal(.forbidden, "A page of another site has sent this form.")
        if let site = fields["sec-fetch-site"] {
            guard site == "same-origin" || site == "none" else { throw refusal }
            // Forms of pages without referrer have the origin `null`.
            return
        }
        if let origin = fields["origin"] {
            // The scheme may differ behind a proxy that ends TLS.
            guard let range = origin.range(of: "://"), let authority = head.authority,
                origin[range.upperBound...].lowercased() == authority.lowercased()
            else { throw refusal }
        }
    }
}
