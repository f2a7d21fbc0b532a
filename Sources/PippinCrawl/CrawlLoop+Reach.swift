import PippinPage

// How far a run goes beyond the pages that it may visit: the hosts it turns to, the names it looks up, the robots.txt it asks for.
// Without limits of their own, `max_pages: 20` would let a page with 3,000 names of hosts cost 3,000 look-ups and as many requests.

extension CrawlLoop {
    /// A host beyond a limit is not offered again for this long; the next run begins with it.
    private static let putOffFor = Duration.seconds(600)

    /// Whether the run turns to a host: it has done so, or may turn to one more. Hosts of seeds always count, and are never refused.
    mutating func turnsTo(host: String) -> Bool {
        if metHosts.contains(host) { return true }
        guard seedHosts.contains(host) || metHosts.count < settings.scope.hostLimit else { return false }
        metHosts.insert(host)
        return true
    }

    /// Whether nothing more of a host is asked for in this run.
    mutating func isLeft(_ host: String, now: Duration) -> Bool {
        if let until = leftHosts[host], until > now { return true }
        return !turnsTo(host: host)
    }

    /// Whether rules that are not known may still be asked for.
    var mayAskForRules: Bool { robotsRequests < settings.scope.robotsLimit }

    /// Visits of hosts that are beyond a limit are left for the next run.
    mutating func putOff(_ requests: [CrawlRequest]) async throws {
        guard !requests.isEmpty else { return }
        let hosts = Set(requests.map(\.host))
        tally.hostsBeyond.formUnion(hosts)
        let beyond = tally.hostsBeyond.count
        context.metrics.update { $0.hostsBeyond = beyond }
        let until = context.clock.date().addingTimeInterval(Self.putOffFor / .seconds(1))
        for host in hosts.sorted() {
            leftHosts[host] = context.clock.now() + Self.putOffFor
            try await context.frontier.suspend(host: host, until: until)
        }
        try await context.frontier.release(requests)
    }

    /// The next run begins with the hosts that this one had to leave because of a limit.
    func admitForNextRun() async throws {
        guard context.frontier.keepsWork else { return }
        let date = context.clock.date()
        for host in tally.hostsBeyond.sorted() { try await context.frontier.suspend(host: host, until: date) }
    }

    // MARK: Look-ups

    mutating func startLookUp(of host: String, _ group: inout Group) {
        let gate = context.gate
        group.addTask { .lookedUp(host: host, await gate.addresses(of: host)) }
    }

    mutating func handle(_ host: String, _ answer: Result<[NetworkAddress], FetchError>) {
        let result =
            switch answer {
            case .success: "found"
            case .failure(let error): error.code
            }
        let met = metHosts.count
        context.metrics.update {
            $0.lookUps[result, default: 0] += 1
            $0.hostsMet = met
        }
        guard let domain = schedule.lookedUp(host: host, answer, now: context.clock.now()) else { return }
        tally.domainsGivenUp.insert(domain)
        logger.notice("\(domain) is given up for this run: most of its names do not exist")
    }
}
