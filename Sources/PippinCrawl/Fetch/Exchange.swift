import PippinPage

/// One HTTP exchange of a crawl, for log, counters and the proof of politeness.
public struct Exchange: Sendable, Equatable {
    /// The crawl's time before the call of the fetcher and after its answer. On the wire, the exchange lies within these times,
    /// so the pause between two exchanges is at least the one between their times.
    public let start: Duration
    /// The time after the answer.
    public let end: Duration
    /// The status; nil if there was no answer.
    public let status: Int?
    /// The failure; nil if there was an answer.
    public let failure: FetchError?
    /// The length of the body as transferred, and decoded.
    public let wireBytes: Int
    /// The length of the decoded body.
    public let bodyBytes: Int
    /// The time to the first byte; nil if there was no answer.
    public let timeToFirstByte: Duration?
    /// The address that answered, or that was tried.
    public let remoteAddress: String?

    /// Whether a request was made (`RequestGate`).
    let wasMade: Bool

    init(_ answer: RequestGate.Answer, start: Duration, end: Duration) {
        self.init(answer.result, tried: answer.tried, wasMade: answer.wasAsked, start: start, end: end)
    }

    /// Takes the data of an exchange from its result.
    ///
    /// - Parameter tried: the address for the connection.
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

    /// The trouble of the host that the exchange shows; nil if it only concerns the URL.
    func trouble(asking url: WebURL) -> RequestFailure? {
        let cause = failure.map { RequestFailure.Cause.failed($0) } ?? status.map { .status($0) }
        return cause.map { RequestFailure($0, asking: url) }.flatMap { $0.concernsHost ? $0 : nil }
    }

    /// The time from start to end.
    public var duration: Duration { end - start }
}
