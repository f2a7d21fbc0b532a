import Synchronization

/// What renderings that `auto` asked for have taught of hosts. Where they brought nothing, `auto` asks for no more, but for every
/// twentieth page, which notices a change.
///
///     nothing ─► nothing ─► nothing ─► left, left, … ─► the 20th is rendered ─► something: as before
///                                         ▲──────────────────────┘ nothing
///
/// They are kept for one run: a few renderings a host are cheap, and sites change between runs.
final class RenderLessons: Sendable {
    private struct Host {
        /// Renderings in a row that brought nothing.
        var fruitless = 0
        /// Pages that were left since the last rendering.
        var left = 0
    }

    /// Renderings in a row that bring nothing, after which a host's pages are left. One or two may be odd pages of a good app.
    static let patience = 3
    /// Of so many pages, one is rendered all the same.
    static let interval = 20

    /// Hosts whose last rendering brought nothing.
    private let hosts = Mutex<[String: Host]>([:])
    private let maximumHosts: Int

    /// - Parameter maximumHosts: 100 bytes each. Beyond, all are forgotten, which costs a few renderings a host.
    init(maximumHosts: Int = 100_000) { self.maximumHosts = maximumHosts }

    /// Whether the next page that `auto` would render is rendered. A page that is not counts as left.
    func admitsNext(of host: String) -> Bool {
        hosts.withLock { hosts in
            guard var known = hosts[host], known.fruitless >= Self.patience else { return true }
            known.left = (known.left + 1) % Self.interval
            hosts[host] = known
            return known.left == 0
        }
    }

    /// Learns from a rendering, if `auto` asked for it. One that does not count brought nothing, unless it was for want of a browser.
    func learn(from outcome: RenderOutcome, of host: String) {
        guard case .need = outcome.reason else { return }
        switch outcome.verdict {
        case .failed(.browserUnavailable), .failed(.cancelled): return
        case .counts: learn(of: host, broughtNothing: false)
        default: learn(of: host, broughtNothing: true)
        }
    }

    func learn(of host: String, broughtNothing: Bool) {
        hosts.withLock { hosts in
            guard broughtNothing else {
                hosts[host] = nil
                return
            }
            hosts[host, default: Host()].fruitless += 1
            if hosts.count > maximumHosts { hosts.removeAll(keepingCapacity: true) }
        }
    }
}
