import Foundation
import PippinCrawl

/// The name of an address, and whether it leads back: the check by which Google, Bing and Apple let their crawlers be verified.
enum ReverseName: Sendable, Equatable {
    case none
    /// The name has other addresses.
    case other(String)
    case confirmed(String)

    /// Looks an address up, on a thread of its own because the system's functions block.
    static func of(_ address: String) async -> ReverseName {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: lookUp(address)) }
        }
    }

    private static func lookUp(_ address: String) -> ReverseName {
        guard let name = name(of: address) else { return .none }
        let back = addresses(of: name, flags: 0) { sockaddr, length in text(sockaddr, length, NI_NUMERICHOST) }
        return back.contains { NetworkAddress($0) == NetworkAddress(address) } ? .confirmed(name) : .other(name)
    }

    private static func name(of address: String) -> String? {
        addresses(of: address, flags: AI_NUMERICHOST) { sockaddr, length in text(sockaddr, length, NI_NAMEREQD) }.first
    }

    private static func addresses(
        of name: String, flags: Int32, _ text: (UnsafePointer<sockaddr>, socklen_t) -> String?
    ) -> [String] {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var texts: [String] = []
        var next = first
        while let entry = next, texts.count < 64 {
            if let address = entry.pointee.ai_addr, let text = text(address, entry.pointee.ai_addrlen) {
                texts.append(text)
            }
            next = entry.pointee.ai_next
        }
        return texts
    }

    private static func text(_ address: UnsafePointer<sockaddr>, _ length: socklen_t, _ flags: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, length, &buffer, socklen_t(buffer.count), nil, 0, flags) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
