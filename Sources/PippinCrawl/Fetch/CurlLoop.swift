import CCurl
import Glibc

/// The thread that owns curl's multi handle and all running exchanges. It takes the tasks' orders, lets curl work, returns complete
/// exchanges, and sleeps until a socket, a timer or the mailbox wakes it.
final class CurlLoop {
    /// The limit of idle handles that are kept; further ones are freed after use.
    private static let maximumIdleTransfers = 256

    private let mailbox: CurlMailbox
    private let configuration: CurlFetcher.Configuration
    private let multi: UnsafeMutableRawPointer
    /// Shared by all handles. Connections and name look-ups are in the multi handle.
    private let sessions = TLSSessions()
    private let fieldLists: RequestFieldLists
    private let work = CurlWork()
    /// Hosts that sent a body of uncertain end over HTTP/2. They get HTTP/1.1 from then on.
    private var plainHosts: Set<String> = []
    private static let maximumPlainHosts = 10_000

    private var underWay: [UInt64: CurlTransfer] = [:]
    private var idle: [CurlTransfer] = []
    /// The earliest moment at which an exchange can exceed the time limit of its first byte.
    private var nextDeadline: ContinuousClock.Instant?

    init(mailbox: CurlMailbox, configuration: CurlFetcher.Configuration) {
        self.mailbox = mailbox
        self.configuration = configuration
        fieldLists = RequestFieldLists(credentials: configuration.credentials, signer: configuration.signer)
        multi = mailbox.multi
        let connections = max(1, configuration.maximumConnections)
        pippin_curl_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, connections)
        pippin_curl_multi_setopt_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
        pippin_curl_multi_setopt_long(
            multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.maximumConnectionsPerHost))
        pippin_curl_multi_setopt_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    func run() {
        ignoreBrokenPipes()
        work.watch.begin()
        while true {
            let contents = mailbox.take()
            for order in contents.orders { start(order) }
            for id in contents.cancellations {
                if let transfer = underWay[id] { end(transfer, with: .failure(.cancelled)) }
            }
            if contents.isClosed { break }
            if contents.memoryIsFreed { resumePaused() }
            var running: Int32 = 0
            work.roundBegins()
            endAll(unlessFine: curl_multi_perform(multi, &running))
            work.watch.roundEnds()
            endCompleted()
            endWithoutFirstByte()
            if mailbox.fallAsleep() {
                endAll(unlessFine: curl_multi_poll(multi, nil, 0, millisecondsToSleep, nil))
            }
        }
        for transfer in underWay.values { end(transfer, with: .failure(.cancelled)) }
        idle.removeAll()
        curl_multi_cleanup(multi)
        sessions.end()
        work.watch.end()
        mailbox.end()
    }

    /// Blocks SIGPIPE on this thread: OpenSSL writes without MSG_NOSIGNAL, and a closed connection must not end the process.
    private func ignoreBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    // MARK: - Starting and ending exchanges

    private func start(_ order: CurlOrder) {
        guard
            let transfer = idle.popLast()
                ?? CurlTransfer(configuration: configuration, sessions: sessions, work: work, mailbox: mailbox)
        else {
            order.continuation.resume(returning: .failure(.protocolError("curl gave no handle")))
            return
        }
        underWay[order.id] = transfer
        // With HTTP/1.1 the end of the answer is certain, so there is no reason to ask again (`speakPlainly`).
        let isPlain = order.request.method != .get || plainHosts.contains(order.request.url.politenessHost)
        var trouble = transfer.begin(order, fieldLists: fieldLists, isPlain: isPlain)
        if trouble == nil, curl_multi_add_handle(multi, transfer.easy) != CURLM_OK { trouble = .unwritable }
        if let trouble {
            end(transfer, with: .failure(trouble), wasAdded: false)
            return
        }
        nextDeadline = min(nextDeadline ?? transfer.firstByteDeadline, transfer.firstByteDeadline)
    }

    private func end(
        _ transfer: CurlTransfer, with result: Result<CurlAnswer, FetchError>, wasAdded: Bool = true
    ) {
        if wasAdded { curl_multi_remove_handle(multi, transfer.easy) }
        if let order = transfer.finish() {
            underWay[order.id] = nil
            order.continuation.resume(returning: result)
        }
        if idle.count < Self.maximumIdleTransfers { idle.append(transfer) }
    }

    private func endCompleted() {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let transfer = CurlTransfer.of(easy)
            else { continue }
            let result = transfer.result(message.pointee.data.result)
            if case .success = result, transfer.endIsUncertain, let order = transfer.order {
                speakPlainly(to: order.request.url.politenessHost)
                end(transfer, with: .failure(.endUncertain))
            } else {
                end(transfer, with: result)
            }
        }
    }

    /// Uses HTTP/1.1 for this host from now on, because it marks the end of a body. Over HTTP/2, libcurl takes a reset stream
    /// or a broken connection for the end of a body of unknown length. The next request is made in the host's turn.
    private func speakPlainly(to host: String) {
        if plainHosts.count >= Self.maximumPlainHosts { plainHosts.removeAll() }
        plainHosts.insert(host)
    }

    /// Resumes exchanges that wait for memory, the oldest first, because the oldest may always continue.
    private func resumePaused() {
        for (_, transfer) in underWay.filter({ $0.value.isPaused }).sorted(by: { $0.key < $1.key }) {
            let code = transfer.resume()
            if code != CURLE_OK { end(transfer, with: transfer.result(code)) }
        }
    }

    /// Ends exchanges whose first byte did not come in time, because curl has no such timeout.
    private func endWithoutFirstByte() {
        guard let deadline = nextDeadline else { return }
        let now = ContinuousClock.now
        guard now >= deadline else { return }
        nextDeadline = nil
        for transfer in underWay.values where !transfer.hasFirstByte {
            if transfer.firstByteDeadline <= now {
                end(
                    transfer,
                    with: .failure(.timedOut(CurlTransfer.noAnswer(within: transfer.configuration.firstByteTimeout))))
            } else {
                nextDeadline = min(nextDeadline ?? transfer.firstByteDeadline, transfer.firstByteDeadline)
            }
        }
    }

    /// Ends all exchanges after an error of the multi handle, which belongs to no single exchange. A retry would loop.
    private func endAll(unlessFine code: CURLMcode) {
        guard code != CURLM_OK else { return }
        let text = curl_multi_strerror(code).map { String(cString: $0) } ?? "curl failed"
        for transfer in underWay.values { end(transfer, with: .failure(.protocolError(text))) }
    }

    /// The longest sleep. curl's timers shorten it, and the mailbox interrupts it.
    private var millisecondsToSleep: Int32 {
        guard let nextDeadline else { return 3_600_000 }
        let left = (nextDeadline - .now).components
        guard left.seconds < 3600 else { return 3_600_000 }
        return Int32(max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
    }
}
