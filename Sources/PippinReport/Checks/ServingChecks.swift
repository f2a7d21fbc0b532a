// Checks of how the page is served (T01…T03, T08).

import PippinCrawl
import PippinPage

extension Technical {
    static let t01 = CheckJudge(
        .t01, .technical, .error, "The page answers with status 200",
        problem: "The page does not answer with status 200",
        why: "Anything else is not indexed.",
        site: statusIsOK)

    private static func statusIsOK(_ site: SiteExamination) -> [Verdict] {
        if let fetch = site.evidence.fetch.value, let failure = fetch.failure {
            let place = Finding.Place(.fetch, site.url.href)
            switch failure.cause {
            case .failed(.tls): return [.unknown("Not seen: TLS failed (see T03).")]
            case .robotsUnreachable: return [.unknown(rulesUnreachable)]
            case .disallowed: return [.unknown(closed)]
            case .redirectLoop, .tooManyRedirects:
                let ending = failure.cause == .redirectLoop ? "come back to where they were" : "do not end"
                return [
                    .error("The redirects \(ending).", at: place, Finding.Remedy("Let the address lead to a page."))
                ]
            case _ where failure.isOwnDoing:
                return [.unknown("Not asked: \(failure.briefExplanation(fetch.spelling)).")]
            default:
                return [
                    .error(
                        "The page cannot be fetched: \(failure.reason).", at: place,
                        Finding.Remedy(
                            failure.remedy(fetch.spelling).map { $0 + "." }
                                ?? "See that the host answers, from outside your network too."))
                ]
            }
        }
        guard let facts = site.facts else {
            // The content of an error page is not judged.
            guard let status = site.status else { return [.unknown("The page was not read.")] }
            guard StatusMeaning(status) == .content else { return [wrongStatus(status, of: site.url)] }
            return [.pass("The address answers with status \(status).", at: Finding.Place(.fetch, site.url.href))]
        }
        guard site.evidence.fetch.value != nil else {
            if let soft = softNotFound(facts) { return [soft] }
            return [.unknown("Not seen: \(site.evidence.fetch.reason ?? "the page was not fetched").")]
        }
        return [
            softNotFound(facts)
                ?? .pass(
                    "The page answers with status \(facts.source.status).", at: Finding.Place(.fetch, site.url.href))
        ]
    }

    private static let rulesUnreachable = "Not seen: robots.txt could not be fetched (see D03)."
    private static let closed = "Not seen: robots.txt closes the page (see D01)."

    private static func wrongStatus(_ status: Int, of url: WebURL) -> Verdict {
        .error(
            "The page answers with status \(status).", at: Finding.Place(.fetch, url.href),
            Finding.Remedy(
                StatusMeaning(status) == .gone
                    ? "Fix the link, or redirect the address to where the content is now."
                    : "Answer with status 200."))
    }

    /// An error about a page that says it was not found, but answers with status 200.
    private static func softNotFound(_ facts: PageFacts) -> Verdict? {
        guard facts.source.status == 200, let title = facts.metadata.title?.lowercased() else { return nil }
        let signs = ["404", "not found", "page not found", "nicht gefunden", "introuvable", "no encontrada"]
        guard signs.contains(where: { title.hasPrefix($0) || title.hasSuffix(" " + $0) }),
            facts.visibleText.bytes.count < 2_000
        else { return nil }
        return .warning(
            "The title is \(Wording.quoted(facts.metadata.title ?? "")): the page says it is not there, but answers as if it were.",
            at: nil,
            Finding.Remedy("Answer with status 404."))
    }

    static let t02 = CheckJudge(
        .t02, .technical, .warning, "Few redirects, and permanent ones",
        problem: "Redirects are many, temporary or broken",
        why: "Each hop costs time and some trust; a temporary one keeps the old address in the index.",
        site: redirectsAreFew)

    private static func redirectsAreFew(_ site: SiteExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        if let facts = site.facts, let refresh = facts.metadata.refresh, facts.redirect != nil, let target = refresh.url
        {
            verdicts.append(
                .warning(
                    "The page sends its readers on at once by a refresh, to \(target.href).",
                    at: refresh.isFromHeader
                        ? Finding.Place(.header, "Refresh") : .markup("meta refresh", refresh.place),
                    Finding.Remedy(
                        "Answer with a permanent redirect.",
                        code: "HTTP/1.1 301 Moved Permanently\nLocation: \(target.href)")))
        }
        if verdicts.isEmpty, let facts = site.facts, let script = scriptThatLeaves(facts) { verdicts.append(script) }
        guard let fetch = site.evidence.fetch.value else {
            return verdicts.isEmpty
                ? [.unknown("Not seen: \(site.evidence.fetch.reason ?? "the page was not fetched").")] : verdicts
        }
        guard let first = fetch.hops.first else {
            return verdicts.isEmpty ? [.pass("The address answers itself, without a redirect.")] : verdicts
        }
        switch fetch.failure?.cause {
        case .redirectLoop, .tooManyRedirects:
            return verdicts.isEmpty ? [.unknown("Not seen: the redirects lead to no page (see T01).")] : verdicts
        default: break
        }
        let place = Finding.Place(.fetch, first.url.href)
        let way = (fetch.hops.map { "\($0.url.href) (\($0.status))" } + [site.url.href]).joined(separator: " → ")
        let remedy = Finding.Remedy(
            "Redirect once, permanently, to the last address.",
            code: "HTTP/1.1 301 Moved Permanently\nLocation: \(site.url.href)")
        if fetch.hops.count > 1 {
            verdicts.append(.warning("\(fetch.hops.count) redirects lead here: \(way).", at: place, remedy))
        }
        if let temporary = fetch.hops.first(where: \.isTemporary) {
            verdicts.append(
                .warning("\(temporary.url.href) redirects for now only (\(temporary.status)).", at: place, remedy))
        }
        for (hop, next) in zip(fetch.hops, fetch.hops.dropFirst().map(\.url) + [site.url]) {
            if hop.url.scheme == "https", next.scheme == "http" {
                verdicts.append(
                    .warning(
                        "\(hop.url.href) redirects from https to http.", at: place, Finding.Remedy("Redirect to https.")
                    ))
            }
        }
        if !SiteIdentity.isSameSite(fetch.requestedURL.host, site.url.host) {
            verdicts.append(
                .warning(
                    "\(fetch.requestedURL.href) leads to another site, \(site.url.host ?? "").", at: place,
                    Finding.Remedy("Name the last address where the first one stands.")))
        }
        return verdicts.isEmpty ? [.pass("One permanent redirect leads here: \(way).", at: place)] : verdicts
    }

    /// A finding about a page with hardly any text whose script leads visitors elsewhere.
    private static func scriptThatLeaves(_ facts: PageFacts) -> Verdict? {
        let document = facts.document
        guard facts.visibleText.bytes.count < 200 else { return nil }
        let signs = [
            "location.replace(", "location.assign(", "location.href=", "location.href =", "window.location=",
            "window.location =",
        ]
        for index in document.elements(named: .script).prefix(50) where !document.has(.src, on: index) {
            let text = String(decoding: document.textBytes(of: index).prefix(20_000), as: UTF8.self)
            guard let sign = signs.first(where: text.contains) else { continue }
            return .warning(
                "The page says next to nothing, and a script sends its readers on (\(Wording.quoted(sign))).",
                at: .markup("script", document.place(of: index)),
                Finding.Remedy(
                    "Answer with a permanent redirect.", code: "HTTP/1.1 301 Moved Permanently\nLocation: ADDRESS"))
        }
        return nil
    }

    static let t03 = CheckJudge(
        .t03, .technical, .warning, "The page is served over HTTPS",
        problem: "HTTPS is missing or faulty",
        why: "Universal links and association files need https with a valid certificate.",
        site: isSecure)

    private static func isSecure(_ site: SiteExamination) -> [Verdict] {
        let fetch = site.evidence.fetch.value
        if let fetch, let failure = fetch.failure, case .failed(.tls) = failure.cause {
            return [
                .error(
                    "TLS fails: \(failure.reason).", at: Finding.Place(.fetch, site.url.href),
                    Finding.Remedy(
                        failure.remedy(fetch.spelling).map { $0 + "." }
                            ?? "Serve a certificate for \(site.url.host ?? "the host") with its whole chain, from an authority that everyone trusts."
                    ))
            ]
        }
        guard site.hasAddress else {
            return [.unknown("Not seen: it is not known where the page is published.")]
        }
        guard site.url.scheme == "https" else {
            return [
                .warning(
                    "The page is served over http, not https: \(Wording.quoted(site.url.href)).", at: nil,
                    Finding.Remedy(
                        "Serve the site over https and redirect http to it.",
                        code: "HTTP/1.1 301 Moved Permanently\nLocation: https\(site.url.href.dropFirst(4))"))
            ]
        }
        guard let fetch else {
            return [
                .unknown(
                    "The address is https; the certificate was not seen: \(site.evidence.fetch.reason ?? "the page was not fetched")."
                )
            ]
        }
        switch fetch.failure?.cause {
        case .disallowed: return [.unknown(closed)]
        case .robotsUnreachable: return [.unknown(rulesUnreachable)]
        case nil, .redirectLoop, .tooManyRedirects: break
        default: return [.unknown("Not seen: the page could not be fetched (see T01).")]
        }
        let secure = "https with a valid certificate" + (fetch.httpVersion.map { ", HTTP/\($0)" } ?? "")
        return [plainAnswer(site, secure)]
    }

    /// What the page's http address answers, for a page that is served over https.
    private static func plainAnswer(_ site: SiteExamination, _ secure: String) -> Verdict {
        guard let plain = site.evidence.plainAddress.value else {
            let reason = site.evidence.plainAddress.reason ?? "it was not asked for"
            return .pass("\(secure). Whether http leads here was not seen: \(reason).")
        }
        let place = Finding.Place(.fetch, plain.url.href)
        let remedy = Finding.Remedy(
            "Redirect http to https, address by address.",
            code: "HTTP/1.1 301 Moved Permanently\nLocation: \(site.url.href)")
        guard let status = plain.status else {
            return .pass("\(secure). Over http nothing answers, which is safe.", at: place)
        }
        guard let target = plain.location else {
            return status < 400
                ? .warning(
                    "\(plain.url.href) answers with status \(status) instead of leading to https.", at: place, remedy)
                : .info(
                    "\(plain.url.href) answers with status \(status) instead of leading to https.", at: place, remedy)
        }
        if target.scheme != "https" {
            return .warning("\(plain.url.href) redirects to \(target.href), which is http again.", at: place, remedy)
        }
        if target.path == "/", site.url.path != "/" {
            return .warning(
                "\(plain.url.href) redirects to the home page, \(target.href), and the content is lost on the way.",
                at: place, remedy)
        }
        if StatusMeaning(status) == .redirect(isPermanent: false) {
            return .info("\(plain.url.href) leads to https for now only (\(status)).", at: place, remedy)
        }
        return .pass("\(secure), and http leads here (\(status)).", at: place)
    }

    // MARK: Speed

    static let t08 = CheckJudge(
        .t08, .technical, .info, "The page is quick and small",
        problem: "The page is slow or large",
        why: "Crawlers slow down for slow sites, and people leave them.",
        site: isQuick)

    private static func isQuick(_ site: SiteExamination) -> [Verdict] {
        guard let fetch = site.evidence.fetch.value, let facts = site.facts else {
            guard let facts = site.facts else { return [.unknown(site.unreadReason)] }
            let size = sizeVerdict(facts.source.bytes.count, site.options)
            return (size.map { [$0] } ?? []) + [
                .unknown("Times were not seen: \(site.evidence.fetch.reason ?? "the page was not fetched").")
            ]
        }
        var verdicts: [Verdict] = sizeVerdict(facts.source.bytes.count, site.options).map { [$0] } ?? []
        let place = Finding.Place(.fetch, site.url.href)
        if let first = fetch.timeToFirstByte, first > .seconds(1) {
            verdicts.append(
                first > .seconds(3)
                    ? .warning(
                        "The first byte took \(milliseconds(first)) ms.", at: place,
                        Finding.Remedy("Cache the page on the server."))
                    : .info(
                        "The first byte took \(milliseconds(first)) ms.", at: place,
                        Finding.Remedy("Cache the page on the server.")))
        }
        if let wire = fetch.wireBytes, let body = fetch.bodyBytes, body > 20_000, wire >= body {
            verdicts.append(
                .info(
                    "The page came uncompressed, \(Wording.bytes(body)).",
                    at: Finding.Place(.header, "Content-Encoding"),
                    Finding.Remedy("Compress it.", code: "Content-Encoding: gzip")))
        }
        if let total = fetch.totalTime, let first = fetch.timeToFirstByte, total - first > .seconds(3) {
            verdicts.append(
                .info(
                    "From the first byte to the last it took \(milliseconds(total - first)) ms for \(bytes(fetch)).",
                    at: place, Finding.Remedy("Serve the page smaller, or from nearer by.")))
        }
        return verdicts.isEmpty ? [.pass(times(fetch), at: place)] : verdicts
    }

    /// All measured times, as a sentence.
    private static func times(_ fetch: FetchEvidence) -> String {
        var parts: [String] = []
        if let first = fetch.timeToFirstByte { parts.append("The first byte came after \(milliseconds(first)) ms") }
        if let total = fetch.totalTime { parts.append("the last after \(milliseconds(total)) ms") }
        if parts.isEmpty { parts.append("The page came") }
        let hops = fetch.hops.isEmpty ? "" : ", behind \(Wording.count(fetch.hops.count, "redirect"))"
        return "\(parts.joined(separator: ", ")): \(bytes(fetch))\(hops)."
    }

    private static func bytes(_ fetch: FetchEvidence) -> String {
        switch (fetch.wireBytes, fetch.bodyBytes) {
        case (let wire?, let body?) where wire < body:
            "\(Wording.bytes(wire)) on the wire, \(Wording.bytes(body)) of HTML"
        case (_, let body?): "\(Wording.bytes(body)) of HTML"
        default: "its size was not seen"
        }
    }

    /// The limit is lower for phones, whose network and memory are smaller.
    private static func sizeVerdict(_ bytes: Int, _ options: ReportCard.Options) -> Verdict? {
        guard bytes > (options.isMobile ? 500_000 : 1_500_000) else { return nil }
        return .info(
            "The page has \(Wording.bytes(bytes)) of HTML\(options.isMobile ? ", much for a phone" : "").",
            at: nil,
            Finding.Remedy("Move scripts and data out of the page."))
    }

    static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000
    }
}
