import PippinCrawl
import PippinPage

/// The results of a report card's requests in addition to the page itself.
struct PageProbes: Sendable {
    /// The pictures of the page.
    var images: PageEvidence.Observation<[ImageEvidence]>
    /// Whether http redirects to https.
    var plainAddress: PageEvidence.Observation<PlainAddressEvidence>
    /// The answer at the canonical address.
    var canonical: PageEvidence.Observation<CanonicalEvidence>
    /// The answer to a conditional request.
    var revalidation: PageEvidence.Observation<RevalidationEvidence>
    /// The robots.txt rules of other hosts.
    var hostRules: PageEvidence.Observation<[HostRules]>
}

/// What was found out for earlier pages of a site, so that it is asked once.
struct KnownProbes: Sendable {
    /// The pictures that were asked for last. The pages of a site often share them.
    fileprivate var images: [ImageEvidence] = []
    /// What Apple's CDN answered so far, by address. It is asked once for each host.
    var appleCopies: [String: (answer: AppleCDNEvidence.Answer, age: Duration?)] = [:]

    /// Knows nothing.
    init() {}
}

extension SingleFetch {
    /// The limit of fetched pictures: the thumbnail and its alternatives.
    private static let maximumImages = 5
    /// The pictures that are not asked for again for the next page.
    private static let maximumKeptImages = 8
    /// The limit of a picture, in bytes.
    private static let maximumImageBytes = 8_000_000
    private static let maximumImageHops = 3
    /// The limit of other hosts whose robots.txt is fetched.
    private static let maximumOtherHosts = 3
    private static let probeTimeout = Duration.seconds(15)

    /// Makes the requests one after another, under each host's robots.txt and pauses.
    ///
    /// - Parameters:
    ///   - crawler: whose permissions are asked for, beside our own.
    ///   - known: what was found out before, and is now.
    mutating func probes(
        of facts: PageFacts, record: DeepLinkRecord?, response: FetchResponse, for crawler: ReportCard.Crawler,
        knowing known: inout KnownProbes
    ) async -> PageProbes {
        let hostRules = await otherRules(facts)
        return PageProbes(
            images: await images(of: record, for: crawler, knowing: &known),
            plainAddress: await plainAddress(of: response.url),
            canonical: await canonical(of: facts, for: crawler), revalidation: await revalidation(of: response),
            hostRules: hostRules)
    }

    // MARK: Other hosts' rules

    private mutating func otherRules(_ facts: PageFacts) async -> PageEvidence.Observation<[HostRules]> {
        var found: [HostRules] = []
        for url in PageResources(facts).otherOrigins(than: facts.source.url).prefix(Self.maximumOtherHosts) {
            guard let origin = url.origin else { continue }
            found.append(HostRules(origin: origin, file: await rules(of: url)))
        }
        return .made(found)
    }

    // MARK: Pictures

    private mutating func images(
        of record: DeepLinkRecord?, for crawler: ReportCard.Crawler, knowing known: inout KnownProbes
    ) async -> PageEvidence.Observation<[ImageEvidence]> {
        guard let record else { return .missing(because: "the page asks not to be indexed") }
        var addresses: [WebURL] = []
        for address in [record.thumbnailURL].compactMap({ $0 }) + record.images.map(\.url) {
            guard let url = WebURL(address), url.isHTTP, !addresses.contains(url) else { continue }
            addresses.append(url)
        }
        var found: [ImageEvidence] = []
        for url in addresses.prefix(Self.maximumImages) {
            if let image = known.images.first(where: { $0.url == url }) {
                found.append(image)
            } else {
                let image = await image(at: url, for: crawler)
                if known.images.count == Self.maximumKeptImages { known.images.removeFirst() }
                known.images.append(image)
                found.append(image)
            }
        }
        return .made(found)
    }

    private mutating func image(at address: WebURL, for crawler: ReportCard.Crawler) async -> ImageEvidence {
        var evidence = ImageEvidence(url: address)
        evidence.isAllowed = await rules(of: address).map {
            $0.decision(for: address, agents: crawler.robotsAgents).isAllowed
        }
        let request = FetchRequest(
            url: address, purpose: .image, maximumBodyBytes: Self.maximumImageBytes, timeout: Self.probeTimeout)
        switch await fetch(request, maximumRedirects: Self.maximumImageHops, redirects: &evidence.redirects) {
        case .failure(let failure):
            evidence.status = failure.status
            evidence.failure = failure
        case .success(let response):
            evidence.take(status: response.status, mediaType: response.headers.mediaType, body: response.body)
        }
        return evidence
    }

    // MARK: The page's other addresses

    /// Whether http redirects to https; one request, under the robots.txt of that origin.
    private mutating func plainAddress(of page: WebURL) async -> PageEvidence.Observation<PlainAddressEvidence> {
        guard page.scheme == "https" else { return .missing(because: "the page is not served over https") }
        guard page.port == nil else {
            return .missing(because: "the page is on port \(page.port ?? 443), where only https is spoken")
        }
        guard let url = WebURL("http" + page.href.dropFirst(5)) else {
            return .missing(because: "it has no http address")
        }
        // Without rules nothing may be fetched. If nothing answers at all, nothing can redirect.
        switch await exchange(FetchRequest(url: url, purpose: .page, timeout: Self.probeTimeout)) {
        case .success(let response):
            return .made(
                PlainAddressEvidence(url: url, status: response.status, location: response.redirect?.address))
        case .failure(let failure):
            if failure.root.error != nil { return .made(PlainAddressEvidence(url: url, status: nil)) }
            return .missing(because: failure.reason)
        }
    }

    /// The answer at the canonical address if it differs from the page's. Redirects are not followed.
    private mutating func canonical(
        of facts: PageFacts, for crawler: ReportCard.Crawler
    ) async -> PageEvidence.Observation<CanonicalEvidence> {
        guard let url = facts.metadata.canonical, url.isHTTP else {
            return .missing(because: "the page names no canonical address")
        }
        guard URLKey(url) != URLKey(facts.source.url) else { return .missing(because: "it is the page's own") }
        switch await exchange(FetchRequest(url: url.removingFragment(), purpose: .page, timeout: Self.probeTimeout)) {
        case .failure(let failure): return .missing(because: failure.reason)
        case .success(let response):
            var evidence = CanonicalEvidence(url: url, status: response.status)
            evidence.location = response.redirect?.address
            if response.meaning == .content, response.kind() == .page {
                let there = PageReading(response.source, agents: crawler.directiveAgents)
                evidence.canonical = there.canonical
                evidence.isNoindex = there.refusal == .noindex
            }
            return .made(evidence)
        }
    }

    // MARK: Asking again

    /// Requests the page again with its validators.
    private mutating func revalidation(
        of first: FetchResponse
    ) async -> PageEvidence.Observation<RevalidationEvidence> {
        let entityTag = first.headers["ETag"]
        let lastModified = first.headers["Last-Modified"]
        guard entityTag != nil || lastModified != nil else {
            return .missing(because: "the answer has neither ETag nor Last-Modified")
        }
        var request = FetchRequest(url: first.url, purpose: .page, timeout: Self.probeTimeout)
        request.entityTag = entityTag
        request.lastModified = lastModified
        switch await exchange(request) {
        case .failure(let failure): return .missing(because: failure.reason)
        case .success(let second):
            var evidence = RevalidationEvidence(status: second.status, isSameBody: second.body == first.body)
            evidence.entityTag = entityTag
            evidence.lastModified = lastModified
            evidence.newEntityTag = second.headers["ETag"]
            evidence.newLastModified = second.headers["Last-Modified"]
            return .made(evidence)
        }
    }
}

extension SingleFetch {
    /// The limit of hosts whose files Apple's CDN is asked for: the page's own and two that its deep links lead to.
    private static let maximumHostsAtApple = 3

    /// Asks Apple's CDN for its copies of the association files of hosts. Like every request, under the CDN's robots.txt and in
    /// its turn.
    ///
    /// - Parameters:
    ///   - sites: any URL of each host. Hosts that the CDN does not ask are left out.
    ///   - known: what was found out before, and is now.
    mutating func copiesAtApple(
        of sites: [WebURL], knowing known: inout KnownProbes
    ) async -> [AppleCDNEvidence] {
        var copies: [AppleCDNEvidence] = []
        var seen: Set<String> = []
        for site in sites where copies.count < Self.maximumHostsAtApple {
            guard let root = SiteAssociations.site(of: site),
                let url = AppleAssociationOutcome.locationAtApple(of: root), seen.insert(url.href).inserted
            else { continue }
            let copy: (answer: AppleCDNEvidence.Answer, age: Duration?)
            if let found = known.appleCopies[url.href] {
                copy = found
            } else {
                copy = await copyAtApple(url)
                // Enough for the hosts of one site and its neighbors.
                if known.appleCopies.count >= 64 { known.appleCopies = [:] }
                known.appleCopies[url.href] = copy
            }
            copies.append(AppleCDNEvidence(site: root, url: url, answer: copy.answer, age: copy.age))
        }
        return copies
    }

    private mutating func copyAtApple(_ url: WebURL) async -> (answer: AppleCDNEvidence.Answer, age: Duration?) {
        let kind = SiteFileKind.appleAssociation
        let request = FetchRequest(
            url: url, purpose: kind.purpose, maximumBodyBytes: kind.maximumBodyBytes, timeout: kind.timeout)
        switch await exchange(request) {
        case .failure(let failure): return (.unseen("\(failure)"), nil)
        case .success(let response): return (Self.answer(response, to: request, url), response.age)
        }
    }

    private static func answer(
        _ response: FetchResponse, to request: FetchRequest, _ url: WebURL
    ) -> AppleCDNEvidence.Answer {
        switch response.meaning {
        case .content where request.purpose.isAnswered(by: response.status):
            return .file(
                AppleAssociationOutcome(
                    .fetched(bytes: response.body, mediaType: response.headers.mediaType), at: url))
        case .gone:
            return .failure(
                AppleCDNEvidence.Failure(
                    status: response.status, reason: response.headers["Apple-Failure-Reason"],
                    details: response.headers["Apple-Failure-Details"], source: response.headers["Apple-From"]))
        default: return .unseen("the CDN answers with status \(response.status)")
        }
    }
}
