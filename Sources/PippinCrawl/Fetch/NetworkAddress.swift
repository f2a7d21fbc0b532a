import Glibc

/// An IPv4 or IPv6 address as numbers, most significant bit first.
public enum NetworkAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Reads a socket address of `family`; nil if it is not IP or too short.
    init?(family: Int32, socketAddress bytes: UnsafeRawBufferPointer) {
        switch family {
        case AF_INET:
            guard let offset = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr), bytes.count >= offset + 4 else {
                return nil
            }
            self = .v4(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian)
        case AF_INET6:
            guard let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr), bytes.count >= offset + 16 else {
                return nil
            }
            self = .v6(
                high: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian,
                low: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self).bigEndian)
        default:
            return nil
        }
    }

    /// Reads `192.0.2.1` or `2001:db8::1`, without brackets or zone.
    public init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self = .v4(UInt32(bigEndian: v4.s_addr))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self = withUnsafeBytes(of: &v6) {
                .v6(
                    high: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self).bigEndian,
                    low: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian)
            }
        } else {
            return nil
        }
    }
}

extension NetworkAddress: CustomStringConvertible {
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let length = socklen_t(text.count)
        switch self {
        case .v4(let number):
            var address = in_addr(s_addr: number.bigEndian)
            inet_ntop(AF_INET, &address, &text, length)
        case .v6(let high, let low):
            var halves = (high.bigEndian, low.bigEndian)
            inet_ntop(AF_INET6, &halves, &text, length)
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension NetworkAddress {
    /// The machine of the address, for pacing. Forms with an IPv4 address count as that address: mapped (RFC 4291 §2.5.5.2), NAT64 (RFC
    /// 6052) and 6to4 (RFC 3056). Other IPv6 addresses count by /64: that is the smallest network, and one machine can answer at all
    /// of its addresses.
    public var machine: NetworkAddress {
        guard case .v6(let high, let low) = self else { return self }
        if high == 0, low >> 32 == 0xFFFF { return .v4(UInt32(truncatingIfNeeded: low)) }
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return .v4(UInt32(truncatingIfNeeded: low)) }
        if high >> 48 == 0x2002 { return .v4(UInt32(truncatingIfNeeded: high >> 16)) }
        // Loopback and the like are single addresses, not networks.
        return high == 0 ? self : .v6(high: high, low: 0)
    }

    var isV4: Bool {
        if case .v4 = self { true } else { false }
    }

    /// Orders IPv4 first, each family by number.
    static func < (a: NetworkAddress, b: NetworkAddress) -> Bool {
        switch (a, b) {
        case (.v4(let a), .v4(let b)): a < b
        case (.v4, .v6): true
        case (.v6, .v4): false
        case (.v6(let aHigh, let aLow), .v6(let bHigh, let bLow)): (aHigh, aLow) < (bHigh, bLow)
        }
    }
}

/// The address of a host, as far as its name determines it.
enum HostAddress: Equatable {
    /// The host is an address.
    case literal(NetworkAddress)
    /// `localhost` and names under it: this machine, whatever a name server says (RFC 6761 §6.3).
    case loopback
    /// Never has an address: `invalid` (RFC 6761 §6.4), `onion` (RFC 7686).
    case none
    /// Has to be looked up.
    case name

    /// The address that the name itself shows.
    var address: NetworkAddress? {
        switch self {
        case .literal(let address): address
        case .loopback: .v4(0x7F00_0001)
        case .none, .name: nil
        }
    }

    /// Judges a host by its name.
    ///
    /// - Parameter host: in the form of `WebURL.politenessHost`.
    init(_ host: String) {
        var host = host[...]
        if host.last == "." { host = host.dropLast() }
        if host.first == "[", host.last == "]", let address = NetworkAddress(String(host.dropFirst().dropLast())) {
            self = .literal(address)
        } else if host.utf8.last.map({ $0 &- 0x30 < 10 }) ?? false, let address = NetworkAddress(String(host)) {
            self = .literal(address)
        } else {
            let last = host.lastIndex(of: ".").map { host[host.index(after: $0)...] } ?? host
            switch last {
            case "localhost": self = .loopback
            case "invalid", "onion": self = .none
            default: self = .name
            }
        }
    }
}
