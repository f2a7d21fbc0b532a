/// A site's `/.well-known/tdmrep.json`: for which paths the rights of text and data mining are reserved (TDMRep).
///
/// An array of objects with a `location`, a pattern as in robots.txt, and `tdm-reservation` 0 or 1. The first one that matches
/// decides, not the longest. Reading never fails: what cannot be read says nothing, and is noted.
public struct TDMReservationFile: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        /// Nil for a value that is neither 0 nor 1: the entry decides that nothing is said.
        let isReserved: Bool?
        let policy: String?
        let location: String
    }

    private var entries: [Entry] = []
    private var table = RobotsRuleTable()
    private let url: WebURL
    /// Leniencies used and limits reached while reading.
    public private(set) var notes: [ParseNote] = []

    /// Where a site has the file; nil for an address without a host.
    public static func location(of site: WebURL) -> WebURL? { WebURL("/.well-known/tdmrep.json", base: site) }

    /// Entries beyond which the file is not read. Each is matched against every page; real files have a few.
    static let maximumEntries = 1_000
    /// The longest file that is read. A thousand entries with addresses have less.
    public static let maximumBytes = 500_000

    /// Reads a file.
    public init(bytes: [UInt8], url: WebURL, limits: ReadingLimits = .standard) {
        self.url = url
        var bytes = bytes[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        guard bytes.count <= Self.maximumBytes else {
            note("It has \(bytes.count) bytes and is not read.")
            return
        }
        var parser = JSONParser(limits: limits)
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try parser.parse(bytes)
        } catch {
            note("It is no JSON.")
            return
        }
        guard let list = value.array ?? (value.object == nil ? nil : [value]) else {
            note("It is neither an array nor an object.")
            return
        }
        var bounded = BoundedNotes(maximum: limits.maximumNotes)
        for (index, entry) in list.enumerated() {
            if index >= Self.maximumEntries {
                bounded.add(.usage(.reservationFileUnreadable), "It has more than \(Self.maximumEntries) entries.")
                break
            }
            take(entry, index, &bounded)
        }
        notes += bounded.finished()
    }

    private mutating func note(_ problem: String) {
        notes.append(ParseNote(.usage(.reservationFileUnreadable), "tdmrep.json: \(problem)"))
    }

    private mutating func take(_ entry: JSONValue, _ index: Int, _ notes: inout BoundedNotes) {
        guard let location = entry["location"]?.string, !location.isEmpty, location.utf8.count <= 2_000,
            location.hasPrefix("/") || location.hasPrefix("*")
        else {
            notes.add(
                .usage(.reservationFileUnreadable), "Entry \(index + 1) of tdmrep.json has no path as its location.")
            return
        }
        var isReserved: Bool?
        switch entry["tdm-reservation"]?.integer {
        case 1: isReserved = true
        case 0: isReserved = false
        default:
            notes.add(
                .usage(.reservationFileUnreadable),
                "Entry \(index + 1) of tdmrep.json has neither 0 nor 1 as its tdm-reservation, so it says nothing.")
        }
        table.add(.disallow, location.utf8, line: entries.count)
        entries.append(
            Entry(isReserved: isReserved, policy: entry["tdm-policy"]?.string, location: location))
    }

    /// The memory of the file, in bytes.
    public var keptBytes: Int {
        entries.reduce(table.byteCount) { $0 + $1.location.utf8.count + ($1.policy?.utf8.count ?? 0) + 64 }
    }

    /// What the file says about a page; nil if nothing.
    public func reservation(for page: WebURL) -> TDMReservation? {
        let place = RobotsTarget.withTarget(of: page) { table.earliest(for: $0).map { Int($0.line) } }
        guard let place, let isReserved = entries[place].isReserved else { return nil }
        let entry = entries[place]
        let text = "\"location\": \"\(entry.location.prefix(100))\", \"tdm-reservation\": \(isReserved ? 1 : 0)"
        return TDMReservation(
            isReserved: isReserved, policy: isReserved ? entry.policy.map(UsageSource.shortened) : nil,
            source: UsageSource(.tdmrepFile, text, url: url.href))
    }
}
