import PippinPage

/// Answers the requests of one rendered page for a command, as politely as the page itself was fetched: one after the other, each
/// under the robots.txt of its host and in its turn.
actor SingleFetchLoader: SubresourceLoader {
    /// Fetches. After the rendering it knows the rules that were asked for.
    private(set) var single: SingleFetch
    private var hosts = SubresourceHosts()
    private var isBusy = false
    private var waiting: [AsyncStream<Void>.Continuation] = []

    init(_ single: SingleFetch) { self.single = single }

    func load(_ request: Subresource) async -> SubresourceAnswer {
        while isBusy, !Task.isCancelled {
            let (stream, wake) = AsyncStream.makeStream(of: Void.self)
            waiting.append(wake)
            for await _ in stream {}
        }
        guard !Task.isCancelled else { return .failed(RequestFailure(.failed(.cancelled), asking: request.url)) }
        isBusy = true
        defer {
            isBusy = false
            for wake in waiting { wake.finish() }
            waiting = []
        }
        guard let file = SiteFileRequest(request, seed: Seed(url: request.url)) else {
            return .failed(RequestFailure(.notHTTP, asking: request.url))
        }
        var single = single
        if let cause = hosts.failure(of: file.origin, now: single.clock.now()) {
            return .failed(RequestFailure(cause, asking: request.url))
        }
        let result = await single.exchange(file.fetchRequest(single.configuration.fetch))
        switch result {
        case .success: hosts.answered(file.origin)
        case .failure(let failure) where failure.concernsHost:
            hosts.failed(
                file.origin, failure.cause, rest: single.configuration.fetch.retryDelay, now: single.clock.now())
        case .failure: break
        }
        self.single = single
        return SubresourceAnswer(result)
    }
}

extension Renderer {
    /// Renders the page of a command.
    ///
    /// - Parameter single: fetches what the page's scripts ask for.
    public func render(
        _ page: FetchResponse, with single: inout SingleFetch
    ) async -> Result<RenderedPage, RenderFailure> {
        let loader = SingleFetchLoader(single)
        let result = await render(page, loading: loader)
        single = await loader.single
        return result
    }
}
