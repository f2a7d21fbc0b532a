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
    public let remoteAddress: String?

    public init(_ result: Result<FetchResponse, FetchError>, start: Duration, end: Duration) {
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
            remoteAddress = nil
        }
    }

    public var duration: Duration { end - start }
}

extension Visit.Context {
    /// Makes an exchange, timed and counted.
    func exchange(
        _ request: FetchRequest
    ) async -> (result: Swift.Result<FetchResponse, FetchError>, exchange: Exchange) {
        let start = clock.now()
        let result = await fetcher.fetch(request)
        let exchange = Exchange(result, start: start, end: clock.now())
        if case .success(let response) = result, let memory = request.memory {
            // Fetchers without sockets count nothing on the way.
            await memory.waitForRoom(response.body.count)
        }
        metrics.update { $0.count(exchange, for: request.purpose) }
        return (result, exchange)
    }
}

extension CrawlMetrics.Snapshot {
    mutating func count(_ exchange: Exchange, for purpose: FetchRequest.Purpose) {
        requests += 1
        requestsByPurpose[purpose, default: 0] += 1
        exchangeTimes.add(exchange.duration)
        guard let status = exchange.status else { return }
        answersByClass[status / 100, default: 0] += 1
        wireBytes += exchange.wireBytes
        fetching += exchange.duration
        if purpose == .page || purpose == .sitemap { bodyBytes += exchange.bodyBytes }
        if let time = exchange.timeToFirstByte { firstByteTimes.add(time) }
    }
}
