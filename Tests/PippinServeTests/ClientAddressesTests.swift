import NIOCore
import PippinCrawl
import Testing

@testable import PippinServe

/// Whose request it is, behind proxies and without.
@Suite struct ClientAddressesTests {
    private static func address(_ text: String) throws -> SocketAddress { try SocketAddress(ipAddress: text, port: 9) }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("127.0.0.1", "127.0.0.1"),
        ("2001:db8:0:1::7", "20:1:d:b8:0:0:0:1"), ("2001:db8:0:1:ffff::", "20:1:d:b8:0:0:0:1"),
    ])
    func `a household of IPv6 is one client`(address: String, client: String) throws {
        #expect(ClientAddresses().origin(of: try Self.address(address)) == client)
    }

    @Test(arguments: [
        // The proxy adds the client last; what stands before, the client has written.
        (["192.0.2.7"], "192.0.2.7"), (["198.51.100.1, 192.0.2.7"], "192.0.2.7"),
        (["198.51.100.1", "192.0.2.7"], "192.0.2.7"), (["192.0.2.7,10.0.0.6"], "192.0.2.7"),
        // What is no address names nobody.
        ([], "10.0.0.5"), (["unknown"], "10.0.0.5"), (["192.0.2.7, 10.0.0.6 , x"], "10.0.0.5"), ([","], "10.0.0.5"),
    ])
    func `a proxy says whose a request is`(fields: [String], client: String) throws {
        let addresses = try ClientAddresses(proxies: ["10.0.0.5", "10.0.0.6"])
        #expect(addresses.client(of: try Self.address("10.0.0.5"), forwardedFor: fields) == client)
        // Others may say what they like.
        #expect(addresses.client(of: try Self.address("10.0.0.9"), forwardedFor: fields) == "10.0.0.9")
        #expect(addresses.isShared(try Self.address("10.0.0.5")))
        #expect(try !addresses.isShared(Self.address("10.0.0.9")))
    }

    @Test(arguments: ["proxy.example", "10.0.0.0/8", "", "10.0.0.5:80"])
    func `a proxy is an IP address`(text: String) {
        #expect(throws: ReportedFailure.self) { try ClientAddresses(proxies: [text]) }
    }
}
