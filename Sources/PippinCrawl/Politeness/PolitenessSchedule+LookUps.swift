import HeapModule
import PippinPage

// The addresses of hosts, and the order of look-ups.
//
//     host ─► line of its registered domain ─► line of all look-ups ─► looked up ─► line of its address ─► asked
//     host whose look-up is old ─────────────►
//
// A name is looked up before its first request, so that the delay of the address applies from that request on. Names of one
// registered domain are looked up one at a time, with the host's delay in between, because they share the same name servers.
// Known names are refreshed without that delay, so that a flood of new names does not hold up known hosts.

extension PolitenessSchedule {
    /// What is known about a host's address.
    enum LookUp {
        /// The host is an address itself, or names are not looked up.
        case notNeeded
        case wanted
        case underWay(isRefresh: Bool)
        case known(until: Duration)
        /// The name has no address. This holds for the whole run.
        case missing(FetchError)
        /// The look-up failed. This holds for the next turn; then the name is looked up again.
        case failed(FetchError)
    }

    /// A registered domain, and its hosts that are due but must be looked up first.
    struct Domain {
        let name: String
        var openAt = Duration.zero
        var waiting = Heap<Due>()
        var isBusy = false
        /// The numbers of its names with and without an address.
        var found = 0
        var missing = 0
        /// The ticket of its entry in a line; 0 if it has none.
        var ticket = 0

        /// Whether most of its names do not exist. Such a domain may have an endless number of invented names.
        var isGivenUp: Bool { missing >= PolitenessSchedule.maximumMissingNames && missing > 2 * found }
    }

    /// The domains and hosts whose look-up is next.
    struct LookUpLine {
        var openAt = Duration.zero
        var waiting = Heap<Due>()
        var underWay = 0
        var ticket = 0
    }

    /// The validity of a look-up, the same as in curl.
    static let lookUpLifetime = Duration.seconds(300)
    /// The limit of look-ups at a time.
    static let maximumLookUps = 16
    /// The number of missing names after which a domain is given up for the run, if fewer than half as many names exist.
    static let maximumMissingNames = 20

    // MARK: Hosts

    /// Finds the address of a new host if its name shows it. Otherwise the name must be looked up.
    mutating func locate(_ slot: Int) {
        switch HostAddress(slots[slot].name) {
        case .literal(let address): locate(slot, at: address)
        case .loopback: locate(slot, at: .v4(0x7F00_0001))
        case .none: slots[slot].lookUp = .missing(.hostNotFound)
        case .name: slots[slot].lookUp = .wanted
        }
    }

    private mutating func locate(_ slot: Int, at address: NetworkAddress) {
        let text = address.description
        if settings.delay(address: text) > .zero { learn(text, of: slot, now: .zero) }
    }

    func needsLookUp(_ slot: Int, now: Duration) -> Bool {
        switch slots[slot].lookUp {
        case .wanted: true
        case .known(let until): until <= now
        case .notNeeded, .underWay, .missing, .failed: false
        }
    }

    func isLookedUp(_ slot: Int) -> Bool {
        if case .underWay = slots[slot].lookUp { true } else { false }
    }

    /// Whether the host has no known address, so that its turn makes no request.
    func hasNoAddress(_ slot: Int) -> Bool {
        switch slots[slot].lookUp {
        case .missing, .failed: true
        case .notNeeded, .wanted, .underWay, .known: false
        }
    }

    /// The permit for the request of a turn that has started; nil if it is not the host's turn.
    func permit(host name: String) -> TurnPermit? {
        guard let slot = hosts[name], slots[slot].inFlight > 0 else { return nil }
        return TurnPermit(host: name, addresses: slots[slot].permit)
    }

    /// Sets the permit of a turn that starts now.
    mutating func grant(_ slot: Int) {
        switch slots[slot].lookUp {
        case .missing(let error): slots[slot].permit = .failure(error)
        case .failed(let error):
            slots[slot].permit = .failure(error)
            slots[slot].lookUp = .wanted
        case .notNeeded, .wanted, .underWay, .known:
            slots[slot].permit = .success(slots[slot].found.isEmpty ? [] : [slots[slot].found[slots[slot].tried]])
        }
    }

    /// Moves on to the host's next address after a failure. Returns false if all addresses have been tried.
    mutating func moveOn(_ slot: Int, now: Duration) -> Bool {
        guard slots[slot].found.count > 1 else { return false }
        slots[slot].triedInVain += 1
        slots[slot].tried = (slots[slot].tried + 1) % slots[slot].found.count
        learn(slots[slot].found[slots[slot].tried].description, of: slot, now: now)
        guard slots[slot].triedInVain >= slots[slot].found.count else { return true }
        slots[slot].triedInVain = 0
        return false
    }

    /// Whether the host has an address that has not been tried since its last one failed.
    func hasAnotherAddress(host name: String) -> Bool {
        hosts[name].map { slots[$0].triedInVain > 0 } ?? false
    }

    /// Notes the address that answered. A reused connection may lead to another address than the last look-up gave.
    mutating func adopt(_ name: String, of slot: Int) {
        slots[slot].triedInVain = 0
        guard !slots[slot].found.isEmpty, let address = NetworkAddress(name),
            slots[slot].found[slots[slot].tried] != address
        else { return }
        if let known = slots[slot].found.firstIndex(of: address) {
            slots[slot].tried = known
        } else {
            slots[slot].found = [address]
            slots[slot].tried = 0
        }
    }

    // MARK: Lines

    /// Puts a host that is due into the line for its look-up. Returns true if its domain is given up, so that it will not be
    /// looked up.
    mutating func enqueueForLookUp(_ slot: Int, now: Duration) -> Bool {
        let entry = Due(time: slots[slot].dueAt ?? now, ticket: slots[slot].ticket, place: .host(slot))
        if case .known = slots[slot].lookUp {
            lookUps.waiting.insert(entry)
            standLookUps()
            return false
        }
        let domain = domain(of: slot)
        guard !domainSlots[domain].isGivenUp else { return true }
        domainSlots[domain].waiting.insert(entry)
        enqueue(domain: domain)
        return false
    }

    private mutating func domain(of slot: Int) -> Int {
        let name = SiteIdentity.site(of: slots[slot].name)
        if let known = domains[name] { return known }
        let new: Int
        if let free = freeDomainSlots.popLast() {
            new = free
            domainSlots[free] = Domain(name: name)
        } else {
            new = domainSlots.count
            domainSlots.append(Domain(name: name))
        }
        domains[name] = new
        return new
    }

    /// Puts a domain into the main line. One entry stands for all its hosts.
    private mutating func enqueue(domain: Int) {
        guard !domainSlots[domain].isBusy, domainSlots[domain].ticket == 0, !domainSlots[domain].waiting.isEmpty else {
            return
        }
        sequence += 1
        domainSlots[domain].ticket = sequence
        insert(Due(time: domainSlots[domain].openAt, ticket: sequence, place: .domain(domain)))
    }

    /// Puts the line of look-ups into the main line, as one entry for all.
    private mutating func standLookUps() {
        guard lookUps.ticket == 0, lookUps.underWay < Self.maximumLookUps, !lookUps.waiting.isEmpty else { return }
        sequence += 1
        lookUps.ticket = sequence
        insert(Due(time: lookUps.openAt, ticket: sequence, place: .lookUps))
    }

    /// Moves a domain whose turn it is to the line of all look-ups.
    mutating func begin(domain: Int, ticket: Int) -> Decision? {
        lookUps.waiting.insert(Due(time: domainSlots[domain].openAt, ticket: ticket, place: .domain(domain)))
        standLookUps()
        return nil
    }

    /// Begins the first look-up in the line.
    mutating func beginLookUp(now: Duration) -> Decision? {
        lookUps.ticket = 0
        defer { standLookUps() }
        guard lookUps.openAt <= now else { return nil }
        while let first = lookUps.waiting.popMin() {
            switch first.place {
            case .host(let slot) where slots[slot].ticket == first.ticket:
                return lookUp(slot, isRefresh: true, now: now)
            case .domain(let domain) where domainSlots[domain].ticket == first.ticket:
                domainSlots[domain].ticket = 0
                while let host = domainSlots[domain].waiting.popMin() {
                    guard case .host(let slot) = host.place, slots[slot].ticket == host.ticket else { continue }
                    domainSlots[domain].isBusy = true
                    return lookUp(slot, isRefresh: false, now: now)
                }
            case .host, .domain, .address, .lookUps: continue
            }
        }
        return nil
    }

    private mutating func lookUp(_ slot: Int, isRefresh: Bool, now: Duration) -> Decision {
        slots[slot].lookUp = .underWay(isRefresh: isRefresh)
        // The host is in no line during the look-up. Afterwards it returns to its place.
        slots[slot].ticket = 0
        lookUps.underWay += 1
        lookUps.openAt = now + settings.lookUpInterval
        return .lookUp(host: slots[slot].name)
    }

    // MARK: Answers

    /// Takes the result of a look-up that `next` asked for.
    ///
    /// - Returns: the host's registered domain if it is now given up for the run, because too many of its names do not exist;
    ///   otherwise nil.
    @discardableResult
    public mutating func lookedUp(
        host name: String, _ answer: Result<[NetworkAddress], FetchError>, now: Duration
    ) -> String? {
        guard let slot = hosts[name], case .underWay(let isRefresh) = slots[slot].lookUp else { return nil }
        lookUps.underWay -= 1
        let dueAt = slots[slot].dueAt
        switch answer {
        case .success(let found): take(found, of: slot, now: now)
        case .failure(.cancelled): slots[slot].lookUp = .wanted
        case .failure(let error):
            let isFinal = error.retry == .leaveHost
            slots[slot].lookUp = isFinal ? .missing(error) : .failed(error)
        }
        slots[slot].dueAt = nil
        if slots[slot].hasRoom, slots[slot].queued > 0 { enqueue(slot, at: dueAt ?? now) }
        standLookUps()
        return isRefresh ? nil : settle(answer, of: slot, now: now)
    }

    private mutating func take(_ found: [NetworkAddress], of slot: Int, now: Duration) {
        let before = slots[slot].found.isEmpty ? nil : slots[slot].found[slots[slot].tried]
        slots[slot].lookUp = .known(until: now + Self.lookUpLifetime)
        slots[slot].found = found
        slots[slot].triedInVain = 0
        // A host keeps its address as long as look-ups still contain it.
        slots[slot].tried = before.flatMap { found.firstIndex(of: $0) } ?? 0
        if !found.isEmpty { learn(found[slots[slot].tried].description, of: slot, now: now) }
    }

    private mutating func settle(
        _ answer: Result<[NetworkAddress], FetchError>, of slot: Int, now: Duration
    ) -> String? {
        let domain = domain(of: slot)
        let wasGivenUp = domainSlots[domain].isGivenUp
        domainSlots[domain].isBusy = false
        domainSlots[domain].openAt = now + delay(of: slot)
        switch answer {
        case .success: domainSlots[domain].found += 1
        case .failure(.cancelled): break
        case .failure: domainSlots[domain].missing += 1
        }
        guard domainSlots[domain].isGivenUp, !wasGivenUp else {
            enqueue(domain: domain)
            return nil
        }
        // The domain's hosts return to the main line. They are left when their turn comes.
        for entry in domainSlots[domain].waiting.unordered {
            guard case .host(let waiting) = entry.place, slots[waiting].ticket == entry.ticket else { continue }
            enqueue(waiting, at: entry.time)
        }
        domainSlots[domain].waiting = Heap()
        return domainSlots[domain].name
    }

    /// Leaves a host that is not looked up because its domain is given up. The reason is noted as the host's trouble.
    mutating func suspendUnlooked(_ slot: Int, now: Duration) -> Decision {
        let domain = domain(of: slot)
        note(
            .namesMissing(domainSlots[domain].name, count: domainSlots[domain].missing), of: slot)
        return .suspend(host: slots[slot].name, until: now + RobotsAnswer.unreachableFor)
    }

    /// Notes a cause outside of the host because of which this run does not ask it.
    mutating func note(_ cause: RequestFailure.Cause, of slot: Int) {
        let first = slots[slot].ready.min?.turn ?? slots[slot].delayed.min?.turn
        guard let url = first?.url else { return }
        slots[slot].trouble = RequestFailure(cause, asking: url).detail
        markChanged(slot)
    }

    /// Forgets domains without hosts or missing names.
    mutating func forgetIdleDomains(now: Duration) {
        for (name, index) in domains {
            let domain = domainSlots[index]
            guard !domain.isBusy, domain.waiting.isEmpty, domain.ticket == 0, domain.missing == 0, domain.openAt <= now
            else { continue }
            domains[name] = nil
            freeDomainSlots.append(index)
        }
    }
}
