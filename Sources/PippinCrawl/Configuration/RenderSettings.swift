import PippinPage

/// How pages are rendered (`render` in `crawl-config.yaml`).
public struct RenderSettings: Sendable, Equatable {
    /// Which pages are rendered.
    public enum Mode: String, Sendable, CaseIterable {
        case never
        /// Those whose scripts make their content (`RenderNeed`).
        case auto
        case always
    }

    public var mode = Mode.never
    /// The browser's program, not its wrapper, which adds keys and flags.
    public var browserPath = "/usr/lib/chromium/chromium-headless-shell"
    /// The user that the browser runs as, if we run as root.
    public var user = "nobody"
    /// Pages that compute at a time.
    public var concurrency = 2
    /// Open pages at a time, with those that wait for files. Each takes 30 to 75 MB.
    public var maximumOpenPages = 4
    /// The page's own time after it has loaded.
    public var settle = Duration.seconds(10)
    /// The time without any progress after which a page's scripts are stopped.
    public var stall = Duration.seconds(2)
    /// The longest that a page is open, with the turns that its requests wait for.
    public var timeout = Duration.seconds(60)
    /// Requests of a page's scripts.
    public var maximumRequests = 200
    /// Bytes of the answers to a page's scripts.
    public var maximumBytes = 20_000_000
    public var maximumElements = 50_000
    /// Memory of each of the browser's processes in bytes.
    public var memoryBytes = 400_000_000
    /// Pages after which the browser is started again.
    public var restartAfter = 500
    /// Whether pages may run WebAssembly. It needs the compilers of the scripts' engine, and these are where most attacks begin.
    public var webAssembly = false
    /// Whether scripts may ask with POST for what only reads: JSON to their own site that is no GraphQL mutation.
    public var postForReading = true
    /// Answers to scripts that are kept for other pages, in bytes.
    var cacheBytes = 64_000_000
    /// Such answers in the storage, for later runs, in bytes.
    public var diskCacheBytes = 256_000_000

    public init() {}

    // MARK: In the file

    static let keys = [
        "mode", "hosts", "browser", "user", "concurrency", "max_open_pages", "settle", "stall", "timeout",
        "max_requests", "max_bytes", "max_elements", "memory", "restart_after", "cache", "disk_cache", "webassembly",
        "post_for_reading",
    ]

    init(_ section: ConfigurationSection) throws {
        self.init()
        mode = try section.choice("mode", Mode.self) ?? mode
        browserPath = try section.string("browser") ?? browserPath
        user = try section.string("user") ?? user
        concurrency = try section.integer("concurrency", in: 1...64) ?? concurrency
        maximumOpenPages = try section.integer("max_open_pages", in: 1...256) ?? 2 * concurrency
        guard maximumOpenPages >= concurrency else {
            throw section.invalid("max_open_pages", "must be \(concurrency) or more, as concurrency is \(concurrency)")
        }
        settle = try section.duration("settle", in: .milliseconds(250) ... .seconds(60)) ?? settle
        stall = try section.duration("stall", in: .milliseconds(500) ... .seconds(60)) ?? stall
        timeout = try section.duration("timeout", in: .seconds(1) ... .seconds(3600)) ?? timeout
        maximumRequests = try section.integer("max_requests", in: 0...10_000) ?? maximumRequests
        maximumBytes = try section.bytes("max_bytes", in: 0...1_000_000_000) ?? maximumBytes
        maximumElements = try section.integer("max_elements", in: 100...1_000_000) ?? maximumElements
        memoryBytes = try section.bytes("memory", in: 300_000_000...64_000_000_000) ?? memoryBytes
        restartAfter = try section.integer("restart_after", in: 1...1_000_000) ?? restartAfter
        webAssembly = try section.boolean("webassembly") ?? webAssembly
        postForReading = try section.boolean("post_for_reading") ?? postForReading
        cacheBytes = try section.bytes("cache", in: 0...4_000_000_000) ?? cacheBytes
        diskCacheBytes = try section.bytes("disk_cache", in: 0...64_000_000_000) ?? diskCacheBytes
    }
}
