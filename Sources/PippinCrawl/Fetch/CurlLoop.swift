import CCurl
import Glibc

/// The thread that owns curl's multi handle and every exchange under way: take what the tasks ordered, let curl do
/// what the sockets allow, hand back what is complete, sleep until a socket, a timer or the mailbox has something.
final class CurlLoop {
    /// Handles kept for later exchanges; more are made when more exchanges are under way and freed after.
    private static let maximumIdleTransfers = 256

    private let mailbox: CurlMailbox
    private let configuration: CurlFetcher.Configuration
    private let multi: UnsafeMutableRawPointer
    /// TLS sessions are shared by all handles; connections and name look-ups are in the multi handle.
    private let share: UnsafeMutableRawPointer?
    private let fieldLists = RequestFieldLists()
    private let work = CurlWork()
    /// Hosts whose bodies over HTTP/2 had no certain end; they are spoken to in HTTP/1.1.
    private var plainHosts: Set<String> = []
    private static let maximumPlainHosts = 10_000

    private var underWay: [UInt64: CurlTransfer] = [:]
    private var idle: [CurlTransfer] = []
    /// The earliest moment at which an exchange may have waited too long for its first byte.
    private var nextDeadline: ContinuousClock.Instant?

    init(mailbox: CurlMailbox, configuration: CurlFetcher.Configuration) {
        self.mailbox = mailbox
        self.configuration = configuration
        multi = mailbox.multi
        share = curl_share_init()
        pippin_curl_share_setopt_long(share, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_SSL_SESSION.rawValue))
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
            work.turnBegins()
            endAll(unlessFine: curl_multi_perform(multi, &running))
            work.watch.turnEnds()
            endCompleted()
            endWithoutFirstByte()
            if mailbox.fallAsleep() {
                endAll(unlessFine: curl_multi_poll(multi, nil, 0, millisecondsToSleep, nil))
            }
        }
        for transfer in underWay.values { end(transfer, with: .failure(.cancelled)) }
        idle.removeAll()
        curl_multi_cleanup(multi)
        curl_share_cleanup(share)
        work.watch.end()
        mailbox.end()
    }

    /// OpenSSL writes to sockets without MSG_NOSIGNAL; a server that has gone must not end the process.
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
                ?? CurlTransfer(configuration: configuration, share: share, work: work, mailbox: mailbox)
        else {
            order.continuation.resume(returning: .failure(.protocolError("curl gave no handle")))
            return
        }
        underWay[order.id] = transfer
        let isPlain = plainHosts.contains(order.request.url.politenessHost)
        guard transfer.begin(order, fieldLists: fieldLists, isPlain: isPlain),
            curl_multi_add_handle(multi, transfer.easy) == CURLM_OK
        else {
            end(transfer, with: .failure(.protocolError("the request could not be written")), wasAdded: false)
            return
        }
        nextDeadline = min(nextDeadline ?? transfer.firstByteDeadline, transfer.firstByteDeadline)
    }

    private func end(
        _ transfer: CurlTransfer, with result: Result<FetchResponse, FetchError>, wasAdded: Bool = true
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

    /// libcurl takes a stream that was reset, or a connection that broke a rule, for the end of a body of unknown length. HTTP/1.1
    /// says where a body ends. Who asks again does so in the host's turn.
    private func speakPlainly(to host: String) {
        if plainHosts.count >= Self.maximumPlainHosts { plainHosts.removeAll() }
        plainHosts.insert(host)
    }

    /// The oldest first, which may go on whatever is in use.
    private func resumePaused() {
        for (_, transfer) in underWay.filter({ $0.value.isPaused }).sorted(by: { $0.key < $1.key }) {
            let code = transfer.resume()
            if code != CURLE_OK { end(transfer, with: transfer.result(code)) }
        }
    }

    /// curl has no timeout for the first byte of HTTP.
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

    /// An error of the multi handle itself is of no one exchange, and trying again at once would spin.
    private func endAll(unlessFine code: CURLMcode) {
        guard code != CURLM_OK else { return }
        let text = curl_multi_strerror(code).map { String(cString: $0) } ?? "curl failed"
        for transfer in underWay.values { end(transfer, with: .failure(.protocolError(text))) }
    }

    /// curl shortens this to its own timers; the mailbox interrupts it.
    private var millisecondsToSleep: Int32 {
        guard let nextDeadline else { return 3_600_000 }
        let left = (nextDeadline - .now).components
        guard left.seconds < 3600 else { return 3_600_000 }
        return Int32(max(0, left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
    }
}
