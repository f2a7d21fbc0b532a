import Foundation
import Glibc

/// Receives datagrams that this machine sends to one of its ports, or to a group of hosts.
public final class DatagramListener {
    public let port: UInt16
    private let socket: Int32
    private let destination: String

    /// - Parameter group: a multicast address to listen to, on the loopback device and on that of the default route.
    public init(multicast group: String? = nil, port: UInt16) throws {
        (self.port, destination) = (port, group ?? "127.0.0.1")
        socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        // Others on this machine may listen, too.
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &on, socklen_t(MemoryLayout<Int32>.size))
        try Self.check("bind", Self.with(group == nil ? "127.0.0.1" : "0.0.0.0", port) { bind(socket, $0, $1) })
        guard let group else { return }
        for device in ["127.0.0.1", "0.0.0.0"] {
            var membership = ip_mreq(
                imr_multiaddr: in_addr(s_addr: inet_addr(group)), imr_interface: in_addr(s_addr: inet_addr(device)))
            // A machine without a network has no default route.
            setsockopt(
                socket, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &membership, socklen_t(MemoryLayout<ip_mreq>.size))
        }
    }

    deinit { close(socket) }

    /// The sizes of the datagrams since the last call. Those of other machines do not count.
    public func received() -> [Int] {
        var sizes: [Int] = []
        var block = [UInt8](repeating: 0, count: 2_000)
        while true {
            var sender = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &sender) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(socket, &block, block.count, Int32(MSG_DONTWAIT), $0, &length)
                }
            }
            guard count >= 0 else { return sizes }
            if Self.isOfThisMachine(sender.sin_addr) { sizes.append(count) }
        }
    }

    /// An address is this machine's if a socket can be bound to it.
    private static func isOfThisMachine(_ address: in_addr) -> Bool {
        let probe = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(probe) }
        return with(String(cString: inet_ntoa(address)), 0) { bind(probe, $0, $1) } == 0
    }

    public func sendToItself(_ text: String) throws {
        var loopback = in_addr(s_addr: inet_addr("127.0.0.1"))
        setsockopt(
            socket, Int32(IPPROTO_IP), IP_MULTICAST_IF, &loopback, socklen_t(MemoryLayout<in_addr>.size))
        try Self.check("send", Self.with(destination, port) { Int32(sendto(socket, text, text.utf8.count, 0, $0, $1)) })
    }

    private static func with(_ address: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32)
        -> Int32
    {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = inet_addr(address)
        return withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func check(_ what: String, _ result: Int32) throws {
        guard result < 0 else { return }
        throw CocoaError(
            .fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: "\(what): \(String(cString: strerror(errno)))"])
    }
}
