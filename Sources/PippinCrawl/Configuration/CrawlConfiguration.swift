import Foundation
import PippinPage

/// All settings of a crawl, with types and units. `CrawlConfiguration+Reading.swift` reads them from YAML.
///
/// No setting ignores robots.txt, hides the name in the User-Agent, or asks a public host faster than `minimumPublicDelay`:
/// politeness cannot be switched off.
public struct CrawlConfiguration: Sendable, Equatable {
    /// The crawler's name and contact.
    public var agent = Agent()
    /// What the records are for. Pages that refuse this use are not recorded, or without their text.
    public var purpose = CrawlPurpose.search
    /// The path of the seeds file.
    public var seedsPath = "seeds.txt"
    /// The URLs that may be visited.
    public var scope = Scope()
    /// The delays between requests.
    public var politeness = Politeness()
    /// Limits of requests and readings.
    public var fetch = Fetch()
    /// Which pages are rendered, and how.
    public var render = RenderSettings()
    /// The intervals between visits of a page.
    public var recrawl = Recrawl()
    /// The pages that get a record.
    public var records = RecordSelection.deepLinked
    /// The longest text of a page in its record (`records.text`, `records.max_text`); nil for none.
    public var maximumTextBytes: Int?
    /// Where parts of archives are fetched that an index names (`extract.ranges_from`); it ends with `/`.
    public var rangesFrom: WebURL?
    /// The operator's own fields of the record (`extract.fields`).
    public var fields: [CustomField] = []
    /// A file with replies of the App Store's lookup API, which connects App Store IDs with bundle identifiers; nil for none.
    public var appLookupPath: String?
    /// The folder for everything that is kept between runs.
    public var storagePath = "crawl-data"
    /// What is different for single hosts.
    public var hosts = HostSheets()
    /// The files and services that receive results.
    public var output = Output()
    /// The form of messages.
    public var messages = Messages()
    /// How the job is cut into shards.
    public var cluster = Cluster()

    /// The defaults.
    public init() {}

    /// The share of `fetch.memory` that the archive has, for what it knows of earlier captures; 0 without an archive.
    public var archiveMemoryBytes: Int { output.archivePath == nil ? 0 : fetch.memoryBytes / 8 }

    /// Leaves out what says in the operator's name who asks: passwords of hosts, and signatures. For requests that strangers cause.
    public mutating func forgetIdentity() {
        fetch.sendsCredentialsToHosts = false
        agent.signing = nil
    }

    /// The longest text of a page without `records.max_text`. The middle one of our 529 real pages has 4,000 bytes.
    static let standardTextBytes = 16_000

    /// The shortest delay between two requests to a public host, even if `politeness.delay` is shorter.
    static let minimumPublicDelay = Duration.milliseconds(200)

    /// The crawler's identity in requests.
    public struct Agent: Sendable, Equatable {
        /// The product token in the User-Agent and for robots.txt (RFC 9309 §2.2.1: letters, `-` and `_`).
        public var product = "Pippin"
        /// An http(s) URL or a mail address at which site owners can reach the operator. Public hosts are only asked if it is
        /// set.
        public var contact: String?
        /// The names for robots.txt. The first one that a file names decides, or else `*`. If empty, only the product counts.
        public var robotsAgents = ["Pippin", "Applebot", "Googlebot"]

        /// How requests are signed. Nil: they are not.
        public var signing: Signing?

        /// The defaults.
        public init() {}

        /// How requests say who made them (`RequestSigner`).
        public struct Signing: Sendable, Equatable {
            /// Which requests are signed.
            public enum Policy: String, Sendable, CaseIterable {
                case always
                /// Only those to hosts that have asked for it with `Accept-Signature`.
                case whenAsked = "when-asked"
            }

            /// How `Signature-Agent` is written.
            public enum Form: String, Sendable, CaseIterable {
                /// A dictionary with the URL of the directory, as the standard has it.
                case dictionary
                /// The directory's origin alone, as in drafts of 2025. Some verifiers know only this form.
                case string
            }

            /// Where directories are. The form `string` implies it.
            public static let directoryPath = "/.well-known/http-message-signatures-directory"

            /// The path of the private key's file.
            public var keyPath: String
            /// The URL of the public keys (JWK Set).
            public var directory: WebURL
            /// Which requests are signed.
            public var policy = Policy.always
            /// How `Signature-Agent` is written.
            public var form = Form.dictionary

            /// Signs every request.
            public init(keyPath: String, directory: WebURL) {
                (self.keyPath, self.directory) = (keyPath, directory)
            }
        }

        /// The contact in the `crawl-config.yaml` that we ship. It does not work.
        static let placeholderContact = "https://example.org/bot"

        /// The reason why `contact` does not work.
        enum ContactProblem: Sendable, Equatable {
            case missing
            /// It is still `placeholderContact`, or on a host that no one can have.
            case placeholder
        }

        /// Top-level domains that examples use and nobody can register (RFC 2606 §2).
        private static let reservedDomains: Set<Substring> = ["example", "invalid", "localhost", "test"]

        /// Nil if the contact is good enough to ask public hosts.
        var contactProblem: ContactProblem? {
            guard let contact else { return .missing }
            let url = WebURL(contact)
            let host = url?.host ?? contact.split(separator: "@").last.map { $0.lowercased() } ?? ""
            let isReserved = host.split(separator: ".").last.map(Self.reservedDomains.contains) ?? false
            return url?.href == Self.placeholderContact || isReserved ? .placeholder : nil
        }

        /// The names whose directives on pages and in headers apply to us: ours, and Applebot's if its rules do.
        public var directiveAgents: [String] { [product] + robotsAgents.filter { $0.lowercased() == "applebot" } }

        /// The version of the program, also in the User-Agent: what the file VERSION at the root says.
        public static let programVersion =
            String(decoding: PackageResources.VERSION, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)

        /// The User-Agent: `Mozilla/5.0 (compatible; Pippin/0.1.0; +https://example.org/bot)`
        public var userAgent: String {
            let name = "\(product)/\(Self.programVersion)"
            guard let contact else { return "Mozilla/5.0 (compatible; \(name))" }
            return "Mozilla/5.0 (compatible; \(name); +\(contact))"
        }
    }

    /// The URLs that may be visited.
    public struct Scope: Sendable, Equatable {
        /// The hosts to which links are followed.
        public enum Follow: String, Sendable, CaseIterable {
            /// Only the seeds are visited.
            case page
            /// The hosts of the seeds.
            case host
            /// The sites of the seeds: all hosts of their registered domains.
            case domain
            /// All hosts.
            case any
        }

        /// The hosts to which links are followed.
        public var follow = Follow.host
        /// Additional hosts that may be visited. `*.example.org` means all hosts below the domain.
        var allowedHosts: [String] = []
        /// URL patterns (`*` any run, `?` one character). If there are any, a URL must match one of them; seeds need not.
        public var include: [String] = []
        /// URL patterns that must not be visited.
        public var exclude: [String] = []
        /// The greatest depth to visit. A seed has 0, redirects add nothing, sitemap entries have 1.
        public var maximumDepth = 8
        /// The number of pages that a run may visit.
        public var maximumPages = 100_000
        /// The number of pages that a run may visit on one host.
        public var maximumPagesPerHost = 10_000
        /// Whether sitemaps are read to find more URLs.
        public var sitemaps = true
        /// The number of hosts that a run may ask. It includes the hosts of seeds, which are never left out. Each host costs a
        /// look-up and a request for its robots.txt before any page. Nil: twice `maximumPages`, plus ten.
        var maximumHosts: Int?
        /// The number of requests for robots.txt in a run. Nil: twice the hosts, because a host may have an http and an https
        /// origin.
        var maximumRobotsRequests: Int?
        /// The number of sitemaps that a run reads. Nil: as many as hosts.
        var maximumSitemaps: Int?

        var hostLimit: Int { maximumHosts ?? 2 * min(maximumPages, 1_000_000_000) + 10 }
        var robotsLimit: Int { maximumRobotsRequests ?? 2 * hostLimit }
        var sitemapLimit: Int { maximumSitemaps ?? hostLimit }

        /// The defaults.
        public init() {}
    }

    /// The time after which a host may be asked again.
    public struct Politeness: Sendable, Equatable {
        /// The delay between two requests to one host.
        public var delay = Duration.seconds(1)
        /// The limit of a Crawl-delay in robots.txt. A longer one is cut.
        var maximumCrawlDelay = Duration.seconds(30)
        var connectionsPerHost = 1
        /// Whether slow hosts get longer delays. Errors never shorten a delay.
        var adaptive = true
        /// The time between the starts of two requests to one IP address. Nil: `delay`. Public addresses get at least
        /// `minimumPublicDelay`.
        var delayPerAddress: Duration?
        /// The requests per second that one IP address gets at most, if it has many sites and they answer well. It begins with one per
        /// `delayPerAddress`, and stays there if that is not less.
        var maximumRatePerAddress = 5.0
        /// The requests that may start per second, for all hosts together and evenly spread. Nil: no limit beside those of the
        /// hosts.
        var maximumRequestsPerSecond: Double?
        /// The name look-ups that may start per second, for all domains together and evenly spread. The names of one registered
        /// domain are looked up one by one, with the host's delay in between.
        var maximumLookUpsPerSecond = 50.0
        /// The hours in which no host is asked, or each only every `quietDelay`.
        var quietHours = QuietHours.none
        /// The delay between two requests to one host in quiet hours. Nil: no requests are made.
        var quietDelay: Duration?

        /// The defaults.
        public init() {}
    }

    /// Limits of requests and readings.
    public struct Fetch: Sendable, Equatable {
        /// The number of visits in flight, for all hosts together.
        public var concurrency = 64
        /// The time limit for look-up, TCP and TLS together.
        var connectTimeout = Duration.seconds(10)
        /// The time limit of an exchange, from the look-up to the last byte.
        public var timeout = Duration.seconds(30)
        /// The computing time for reading one response. On a busy machine the clock may show more.
        var readingTimeout = Duration.seconds(10)
        /// The limit of one body, in decoded bytes.
        public var maximumBodyBytes = 10_000_000
        /// The memory for bodies in transfer, documents and waiting pages together (`MemoryBudget`), and for an archive's captures.
        /// What does not fit waits.
        var memoryBytes = 512_000_000
        /// The number of redirects from the URL that was found to the page.
        var maximumRedirects = 10
        /// The number of retries after a temporary failure.
        public var retries = 2
        /// The wait before the first retry. It doubles with each further one.
        var retryDelay = Duration.seconds(10)
        /// The longest rest of a host that a run waits for. A host that needs more is left for the next run.
        var maximumWait = Duration.seconds(600)
        /// Whether private and other special addresses may be asked.
        public var allowPrivateNetworks = false
        /// A PEM file of certificate authorities that are trusted in addition to the system's.
        public var certificateAuthorityPath: String?
        /// The file with credentials for the operator's own hosts and proxy (`SiteCredentials`). Nil: none.
        public var credentialsPath: String?
        /// Whether hosts get the fields of that file. If false, only the proxy gets its user and password.
        public var sendsCredentialsToHosts = true
        /// The proxy through which everything is fetched. Nil: none.
        public var proxy: ProxyServer?

        /// The defaults.
        public init() {}
    }

    /// The intervals between visits of a page.
    public struct Recrawl: Sendable, Equatable {
        /// The shortest interval.
        public var minimumInterval = Duration.seconds(3600)
        var defaultInterval = Duration.seconds(24 * 3600)
        /// The longest interval.
        public var maximumInterval = Duration.seconds(30 * 24 * 3600)
        /// The number of visits in a row that do not find a page, although its host answers, before its record is deleted.
        public var misses = 3
        /// How long visits must have failed or found nothing before a URL is forgotten that nothing links to.
        public var forgetAfter = Duration.seconds(90 * 86_400)

        /// The defaults.
        public init() {}
    }

    /// The pages that get a record.
    public enum RecordSelection: String, Sendable, CaseIterable {
        /// Only pages that lead into an app.
        case deepLinked = "deep-linked"
        case all
    }

    /// The messages on standard error.
    public struct Messages: Sendable, Equatable {
        /// The form of messages.
        public enum Format: String, Sendable, CaseIterable {
            /// Text for people, with progress and a summary.
            case text
            /// One JSON object per line, and nothing else.
            case json
        }

        /// The severity of messages.
        public enum Level: String, Sendable, CaseIterable {
            case debug, info, notice, warning, error
        }

        /// The form of messages.
        public var format = Format.text
        /// The lowest level that is written.
        public var level = Level.warning
        /// How messages name settings: a one-off crawl has flags, a job has a file.
        public var settings = Setting.Spelling.key

        /// The defaults.
        public init() {}
    }

    /// When a file that grows is ended and the next one begun, and how long ended files stay.
    public struct Rotation: Sendable, Equatable {
        /// A file with so many bytes is ended. Nil: none is for its size.
        public var maximumBytes: Int?
        /// A file that was begun so long ago is ended. Nil: none is for its age.
        public var maximumAge: Duration?
        /// The least time for which ended files are kept. Nil: they are never removed.
        public var keep: Duration?

        /// By default, nothing is ended or removed.
        public init(maximumBytes: Int? = nil, maximumAge: Duration? = nil, keep: Duration? = nil) {
            (self.maximumBytes, self.maximumAge, self.keep) = (maximumBytes, maximumAge, keep)
        }

        /// Whether a file is to be ended.
        public func ends(bytes: Int, begun: Date, at now: Date) -> Bool {
            if let maximumBytes, bytes >= maximumBytes { return true }
            return maximumAge.map { now.timeIntervalSince(begun) >= $0 / .seconds(1) } ?? false
        }
    }

    /// The files and services that receive results.
    public struct Output: Sendable, Equatable {
        /// The file of records, one JSON object per line. Nil: `records.ndjson` in the job's storage.
        public var ndjsonPath: String?
        /// The rotation of that file in a job with a storage.
        public var ndjsonRotation = Rotation()
        /// The folder for the report of the whole crawl. Nil: no report.
        public var reportPath: String?
        /// Who may read that report.
        public var reportReaders = OutputFile.Readers.group
        /// The file that gets a line for every visit (Docs/CrawlLog.md). Nil: no log.
        public var logPath: String?
        /// The file for the summary as JSON. Nil: none.
        public var summaryPath: String?
        /// The file of counters for Prometheus, replaced every ten seconds. Nil: none.
        public var metricsPath: String?
        /// The port on 127.0.0.1 with `/metrics` during a crawl; 0 takes a free one. Nil: none.
        public var metricsPort: Int?
        /// The folder for WARC files with every exchange. Nil: no archive.
        public var archivePath: String?
        /// The rotation of its files. Without a size they have `WARCArchive.standardFileBytes`.
        public var archiveRotation = Rotation()
        /// Whether the storage keeps the text of pages, and the search index beside it is fed while the crawl runs.
        public var hasSearchIndex = false
        /// The search index that receives all records and deletions. Nil: none.
        public var openSearch: OpenSearchSettings?

        /// The defaults.
        public init() {}

        /// The path of a job's records. Without a configured path it is in the storage, so that two jobs never share a file.
        public func recordsPath(storage: String) -> String {
            ndjsonPath ?? (storage.hasSuffix("/") ? storage : storage + "/") + "records.ndjson"
        }
    }
}
