import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Puts TLS below the connections of a server.
struct TLSChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let context: TLSContext

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(TLSHandler(TLSConnection(context)))
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

extension HTTPServerBuilder {
    /// HTTP/1.1 over TLS.
    static func secure(_ context: TLSContext) -> HTTPServerBuilder {
        HTTPServerBuilder { TLSChannel(base: HTTP1Channel(responder: $0), context: context) }
    }
}

/// Decrypts what arrives and encrypts what leaves.
///
/// Reading and writing pass the channel's back pressure on: what arrives is decrypted at once, and what is encrypted waits in the channel.
/// A connection ends in both directions apart, as in TCP: a client that sends no more still gets its answers.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// For the handshake. On loopback it takes milliseconds; a test with a busy machine takes seconds.
    private static let handshakeTime = TimeAmount.seconds(30)
    /// For a client to take the last bytes and to close too.
    private static let closeTime = TimeAmount.seconds(10)

    private let connection: TLSConnection
    /// Ends the connection if the handshake, or its end, takes too long.
    private var limit: Scheduled<Void>?
    /// When the last bytes have been sent, from when we said so.
    private var farewell: EventLoopFuture<Void>?
    private var isClosing = false
    private var hasReportedEnd = false

    init(_ connection: TLSConnection) {
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        close(context, after: Self.handshakeTime)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        limit?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        limit?.cancel()
        isClosing = true
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // What follows close_notify is no part of the connection, and nobody would take it.
        guard !isClosing, !connection.clientIsDone else { return }
        do {
            try connection.receive(unwrapInboundIn(data))
            if !connection.isOpen {
                try connection.handshake()
                // With TLS 1.3 the tickets of the session too.
                send(context)
                guard connection.isOpen else { return }
                limit?.cancel()
            }
            // Whoever gets the bytes may close the channel.
            while !isClosing, let bytes = try connection.read(context.channel.allocator) {
                context.fireChannelRead(wrapInboundOut(bytes))
            }
            guard !isClosing else { return }
            // Answers to changes of keys.
            send(context)
            if connection.clientIsDone { reportEnd(context) }
        } catch {
            fail(context, error)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        // Without close_notify too: HTTP says itself where a request ends.
        if connection.isOpen { reportEnd(context) } else { context.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        guard connection.isOpen, !connection.isDone, !isClosing else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        do {
            try connection.write(
                bytes, { context.write(wrapOutboundOut($0), promise: nil) }, context.channel.allocator)
            // Bytes leave in order: when the last, empty ones are sent, all are.
            context.write(wrapOutboundOut(context.channel.allocator.buffer(capacity: 0)), promise: promise)
        } catch {
            promise?.fail(error)
            fail(context, error)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .input:
            context.close(mode: .input, promise: promise)
        case .output:
            guard !hasReportedEnd else { return closeAll(context, promise) }
            finish(context).whenComplete { _ in
                if !self.isClosing { self.close(context, after: Self.closeTime) }
            }
            context.close(mode: .output, promise: promise)
        case .all:
            close(context, after: Self.closeTime)
            closeAll(context, promise)
        }
    }

    /// Tells what is above that no more will arrive.
    private func reportEnd(_ context: ChannelHandlerContext) {
        guard !hasReportedEnd else { return }
        hasReportedEnd = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        if connection.isDone { closeAll(context, nil) }
    }

    private func send(_ context: ChannelHandlerContext) {
        guard let bytes = connection.takeOutput(context.channel.allocator) else { return }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    /// Sends close_notify after all that has been written. A slow client has all the time that it needs.
    private func finish(_ context: ChannelHandlerContext) -> EventLoopFuture<Void>.Isolated {
        if let farewell { return farewell.assumeIsolated() }
        connection.finish()
        let promise = context.eventLoop.makePromise(of: Void.self)
        let bytes = connection.takeOutput(context.channel.allocator) ?? context.channel.allocator.buffer(capacity: 0)
        context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
        farewell = promise.futureResult
        return promise.futureResult.assumeIsolated()
    }

    /// Closes the channel when the last bytes have been sent, or cannot be.
    private func closeAll(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        context.channel.closeFuture.cascade(to: promise)
        guard !isClosing else { return }
        isClosing = true
        finish(context).whenComplete { _ in context.close(promise: nil) }
    }

    private func close(_ context: ChannelHandlerContext, after time: TimeAmount) {
        limit?.cancel()
        limit = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }

    private func fail(_ context: ChannelHandlerContext, _ error: any Error) {
        guard !isClosing else { return }
        context.fireErrorCaught(error)
        // The alert that says why leaves first.
        close(context, after: Self.closeTime)
        closeAll(context, nil)
    }
}
