import NIOCore
import Synchronization

/// The open connections, and which of them gives way when there are too many.
///
/// On one machine, or behind a proxy, all clients have one address. So nobody is refused as long as there is a connection that does
/// nothing: the one that has waited longest, of the address that has most, is closed for a new one.
final class ConnectionTable: Sendable {
    /// What a connection does.
    enum Phase: Sendable {
        /// No whole header of a request has come since the last answer.
        case waiting
        /// A body is on its way.
        case reading
        /// The answer is being made. Such a connection is not closed for another.
        case working
        /// The answer is on its way.
        case answering

        /// After which the connection is closed.
        var seconds: Int64 {
            switch self {
            case .waiting: WebLimits.idleSeconds
            case .reading: WebLimits.bodySeconds
            case .working: WebLimits.requestSeconds
            case .answering: WebLimits.answerSeconds
            }
        }
    }

    private struct Connection {
        let channel: any Channel
        let address: String
        var phase = Phase.waiting
        var since = ContinuousClock.now
        /// Ends the work on the answer.
        var cancel: (@Sendable () -> Void)?
        var isAbandoned = false
        /// Called when the connection is closed.
        var whenClosed: (@Sendable () -> Void)?
        var deadline: Scheduled<Void>?
    }

    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])
    private let maximum: Int
    private let maximumPerAddress: Int

    init(maximum: Int = WebLimits.connections, maximumPerAddress: Int = WebLimits.connectionsPerAddress) {
        self.maximum = maximum
        self.maximumPerAddress = maximumPerAddress
    }

    var count: Int { connections.withLock { $0.count } }

    /// Takes a connection in, and closes another one if there are too many; if none can be closed, the new one.
    func open(_ channel: any Channel) {
        let address = channel.remoteAddress?.ipAddress ?? ""
        let identifier = ObjectIdentifier(channel)
        let closed = connections.withLock { connections -> (any Channel)? in
            connections[identifier] = Connection(channel: channel, address: address)
            // Those that are being closed count no more.
            let counts = connections.values.filter(\.channel.isActive).reduce(into: [String: Int]()) {
                $0[$1.address, default: 0] += 1
            }
            let isOwnTooMany = !Self.isLoopback(address) && counts[address, default: 0] > maximumPerAddress
            guard counts.values.reduce(0, +) > maximum || isOwnTooMany else { return nil }
            let candidates = connections.filter { candidate in
                candidate.key != identifier && candidate.value.phase != .working && candidate.value.channel.isActive
                    && (!isOwnTooMany || candidate.value.address == address)
            }
            let victim = candidates.min { a, b in
                let (first, second) = (counts[a.value.address, default: 0], counts[b.value.address, default: 0])
                return first == second ? a.value.since < b.value.since : first > second
            }
            return connections[victim?.key ?? identifier]?.channel
        }
        closed?.close(promise: nil)
        enter(.waiting, channel)
        channel.closeFuture.whenComplete { _ in self.close(identifier) }
    }

    private func close(_ identifier: ObjectIdentifier) {
        let connection = connections.withLock { $0.removeValue(forKey: identifier) }
        connection?.deadline?.cancel()
        connection?.cancel?()
        connection?.whenClosed?()
    }

    /// Notes that a connection does something else now, and closes it if it does that for too long. Bytes that trickle in or out
    /// change nothing of that.
    ///
    /// - Parameter whenClosed: called if the connection is closed before it enters another phase with another one.
    func enter(_ phase: Phase, _ channel: any Channel, whenClosed: (@Sendable () -> Void)? = nil) {
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(phase.seconds)) { channel.close(promise: nil) }
        let (last, isOpen) = connections.withLock { connections -> (Scheduled<Void>?, Bool) in
            guard var connection = connections[ObjectIdentifier(channel)] else { return (nil, false) }
            let last = connection.deadline
            connection.deadline = deadline
            connection.phase = phase
            connection.since = .now
            connection.whenClosed = whenClosed
            if phase == .answering || phase == .waiting { connection.cancel = nil }
            connections[ObjectIdentifier(channel)] = connection
            return (last, true)
        }
        last?.cancel()
        if !isOpen {
            deadline.cancel()
            whenClosed?()
        }
    }

    /// Calls `cancel` when the client goes away while its answer is made; at once if it has gone.
    func whenAbandoned(_ channel: any Channel, _ cancel: @escaping @Sendable () -> Void) {
        let isGone = connections.withLock { connections in
            connections[ObjectIdentifier(channel)]?.cancel = cancel
            return connections[ObjectIdentifier(channel)]?.isAbandoned ?? true
        }
        if isGone { cancel() }
    }

    /// Notes that the client sends no more.
    fileprivate func abandon(_ channel: any Channel) {
        let cancel = connections.withLock { connections in
            connections[ObjectIdentifier(channel)]?.isAbandoned = true
            return connections[ObjectIdentifier(channel)]?.cancel
        }
        cancel?()
    }

    private static func isLoopback(_ address: String) -> Bool {
        address.isEmpty || address == "::1" || address.hasPrefix("127.")
    }
}

/// Tells the table when a connection opens and when its client goes away, and reads in small pieces.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let table: ConnectionTable

    init(_ table: ConnectionTable) { self.table = table }

    func channelActive(context: ChannelHandlerContext) {
        // Requests that are sent before the first one is answered wait decoded, and take many times their bytes. Small pieces bound
        // how many a single read brings; then the connection is not read until they are answered.
        context.channel.setOption(
            ChannelOptions.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: WebLimits.pieceBytes)
        ).whenFailure { _ in context.channel.close(promise: nil) }
        table.open(context.channel)
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { table.abandon(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }
}
