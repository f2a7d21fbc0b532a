import PippinPage

extension Visit {
    /// A redirect ends the visit: its target is a new request, which goes through all checks from step 2 on.
    func redirect(
        to location: String?, permanent: Bool, sign: PolitenessSchedule.HostSign
    ) async throws -> Report {
        guard let location, let target = WebURL(location, base: request.url) else {
            return try await deliver(Result(.redirectBroken), sign: sign)
        }
        switch follow(target, permanent: permanent) {
        case .ended(let result): return try await deliver(result, sign: sign)
        case .sameKey(let next):
            return Report(
                request: request, end: .again(next, after: .zero), sign: sign,
                telling: Telling(outcome: .redirected(to: target, permanent: permanent)))
        }
    }

    enum Redirect {
        case ended(Result)
        /// The target has the URL key of the request: no new URL for the frontier, the same one spelled otherwise.
        case sameKey(CrawlRequest)
    }

    func follow(_ target: WebURL, permanent: Bool) -> Redirect {
        guard target.isHTTP else {
            let inert = ["about", "blob", "data", "file", "javascript", "mailto", "tel", "view-source"]
            return .ended(Result(inert.contains(target.scheme) ? .redirectBroken : .redirectedToApp(target.href)))
        }
        if target.hrefWithoutFragment == request.url.hrefWithoutFragment || request.redirects.contains(target) {
            return .ended(Result(.redirectLoop))
        }
        guard request.redirects.count < context.configuration.fetch.maximumRedirects else {
            return .ended(Result(.tooManyRedirects))
        }
        var next = request
        next.redirect(to: target)
        if request.standsForSeed { next.seed = request.seed.landed(on: target.politenessHost) }
        if let refusal = context.scope.refusal(of: next) {
            return .ended(Result(.redirectRefused(to: target, refusal)))
        }
        if next.key == request.key { return .sameKey(next) }
        var result = Result(.redirected(to: target, permanent: permanent))
        result.discovered = [next]
        return .ended(result)
    }
}

extension WebURL {
    /// What is sent: a fragment never is.
    var hrefWithoutFragment: Substring {
        href.firstIndex(of: "#").map { href[..<$0] } ?? href[...]
    }
}
