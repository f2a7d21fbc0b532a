import HummingbirdCore
import NIOCore

/// Lets one request of a connection in at a time, tells the table what the connection does, and closes it if its client is too
/// slow.
///
/// While a request is being answered nothing is read, so a client that sends requests and takes no answers fills its own
/// buffers, not the server's memory:
///
///     bytes ─► HTTP decoder ─► ConnectionGuard: held back until the answer is sent ─► responder
///                                     ▲                                                  │
///                              answer, in pieces ◄──────────────────────────────────────┘
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    // Parts of requests and answers; their module is none that this package depends on itself.
    typealias InboundIn = HTTPConnectionStateHandler.InboundIn
    typealias InboundOut = HTTPConnectionStateHandler.InboundOut
    typealias OutboundIn = HTTPConnectionStateHandler.OutboundIn
    typealias OutboundOut = HTTPConnectionStateHandler.OutboundOut

    /// The most bytes that are read at once. They can hold a hundred requests, and these take many times their bytes.
    private static let readBytes = 2_048
    /// The most parts that are held back: what is read at once holds fewer. More come when a client ends its side of the
    /// connection, because then all that it has sent is read.
    private static let heldParts = 512
    /// An answer is handed on in pieces of so many bytes. Each piece that the client takes gives it new time.
    private static let pieceBytes = 65_536
    /// What the system keeps of what is sent and not taken. Its usual megabytes would take the memory that is saved here, and a
    /// slow client would seem to stand still until a third of them is gone.
    private static let unsentBytes = 131_072
    /// What the system keeps of what is not read: a request, and some more.
    private static let unreadBytes = 65_536

    private typealias Phase = ConnectionTable.Phase

    private let table: ConnectionTable
    private let limits: ConnectionLimits

    /// Whether there is a request that has not come to its end.
    private var isReading = false
    /// Whether there is a request whose answer is not sent.
    private var isAnswering = false
    private var unsentParts = 0
    private var phase = Phase.waiting
    private var deadline: Scheduled<Void>?

    private var held = CircularBuffer<InboundIn>()
    /// What was asked for meanwhile: to read, and to tell that the client sends no more.
    private var holdsRead = false
    private var heldEnd: ChannelEvent?

    init(_ table: ConnectionTable, _ limits: ConnectionLimits) {
        self.table = table
        self.limits = limits
    }

    // MARK: The connection

    func channelActive(context: ChannelHandlerContext) {
        do {
            let options = context.channel.syncOptions
            try options?.setOption(.maxMessagesPerRead, value: 1)
            try options?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes))
            try options?.setOption(.socketOption(.so_sndbuf), value: Self.unsentBytes)
            try options?.setOption(.socketOption(.so_rcvbuf), value: Self.unreadBytes)
        } catch {
            // It is closed already.
            context.fireErrorCaught(error)
        }
        table.enter(context.channel)
        enter(.waiting, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave(context)
    }

    private func leave(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        held.removeAll()
        table.leave(context.channel)
    }

    private func close(_ context: ChannelHandlerContext, _ end: ConnectionEnd) {
        table.count(end)
        context.close(promise: nil)
    }

    /// Enters a phase, or begins it again. Bytes that trickle in change nothing of its end.
    private func enter(_ phase: Phase, _ context: ChannelHandlerContext) {
        self.phase = phase
        table.set(phase, of: context.channel)
        deadline?.cancel()
        let end = limits.end(of: phase)
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(end.time)) {
            self.close(context, end.reason)
        }
    }

    /// Enters the phase that follows from what has come and what is sent, unless it is entered already.
    private func update(_ context: ChannelHandlerContext) {
        let next: Phase =
            if unsentParts > 0 { .answering } else if isReading { .reading } else if isAnswering { .working } else {
                .waiting
            }
        if next != phase { enter(next, context) }
    }

    // MARK: Requests

    /// Whether what comes belongs to a later request than that which is answered.
    private var holdsBack: Bool { isAnswering && !isReading }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard !holdsBack, held.isEmpty else {
            held.append(part)
            if held.count == Self.heldParts { close(context, .pipeline) }
            return
        }
        pass(part, context)
        update(context)
    }

    private func pass(_ part: InboundIn, _ context: ChannelHandlerContext) {
        switch part {
        case .head: (isReading, isAnswering) = (true, true)
        case .body: break
        case .end: isReading = false
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    func read(context: ChannelHandlerContext) {
        if holdsBack { holdsRead = true } else { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        table.abandon(context.channel)
        if held.isEmpty { context.fireUserInboundEventTriggered(event) } else { heldEnd = event }
    }

    /// Lets the next request in, up to its end.
    private func admit(_ context: ChannelHandlerContext) {
        let hasHeld = !held.isEmpty
        while !holdsBack, let part = held.popFirst() { pass(part, context) }
        if hasHeld { context.fireChannelReadComplete() }
        if held.isEmpty, let end = heldEnd {
            heldEnd = nil
            context.fireUserInboundEventTriggered(end)
        }
        if holdsRead, !holdsBack {
            holdsRead = false
            context.read()
        }
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        guard case .body(var body) = part else {
            send(part, context, promise)
            return
        }
        while body.readableBytes > Self.pieceBytes, let piece = body.readSlice(length: Self.pieceBytes) {
            send(.body(piece), context, nil)
        }
        send(.body(body), context, promise)
    }

    private func send(_ part: OutboundIn, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise()
        let isLast = if case .end = part { true } else { false }
        unsentParts += 1
        update(context)
        promise.futureResult.assumeIsolated().whenComplete { result in
            self.unsentParts -= 1
            guard case .success = result else { return }
            if isLast {
                self.isAnswering = false
                self.admit(context)
            } else if self.unsentParts > 0 {
                self.enter(.answering, context)
            }
            self.update(context)
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }
}
