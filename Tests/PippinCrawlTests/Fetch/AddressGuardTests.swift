import Testing

@testable import PippinCrawl

@Suite struct AddressGuardTests {
    private func isPublic(_ text: String) throws -> Bool {
        AddressGuard.isPublic(try #require(NetworkAddress(text)))
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "17.253.144.10", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
        "168.63.129.15", "168.63.129.17", "192.0.1.0", "192.167.255.255", "198.17.255.255", "198.20.0.0",
        "223.255.255.255",
        "2606:4700::1111", "2a00:1450:4001::8a", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:0808:0808::1",
        "2001:200::1",
    ])
    func `addresses of the public internet are allowed`(_ address: String) throws {
        #expect(try isPublic(address))
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255",
        // Metadata services of clouds, and what is inside of them.
        "168.63.129.16", "100.100.100.200", "192.0.0.192", "192.0.0.170", "192.0.0.255", "203.0.113.255",
    ])
    func `special IPv4 addresses are refused`(_ address: String) throws {
        #expect(try !isPublic(address))
        #expect(try !isPublic("::ffff:\(address)"))
        #expect(try !isPublic("64:ff9b::\(address)"))
        #expect(try !isPublic("::\(address)"))
    }

    @Test(arguments: [
        "::", "::1", "::8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b:1::808:808", "100::1", "fc00::1", "fd12:3456::1",
        "fe80::1", "febf::1", "fec0::1", "ff02::1", "2001:db8::1", "3fff::1", "3fff:fff::1", "5f00::1", "2001:2::1",
        "2001:10::1", "4000::1", "2002:7f00:1::", "2002:c0a8:0101::1",
        "fd00:ec2::254", "fdff:ffff::1", "feff::1", "100:0:0:1::1", "64:ff9b:1:ffff::1", "2001:1ff:ffff::1",
        "2001:20::1",
        "2001:db8:ffff::1", "3fff:0fff:ffff::1", "2002:a83f:8110::1", "2002:a9fe:a9fe::1", "64:ff9b::a83f:8110",
        // Teredo with a private server, and with a client at 10.0.0.1 (its bits inverted).
        "2001:0:a00:1::f7f7:f7f7", "2001:0:808:808::f5ff:fffe",
        // ISATAP ends at 192.168.0.1.
        "2606:4700::5efe:c0a8:1", "2606:4700::200:5efe:c0a8:1",
    ])
    func `special IPv6 addresses, and those that carry a special IPv4 address, are refused`(_ address: String) throws {
        #expect(try !isPublic(address))
    }

    @Test func `a Teredo address goes where its server and client go`() throws {
        #expect(try isPublic("2001:0:808:808::f7f7:f7f7"))
    }

    @Test func `private networks are allowed when the operator says so`() throws {
        let loopback = try #require(NetworkAddress("127.0.0.1"))
        #expect(!AddressGuard().allows(loopback))
        #expect(AddressGuard(allowPrivateNetworks: true).allows(loopback))
    }

    /// Forms of one IPv4 address are one machine, and so are all addresses of a /64.
    @Test(arguments: [
        ("9.9.9.9", "9.9.9.9"), ("::ffff:9.9.9.9", "9.9.9.9"), ("64:ff9b::909:909", "9.9.9.9"),
        ("2002:909:909:1::5", "9.9.9.9"), ("2620:fe::fe", "2620:fe::"), ("2620:fe::9", "2620:fe::"),
        ("2620:fe:0:1::9", "2620:fe:0:1::"), ("64:ff9b:1::909:909", "64:ff9b:1::"), ("::1", "::1"),
    ])
    func `addresses of one machine are known as one`(address: String, machine: String) throws {
        #expect(try #require(NetworkAddress(address)).machine == NetworkAddress(machine))
    }

    @Test(arguments: ["192.0.2.1", "2001:db8::1", "::ffff:10.0.0.1"])
    func `an address is written the usual way`(_ text: String) throws {
        #expect(try #require(NetworkAddress(text)).description == text)
    }
}
