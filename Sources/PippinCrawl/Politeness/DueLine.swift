import HeapModule

/// The main line: hosts, addresses and domains with work, ordered by the time from which they may be asked, then by arrival.
///
/// An entry is valid as long as what it stands for has its ticket. So an entry is never searched for: what leaves the line gives
/// up its ticket, and the entry is dropped when it comes up.
struct DueLine: Sendable {
    struct Entry: Comparable, Sendable {
        let time: Duration
        let ticket: Int
        let place: Place
        static func < (a: Entry, b: Entry) -> Bool { (a.time, a.ticket) < (b.time, b.ticket) }
        static func == (a: Entry, b: Entry) -> Bool { a.ticket == b.ticket }
    }

    /// What an entry stands for.
    enum Place: Sendable {
        case host(Int)
        /// All hosts that wait for an address.
        case address(Int)
        /// All hosts of a registered domain that wait for their look-up.
        case domain(Int)
        /// The line of all look-ups.
        case lookUps
    }

    private var entries = Heap<Entry>()
    private var lastTicket = 0

    var first: Entry? { entries.min }
    var count: Int { entries.count }

    /// Adds an entry and returns its ticket, which is never 0.
    mutating func add(_ place: Place, at time: Duration) -> Int {
        lastTicket += 1
        entries.insert(Entry(time: time, ticket: lastTicket, place: place))
        return lastTicket
    }

    mutating func removeFirst() { entries.removeMin() }

    /// The line without its outdated entries.
    func filter(_ isCurrent: (Entry) -> Bool) -> DueLine {
        var line = self
        line.entries = Heap(entries.unordered.filter(isCurrent))
        return line
    }
}
