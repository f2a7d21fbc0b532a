import PippinPage

/// One HTTP exchange of a crawl, as its log, its counters and its proof of politeness have it.
public struct Exchange: Sendable, Equatable {
    /// Time of the crawl's clock, taken before the fetcher was asked and after it had answered. On the wire the exchange begins
    /// no earlier and ends no later, so the pause between two of them is at least the one these times give.
    public let start: Duration
    public let end: Duration
    /// nil when there was no answer.
    public let status: Int?
    public let failure: FetchError?
    /// Bytes of the body as they crossed the wire, and decoded.
    public let wireBytes: Int
    public let bodyBytes: Int
    public let timeToFirstByte: Duration?
    /// What answered, or what was tried in vain.
    public let remoteAddress: String?

    /// Whether the fetcher was asked (`RequestGate`).
    let wasMade: Bool

    init(_ answer: RequestGate.Answer, start: Duration, end: Duration) {
        self.init(answer.result, tried: answer.tried, wasMade: answer.wasAsked, start: start, end: end)
    }

    /// - Parameter tried: the address that a connection was to be made to.
    public init(
        _ result: Result<FetchResponse, FetchError>, tried: NetworkAddress? = nil, wasMade: Bool = true,
        start: Duration, end: Duration
    ) {
        self.wasMade = wasMade
        self.start = start
        self.end = end
        switch result {
        case .success(let response):
            status = response.status
            failure = nil
            wireBytes = response.wireBytes
            bodyBytes = response.body.count
            timeToFirstByte = response.timeToFirstByte
            remoteAddress = response.remoteAddress
        case .failure(let error):
            status = nil
            failure = error
            wireBytes = 0
            bodyBytes = 0
            timeToFirstByte = nil
            remoteAddress = error.failsAddress ? tried?.description : nil
        }
    }

    public var duration: Duration { end - start }
}

extension Visit.Context {
    /// Makes an exchange, timed and counted.
    func exchange(
        _ request: FetchRequest, _ turn: TurnPermit?
    ) async -> (result: Swift.Result<FetchResponse, FetchError>, exchange: Exchange) {
        let start = clock.now()
        let answer = await gate.fetch(request, turn)
        let exchange = Exchange(answer, start: start, end: clock.now())
        if case .success(let response) = answer.result, let memory = request.memory {
            // Fetchers without sockets count nothing on the way.
            await memory.waitForRoom(response.body.count)
        }
        if exchange.wasMade { statistics.update { $0.count(exchange, for: request.purpose) } }
        return (answer.result, exchange)
    }
}

extension PolitenessSchedule.HostSign {
    /// What an exchange shows of its host.
    ///
    /// - Parameter isSmallFile: also of one page alone. A small file from disk is as quick as an error, and says little of how
    ///   long pages take.
    init(_ result: Result<FetchResponse, FetchError>, isSmallFile: Bool = true) {
        switch result {
        case .failure(let error): self = error.sign
        case .success(let response):
            switch response.status {
            case 429, 503: self = .troubled(retryAfter: response.retryAfter)
            case 500...599: self = .stumbled
            default: self = .answered(response.timeToFirstByte, isError: isSmallFile || response.status >= 400)
            }
        }
    }
}
