import Foundation
import PippinCrawl
import PippinPage

/// What a try of an epoch says at its end: the line `done` (Docs/Cluster.md). Its length is bounded, whatever the crawl has met.
public struct EpochReport: Sendable {
    /// What the try has received.
    public struct Received: Sendable {
        public var requests = 0
        /// How many of them were not known.
        public var new = 0
        public var popularity = 0
        /// Records that were taken over.
        public var records = 0

        /// Nothing yet.
        public init() {}
    }

    /// Where the time of the try went.
    public struct Times: Sendable {
        let opening: Duration
        let crawling: Duration
        let telling: Duration

        public init(opening: Duration, crawling: Duration, telling: Duration) {
            (self.opening, self.crawling, self.telling) = (opening, crawling, telling)
        }
    }

    /// The hosts in the summary. The others' counts are in its sums.
    static let mostHosts = 100
    /// The seeds in the summary. One has some twenty addresses of 2,048 bytes at the most, and a line 16 MiB.
    static let mostSeeds = 250

    /// The addresses that the line judges. If there are more, those are left out that may be asked most often.
    static let mostAddresses = 1_000

    private let epoch: ShardEpoch
    private let news: ShardNews
    private let received: Received
    private let summary: CrawlSummary?
    private let timeIsOver: Bool

    /// - Parameters:
    ///   - summary: of the crawl; nil if the epoch was over before it began.
    ///   - timeIsOver: whether the epoch was over before the crawl had ended.
    public init(
        _ epoch: ShardEpoch, _ news: ShardNews, received: Received, summary: CrawlSummary?, timeIsOver: Bool
    ) {
        (self.epoch, self.news, self.received) = (epoch, news, received)
        (self.summary, self.timeIsOver) = (summary, timeIsOver)
    }

    /// Why the try stopped.
    private var ending: String {
        guard let summary else { return "time" }
        switch summary.ending {
        case .interrupted: return timeIsOver ? "time" : summary.ending.rawValue
        case .pageLimit: return "pages"
        default: return summary.ending.rawValue
        }
    }

    /// The line.
    public func line(_ times: Times, endedAt: Date) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("turn", epoch.number)
            writer.member("shard", epoch.shard.number)
            writer.member("cursor", news.cursor.description)
            writer.member("ending", ending)
            writer.object("told") { writer in
                for kind in ShardNews.Kind.allCases { writer.member(kind.rawValue, news.told[kind] ?? 0) }
            }
            writer.object("received") { writer in
                writer.member("requests", received.requests)
                writer.member("new", received.new)
                writer.member("popularity", received.popularity)
                writer.member("records", received.records)
            }
            writer.member("known", news.known)
            writer.member("queued", news.queued)
            writer.member("hosts", news.hosts)
            writer.optional("nextDue", news.nextDue.map { InternetTime.text($0) })
            let statistics = summary?.statistics
            writer.member("visits", statistics.map { $0.outcomes.values.reduce(0, +) } ?? 0)
            writer.member("pages", statistics?.pages ?? 0)
            writer.member("requests", statistics?.requests ?? 0)
            writer.object("seconds") { writer in
                func seconds(_ time: Duration) -> Double { ((time / .seconds(1)) * 1000).rounded() / 1000 }
                writer.member("opening", seconds(times.opening))
                writer.member("crawling", seconds(times.crawling))
                writer.member("telling", seconds(times.telling))
            }
            let judged = (statistics?.fitIntervals ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            writer.objects("addresses", judged.prefix(Self.mostAddresses)) { writer, judged in
                writer.member("address", judged.key)
                writer.member("every", ((judged.value / .milliseconds(1)).rounded(.up)) / 1000)
            }
            if let summary {
                writer.object("summary") {
                    summary.writeMembers(
                        to: &$0, endedAt: endedAt, mostHosts: Self.mostHosts, mostSeeds: Self.mostSeeds)
                }
            }
        }
        return ShardNews.line(
            "done", news.cursor.sequence, "\(epoch.number)", UserInformation.hidden(in: writer.bytes))
    }
}
