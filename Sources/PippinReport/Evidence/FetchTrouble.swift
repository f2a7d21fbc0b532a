import PippinCrawl
import PippinPage

extension FetchEvidence.Trouble {
    /// The reason why there is no answer, for a report card.
    init(_ error: FetchError, asking url: WebURL, _ spelling: Setting.Spelling) {
        let kind: Kind =
            switch error {
            case .tls: .tls
            case .addressRefused: .notAsked
            default: .other
            }
        self.init(kind, error.clause(asking: url), remedy: error.remedy(spelling))
    }
}

extension FetchEvidence {
    /// Takes what is known of the answer besides its body.
    mutating func take(_ answer: FetchResponse) {
        mediaType = answer.headers.mediaType
        httpVersion = answer.httpVersion
        remoteAddress = answer.remoteAddress
        timeToFirstByte = answer.timeToFirstByte
        totalTime = answer.totalTime
        wireBytes = answer.wireBytes
        bodyBytes = answer.body.count
    }
}

extension RobotsEvidence {
    /// The file could not be fetched, for this reason.
    mutating func take(_ failure: RobotsFailure) {
        status = failure.status ?? status
        trouble = failure.status == nil ? RequestFailure.Words(failure).cause : nil
    }
}
