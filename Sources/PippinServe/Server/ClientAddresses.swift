import NIOCore
import PippinCrawl

/// Decides who sends a request, so that nobody takes what is there for all.
struct ClientAddresses: Sendable {
    /// Proxies of the operator. They send the requests of many, and say whose each is.
    private let proxies: Set<String>

    /// The most proxies that a request may have come through.
    private static let maximumForwards = 16

    init() { proxies = [] }

    /// - Throws: `ReportedFailure` if one is no IP address.
    init(proxies: [String]) throws {
        self.proxies = Set(
            try proxies.map { text in
                guard let address = Self.parsed(text)?.ipAddress else {
                    throw ReportedFailure("--proxy \(text) is no IP address, such as 10.0.0.5", .usage)
                }
                return address
            })
    }

    private static func parsed(_ text: some StringProtocol) -> SocketAddress? {
        // NIO tells by an error that a text is none.
        try? SocketAddress(ipAddress: String(text), port: 0)
    }

    /// The text of an address; that of IPv4 where a socket for both writes it as one of IPv6 (RFC 4291 §2.5.5.2).
    private static func text(_ address: SocketAddress?) -> String {
        let text = address?.ipAddress ?? ""
        return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
    }

    private static func isLoopback(_ text: String) -> Bool {
        text.isEmpty || text == "::1" || text.hasPrefix("127.")
    }

    /// Whether many clients may have one address: this machine's, and those of proxies.
    func isShared(_ address: SocketAddress?) -> Bool {
        let text = Self.text(address)
        return Self.isLoopback(text) || proxies.contains(text)
    }

    /// Who is behind an address: of IPv6 the first 64 bits, because each household has as many addresses as it likes in them.
    func origin(of address: SocketAddress?) -> String {
        let text = Self.text(address)
        guard case .v6(let parts) = address, !isShared(address), !text.contains(".") else { return text }
        return withUnsafeBytes(of: parts.address.sin6_addr) { bytes in
            bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
        }
    }

    /// Who has sent a request.
    ///
    /// - Parameters:
    ///   - address: the other end of the connection.
    ///   - forwardedFor: the fields `X-Forwarded-For`, to which each proxy adds where it has the request from. Only what the
    ///     operator's proxies have added counts: a client may write what it likes before.
    func client(of address: SocketAddress?, forwardedFor: [String]) -> String {
        guard proxies.contains(Self.text(address)) else { return origin(of: address) }
        var last = address
        for entry in forwardedFor.joined(separator: ",").split(separator: ",").suffix(Self.maximumForwards).reversed() {
            guard let address = Self.parsed(entry.trimmingSpaces) else { break }
            last = address
            if !proxies.contains(Self.text(address)) { break }
        }
        return origin(of: last)
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let end = text.last, end == " " || end == "\t" { text.removeLast() }
        return text
    }
}
