import PippinPage

extension PolitenessSchedule {
    /// One request to one host. A request is kept in one place and not moved, because the lines of hosts move their turns
    /// again and again.
    public indirect enum Turn: Sendable, Equatable {
        case siteFile(SiteFileRequest)
        case visit(CrawlRequest)

        /// The host to ask.
        public var host: String {
            switch self {
            case .siteFile(let request): request.url.politenessHost
            case .visit(let request): request.host
            }
        }

        var url: WebURL {
            switch self {
            case .siteFile(let request): request.url
            case .visit(let request): request.url
            }
        }

        /// The order of a host's turns, smaller first: robots.txt, because everything waits for it, then files for pages that
        /// were already read.
        var priority: Int {
            switch self {
            case .siteFile(let request): request.kind == .robots ? -3 : -2
            case .visit(let request): request.priority
            }
        }
    }

    /// The result of `next`.
    public enum Decision: Equatable {
        case start(Turn)
        /// A name must be looked up. Pass the result to `lookedUp`.
        case lookUp(host: String)
        /// Nothing is due before this time.
        case wait(until: Duration)
        /// Quiet hours close the whole crawl for longer than a run waits.
        case quiet(until: Duration)
        /// Quiet hours close a host for longer than a run waits. Remove its turns with `removeAll(host:)`.
        case suspend(host: String, until: Duration)
        /// No host has work that can start. The end of a request in flight may change that.
        case idle
    }

    /// What the run should do with the host after a turn.
    public enum Verdict: Equatable {
        case goOn
        /// The host needs a longer rest than this run waits. Leave it until then.
        case suspend(until: Duration)
    }
}
