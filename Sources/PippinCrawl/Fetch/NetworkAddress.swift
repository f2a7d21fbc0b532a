import Glibc

/// An IPv4 or IPv6 address as the numbers it is made of, most significant bit first.
enum NetworkAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Reads the address of a socket address of `family`; nil for families that are not IP or too short to be one.
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
    init?(_ text: String) {
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
    var description: String {
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
