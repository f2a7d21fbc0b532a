import PippinPage

extension PolitenessSchedule {
    public struct Settings: Sendable {
        /// What is kept towards a host.
        struct Rules: Sendable {
            var delay: Duration
            var maximumCrawlDelay: Duration
            var connections: Int
            /// Quiet hours of the host alone; those of the whole crawl come on top.
            var quiet: Quiet?
        }

        struct Quiet: Sendable {
            var hours: QuietHours
            /// The delay in these hours; nil when no request is made in them.
            var delay: Duration?

            init?(_ hours: QuietHours, delay: Duration?) {
                guard !hours.isEmpty else { return nil }
                self.hours = hours
                self.delay = delay
            }
        }

        /// The first are those of all hosts without rules of their own.
        private(set) var rules: [Rules]
        /// Which rules a pattern of `politeness.hosts` stands for.
        private let rulesByPattern: [String: Int]
        /// Quiet hours of the whole crawl.
        let quiet: Quiet?
        let adaptive: Bool
        private let privateHostDelay: Duration?
        let minimumPublicDelay = CrawlConfiguration.minimumPublicDelay
        /// Between two requests to one public address, and to one private address.
        let publicAddressDelay: Duration
        let privateAddressDelay: Duration
        /// Between any two requests; zero when their rate is not limited.
        let interval: Duration
        /// First rest of a host in trouble; doubles with every further trouble in a row.
        let rest: Duration
        let maximumWait: Duration
        /// Between two look-ups of names, all domains together.
        let lookUpInterval: Duration
        /// Set by whoever answers `.lookUp`: names are looked up before their hosts are asked. Else an address is learnt from the
        /// first answer.
        var looksUp = false
        /// Set by whoever calls `takeChangedClocks`.
        var notesChangedClocks = false

        /// - Parameter privateHostDelay: the least delay of private hosts, in place of the configuration's. What their robots.txt
        ///   asks for, and rests, are kept whatever it is.
        public init(_ configuration: CrawlConfiguration, privateHostDelay: Duration? = nil) {
            self.privateHostDelay = privateHostDelay
            let politeness = configuration.politeness
            rules = [Rules(politeness, host: nil)]
            var byPattern: [String: Int] = [:]
            for (pattern, own) in politeness.hosts {
                byPattern[pattern] = rules.count
                rules.append(Rules(politeness, host: own))
            }
            rulesByPattern = byPattern
            quiet = Quiet(politeness.quietHours, delay: politeness.quietDelay)
            adaptive = politeness.adaptive
            publicAddressDelay = max(politeness.delayPerAddress ?? politeness.delay, minimumPublicDelay)
            privateAddressDelay = politeness.delayPerAddress ?? privateHostDelay ?? politeness.delay
            interval = politeness.maximumRequestsPerSecond.map { .nanoseconds(Int64((1e9 / $0).rounded(.up))) } ?? .zero
            lookUpInterval = .nanoseconds(Int64((1e9 / politeness.maximumLookUpsPerSecond).rounded(.up)))
            rest = configuration.fetch.retryDelay
            maximumWait = configuration.fetch.maximumWait
        }

        /// The index of the rules that hold for a host.
        func rulesIndex(host: String) -> Int {
            guard !rulesByPattern.isEmpty else { return 0 }
            return CrawlConfiguration.Politeness.patterns(for: host).lazy.compactMap { rulesByPattern[$0] }.first ?? 0
        }

        /// The shortest delay of a host, whatever it or its robots.txt says.
        func minimumDelay(host: String, rules index: Int) -> Duration {
            HostReach(host: host) == .privateHost
                ? privateHostDelay ?? rules[index].delay : max(rules[index].delay, minimumPublicDelay)
        }

        func delay(address: String) -> Duration {
            guard let parsed = NetworkAddress(address), !AddressGuard.isPublic(parsed) else {
                return publicAddressDelay
            }
            return privateAddressDelay
        }
    }
}

extension PolitenessSchedule.Settings.Rules {
    init(_ politeness: CrawlConfiguration.Politeness, host: CrawlConfiguration.HostPoliteness?) {
        delay = host?.delay ?? politeness.delay
        maximumCrawlDelay = host?.maximumCrawlDelay ?? politeness.maximumCrawlDelay
        connections = host?.connections ?? politeness.connectionsPerHost
        quiet = host.flatMap { .init($0.quietHours, delay: $0.quietDelay) }
    }
}

extension CrawlConfiguration.Politeness {
    /// The patterns of `hosts` that fit a host, the most particular first: itself, then `*.` before each domain above it.
    static func patterns(for host: String) -> [String] {
        var patterns = [host]
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            patterns.append("*.\(rest)")
        }
        return patterns
    }

    /// What `hosts` says of a host; nil when it says nothing.
    func rules(for host: String) -> CrawlConfiguration.HostPoliteness? {
        guard !hosts.isEmpty else { return nil }
        return Self.patterns(for: host).lazy.compactMap { hosts[$0] }.first
    }

    /// Of all hosts.
    public var maximumConnectionsPerHost: Int {
        hosts.values.reduce(connectionsPerHost) { max($0, $1.connections ?? 0) }
    }
}
