import PippinPage

/// Answers the requests of one rendered page for a command, as politely as the page itself was fetched: one after the other, each
/// under the robots.txt of its host and in its turn.
actor SingleFetchLoader: SubresourceLoader {
    /// Fetches. After the rendering it knows the rules that were asked for.
    private(set) var single: SingleFetch
    private var isBusy = false
    private var waiting: [AsyncStream<Void>.Continuation] = []

    init(_ single: SingleFetch) { self.single = single }

    func load(_ request: Subresource) async -> SubresourceAnswer {
        while isBusy, !Task.isCancelled {
            let (stream, wake) = AsyncStream.makeStream(of: Void.self)
            waiting.append(wake)
            for await _ in stream {}
        }
        guard !Task.isCancelled else { return .failed(.cancelled) }
        isBusy = true
        defer {
            isBusy = false
            for wake in waiting { wake.finish() }
            waiting = []
        }
        var single = single
        let answer = await single.subresource(request)
        self.single = single
        return answer
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

extension SingleFetch {
    /// Makes one exchange for the scripts of a rendered page.
    mutating func subresource(_ request: Subresource) async -> SubresourceAnswer {
        switch await exchange(request.fetchRequest(timeout: configuration.fetch.timeout)) {
        case .success(let response): .response(response, isKept: false)
        case .failure(let failure):
            switch failure {
            case .failed(.notAllowed, _), .failed(.addressRefused, _), .notHTTP, .contactMissing, .contactIsPlaceholder:
                .refused(SubresourceRefusal(.notAllowed, failure.description))
            case .failed(let error, _): .failed(error)
            case .disallowed(_, let decision): .refused(SubresourceRefusal(.disallowed, decision.sentence))
            case .robotsUnreachable: .refused(SubresourceRefusal(.robotsUnreachable, failure.description))
            case .resting: .refused(SubresourceRefusal(.hostLeft, failure.description))
            // Of a whole way, not of one exchange.
            case .tooManyRedirects, .badRedirect, .status: .failed(.protocolError(failure.description))
            }
        }
    }
}

extension Subresource {
    func fetchRequest(timeout: Duration) -> FetchRequest {
        var question = FetchRequest(
            url: url, purpose: .subresource, maximumBodyBytes: maximumBodyBytes, timeout: timeout)
        question.origin = origin
        return question
    }
}
