import PippinPage

extension PolitenessSchedule {
    /// The settings of a schedule.
    public struct Settings: Sendable {
        /// The rules for a host.
        struct Rules: Sendable {
            var delay: Duration
            var maximumCrawlDelay: Duration
            var connections: Int
            /// Quiet hours of this host only. Those of the whole crawl apply too.
            var quiet: Quiet?
        }

        struct Quiet: Sendable {
            var hours: QuietHours
            /// The delay during these hours; nil if no request is made.
            var delay: Duration?

            init?(_ hours: QuietHours, delay: Duration?) {
                guard !hours.isEmpty else { return nil }
                self.hours = hours
                self.delay = delay
            }
        }

        /// The first rules are for all hosts without rules of their own.
        private(set) var rules: [Rules]
        /// The index in `rules` for each pattern of `hosts`.
        private let rulesByPattern: [String: Int]
        /// The quiet hours of the whole crawl.
        let quiet: Quiet?
        let adaptive: Bool
        private let privateHostDelay: Duration?
        let minimumPublicDelay = CrawlConfiguration.minimumPublicDelay
        /// The delay between two requests to one public address, and to one private address.
        let publicAddressDelay: Duration
        let privateAddressDelay: Duration
        /// The least time between two requests to an address with many sites.
        let leastAddressInterval: Duration
        /// What this process may do at each address.
        let addresses: AddressShares
        /// The time between any two requests; zero if their rate is not limited.
        let interval: Duration
        /// The first rest of a host in trouble. It doubles with every further trouble in a row.
        let rest: Duration
        let maximumWait: Duration
        /// The time between two look-ups of names, for all domains together.
        let lookUpInterval: Duration
        /// Whether the caller handles `.lookUp`. If so, names are looked up before their hosts are asked. If not, the first
        /// answer shows a host's address.
        public var looksUp = false
        /// Whether pages of a host that are nearer to their seed come first. If not, they come as they were leased: another order would
        /// leave some of them behind in every run that may visit only a few.
        var nearestFirst = true
        /// Whether the caller uses `takeChangedClocks`.
        var notesChangedClocks = false

        /// Takes the settings of a configuration.
        ///
        /// - Parameter privateHostDelay: replaces the configured minimum delay for private hosts. Delays from their
        ///   robots.txt, and rests, apply in any case.
        public init(_ configuration: CrawlConfiguration, privateHostDelay: Duration? = nil) {
            self.privateHostDelay = privateHostDelay
            let politeness = configuration.politeness
            rules = [Rules(politeness, host: nil)]
            var byPattern: [String: Int] = [:]
            for (pattern, own) in configuration.hosts.complete {
                byPattern[pattern] = rules.count
                rules.append(Rules(politeness, host: own))
            }
            rulesByPattern = byPattern
            quiet = Quiet(politeness.quietHours, delay: politeness.quietDelay)
            adaptive = politeness.adaptive
            publicAddressDelay = max(politeness.delayPerAddress ?? politeness.delay, minimumPublicDelay)
            privateAddressDelay = politeness.delayPerAddress ?? privateHostDelay ?? politeness.delay
            leastAddressInterval = Self.interval(politeness.maximumRatePerAddress)
            interval = politeness.maximumRequestsPerSecond.map(Self.interval) ?? .zero
            lookUpInterval = Self.interval(politeness.maximumLookUpsPerSecond)
            addresses = configuration.cluster.addresses
            rest = configuration.fetch.retryDelay
            maximumWait = configuration.fetch.maximumWait
        }

        private static func interval(_ perSecond: Double) -> Duration {
            .nanoseconds(Int64((1e9 / perSecond).rounded(.up)))
        }

        /// The index of the rules for a host.
        func rulesIndex(host: String) -> Int {
            HostSheets.value(for: host, in: rulesByPattern) ?? 0
        }

        /// The shortest delay for a host, whatever the settings or its robots.txt say.
        func minimumDelay(host: String, rules index: Int) -> Duration {
            HostReach(host: host) == .privateHost
                ? privateHostDelay ?? rules[index].delay : max(rules[index].delay, minimumPublicDelay)
        }

        /// Whether this process may ask an address. One without a delay is asked by all processes at any time.
        func mayAsk(_ address: NetworkAddress) -> Bool {
            guard addresses.areOfSeveral, addresses[address.machine.description] == .nothing else { return true }
            return delay(address: address.description) == .zero
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
    init(_ politeness: CrawlConfiguration.Politeness, host: HostSheet?) {
        delay = host?.delay ?? politeness.delay
        maximumCrawlDelay = host?.maximumCrawlDelay ?? politeness.maximumCrawlDelay
        connections = host?.connections ?? politeness.connectionsPerHost
        quiet = host.flatMap { .init($0.quietHours, delay: $0.quietDelay) }
    }
}
