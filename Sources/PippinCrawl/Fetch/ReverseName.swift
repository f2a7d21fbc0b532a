import Foundation

/// The name of an address, and whether it leads back: the check by which Google, Bing and Apple let their crawlers be verified.
public enum ReverseName: Sendable, Equatable {
    case none
    /// The name has other addresses.
    case other(String)
    case confirmed(String)
    /// A name server did not say, with the reason.
    case failed(String)

    /// The limit of each of the two look-ups, as for hosts of a crawl.
    private static let limit = Duration.seconds(10)

    /// Looks an address up.
    public static func of(_ address: NetworkAddress) async -> ReverseName {
        await of(
            address, names: NameLookUps(of: "name", limit: limit, resolve: name(of:)),
            addresses: NameLookUps(limit: limit))
    }

    static func of(
        _ address: NetworkAddress, names: NameLookUps<String>, addresses: NameLookUps<[NetworkAddress]>
    ) async -> ReverseName {
        let name: String
        switch await names.answer(for: address.description) {
        case .success(let found): name = found
        case .failure(.hostNotFound): return .none
        case .failure(let error): return .failed(words(error))
        }
        switch await addresses.addresses(of: name) {
        case .success(let found): return found.contains(address) ? .confirmed(name) : .other(name)
        case .failure(.hostNotFound): return .other(name)
        case .failure(let error): return .failed(words(error))
        }
    }

    private static func words(_ error: FetchError) -> String {
        switch error {
        case .lookUpFailed(let text), .timedOut(let text): text
        default: error.code
        }
    }

    /// Asks the system and waits.
    private static func name(of text: String) -> Result<String, FetchError> {
        switch NetworkAddress(text) {
        case .v4(let number):
            var socket = sockaddr_in()
            socket.sin_family = sa_family_t(AF_INET)
            socket.sin_addr.s_addr = number.bigEndian
            return withUnsafeBytes(of: &socket, name(of:))
        case .v6(let high, let low):
            var socket = sockaddr_in6()
            socket.sin6_family = sa_family_t(AF_INET6)
            withUnsafeMutableBytes(of: &socket.sin6_addr) { bytes in
                bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return withUnsafeBytes(of: &socket, name(of:))
        case nil: return .failure(.hostNotFound)
        }
    }

    private static func name(of socket: UnsafeRawBufferPointer) -> Result<String, FetchError> {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(
            socket.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(socket.count), &buffer,
            socklen_t(buffer.count), nil, 0, NI_NAMEREQD)
        guard code == 0 else {
            guard code != EAI_NONAME else { return .failure(.hostNotFound) }
            return .failure(.lookUpFailed(gai_strerror(code).map { String(cString: $0) } ?? "error \(code)"))
        }
        return .success(String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}
