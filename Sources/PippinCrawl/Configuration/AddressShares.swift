/// What a process may do at each address. On one machine all addresses are its own. One of several shards may only ask what its driver
/// has named: nobody else knows whether another shard asks there too.
///
/// Addresses of one machine count as one (`NetworkAddress.machine`).
struct AddressShares: Sendable, Equatable {
    /// What this process may do at an address.
    enum Share: Sendable, Equatable {
        /// Nobody else asks it.
        case whole
        /// Requests begin in these slots of time.
        case slots(AddressSlots)
        /// It was not named: it is not asked.
        case nothing
    }

    /// All addresses are this process's own.
    static let all = AddressShares(others: .whole)

    /// An address that is this process's alone takes the memory of its name.
    private var shares: [String: Share] = [:]
    /// The time between two requests of all processes; without an entry, the address's delay.
    private var intervals: [String: Duration] = [:]
    private let others: Share

    /// Only addresses that are added may be asked.
    init() { self.init(others: .nothing) }

    private init(others: Share) { self.others = others }

    /// Whether other processes ask addresses too.
    var areOfSeveral: Bool { others == .nothing }

    /// Adds slots.
    ///
    /// - Parameters:
    ///   - interval: the time between two requests of all processes; nil: the address's delay.
    ///   - name: of the machine.
    /// - Returns: false if the address was named before with another number of slots, or with another interval.
    mutating func add(_ slots: AddressSlots, every interval: Duration? = nil, of name: String) -> Bool {
        guard shares[name] == nil || intervals[name] == interval else { return false }
        intervals[name] = interval
        switch shares[name] {
        case nil, .nothing: shares[name] = slots.count == 1 ? .whole : .slots(slots)
        case .whole: return slots.count == 1
        case .slots(var known):
            guard known.add(slots) else { return false }
            shares[name] = .slots(known)
        }
        return true
    }

    /// The time between two requests of all processes, if it is known.
    func interval(of name: String) -> Duration? { intervals[name] }

    /// - Parameter name: of the machine.
    subscript(name: String) -> Share {
        guard let share = shares[name] else { return others }
        if case .slots(let slots) = share, slots.coverAllTime { return .whole }
        return share
    }
}
