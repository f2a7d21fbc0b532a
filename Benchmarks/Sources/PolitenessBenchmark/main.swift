import DequeModule
import Foundation
import PippinCrawl
import PippinPage

// What the politeness schedule alone costs with many hosts and many waiting turns. Nothing is fetched, and time is made up: it
// jumps to the moment for which the schedule waits.
//
// - adding: one turn added, until all wait,
// - turn: one turn started and finished, and another added in its place, so that as many wait as before,
//
//     swift run -c release PolitenessBenchmark 100000 1000000
//
// Processor time counts, not the clock on the wall: the schedule has one thread.

let sizes = CommandLine.arguments.dropFirst().compactMap(Int.init)
guard sizes.count == 2, let hosts = sizes.first, let turns = sizes.last, hosts > 0, turns >= hosts else {
    print("Usage: PolitenessBenchmark HOSTS TURNS")
    exit(2)
}
print("| \(hosts) hosts, \(turns) turns | adding, µs | turn, µs | decisions a turn | memory |")
print("| --- | ---: | ---: | ---: | ---: |")
for crawl in PolitenessMeasurement.Crawl.allCases {
    print(PolitenessMeasurement(crawl, hosts: hosts, turns: turns).row)
}

/// One schedule, filled and worked on.
struct PolitenessMeasurement {
    enum Crawl: String, CaseIterable {
        case ownAddress = "an address for each host"
        case sharedAddresses = "an address for fifty hosts"
        case lookUps = "the same, names looked up"
    }

    private static let hostsOfAddress = 50
    /// How long each request takes, in the schedule's time.
    private static let exchange = Duration.milliseconds(200)

    /// A turn that was started, and when its request ends.
    private struct Started {
        let turn: PolitenessSchedule.Turn
        let host: Int
        let end: Duration
    }

    private let addresses: [String]
    private var schedule: PolitenessSchedule
    private var now = Duration.zero
    private var inFlight = Deque<Started>()
    private var decisions = 0
    private(set) var row = ""

    init(_ crawl: Crawl, hosts: Int, turns: Int) {
        var settings = PolitenessSchedule.Settings(CrawlConfiguration())
        settings.looksUp = crawl == .lookUps
        schedule = PolitenessSchedule(settings)
        let hostsOfAddress = crawl == .ownAddress ? 1 : Self.hostsOfAddress
        // Public addresses, none of them an IPv6 prefix that counts as one machine.
        addresses = (0..<hosts).map { host in
            let address = host / hostsOfAddress
            return "93.\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
        }
        let seed = Seed(url: Self.url(host: 0, page: 0))
        let queued = (0..<turns).map { turn in
            PolitenessSchedule.Turn.visit(
                CrawlRequest(
                    url: Self.url(host: turn % hosts, page: turn / hosts), depth: turn % 7, seed: seed,
                    discovery: .outlink))
        }
        let start = Self.processorTime()
        for turn in queued { schedule.add(turn, now: now) }
        let adding = Self.processorTime() - start
        let working = work(turns)
        let cells = [
            crawl.rawValue, Self.text(adding / Double(turns)), Self.text(working / Double(turns)),
            Self.text(Double(decisions) / Double(turns)), "\(Self.peakMemory() / 1_000_000) MB",
        ]
        row = "| " + cells.joined(separator: " | ") + " |"
    }

    /// Makes so many turns, each of which is added again when it ends.
    ///
    /// - Returns: the processor's time in microseconds.
    private mutating func work(_ turns: Int) -> Double {
        let start = Self.processorTime()
        var started = 0
        while started < turns {
            while let first = inFlight.first, first.end <= now {
                inFlight.removeFirst()
                finish(first)
            }
            decisions += 1
            switch schedule.next(now: now) {
            case .start(let turn):
                started += 1
                inFlight.append(Started(turn: turn, host: Self.number(of: turn.host), end: now + Self.exchange))
            case .lookUp(let host):
                let address = NetworkAddress(addresses[Self.number(of: host)])
                schedule.lookedUp(host: host, .success(address.map { [$0] } ?? []), now: now)
            case .wait(let until), .quiet(let until): now = min(until, inFlight.first?.end ?? until)
            case .suspend(let host, let until):
                preconditionFailure("\(host) rests until \(until), though every request is answered")
            case .leave(let host): preconditionFailure("\(host) is at an address of others, though there are no others")
            case .idle:
                guard let first = inFlight.first else { preconditionFailure("the schedule has lost its turns") }
                now = first.end
            }
        }
        return Self.processorTime() - start
    }

    private mutating func finish(_ visit: Started) {
        let host = visit.turn.host
        let verdict = schedule.finished(
            host: host, sign: .answered(.milliseconds(50), isError: false), address: addresses[visit.host], now: now)
        precondition(verdict == .goOn)
        schedule.add(visit.turn, now: now)
    }

    private static func url(host: Int, page: Int) -> WebURL {
        guard let url = WebURL("https://www.site\(host).example/articles/\(page)") else {
            preconditionFailure("digits in a URL")
        }
        return url
    }

    private static func number(of host: String) -> Int {
        host.utf8.dropFirst("www.site".utf8.count).prefix { $0 != UInt8(ascii: ".") }
            .reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    private static func text(_ value: Double) -> String { String(format: "%.2f", value) }

    /// The processor's time that this process has used, in microseconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    /// The most memory the process has held, in bytes.
    private static func peakMemory() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }
}
