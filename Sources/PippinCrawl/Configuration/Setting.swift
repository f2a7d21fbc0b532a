/// Something that whoever runs a crawl can set, for messages: what a key of the configuration file is called there, and on the
/// command line. Messages name settings through this type alone.
public struct Setting: Sendable, Hashable {
    /// How a message names settings.
    public enum Spelling: Sendable, Hashable {
        /// For a job, which has a configuration file: `fetch.ca_file`.
        case key
        /// For one-off crawls and commands that look at one page: `--ca-file`.
        case flag
        /// Where it is not known which of the two the reader has: `fetch.ca_file (--ca-file)`.
        case both
    }

    /// Path of the key, `fetch.ca_file`.
    public let key: String
    /// The last part of the key with dashes, `--ca-file`; nil when only the configuration file can set it.
    public let flag: String?

    private init(_ key: String, hasFlag: Bool = false) {
        self.key = key
        let name = key.split(separator: ".").last ?? ""
        flag = hasFlag ? "--" + name.replacing("_", with: "-") : nil
    }

    public func spelled(_ spelling: Spelling) -> String {
        guard let flag else { return spelling == .key ? key : "\(key) (configuration file)" }
        return switch spelling {
        case .key: key
        case .flag: flag
        case .both: "\(key) (\(flag))"
        }
    }

    public static let contact = Setting("agent.contact", hasFlag: true)
    public static let follow = Setting("scope.follow", hasFlag: true)
    static let allowedHosts = Setting("scope.allow_hosts")
    public static let include = Setting("scope.include")
    public static let exclude = Setting("scope.exclude")
    public static let maximumDepth = Setting("scope.max_depth", hasFlag: true)
    public static let maximumPages = Setting("scope.max_pages", hasFlag: true)
    public static let maximumPagesPerHost = Setting("scope.max_pages_per_host")
    static let maximumHosts = Setting("scope.max_hosts")
    static let maximumRobotsRequests = Setting("scope.max_robots_requests")
    static let maximumSitemaps = Setting("scope.max_sitemaps")
    static let maximumLookUpsPerSecond = Setting("politeness.max_lookups_per_second")
    public static let delay = Setting("politeness.delay", hasFlag: true)
    static let delayPerAddress = Setting("politeness.delay_per_address")
    public static let concurrency = Setting("fetch.concurrency", hasFlag: true)
    public static let connectTimeout = Setting("fetch.connect_timeout")
    public static let timeout = Setting("fetch.timeout")
    static let readingTimeout = Setting("fetch.reading_timeout")
    static let maximumBody = Setting("fetch.max_body")
    static let maximumRedirects = Setting("fetch.max_redirects")
    static let maximumWait = Setting("fetch.max_wait")
    public static let allowPrivateNetworks = Setting("fetch.allow_private_networks", hasFlag: true)
    static let certificateAuthority = Setting("fetch.ca_file", hasFlag: true)
    public static let misses = Setting("recrawl.misses")

    /// All of them; a test holds them against the configuration's keys and the command line.
    static let all = [
        contact, follow, allowedHosts, include, exclude, maximumDepth, maximumPages, maximumPagesPerHost, maximumHosts,
        maximumRobotsRequests, maximumSitemaps, delay, delayPerAddress, maximumLookUpsPerSecond, concurrency,
        connectTimeout, timeout, readingTimeout, maximumBody, maximumRedirects, maximumWait,
        allowPrivateNetworks,
        certificateAuthority, misses,
    ]
}
