import HeapModule
import PippinPage

/// The order in which names are looked up.
///
///     host ─► line of its registered domain ─► line of all look-ups ─► looked up ─► line of its address ─► asked
///     host whose look-up is old ─────────────►
///
/// Names of one registered domain are looked up one at a time, with the host's delay in between, because they share the same name
/// servers. Known names are refreshed without that delay, so that a flood of new names does not hold up known hosts.
struct LookUpLines: Sendable {
    /// A registered domain, and its hosts that are due but must be looked up first.
    private struct Domain: Sendable {
        let name: String
        var openAt = Duration.zero
        var waiting = Heap<DueLine.Entry>()
        var isBusy = false
        /// The numbers of its names with and without an address.
        var found = 0
        var missing = 0
        /// The ticket of its entry in a line; 0 if it has none.
        var ticket = 0

        /// Whether most of its names do not exist. Such a domain may have an endless number of invented names.
        var isGivenUp: Bool { missing >= LookUpLines.maximumMissingNames && missing > 2 * found }
    }

    /// The limit of look-ups at a time.
    static let maximumLookUps = 16
    /// The number of missing names after which a domain is given up for the run, if fewer than half as many names exist.
    static let maximumMissingNames = 20

    private var domains = NamedTable<Domain>()
    /// The domains and hosts whose look-up is next.
    private var waiting = Heap<DueLine.Entry>()
    private var openAt = Duration.zero
    private var underWay = 0
    private var ticket = 0

    var domainCount: Int { domains.count }

    // MARK: In

    /// Puts a host into the line of its domain.
    ///
    /// - Returns: the domain and the number of its missing names if it is given up, so that the host is not looked up.
    mutating func add(
        _ entry: DueLine.Entry, of host: String, to line: inout DueLine
    ) -> (domain: String, missing: Int)? {
        let domain = domain(of: host)
        guard !domains[domain].isGivenUp else { return (domains[domain].name, domains[domain].missing) }
        domains[domain].waiting.insert(entry)
        enter(&line, domain)
        return nil
    }

    /// Puts a host whose look-up is old into the line of all look-ups.
    mutating func addKnown(_ entry: DueLine.Entry, to line: inout DueLine) {
        waiting.insert(entry)
        enter(&line)
    }

    /// Moves a domain whose time has come from the main line to the line of all look-ups.
    mutating func moveUp(_ domain: Int, ticket: Int, _ line: inout DueLine) {
        waiting.insert(DueLine.Entry(time: domains[domain].openAt, ticket: ticket, place: .domain(domain)))
        enter(&line)
    }

    private mutating func domain(of host: String) -> Int {
        let name = SiteIdentity.site(of: host)
        return domains.number(of: name) ?? domains.add(Domain(name: name), name: name)
    }

    /// Puts a domain into the main line. One entry stands for all its hosts.
    private mutating func enter(_ line: inout DueLine, _ domain: Int) {
        guard !domains[domain].isBusy, domains[domain].ticket == 0, !domains[domain].waiting.isEmpty else { return }
        domains[domain].ticket = line.add(.domain(domain), at: domains[domain].openAt)
    }

    /// Puts the line of look-ups into the main line, as one entry for all.
    private mutating func enter(_ line: inout DueLine) {
        guard ticket == 0, underWay < Self.maximumLookUps, !waiting.isEmpty else { return }
        ticket = line.add(.lookUps, at: openAt)
    }

    // MARK: Out

    func isCurrent(domain: Int, ticket: Int) -> Bool { domains[domain].ticket == ticket }
    func isCurrent(ticket: Int) -> Bool { self.ticket == ticket }

    /// Begins the first look-up.
    ///
    /// - Parameters:
    ///   - interval: the time between two look-ups.
    /// - Returns: the host to look up, and whether that refreshes an earlier look-up; nil if none can begin.
    mutating func begin(
        _ hosts: NamedTable<ScheduledHost>, interval: Duration, in line: inout DueLine, now: Duration
    ) -> (host: Int, isRefresh: Bool)? {
        ticket = 0
        defer { enter(&line) }
        guard openAt <= now, let next = takeFirst(hosts) else { return nil }
        underWay += 1
        openAt = now + interval
        return next
    }

    private mutating func takeFirst(_ hosts: NamedTable<ScheduledHost>) -> (host: Int, isRefresh: Bool)? {
        while let first = waiting.popMin() {
            switch first.place {
            case .host(let host) where hosts[host].ticket == first.ticket: return (host, true)
            case .domain(let domain) where domains[domain].ticket == first.ticket:
                domains[domain].ticket = 0
                while let entry = domains[domain].waiting.popMin() {
                    guard case .host(let host) = entry.place, hosts[host].ticket == entry.ticket else { continue }
                    domains[domain].isBusy = true
                    return (host, false)
                }
            case .host, .domain, .address, .lookUps: continue
            }
        }
        return nil
    }

    /// Ends a look-up, so that another may begin.
    mutating func end(in line: inout DueLine) {
        underWay -= 1
        enter(&line)
    }

    /// Takes the result of the first look-up of a name, and opens its domain for the next one.
    ///
    /// - Returns: the domain with its waiting hosts if it is now given up; otherwise nil.
    mutating func settle(
        _ answer: Result<[NetworkAddress], FetchError>, of host: String, openAt: Duration, in line: inout DueLine
    ) -> (domain: String, waiting: [DueLine.Entry])? {
        let domain = domain(of: host)
        let wasGivenUp = domains[domain].isGivenUp
        domains[domain].isBusy = false
        domains[domain].openAt = openAt
        switch answer {
        case .success: domains[domain].found += 1
        case .failure(.cancelled): break
        case .failure: domains[domain].missing += 1
        }
        guard domains[domain].isGivenUp, !wasGivenUp else {
            enter(&line, domain)
            return nil
        }
        defer { domains[domain].waiting = Heap() }
        return (domains[domain].name, domains[domain].waiting.unordered)
    }

    // MARK: Asked

    /// A host that waits in the line of a domain, or of all look-ups if that is nil.
    func waitingHost(domain: Int?, _ hosts: NamedTable<ScheduledHost>) -> Int? {
        for entry in domain.map({ domains[$0].waiting.unordered }) ?? waiting.unordered {
            switch entry.place {
            case .host(let host) where hosts[host].ticket == entry.ticket: return host
            case .domain(let domain) where isCurrent(domain: domain, ticket: entry.ticket):
                return waitingHost(domain: domain, hosts)
            case .host, .domain, .address, .lookUps: continue
            }
        }
        return nil
    }

    /// Forgets domains without hosts or missing names.
    mutating func forgetIdle(now: Duration) {
        for (name, number) in domains.numbers {
            let domain = domains[number]
            if !domain.isBusy, domain.waiting.isEmpty, domain.ticket == 0, domain.missing == 0, domain.openAt <= now {
                domains.remove(name)
            }
        }
    }
}
