import PippinPage

/// Whether a host is private or public. A private host can only belong to the operator, so it needs no contact and may be asked
/// without a delay (tests, benchmarks).
enum HostReach: Sendable {
    case privateHost, publicHost

    /// Judges a host.
    ///
    /// - Parameter host: serialized as in the URL Standard: IPv4 as four decimal parts, IPv6 in brackets. A name is judged by
    ///   itself, not by its address: only names reserved for private use count as private (RFC 6761, RFC 8375).
    init(host: String) {
        self = Self.isPrivate(host) ? .privateHost : .publicHost
    }

    private static func isPrivate(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            let address = host.dropFirst().dropLast()
            // RFC 4291 loopback, RFC 4193 unique local fc00::/7, RFC 4291 link-local fe80::/10.
            if address == "::1" { return true }
            let first = UInt16(address.prefix { $0 != ":" }, radix: 16) ?? 0
            return first & 0xFE00 == 0xFC00 || first & 0xFFC0 == 0xFE80
        }
        let labels = host.split(separator: ".")
        if labels.count == 4, let a = UInt8(labels[0]), let b = UInt8(labels[1]), UInt8(labels[2]) != nil,
            UInt8(labels[3]) != nil
        {
            switch a {
            case 10, 127: return true
            case 169: return b == 254
            case 172: return b & 0xF0 == 16
            case 192: return b == 168
            default: return false
            }
        }
        guard let last = labels.last else { return false }
        return ["localhost", "test", "invalid"].contains(last) || host.hasSuffix(".home.arpa")
    }
}

extension WebURL {
    /// The host without a trailing dot, because `example.org.` and `example.org` are the same machine.
    public var politenessHost: String {
        guard let host else { return "" }
        return host.utf8.last == 0x2E ? String(host.dropLast()) : String(host)
    }
}
