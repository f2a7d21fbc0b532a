import CCurl
import Foundation
import PippinPage

/// One easy handle of curl, for one exchange at a time: sets it up, receives the data, makes the result.
///
/// Object and handle live together, so only the options that differ are set for each exchange. It is used only on the thread of
/// `CurlLoop`.
final class CurlTransfer {
    /// The reason why we ended an exchange.
    enum Stop {
        case failure(FetchError)
        /// The content type is not needed: the response is complete without the body.
        case bodyNotWanted
        /// The wanted beginning of the body is complete (`FetchRequest.takesBeginning`).
        case bodyCut
    }

    let easy: UnsafeMutableRawPointer
    let configuration: CurlFetcher.Configuration
    let addressGuard: AddressGuard
    private let errorText: UnsafeMutablePointer<CChar>

    private(set) var order: CurlOrder?
    private(set) var firstByteDeadline = ContinuousClock.now
    /// The request's field list, which must be freed; nil if it uses a shared one.
    private var ownFields: UnsafeMutablePointer<curl_slist>?
    /// The host's addresses for curl, or its one address for the proxy; nil if curl needs none.
    private var knownAddresses: UnsafeMutablePointer<curl_slist>?
    private var isPlain = false

    // The response so far, written by the callbacks.
    var head: ResponseHead
    var body: [UInt8] = []
    var maximumBodyBytes = 0
    var sniffsFirstBlock = false
    /// Whether the body is only wanted if it begins like a feed in JSON.
    var isForFeed = false
    var stop: Stop?
    /// The bytes for an archive; nil if they are not kept.
    var exchange: RawExchange?
    var refusedAddress: NetworkAddress?
    /// The host's address behind the proxy; nil without a proxy.
    private var tunnelEnd: NetworkAddress?
    var hasOpenedSocket = false
    /// How often curl has sent the request. It repeats it by itself if a connection or stream is closed at once.
    var requestsMade = 0

    /// The work of the thread for all exchanges, and for this one in nanoseconds.
    let work: CurlWork
    var workDone = 0
    let mailbox: CurlMailbox
    private let sessions: TLSSessions
    /// The content codings that the waiting task will remove (`PackedBody`). Until then `body` has them.
    var codings: [String] = []
    /// Removes the content codings at once, if the decoded bytes decide whether the exchange continues; else nil.
    var decoder: ContentDecoder?
    /// The expected length of the decoded body, by the server's announcement.
    var announcedBytes: Int?
    /// The time since which the exchange waits for memory, and the length of earlier waits. The host is not blamed for this
    /// time.
    private var pausedSince: ContinuousClock.Instant?
    private var pausedTime = Duration.zero
    /// The used bytes of a block that curl will deliver again.
    var usedBytes = 0

    init?(
        configuration: CurlFetcher.Configuration, sessions: TLSSessions, work: CurlWork, mailbox: CurlMailbox
    ) {
        guard let easy = curl_easy_init() else { return nil }
        self.work = work
        self.mailbox = mailbox
        self.sessions = sessions
        self.easy = easy
        self.configuration = configuration
        addressGuard = AddressGuard(allowPrivateNetworks: configuration.allowPrivateNetworks)
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        head = ResponseHead(
            maximumBytes: configuration.maximumHeaderBytes, maximumCount: configuration.maximumHeaderCount)
        setLastingOptions()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(ownFields)
        curl_slist_free_all(knownAddresses)
        errorText.deallocate()
    }

    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
        var pointer: UnsafeMutableRawPointer?
        pippin_curl_easy_getinfo_pointer(easy, CURLINFO_PRIVATE, &pointer)
        return pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    var hasFirstByte: Bool { head.receivedBytes > 0 }

    // MARK: - Options

    private func set(_ option: CURLoption, _ value: Int) {
        pippin_curl_easy_setopt_long(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String?) {
        pippin_curl_easy_setopt_string(easy, option, value)
    }

    private func setLastingOptions() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_PRIVATE, me)
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        setCallbacks(context: me)

        set(CURLOPT_USERAGENT, configuration.userAgent)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(
            CURLOPT_HTTP_VERSION, Int(configuration.keepsExchanges ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS))
        if configuration.keepsExchanges { set(CURLOPT_VERBOSE, 1) }  // calls the debug callback
        set(CURLOPT_ACCEPT_ENCODING, ContentDecoder.offered)
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)  // `ContentDecoder` does it, within limits and memory
        set(CURLOPT_FOLLOWLOCATION, 0)  // the crawl checks every hop first
        set(CURLOPT_PATH_AS_IS, 1)  // the URL is normalized already, by the standard we follow
        setProxy()
        set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_NOPROGRESS, 0)  // calls the progress callback, which counts the bytes of the wire
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_BUFFERSIZE, max(1024, configuration.receiveBufferBytes))
        set(CURLOPT_DNS_CACHE_TIMEOUT, 300)
        // Without it, ending an exchange would wait for its look-up and block all others.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
        set(CURLOPT_LOW_SPEED_LIMIT, max(0, configuration.minimumBytesPerSecond))
        set(CURLOPT_LOW_SPEED_TIME, max(1, Int(clamping: configuration.lowSpeedTimeout.components.seconds)))

        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        setCertificateAuthorities()
    }

    /// Sets the proxy, or none: a proxy of the environment would connect to addresses that `AddressGuard` does not see.
    private func setProxy() {
        set(CURLOPT_PROXY, configuration.proxy?.href ?? "")
        // Without it, `no_proxy` of the environment would count.
        set(CURLOPT_NOPROXY, "")
        guard configuration.proxy != nil else { return }
        set(CURLOPT_HTTPPROXYTUNNEL, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)  // the head is that of the host
        set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))  // the host's fields are not for the proxy
        guard let (user, password) = configuration.credentials.proxy else { return }
        set(CURLOPT_PROXYAUTH, 1)  // CURLAUTH_BASIC
        // curl decodes both as parts of a URL.
        set(CURLOPT_PROXYUSERNAME, user.replacing("%", with: "%25"))
        set(CURLOPT_PROXYPASSWORD, password.replacing("%", with: "%25"))
    }

    /// Sets the certificate authorities. curl keeps the parsed certificates of one bundle file for all connections, but not if
    /// a folder is set too. So without an extra file no folder is set. With an extra file, curl reads that small file for each
    /// connection, and OpenSSL looks up the system's certificates in their folder one by one.
    private func setCertificateAuthorities() {
        var bundle: UnsafePointer<CChar>?
        var folder: UnsafePointer<CChar>?
        pippin_curl_easy_getinfo_string(easy, CURLINFO_CAINFO, &bundle)
        pippin_curl_easy_getinfo_string(easy, CURLINFO_CAPATH, &folder)
        if let extra = configuration.caFile {
            set(CURLOPT_CAINFO, extra)
            if folder == nil { set(CURLOPT_CAPATH, "/etc/ssl/certs") }
        } else if bundle != nil {
            set(CURLOPT_CAPATH, nil)
        }
    }

    // MARK: - Life of one exchange

    /// Prepares the handle for `order`. Returns the reason if the request is impossible; `finish` must follow then too.
    ///
    /// - Parameter isPlain: whether to use HTTP/1.1.
    func begin(_ order: CurlOrder, fieldLists: RequestFieldLists, isPlain: Bool) -> FetchError? {
        self.order = order
        let request = order.request
        maximumBodyBytes = max(0, request.maximumBodyBytes)
        exchange = configuration.keepsExchanges ? RawExchange() : nil
        firstByteDeadline = .now + configuration.firstByteTimeout
        if isPlain != self.isPlain, !configuration.keepsExchanges {
            self.isPlain = isPlain
            set(CURLOPT_HTTP_VERSION, Int(isPlain ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS))
        }
        guard let target = request.requestTarget, let fields = fieldLists.list(for: request) else {
            return .unwritable
        }
        if !fields.isShared { ownFields = fields.list }
        set(CURLOPT_TIMEOUT_MS, request.timeout.wholeMilliseconds)
        if request.url.scheme == "https", let share = sessions.share(of: request.url.politenessHost) {
            pippin_curl_easy_setopt_pointer(easy, CURLOPT_SHARE, share)
        }
        if let refusal = configuration.proxy == nil ? setKnownAddresses(of: request) : setTunnel(of: request) {
            return refusal
        }
        guard pippin_curl_easy_setopt_string(easy, CURLOPT_URL, target) == CURLE_OK,
            pippin_curl_easy_setopt_list(easy, CURLOPT_HTTPHEADER, fields.list) == CURLE_OK, set(request.method)
        else { return .unwritable }
        return nil
    }

    private func set(_ method: FetchRequest.Method) -> Bool {
        switch method {
        case .get: return true
        case .preflight:
            set(CURLOPT_CUSTOMREQUEST, method.name)
            return true
        case .post(var body):
            // curl copies that many bytes.
            set(CURLOPT_POSTFIELDSIZE, body.count)
            // On a connection that the server has just closed, nobody knows whether the request has arrived.
            set(CURLOPT_FRESH_CONNECT, 1)
            return body.withUnsafeMutableBytes {
                pippin_curl_easy_setopt_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
            } == CURLE_OK
        }
    }

    private func resetMethod() {
        switch order?.request.method {
        case nil, .get: break
        case .preflight: set(CURLOPT_CUSTOMREQUEST, nil)
        case .post:
            set(CURLOPT_FRESH_CONNECT, 0)
            pippin_curl_easy_setopt_pointer(easy, CURLOPT_POSTFIELDS, nil)
            set(CURLOPT_POSTFIELDSIZE, -1)
            // Last, because each of the others makes a POST of it.
            set(CURLOPT_HTTPGET, 1)
        }
    }

    /// Lets the proxy connect to the host's address (CURLOPT_CONNECT_TO), which is checked here: the socket's own is the proxy's.
    private func setTunnel(of request: FetchRequest) -> FetchError? {
        guard let host = request.url.host else { return .unwritable }
        let address: NetworkAddress
        switch HostAddress(request.url.politenessHost) {
        case .literal(let itself): address = itself
        case .loopback: address = .v4(0x7F00_0001)
        case .none: return .hostNotFound
        case .name:
            // Many proxies have no IPv6.
            guard let found = request.addresses.first(where: \.isV4) ?? request.addresses.first else {
                return .lookUpFailed("the address of \(host) was not looked up")
            }
            address = found
        }
        guard addressGuard.allows(address) else { return .addressRefused(address.description) }
        tunnelEnd = address
        let port = request.url.port ?? (request.url.scheme == "http" ? 80 : 443)
        knownAddresses = curl_slist_append(nil, "::\(address.isV4 ? "\(address)" : "[\(address)]"):\(port)")
        guard knownAddresses != nil,
            pippin_curl_easy_setopt_list(easy, CURLOPT_CONNECT_TO, knownAddresses) == CURLE_OK
        else { return .unwritable }
        return nil
    }

    /// Gives curl the host's addresses (CURLOPT_RESOLVE), so that it does not look the name up again. With `+` the entry expires like
    /// curl's own look-ups.
    private func setKnownAddresses(of request: FetchRequest) -> FetchError? {
        guard !request.addresses.isEmpty, let host = request.url.host else { return nil }
        let addresses = request.addresses.map { $0.isV4 ? "\($0)" : "[\($0)]" }.joined(separator: ",")
        let port = request.url.port ?? (request.url.scheme == "http" ? 80 : 443)
        // curl removes the final dot of a name in some places only.
        let names = host.hasSuffix(".") ? [host, String(host.dropLast())] : [host]
        for name in names {
            guard let longer = curl_slist_append(knownAddresses, "+\(name):\(port):\(addresses)") else {
                return .unwritable
            }
            knownAddresses = longer
        }
        guard pippin_curl_easy_setopt_list(easy, CURLOPT_RESOLVE, knownAddresses) == CURLE_OK else {
            return .unwritable
        }
        return nil
    }

    /// Resets the handle and returns its order.
    func finish() -> CurlOrder? {
        if knownAddresses != nil {
            pippin_curl_easy_setopt_list(easy, configuration.proxy == nil ? CURLOPT_RESOLVE : CURLOPT_CONNECT_TO, nil)
            curl_slist_free_all(knownAddresses)
            knownAddresses = nil
        }
        if ownFields != nil {
            pippin_curl_easy_setopt_list(easy, CURLOPT_HTTPHEADER, nil)
            curl_slist_free_all(ownFields)
            ownFields = nil
        }
        resetMethod()
        head = ResponseHead(
            maximumBytes: configuration.maximumHeaderBytes, maximumCount: configuration.maximumHeaderCount)
        body = []
        exchange = nil
        sniffsFirstBlock = false
        isForFeed = false
        stop = nil
        refusedAddress = nil
        tunnelEnd = nil
        hasOpenedSocket = false
        requestsMade = 0
        workDone = 0
        codings = []
        decoder = nil
        announcedBytes = nil
        pausedSince = nil
        pausedTime = .zero
        usedBytes = 0
        errorText[0] = 0
        defer { order = nil }
        return order
    }

    // MARK: - Waiting for memory

    var isPaused: Bool { pausedSince != nil }

    /// Pauses until `resume`, without curl's timeout.
    func pause() {
        pausedSince = .now
        set(CURLOPT_TIMEOUT_MS, Duration.seconds(1_000_000).wholeMilliseconds)
    }

    /// Continues if there is memory.
    func resume() -> CURLcode {
        guard let since = pausedSince, let order else { return CURLE_OK }
        pausedTime += .now - since
        pausedSince = nil
        set(CURLOPT_TIMEOUT_MS, (order.request.timeout + pausedTime).wholeMilliseconds)
        return curl_easy_pause(easy, pippin_curl_go_on)
    }

    /// Whether the body may be truncated without libcurl noticing: over HTTP/2, without a length, and without a coding that marks its
    /// end.
    var endIsUncertain: Bool {
        // The bodies of redirects and errors are not needed.
        head.httpVersion == "2" && codings.isEmpty && decoder == nil && stop == nil
            && StatusMeaning(head.status) == .content
            && head.headers["Content-Length"] == nil
    }

    /// The result of the exchange that curl ended with `code`.
    func result(_ code: CURLcode) -> Result<CurlAnswer, FetchError> {
        guard let order else { return .failure(.cancelled) }
        switch stop {
        case .failure(let error): return .failure(error)
        case .bodyNotWanted: return .success(CurlAnswer(response: response(to: order.request, bodyWasRead: false)))
        case .bodyCut: return .success(CurlAnswer(response: response(to: order.request, bodyWasRead: true)))
        case nil: break
        }
        if code != CURLE_OK, work.watch.hasCut(localPort: { localPort }) { return .failure(costly) }
        if code == CURLE_OK {
            guard decoder?.isComplete != false else { return .failure(.truncatedBody) }
            return .success(CurlAnswer(response: response(to: order.request, bodyWasRead: true), codings: codings))
        }
        errorText[Int(CURL_ERROR_SIZE) - 1] = 0
        let detail = String(cString: errorText)
        return .failure(failure(code, detail: detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail))
    }

    private func response(to request: FetchRequest, bodyWasRead: Bool) -> FetchResponse {
        var firstByte: curl_off_t = 0
        var total: curl_off_t = 0
        var wireBytes: curl_off_t = 0
        var address: UnsafePointer<CChar>?
        pippin_curl_easy_getinfo_offset(easy, CURLINFO_STARTTRANSFER_TIME_T, &firstByte)
        pippin_curl_easy_getinfo_offset(easy, CURLINFO_TOTAL_TIME_T, &total)
        pippin_curl_easy_getinfo_offset(easy, CURLINFO_SIZE_DOWNLOAD_T, &wireBytes)
        pippin_curl_easy_getinfo_string(easy, CURLINFO_PRIMARY_IP, &address)
        var response = FetchResponse(
            url: request.url, status: head.status, headers: head.headers, body: bodyWasRead ? body : [],
            fetchedAt: Date(), timeToFirstByte: .microseconds(firstByte), totalTime: .microseconds(total),
            wireBytes: Int(clamping: wireBytes), httpVersion: head.httpVersion,
            remoteAddress: tunnelEnd?.description ?? address.map { String(cString: $0) }, bodyWasRead: bodyWasRead)
        exchange?.method = request.method.name
        exchange?.removeRequestFields(configuration.credentials.fields(for: request.url).map(\.name))
        // Until it ends, whoever reads the archive could use it. What was signed, and by whom, stays.
        if request.signature != nil { exchange?.removeRequestFields(["Signature"]) }
        response.exchange = exchange
        return response
    }
}

extension FetchError {
    /// curl has taken no request.
    static let unwritable = FetchError.protocolError("the request could not be written")
}

extension Duration {
    /// The duration for curl, at least 1, because 0 means "no limit".
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
