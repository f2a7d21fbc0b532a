import PippinPage

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
