/// Two hashes of the settings by which a job has decided about URLs that it knows. A storage keeps them, so that the next run notices
/// that they have changed.
public struct SettingsKey: Sendable, Equatable {
    /// The intervals between visits, of the job and of the sheets of hosts: when URLs are due.
    public var intervals: Int64
    /// What may be visited: the scope and its sheets, the seeds, private networks, and whether there is a contact.
    public var refusals: Int64

    /// Creates a key.
    public init(intervals: Int64, refusals: Int64) {
        (self.intervals, self.refusals) = (intervals, refusals)
    }

    /// The key of a job.
    public init(_ configuration: CrawlConfiguration, seeds: [Seed]) {
        var (intervals, refusals) = (StableHash(), StableHash())
        configuration.recrawl.addIntervals(to: &intervals)
        configuration.scope.add(to: &refusals)
        for (pattern, sheet) in configuration.hosts.written.sorted(by: { $0.key < $1.key }) {
            if let recrawl = sheet.recrawl {
                intervals.add(pattern)
                recrawl.addIntervals(to: &intervals)
            }
            sheet.addScope(of: pattern, to: &refusals)
        }
        if configuration.fetch.allowPrivateNetworks { refusals.add("private networks") }
        if configuration.agent.contactProblem != nil { refusals.add("no contact") }
        for seed in Set(seeds.map(\.url.href)).sorted() { refusals.add(seed) }
        self.init(
            intervals: Int64(bitPattern: intervals.value), refusals: Int64(bitPattern: refusals.value))
    }
}

extension CrawlConfiguration.Recrawl {
    fileprivate func addIntervals(to hash: inout StableHash) {
        for interval in [minimumInterval, defaultInterval, maximumInterval] {
            hash.add(UInt64(clamping: interval.components.seconds))
        }
    }
}
