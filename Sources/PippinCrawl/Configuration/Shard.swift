import PippinPage

/// One of the shards into which a job is cut so that several machines can crawl it.
///
/// A shard owns whole sites (`SiteIdentity`), because canonical pages, records with equal content and association files join the
/// hosts of a site. Which shard owns a host is decided here and nowhere else; what the rule says has a name, `rule`, and never changes.
public struct Shard: Sendable, Hashable {
    /// The name of the rule: the first eight bytes of the SHA-256 of the site, as a number with the most significant byte first,
    /// modulo the number of shards.
    public static let rule = "site-1"
    /// More shards than any job has machines for.
    public static let maximumCount = 65_536

    /// Which one this is, from 0.
    public let number: Int
    /// How many there are.
    public let count: Int

    /// Creates a shard; nil if there is no such shard.
    public init?(_ number: Int, of count: Int) {
        guard (1...Self.maximumCount).contains(count), (0..<count).contains(number) else { return nil }
        self.number = number
        self.count = count
    }

    /// The number of the shard that owns a host.
    ///
    /// - Parameter host: as `CrawlRequest.host` gives it.
    public static func number(ofHost host: String, among count: Int) -> Int {
        let digest = Digest.sha256(Array(SiteIdentity.site(of: host).utf8))
        let value = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(value % UInt64(count))
    }

    /// The number of the shard that owns a host.
    public func owner(of host: String) -> Int { Self.number(ofHost: host, among: count) }

    /// Whether this shard owns a host.
    public func owns(_ host: String) -> Bool { owner(of: host) == number }
}

extension CrawlConfiguration {
    /// How a job is cut into shards (Docs/Cluster.md). Only `pippin worker` and its driver read it.
    public struct Cluster: Sendable, Equatable {
        /// What is done so that two shards do not ask one address too often.
        enum SharedAddresses: String, Sendable, CaseIterable {
            /// A shard asks only what the driver has named for it, in slots of time if another shard asks it too.
            case slots
            /// Nothing.
            case ignore
        }

        /// How many shards there are. Nil: the driver says so.
        public var shards: Int?
        /// How long an epoch is.
        public var epoch = Duration.seconds(600)
        /// Whether the links of pages are told.
        public var tellsLinks = false
        /// What is done about addresses with hosts of several shards.
        var sharedAddresses = SharedAddresses.slots
        /// Whether the driver keeps a snapshot of each shard's storage after its turns.
        var keepsSnapshots = true
        /// The shard that this process crawls; nil on one machine. Not in the file: the driver says so.
        var shard: Shard?
        /// The addresses that this process may ask.
        var addresses = AddressShares.all

        /// The defaults.
        public init() {}
    }
}

extension CrawlConfiguration.Cluster {
    init(_ section: ConfigurationSection) throws {
        self.init()
        shards = try section.integer("shards", in: 1...Shard.maximumCount)
        epoch = try section.duration("turn", in: .seconds(1) ... .seconds(86_400)) ?? epoch
        tellsLinks = try section.boolean("links") ?? tellsLinks
        sharedAddresses = try section.choice("shared_addresses", SharedAddresses.self) ?? sharedAddresses
        keepsSnapshots = try section.boolean("snapshots") ?? keepsSnapshots
    }
}
