/// A setting of a crawl, with its name in the configuration file and on the command line. Messages name settings only through
/// this type.
public struct Setting: Sendable, Hashable {
    /// The way in which a message names settings.
    public enum Spelling: Sendable, Hashable {
        /// The key, for a job with a configuration file: `fetch.ca_file`.
        case key
        /// The flag, for one-off crawls and commands for one page: `--ca-file`.
        case flag
        /// Key and flag, if it is not known which of them the reader has: `fetch.ca_file (--ca-file)`.
        case both
    }

    /// The path of the key: `fetch.ca_file`.
    public let key: String
    /// The flag, which is the last part of the key with dashes: `--ca-file`. Nil if there is only the key.
    public let flag: String?

    private init(_ key: String, hasFlag: Bool = false) {
        self.key = key
        let name = key.split(separator: ".").last ?? ""
        flag = hasFlag ? "--" + name.replacing("_", with: "-") : nil
    }

    /// The name of the setting for a message.
    public func spelled(_ spelling: Spelling) -> String {
        guard let flag else { return spelling == .key ? key : "\(key) (configuration file)" }
        return switch spelling {
        case .key: key
        case .flag: flag
        case .both: "\(key) (\(flag))"
        }
    }

    /// The contact for site owners.
    public static let contact = Setting("agent.contact", hasFlag: true)
    /// The hosts to which links are followed.
    public static let follow = Setting("scope.follow", hasFlag: true)
    static let allowedHosts = Setting("scope.allow_hosts")
    /// The patterns that URLs must match.
    public static let include = Setting("scope.include", hasFlag: true)
    /// The patterns of excluded URLs.
    public static let exclude = Setting("scope.exclude", hasFlag: true)
    /// The greatest depth.
    public static let maximumDepth = Setting("scope.max_depth", hasFlag: true)
    /// The pages per run.
    public static let maximumPages = Setting("scope.max_pages", hasFlag: true)
    /// The pages per run and host.
    public static let maximumPagesPerHost = Setting("scope.max_pages_per_host")
    static let maximumHosts = Setting("scope.max_hosts")
    static let maximumRobotsRequests = Setting("scope.max_robots_requests")
    static let maximumSitemaps = Setting("scope.max_sitemaps")
    static let maximumLookUpsPerSecond = Setting("politeness.max_lookups_per_second")
    /// The delay between two requests to a host.
    public static let delay = Setting("politeness.delay", hasFlag: true)
    static let delayPerAddress = Setting("politeness.delay_per_address")
    /// The visits in flight.
    public static let concurrency = Setting("fetch.concurrency", hasFlag: true)
    /// The time limit for connecting.
    static let connectTimeout = Setting("fetch.connect_timeout")
    /// The time limit of an exchange.
    public static let timeout = Setting("fetch.timeout")
    static let readingTimeout = Setting("fetch.reading_timeout")
    static let maximumBody = Setting("fetch.max_body")
    static let maximumRedirects = Setting("fetch.max_redirects")
    static let maximumWait = Setting("fetch.max_wait")
    /// Whether private addresses may be asked.
    public static let allowPrivateNetworks = Setting("fetch.allow_private_networks", hasFlag: true)
    static let certificateAuthority = Setting("fetch.ca_file", hasFlag: true)
    static let credentials = Setting("fetch.credentials", hasFlag: true)
    static let proxy = Setting("fetch.proxy", hasFlag: true)
    /// The visits without the page before its record is deleted.
    public static let misses = Setting("recrawl.misses")

    /// All settings. A test compares them with the configuration's keys and the command line.
    static let all = [
        contact, follow, allowedHosts, include, exclude, maximumDepth, maximumPages, maximumPagesPerHost, maximumHosts,
        maximumRobotsRequests, maximumSitemaps, delay, delayPerAddress, maximumLookUpsPerSecond, concurrency,
        connectTimeout, timeout, readingTimeout, maximumBody, maximumRedirects, maximumWait,
        allowPrivateNetworks,
        certificateAuthority, credentials, proxy, misses,
    ]
}
