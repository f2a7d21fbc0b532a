import NIOCore
import PippinCrawl
import Synchronization

/// How many connections there may be, and how slow they may be.
struct ConnectionLimits: Sendable {
    /// A browser opens up to six connections.
    var connections = 256
    /// Those of one address of another machine: half, so that others have room.
    var connectionsPerAddress = 128
    /// After which a connection is closed on which no request comes, or no whole header.
    var idle = Duration.seconds(15)
    /// From the header of a request until its body must be there.
    var body = Duration.seconds(15)
    /// From a whole request until its answer must be on its way, or the next piece of it.
    var work = Duration.seconds(WebLimits.requestSeconds)
    /// How long a client may take nothing of an answer.
    var stall = Duration.seconds(20)

    /// How long a connection may stay in a phase, and why it is closed then.
    func end(of phase: ConnectionTable.Phase) -> (time: Duration, reason: ConnectionEnd) {
        switch phase {
        case .waiting: (idle, .idle)
        case .reading: (body, .slowBody)
        case .working: (work, .slowAnswer)
        case .answering: (stall, .slowReader)
        }
    }
}

/// The open connections, at most as many as there may be, and which of them gives way to a new one.
///
/// On one machine, or behind a proxy, all clients have one address. So nobody is refused as long as there is a connection that
/// nothing is done for: the one that has got nowhere for the longest time, of the address that has most, is closed.
final class ConnectionTable: Sendable {
    /// What a connection does.
    enum Phase: Sendable {
        /// No whole header of a request has come since the last answer.
        case waiting
        /// The rest of a request is on its way.
        case reading
        /// The answer is being made. Such a connection is not closed for another.
        case working
        /// A part of the answer is on its way.
        case answering
    }

    private struct Connection {
        let channel: any Channel
        let address: String
        var phase = Phase.waiting
        /// When the phase began, or the client last took a part of its answer.
        var since: ContinuousClock.Instant
        /// Ends the work on the answer.
        var cancel: (@Sendable () -> Void)?
        var isAbandoned = false
    }

    private struct State {
        var open: [ObjectIdentifier: Connection] = [:]
        var closed: [ConnectionEnd: Int] = [:]
    }

    private let state = Mutex(State())
    private let limits: ConnectionLimits
    private let clients: ClientAddresses

    init(_ limits: ConnectionLimits = ConnectionLimits(), clients: ClientAddresses = ClientAddresses()) {
        self.limits = limits
        self.clients = clients
    }

    /// Takes a connection in, and closes another one if there are too many; if none can be closed, the new one.
    func enter(_ channel: any Channel, now: ContinuousClock.Instant = .now) {
        let new = Connection(channel: channel, address: clients.origin(of: channel.remoteAddress), since: now)
        let leaving: Connection? = state.withLock { state in
            let shares = state.open.values.reduce(into: [String: Int]()) { $0[$1.address, default: 0] += 1 }
            let isOwnTooMany =
                !clients.isShared(channel.remoteAddress)
                && shares[new.address, default: 0] >= limits.connectionsPerAddress
            guard isOwnTooMany || state.open.count >= limits.connections else {
                state.open[ObjectIdentifier(channel)] = new
                return nil
            }
            /// Sorts those first that give way first.
            func rank(_ connection: Connection) -> (Int, ContinuousClock.Instant) {
                (-shares[connection.address, default: 0], connection.since)
            }
            let victim = state.open.filter { _, connection in
                connection.phase != .working && (!isOwnTooMany || connection.address == new.address)
            }.min { rank($0.value) < rank($1.value) }?.key
            guard let victim else {
                state.closed[.refused, default: 0] += 1
                return new
            }
            state.closed[.replaced, default: 0] += 1
            state.open[ObjectIdentifier(channel)] = new
            return state.open.removeValue(forKey: victim)
        }
        leaving?.channel.close(promise: nil)
        leaving?.cancel?()
    }

    /// Notes what a connection does from now on, or that its client has taken a part of the answer.
    func set(_ phase: Phase, of channel: any Channel, now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            guard var connection = state.open[ObjectIdentifier(channel)] else { return }
            connection.phase = phase
            connection.since = now
            if phase == .waiting { connection.cancel = nil }
            state.open[ObjectIdentifier(channel)] = connection
        }
    }

    /// Notes that a connection is closed.
    func leave(_ channel: any Channel) {
        let connection = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
        connection?.cancel?()
    }

    /// Counts a connection that the server closes.
    func count(_ end: ConnectionEnd) {
        state.withLock { $0.closed[end, default: 0] += 1 }
    }

    // MARK: Clients that go away

    /// Calls `cancel` when the client goes away while its answer is made; at once if it has gone.
    func whenAbandoned(_ channel: any Channel, _ cancel: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            state.open[ObjectIdentifier(channel)]?.cancel = cancel
            return state.open[ObjectIdentifier(channel)]?.isAbandoned ?? true
        }
        if isGone { cancel() }
    }

    /// Notes that the client sends no more.
    func abandon(_ channel: any Channel) {
        let cancel = state.withLock { state in
            state.open[ObjectIdentifier(channel)]?.isAbandoned = true
            return state.open[ObjectIdentifier(channel)]?.cancel
        }
        cancel?()
    }

    // MARK: Counters

    /// Writes the counters as families of Prometheus.
    func write(to text: inout PrometheusExposition) {
        let (phases, closed) = state.withLock { ($0.open.values.map(\.phase), $0.closed) }
        text.gauge(
            "pippin_serve_requests_in_flight", "Requests that are being answered, this one included.",
            Double(phases.count { $0 != .waiting }))
        text.gauge("pippin_serve_connections", "Connections that are open.", Double(phases.count))
        text.family(
            "pippin_serve_connections_closed_total", .counter, "Connections that the server has closed, by reason.",
            closed.map { end, count in (["reason": end.rawValue], Double(count)) })
    }
}

/// Why the server has closed a connection.
enum ConnectionEnd: String, Sendable {
    /// There were too many, and nothing was done for it.
    case replaced
    /// There were too many, and an answer was being made for each of the others.
    case refused
    /// No request came, or no whole header.
    case idle
    /// The body of its request did not come.
    case slowBody = "slow_body"
    /// Its answer took too long to make.
    case slowAnswer = "slow_answer"
    /// Its client did not take the answer.
    case slowReader = "slow_reader"
    /// Its client has sent too many requests without waiting for answers.
    case pipeline
}
