import PippinPage

/// The content of a file, read once for all pages.
public enum SiteFileContent: Sendable {
    case manifest(WebAppManifest)
    case apple(AppleAssociationOutcome)
    case assetLinks(AssetLinksOutcome)
    case reservations(TDMReservationFile)
    case license(RSLDocument)
}

/// The outcome of requesting a file, for as long as it is kept.
public enum SiteFileOutcome: Sendable {
    /// The content, with a hash of the file's bytes.
    case found(SiteFileContent, digest: UInt64)
    /// Why it is missing. Its pages are recorded without it.
    case absent(RequestFailure.Cause)

    /// The manifest; nil for other outcomes.
    public var manifest: WebAppManifest? {
        if case .found(.manifest(let manifest), _) = self { manifest } else { nil }
    }

    /// The reservations of text and data mining; nil for other outcomes.
    var reservations: TDMReservationFile? {
        if case .found(.reservations(let file), _) = self { file } else { nil }
    }

    /// The licence; nil for other outcomes.
    var license: RSLDocument? {
        if case .found(.license(let license), _) = self { license } else { nil }
    }

    /// The reason why it is missing; nil if the file was found.
    public var cause: RequestFailure.Cause? {
        if case .absent(let cause) = self { cause } else { nil }
    }

    /// Stable name for counters: `found`, `unusable`, or the cause.
    var code: String {
        switch self {
        case .absent(let cause): cause.kind.fileCode
        case .found(.apple(let outcome), _): outcome.isUsable ? "found" : "unusable"
        case .found(.assetLinks(let outcome), _): outcome.isUsable ? "found" : "unusable"
        case .found(.manifest, _): "found"
        case .found(.reservations(let file), _): file.notes.isEmpty ? "found" : "unusable"
        case .found(.license(let license), _): license.notes.isEmpty ? "found" : "unusable"
        }
    }

    /// The size of the file if it is kept in memory. Its parsed form takes several times as much.
    var keptBytes: Int {
        switch self {
        case .absent: 0
        case .found(.apple(let outcome), _): outcome.file?.byteCount ?? 0
        case .found(.assetLinks(let outcome), _): outcome.links?.byteCount ?? 0
        // A manifest is reduced to a few names, whatever its size.
        case .found(.manifest, _): 0
        case .found(.reservations(let file), _): file.keptBytes
        case .found(.license(let license), _): license.keptBytes
        }
    }
}

/// The answer of one exchange for a file other than robots.txt.
enum SiteFileAnswer: Sendable {
    case settled(SiteFileOutcome, keep: Duration)
    /// The next address, if the crawl may go there.
    case redirected(to: WebURL)

    init(
        _ result: Result<FetchResponse, RequestFailure>, of request: SiteFileRequest, limits: ReadingLimits = .standard
    ) {
        let soon = RobotsAnswer.unreachableFor
        let long = RobotsAnswer.longestKept
        let response: FetchResponse
        switch result {
        case .success(let answer): response = answer
        case .failure(let failure):
            let isLasting = failure.error.map { !$0.mayPass && !$0.concernsHost } ?? false
            self = .settled(.absent(failure.cause), keep: isLasting ? long : soon)
            return
        }
        if request.kind.purpose.isAnswered(by: response.status) {
            self = .found(response, request, limits)
        } else if let redirect = response.redirect {
            guard case .page(let target) = redirect.target else {
                self = .settled(.absent(.badRedirect(redirect.location)), keep: long)
                return
            }
            if target.comesBack(from: request.url, after: [request.originURL]) {
                self = .settled(.absent(.redirectLoop), keep: long)
            } else if request.hops < request.kind.maximumHops {
                self = .redirected(to: target)
            } else {
                let isEver = request.kind.maximumHops > 0
                self = .settled(.absent(isEver ? .tooManyRedirects : .redirectRefused(to: target.href)), keep: long)
            }
        } else {
            self = .settled(.absent(.status(response.status)), keep: response.meaning.isTrouble ? soon : long)
        }
    }

    private static func found(
        _ response: FetchResponse, _ request: SiteFileRequest, _ limits: ReadingLimits
    ) -> SiteFileAnswer {
        var hash = StableHash()
        hash.add(response.body)
        // The media type decides whether devices accept it.
        hash.add(response.headers.mediaType ?? "")
        return .settled(
            .found(content(response, of: request, limits), digest: hash.value),
            keep: RobotsAnswer.lifetime(of: response))
    }

    private static func content(
        _ response: FetchResponse, of request: SiteFileRequest, _ limits: ReadingLimits
    ) -> SiteFileContent {
        var fetched: AssociationFetch {
            .fetched(bytes: response.body, mediaType: response.headers.mediaType)
        }
        switch request.kind {
        case .manifest: return .manifest(WebAppManifest(bytes: response.body, url: request.url, limits: limits))
        case .appleAssociation: return .apple(AppleAssociationOutcome(fetched, at: request.url, limits: limits))
        case .assetLinks: return .assetLinks(AssetLinksOutcome(fetched, at: request.url, limits: limits))
        case .reservations:
            return .reservations(TDMReservationFile(bytes: response.body, url: request.url, limits: limits))
        case .license: return .license(RSLDocument(bytes: response.body, url: request.url, limits: limits))
        case .robots, .subresource: preconditionFailure("it has an answer of its own")
        }
    }
}
