import PippinPage

extension PolitenessSchedule.HostSign {
    /// What an exchange for a small file, or for one page alone, shows of its host.
    init(_ result: Result<FetchResponse, FetchError>) {
        switch result {
        case .failure(let error): self = error.sign
        case .success(let response):
            switch response.status {
            case 429, 503: self = .troubled(retryAfter: response.retryAfter)
            case 500...599: self = .stumbled
            // A small file from disk is as quick as an error: it says little of how long pages take.
            default: self = .answered(response.timeToFirstByte, isError: true)
            }
        }
    }
}
