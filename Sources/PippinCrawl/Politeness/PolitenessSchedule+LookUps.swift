import HeapModule
import PippinPage

// Where hosts are, and whose turn it is to be looked up.
//
//     host ─► line of its registered domain ─► line of all look-ups ─► looked up ─► line of its address ─► asked
//     host whose look-up is old ─────────────►
//
// A name is looked up before its first request, so that the address is paced from that request on. One name of a registered
// domain is looked up at a time, with the host's delay between, because all of them ask the same name servers. What was known
// before is looked up again without that delay: a flood of new names must not hold up the hosts that are known.

extension PolitenessSchedule {
    /// What is known of where a host is.
    enum LookUp {
        /// Its name says it, or nobody looks anything up.
        case notNeeded
        case wanted
        case underWay(isRefresh: Bool)
        case known(until: Duration)
        /// It has no address: believed for the whole run.
        case missing(FetchError)
        /// Nobody could say: so much for the next turn, then it is looked up again.
        case failed(FetchError)
    }

    /// A registered domain, and its hosts that are due but have to be looked up.
    struct Domain {
        let name: String
        var openAt = Duration.zero
        var waiting = Heap<Due>()
        var isBusy = false
        /// Names with an address, and without.
        var found = 0
        var missing = 0
        /// The entry that speaks for it; 0 while there is none.
        var ticket = 0

        /// Most of its names do not exist: whoever makes them up does not run out of them.
        var isGivenUp: Bool { missing >= PolitenessSchedule.maximumMissingNames && missing > 2 * found }
    }

    /// Those that are to be looked up next, domains and hosts.
    struct LookUpLine {
        var openAt = Duration.zero
        var waiting = Heap<Due>()
        var underWay = 0
        var ticket = 0
    }

    /// How long the address of a name is believed: as long as curl does.
    static let lookUpLifetime = Duration.seconds(300)
    /// Look-ups under way at a time.
    static let maximumLookUps = 16
    /// A domain with so many names that do not exist, and less than half as many that do, is given up for the run.
    static let maximumMissingNames = 20

    // MARK: Hosts

    /// What the name of a new host says of where it is.
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

    /// The host has no address that could be paced: its turn costs nobody a request.
    func hasNoAddress(_ slot: Int) -> Bool {
        switch slots[slot].lookUp {
        case .missing, .failed: true
        case .notNeeded, .wanted, .underWay, .known: false
        }
    }

    /// Leave for the request of a turn that has started; nil for a host whose turn it is not.
    func permit(host name: String) -> TurnPermit? {
        guard let slot = hosts[name], slots[slot].inFlight > 0 else { return nil }
        return TurnPermit(host: name, addresses: slots[slot].permit)
    }

    /// What the turn of a host that starts now may do.
    mutating func grant(_ slot: Int) {
        switch slots[slot].lookUp {
        case .missing(let error): slots[slot].permit = .failure(error)
        case .failed(let error):
            slots[slot].permit = .failure(error)
            slots[slot].lookUp = .wanted
        case .notNeeded, .wanted, .underWay, .known:
            let host = slots[slot]
            slots[slot].permit = .success(host.found.isEmpty ? [] : [host.found[host.tried]])
        }
    }

    /// The address that was tried is no good: the host's next request goes to the next one. False when each was tried.
    mutating func moveOn(_ slot: Int, now: Duration) -> Bool {
        guard slots[slot].found.count > 1 else { return false }
        slots[slot].triedInVain += 1
        slots[slot].tried = (slots[slot].tried + 1) % slots[slot].found.count
        learn(slots[slot].found[slots[slot].tried].description, of: slot, now: now)
        guard slots[slot].triedInVain >= slots[slot].found.count else { return true }
        slots[slot].triedInVain = 0
        return false
    }

    /// Another address of the host than the one that failed has not been tried yet.
    func hasAnotherAddress(host name: String) -> Bool {
        hosts[name].map { slots[$0].triedInVain > 0 } ?? false
    }

    /// A connection that was kept may lead elsewhere than the last look-up said: what answered counts.
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

    /// Puts a host that is due where it waits to be looked up. True when its domain is given up, and nobody will.
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

    /// One entry in the line of all that wait speaks for the hosts of a domain.
    private mutating func enqueue(domain: Int) {
        guard !domainSlots[domain].isBusy, domainSlots[domain].ticket == 0, !domainSlots[domain].waiting.isEmpty else {
            return
        }
        sequence += 1
        domainSlots[domain].ticket = sequence
        insert(Due(time: domainSlots[domain].openAt, ticket: sequence, place: .domain(domain)))
    }

    /// One entry speaks for all look-ups.
    private mutating func standLookUps() {
        guard lookUps.ticket == 0, lookUps.underWay < Self.maximumLookUps, !lookUps.waiting.isEmpty else { return }
        sequence += 1
        lookUps.ticket = sequence
        insert(Due(time: lookUps.openAt, ticket: sequence, place: .lookUps))
    }

    /// It is the turn of a domain: it goes over to the line of all look-ups.
    mutating func begin(domain: Int, ticket: Int) -> Decision? {
        lookUps.waiting.insert(Due(time: domainSlots[domain].openAt, ticket: ticket, place: .domain(domain)))
        standLookUps()
        return nil
    }

    /// It is the turn of look-ups: the first begins.
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
        // It stands in no line; it comes back to its place when the answer is there.
        slots[slot].ticket = 0
        lookUps.underWay += 1
        lookUps.openAt = now + settings.lookUpInterval
        return .lookUp(host: slots[slot].name)
    }

    // MARK: Answers

    /// A look-up that `next` asked for has ended.
    ///
    /// - Returns: the name of the host's registered domain when too many of its names do not exist, and it is given up for the run.
    @discardableResult
    mutating func lookedUp(
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
        // Which of its addresses a host is asked at does not change while it has it.
        slots[slot].tried = before.flatMap { found.firstIndex(of: $0) } ?? 0
        if !found.isEmpty { learn(found[slots[slot].tried].description, of: slot, now: now) }
    }

    private mutating func settle(
        _ answer: Result<[NetworkAddress], FetchError>, of slot: Int, now: Duration
    ) -> String? {
        let domain = domain(of: slot)
        let wasGivenUp = domainSlots[domain].isGivenUp
        domainSlots[domain].isBusy = false
        domainSlots[domain].openAt = now + delay(of: slots[slot])
        switch answer {
        case .success: domainSlots[domain].found += 1
        case .failure(.cancelled): break
        case .failure: domainSlots[domain].missing += 1
        }
        guard domainSlots[domain].isGivenUp, !wasGivenUp else {
            enqueue(domain: domain)
            return nil
        }
        // Its hosts stand in the first line again, and are left when their turn comes.
        for entry in domainSlots[domain].waiting.unordered {
            guard case .host(let waiting) = entry.place, slots[waiting].ticket == entry.ticket else { continue }
            enqueue(waiting, at: entry.time)
        }
        domainSlots[domain].waiting = Heap()
        return domainSlots[domain].name
    }

    /// A host that is not looked up, because its domain is given up: why, and until when it is left.
    mutating func suspendUnlooked(_ slot: Int, now: Duration) -> Decision {
        let domain = domain(of: slot)
        note(
            .namesMissing(domainSlots[domain].name, count: domainSlots[domain].missing), of: slot)
        return .suspend(host: slots[slot].name, until: now + SiteRules.unreachableFor)
    }

    /// Something beyond the host keeps it from being asked in this run.
    mutating func note(_ cause: RequestFailure.Cause, of slot: Int) {
        let first = slots[slot].ready.min?.turn ?? slots[slot].delayed.min?.turn
        guard let url = first?.url else { return }
        slots[slot].trouble = RequestFailure(cause, asking: url).detail
        markChanged(slot)
    }

    /// Domains without anything to remember are forgotten with their hosts.
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
