/// The addresses of a host's name: whether it must be looked up, what was found, and which address is in use.
///
/// A name is looked up before its first request, so that the delay of the address applies from that request on.
struct HostAddresses: Sendable {
    private enum LookUp {
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

    /// The validity of a look-up, the same as in curl.
    static let lookUpLifetime = Duration.seconds(300)

    private var lookUp: LookUp
    /// The addresses from the last look-up. `tried` is the index of the one in use, and `triedInVain` counts failed ones in a row.
    private var found: [NetworkAddress] = []
    private var tried = 0
    private var triedInVain = 0
    /// The addresses for the request that started last, or the failure of the look-up.
    private(set) var permit: Result<[NetworkAddress], FetchError> = .success([])

    init(of name: String, looksUp: Bool) {
        lookUp =
            switch looksUp ? HostAddress(name) : .loopback {
            case .literal, .loopback: .notNeeded
            case .none: .missing(.hostNotFound)
            case .name: .wanted
            }
    }

    // MARK: Look-up

    func needsLookUp(now: Duration) -> Bool {
        switch lookUp {
        case .wanted: true
        case .known(let until): until <= now
        case .notNeeded, .underWay, .missing, .failed: false
        }
    }

    /// Whether there was a look-up before, so that the next one only refreshes it.
    var wasFound: Bool { if case .known = lookUp { true } else { false } }

    var isLookedUp: Bool { if case .underWay = lookUp { true } else { false } }

    /// Whether no address is known, so that the host's turn makes no request.
    var isMissing: Bool {
        switch lookUp {
        case .missing, .failed: true
        case .notNeeded, .wanted, .underWay, .known: false
        }
    }

    mutating func beginLookUp(isRefresh: Bool) { lookUp = .underWay(isRefresh: isRefresh) }

    /// Takes the result of a look-up.
    ///
    /// - Parameter mayAsk: whether an address may be asked. Such a one is preferred.
    /// - Returns: whether it refreshed an earlier one; nil if none was under way.
    mutating func endLookUp(
        _ answer: Result<[NetworkAddress], FetchError>, where mayAsk: (NetworkAddress) -> Bool, now: Duration
    ) -> Bool? {
        guard case .underWay(let isRefresh) = lookUp else { return nil }
        switch answer {
        case .success(let new):
            // A host keeps its address as long as look-ups still contain it.
            let known = inUse.flatMap { new.firstIndex(of: $0) }
            tried = known.flatMap { mayAsk(new[$0]) ? $0 : nil } ?? new.firstIndex(where: mayAsk) ?? known ?? 0
            (found, triedInVain) = (new, 0)
            lookUp = .known(until: now + Self.lookUpLifetime)
        case .failure(.cancelled): lookUp = .wanted
        case .failure(let error): lookUp = error.retry == .leaveHost ? .missing(error) : .failed(error)
        }
        return isRefresh
    }

    // MARK: Requests

    /// The address for the next request; nil if the host needs no look-up.
    var inUse: NetworkAddress? { found.isEmpty ? nil : found[tried] }

    /// Sets the permit of a turn that starts now.
    mutating func grant() {
        switch lookUp {
        case .missing(let error): permit = .failure(error)
        case .failed(let error):
            permit = .failure(error)
            lookUp = .wanted
        case .notNeeded, .wanted, .underWay, .known: permit = .success(inUse.map { [$0] } ?? [])
        }
    }

    /// Notes the address that answered. A reused connection may lead to another address than the last look-up gave.
    mutating func adopt(_ name: String) {
        triedInVain = 0
        guard let inUse, let address = NetworkAddress(name), inUse != address else { return }
        if let known = found.firstIndex(of: address) {
            tried = known
        } else {
            (found, tried) = ([address], 0)
        }
    }

    /// Moves on to the next address after a failure. Returns nil if there is only one.
    mutating func moveOn() -> NetworkAddress? {
        guard found.count > 1 else { return nil }
        triedInVain = (triedInVain + 1) % found.count
        tried = (tried + 1) % found.count
        return found[tried]
    }

    /// Whether there is an address that has not been tried since the last one failed.
    var hasAnother: Bool { triedInVain > 0 }
}
