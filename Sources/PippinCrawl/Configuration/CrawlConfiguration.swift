import PippinPage

/// Every knob of a crawl, typed, with its unit. `CrawlConfiguration+Reading.swift` reads it from YAML.
///
/// There is no key that ignores robots.txt, hides the name in the User-Agent or asks a public host faster than
/// `minimumPublicDelay`: politeness has no off switch.
public struct CrawlConfiguration: Sendable, Equatable {
    public var agent = Agent()
    /// Path of the seeds file.
    public var seedsPath = "seeds.txt"
    public var scope = Scope()
    public var politeness = Politeness()
    public var fetch = Fetch()
    public var recrawl = Recrawl()
    public var records = RecordSelection.deepLinked
    /// File of replies of the App Store's lookup API, which ties App Store IDs to bundle identifiers.
    public var appLookupPath: String?
    /// Folder of everything that is remembered between runs.
    public var storagePath = "crawl-data"
    public var output = Output()
    public var messages = Messages()

    public init() {}

    /// The shortest delay between two requests to a host of the public web, whatever `politeness.delay` says.
    static let minimumPublicDelay = Duration.milliseconds(200)

    /// Who we say we are.
    public struct Agent: Sendable, Equatable {
        /// Product token in the User-Agent and in robots.txt (RFC 9309 §2.2.1: letters, `-` and `_`).
        public var product = "Pippin"
        /// An http(s) URL or a mail address where a site's owner reaches us; needed before a public host is asked.
        public var contact: String?
        /// The first of these that a robots.txt names decides, then `*`. Empty: the product alone.
        public var robotsAgents = ["Pippin", "Applebot", "Googlebot"]

        public init() {}

        /// The contact in the `crawl-config.yaml` that we ship, which reaches nobody.
        static let placeholderContact = "https://example.org/bot"

        /// Why nobody could reach us by `contact`.
        enum ContactProblem: Sendable, Equatable {
            case missing
            /// It is still `placeholderContact`.
            case placeholder
        }

        /// Nil when a public host may be asked.
        var contactProblem: ContactProblem? {
            guard let contact else { return .missing }
            return WebURL(contact)?.href == Self.placeholderContact ? .placeholder : nil
        }

        /// The version that the User-Agent names.
        public static let programVersion = "0.1.0"

        /// `Mozilla/5.0 (compatible; Pippin/0.1.0; +https://example.org/bot)`
        public var userAgent: String {
            let name = "\(product)/\(Self.programVersion)"
            guard let contact else { return "Mozilla/5.0 (compatible; \(name))" }
            return "Mozilla/5.0 (compatible; \(name); +\(contact))"
        }
    }

    /// Which URLs may be visited at all.
    public struct Scope: Sendable, Equatable {
        public enum Follow: String, Sendable, CaseIterable {
            /// The seeds only.
            case page
            /// The hosts of the seeds.
            case host
            /// The sites of the seeds: every host of their registered domains.
            case domain
            /// Every host.
            case any
        }

        public var follow = Follow.host
        /// Extra hosts that may be followed; `*.example.org` takes every host below.
        var allowedHosts: [String] = []
        /// URL globs (`*` any run, `?` one character). A URL must match one, unless there are none; seeds are exempt.
        public var include: [String] = []
        public var exclude: [String] = []
        /// A seed is 0, redirects add nothing, sitemap entries are 1.
        public var maximumDepth = 8
        public var maximumPages = 100_000
        public var maximumPagesPerHost = 10_000
        /// Whether sitemaps are read for more URLs.
        public var sitemaps = true
        /// Hosts that a run turns to, those of the seeds included, which are never left out; each costs a look-up and a request for its
        /// robots.txt before any page. nil: twice `maximumPages`, and ten.
        var maximumHosts: Int?
        /// Requests for robots.txt in a run. nil: twice the hosts, as a host may have an http and an https side.
        var maximumRobotsRequests: Int?
        /// Sitemaps that a run reads. nil: as many as hosts.
        var maximumSitemaps: Int?

        var hostLimit: Int { maximumHosts ?? 2 * min(maximumPages, 1_000_000_000) + 10 }
        var robotsLimit: Int { maximumRobotsRequests ?? 2 * hostLimit }
        var sitemapLimit: Int { maximumSitemaps ?? hostLimit }

        public init() {}
    }

    /// When a host may be asked again.
    public struct Politeness: Sendable, Equatable {
        public var delay = Duration.seconds(1)
        /// A longer Crawl-delay is cut to this.
        var maximumCrawlDelay = Duration.seconds(30)
        var connectionsPerHost = 1
        /// Slow hosts get longer delays; errors never shorten one.
        var adaptive = true
        /// Between the starts of two requests to one IP address. Nil: `delay`. Public addresses get at least `minimumPublicDelay`.
        var delayPerAddress: Duration?
        /// Requests that may start in a second, all hosts together, evenly spread; nil: as many as the hosts allow.
        var maximumRequestsPerSecond: Double?
        /// Look-ups of names that may start in a second, all domains together, evenly spread. The names of one registered domain are
        /// looked up one by one, with the host's delay between.
        var maximumLookUpsPerSecond = 50.0
        /// When no host is asked, or each only every `quietDelay`.
        public var quietHours = QuietHours.none
        /// Between two requests to one host in quiet hours; nil: none is made.
        var quietDelay: Duration?
        /// What holds for single hosts in place of the above, by host name or `*.` and a domain, which takes every host
        /// below it. The most particular one counts.
        public var hosts: [String: HostPoliteness] = [:]

        public init() {}
    }

    /// What is kept towards one host, or the hosts below a domain; nil: as towards all.
    public struct HostPoliteness: Sendable, Equatable {
        public var delay: Duration?
        var maximumCrawlDelay: Duration?
        public var connections: Int?
        /// On top of the quiet hours of the whole crawl.
        public var quietHours = QuietHours.none
        var quietDelay: Duration?

        public init() {}
    }

    public struct Fetch: Sendable, Equatable {
        /// Visits in flight, all hosts together.
        public var concurrency = 64
        public var connectTimeout = Duration.seconds(10)
        /// From the first look-up to the last byte.
        public var timeout = Duration.seconds(30)
        /// How long reading one answer may compute; on a busy machine it may take longer by the clock.
        var readingTimeout = Duration.seconds(10)
        /// Decoded bytes of one body.
        public var maximumBodyBytes = 10_000_000
        /// For bodies on their way, documents and pages that wait, all together (`MemoryBudget`). What does not fit waits.
        var memoryBytes = 512_000_000
        /// Hops from the URL that was found to the page.
        var maximumRedirects = 10
        /// How often a URL is asked again after a failure that may pass.
        public var retries = 2
        /// Before the first retry; doubles with each further one.
        var retryDelay = Duration.seconds(10)
        /// The longest a run waits for a host that rests. A host that asks for more is left for the next run.
        var maximumWait = Duration.seconds(600)
        public var allowPrivateNetworks = false
        /// PEM file of certificate authorities trusted beside the system's.
        public var certificateAuthorityPath: String?

        public init() {}

        /// How long to wait before a request is made once more, beside its host's own delay; nil when it was made often enough.
        ///
        /// - Parameters:
        ///   - attempt: how often it was made again already.
        ///   - error: why there was no answer.
        func retryDelay(attempt: Int, after error: FetchError?) -> Duration? {
            if let error, error.isAskedAgainAtOnce(attempt: attempt) { return .zero }
            return attempt < retries ? retryDelay * (1 << min(attempt, 16)) : nil
        }
    }

    /// When a page is visited again.
    public struct Recrawl: Sendable, Equatable {
        public var minimumInterval = Duration.seconds(3600)
        var defaultInterval = Duration.seconds(24 * 3600)
        var maximumInterval = Duration.seconds(30 * 24 * 3600)
        /// Visits in a row that must miss a page, though its host answers, before its record is deleted.
        public var misses = 3

        public init() {}
    }

    public enum RecordSelection: String, Sendable, CaseIterable {
        /// Pages that lead into an app.
        case deepLinked = "deep-linked"
        case all
    }

    /// What the program says on standard error.
    public struct Messages: Sendable, Equatable {
        public enum Format: String, Sendable, CaseIterable {
            /// Lines for people, with progress and a summary.
            case text
            /// One JSON object a line, and nothing else.
            case json
        }

        public enum Level: String, Sendable, CaseIterable {
            case debug, info, notice, warning, error
        }

        public var format = Format.text
        /// Messages below it are left out.
        public var level = Level.warning
        /// How messages name what can be set; a one-off crawl has flags, a job has a file.
        public var settings = Setting.Spelling.key

        public init() {}
    }

    public struct Output: Sendable, Equatable {
        /// File of records, one JSON object a line; nil: `records.ndjson` in the storage of the job.
        public var ndjsonPath: String?
        /// Folder of the report of the whole crawl; nil: none is made.
        public var reportPath: String?
        /// File that a line is appended to for every visit (Docs/CrawlLog.md).
        public var logPath: String?
        /// File for the end report as JSON.
        public var summaryPath: String?
        /// File of counters for Prometheus, written anew every ten seconds.
        public var metricsPath: String?
        /// Port on 127.0.0.1 where `/metrics` is served while a crawl runs; 0 takes a free one.
        public var metricsPort: Int?
        /// Folder of WARC files that keep every exchange; nil keeps none.
        public var archivePath: String?
        /// The search index that gets all records and deletions too.
        public var openSearch: OpenSearchSettings?

        public init() {}

        /// The file that a job's records go to. Without a name of its own it lies in the storage, so that two jobs never share
        /// one.
        public func recordsPath(storage: String) -> String {
            ndjsonPath ?? (storage.hasSuffix("/") ? storage : storage + "/") + "records.ndjson"
        }
    }
}
