/// Decides which addresses the crawler may connect to, so that pages cannot reach into its own network.
///
/// It checks the address when the socket is opened. An earlier look-up does not count, so a name that changes its address in
/// between (DNS rebinding) does not help an attacker.
struct AddressGuard: Sendable {
    /// Whether private addresses are allowed, for tests, benchmarks and crawls of an intranet.
    var allowPrivateNetworks = false

    func allows(_ address: NetworkAddress) -> Bool {
        allowPrivateNetworks || Self.isPublic(address)
    }

    /// True for an address on the public internet.
    static func isPublic(_ address: NetworkAddress) -> Bool {
        switch address {
        case .v4(let number): isPublic(v4: number)
        case .v6(let high, let low): isPublic(high: high, low: low)
        }
    }

    // MARK: - IPv4

    /// The blocks of the IANA IPv4 Special-Purpose Address Registry (RFC 6890) that are not globally reachable,
    /// multicast, and one internal address of a cloud. The few reachable addresses inside 192.0.0.0/24 are anycast services, never
    /// web sites. Metadata services are in these blocks: 169.254.169.254, 100.100.100.200 (Alibaba), 192.0.0.192 (Oracle).
    private static let closedV4: [(prefix: UInt32, length: UInt32)] = [
        (0x0000_0000, 8),  // this network; 0.0.0.0 reaches the local host
        (0x0A00_0000, 8),  // private, RFC 1918
        (0x6440_0000, 10),  // shared by carriers (CGNAT), RFC 6598
        (0x7F00_0000, 8),  // loopback
        (0xA83F_8110, 32),  // 168.63.129.16: not special at IANA, but the inside of Azure for every machine there
        (0xA9FE_0000, 16),  // link-local, home of cloud metadata services
        (0xAC10_0000, 12),  // private, RFC 1918
        (0xC000_0000, 24),  // IETF protocol assignments
        (0xC000_0200, 24),  // documentation, TEST-NET-1
        (0xC058_6300, 24),  // 6to4 relay anycast, withdrawn by RFC 7526
        (0xC0A8_0000, 16),  // private, RFC 1918
        (0xC612_0000, 15),  // benchmarking, RFC 2544
        (0xC633_6400, 24),  // documentation, TEST-NET-2
        (0xCB00_7100, 24),  // documentation, TEST-NET-3
        (0xE000_0000, 4),  // multicast
        (0xF000_0000, 4),  // reserved, and the broadcast address
    ]

    private static func isPublic(v4 number: UInt32) -> Bool {
        !closedV4.contains { (number ^ $0.prefix) >> (32 - $0.length) == 0 }
    }

    // MARK: - IPv6

    /// The blocks inside global unicast (2000::/3) that are not globally reachable, by their upper 64 bits
    /// (IANA IPv6 Special-Purpose Address Registry). Teredo, inside the first, is checked before.
    private static let closedV6: [(prefix: UInt64, length: UInt64)] = [
        (0x2001_0000_0000_0000, 23),  // IETF protocol assignments: benchmarking, ORCHID …
        (0x2001_0DB8_0000_0000, 32),  // documentation, RFC 3849
        (0x3FFF_0000_0000_0000, 20),  // documentation, RFC 9637
    ]

    private static func isPublic(high: UInt64, low: UInt64) -> Bool {
        // Forms with an IPv4 address inside lead to that address.
        if high == 0, low >> 32 == 0xFFFF {  // ::ffff:0:0/96, mapped (RFC 4291 §2.5.5.2)
            return isPublic(v4: UInt32(truncatingIfNeeded: low))
        }
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 {  // 64:ff9b::/96, NAT64 (RFC 6052)
            return isPublic(v4: UInt32(truncatingIfNeeded: low))
        }
        if high >> 48 == 0x2002 {  // 2002::/16, 6to4 (RFC 3056)
            return isPublic(v4: UInt32(truncatingIfNeeded: high >> 16)) && isPublicTunnelEnd(low)
        }
        // 2001::/32, Teredo (RFC 4380 §4): the server, and the client with its bits inverted.
        if high >> 32 == 0x2001_0000 {
            return isPublic(v4: UInt32(truncatingIfNeeded: high)) && isPublic(v4: ~UInt32(truncatingIfNeeded: low))
        }
        // Everything outside global unicast is closed: unspecified, loopback, IPv4-compatible (::/96), translated
        // (::ffff:0:0:0/96), local NAT64 (64:ff9b:1::/48), discard and dummy (100::/64, 100:0:0:1::/64), unique local
        // (fc00::/7, with AWS's metadata at fd00:ec2::254), link-local (fe80::/10), site-local (fec0::/10), multicast
        // (ff00::/8), segment routing (5f00::/16), and unassigned blocks.
        guard high >> 61 == 0b001 else { return false }
        return !closedV6.contains { (high ^ $0.prefix) >> (64 - $0.length) == 0 } && isPublicTunnelEnd(low)
    }

    /// False for an ISATAP interface identifier (RFC 5214 §6.1) with an IPv4 address that is not public.
    private static func isPublicTunnelEnd(_ low: UInt64) -> Bool {
        let identifier = low >> 32
        guard identifier == 0x0000_5EFE || identifier == 0x0200_5EFE else { return true }
        return isPublic(v4: UInt32(truncatingIfNeeded: low))
    }
}
