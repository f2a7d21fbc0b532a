import Foundation
import PippinPage

/// What is known of an address even if no page could be read: the URL and the evidence.
struct SiteExamination: Sendable {
    let url: WebURL
    let evidence: PageEvidence
    let options: ReportCard.Options
    /// nil if the page was not read, or is no page.
    let page: PageExamination?
    var facts: PageFacts? { page?.facts }
    /// The answer, also that of an error page, as far as it was read; nil if there was none.
    let answer: PageSource?
    /// The status of the answer; nil without an answer.
    let status: Int?
    /// Whether the markup or the options name an app in Apple's App Store.
    let namesAppleApp: Bool
    /// Hosts that iOS links in the markup lead to, and the page's own host if the options name an app.
    let linkedHosts: Set<String>

    /// - Parameter answer: its status counts. Without it, the status in the evidence does.
    init(
        url: WebURL, evidence: PageEvidence, options: ReportCard.Options, page: PageExamination?,
        answer: PageSource? = nil
    ) {
        self.url = url
        self.evidence = evidence
        self.options = options
        self.page = page
        self.answer = answer
        if let answer {
            status = answer.status
        } else if case .answered(let status)? = evidence.fetch.value?.ending {
            self.status = status
        } else {
            status = nil
        }
        let isAsked = options.appIdentifier != nil || options.appStoreIdentifier != nil
        namesAppleApp = page?.namesAppleApp ?? isAsked
        var hosts: Set<String> = []
        for link in page?.markupLinks ?? [] where link.platform.isApple {
            if let url = link.url.flatMap({ WebURL($0) }), SiteAssociations.site(of: url) != nil {
                hosts.insert(AssociationVerification.hostName(of: url))
            }
        }
        if isAsked { hosts.insert(AssociationVerification.hostName(of: url)) }
        linkedHosts = hosts
    }

    var hasAddress: Bool { !UnknownAddress.isHost(of: url) }

    /// Why checks of the page itself were not made, as a sentence.
    var unreadReason: String {
        if let status, StatusMeaning(status) != .content {
            return "Not judged: the page answers with status \(status) (see T01)."
        }
        return status == nil && evidence.foreignType == nil
            ? "The page was not read." : "Not judged: what is there is no page (see T06)."
    }

    /// Whether the files are those of the page's own host.
    func isOwnHost(_ found: HostAssociations) -> Bool {
        AssociationVerification.hostName(of: found.wellKnown.url) == AssociationVerification.hostName(of: url)
    }
}

/// A page as checks see it: its facts, the record or why there is none, and the evidence.
struct PageExamination: Sendable {
    let facts: PageFacts
    /// The page's requests as the crawler of the profile reads them.
    let directives: RobotsDirectives
    /// nil if the crawler of the profile may not index the page.
    let record: DeepLinkRecord?
    let refusal: RecordBuilder.Refusal?
    let evidence: PageEvidence
    let options: ReportCard.Options
    let meta: MetaTags
    let structured: StructuredPage
    /// The result of comparing the deep links with the association files; nil if neither these nor the App Store were looked
    /// at.
    let verification: AssociationVerification?
    /// What the page's items lack of what their types should have.
    let completeness: Completeness

    init(
        facts: PageFacts, conclusion: RecordBuilder.Conclusion, evidence: PageEvidence, options: ReportCard.Options,
        verification: AssociationVerification?
    ) {
        self.facts = facts
        self.verification = verification ?? Self.verification(of: conclusion, evidence)
        if options.profile == .all {
            // The reader of the record, whose name a job may choose.
            directives = facts.directives
            refusal = conclusion.refusal
        } else {
            directives = facts.directives(readBy: options.profile.crawler.directiveAgents)
            refusal = directives.refusal(at: facts.source.fetchedAt)
        }
        record = refusal == nil ? self.verification?.record ?? conclusion.record : nil
        self.evidence = evidence
        self.options = options
        meta = facts.metaTags
        structured = facts.structuredPage
        completeness = Completeness(
            of: structured, isHomePage: Self.isHomePage(facts.source.url), for: options.profile,
            leavingOut: Self.itemsWithoutScope(facts.notes), pictures: Self.pictureSizes(facts, evidence))
    }

    /// The places of elements with `itemtype` but no `itemscope`, which S06 reports: for other readers they are no items.
    private static func itemsWithoutScope(_ notes: [ParseNote]) -> Set<[Int]> {
        Set(
            notes.compactMap { note in
                guard note.code == .microdata(.itemscopeMissing), let line = note.line, let column = note.column
                else { return nil }
                return [line, column]
            })
    }

    /// Width times height of the page's pictures, by address: as they were fetched, or else as Open Graph states them.
    private static func pictureSizes(_ facts: PageFacts, _ evidence: PageEvidence) -> [String: Double] {
        var sizes: [String: Double] = [:]
        for image in facts.openGraph?.images.prefix(20) ?? [] {
            guard let url = image.bestURL, let width = image.width, let height = image.height else { continue }
            sizes[url.href] = Double(width) * Double(height)
        }
        for image in evidence.images.value ?? [] {
            guard let width = image.width, let height = image.height else { continue }
            sizes[image.url.href] = Double(width) * Double(height)
        }
        return sizes
    }

    private static func verification(
        of conclusion: RecordBuilder.Conclusion, _ evidence: PageEvidence
    ) -> AssociationVerification? {
        guard let record = conclusion.record, evidence.association.value != nil || evidence.appStore.value != nil else {
            return nil
        }
        let association = evidence.association.value
        return AssociationVerification(
            of: record, associations: association?.files ?? SiteAssociations(), apps: association?.apps ?? [],
            lookup: evidence.appStore.value, tracing: true)
    }

    var url: WebURL { facts.source.url }

    /// The address that markup for this page should name: the canonical one, without fragment and tracking parameters.
    var address: String {
        guard hasAddress else { return UnknownAddress.placeholder }
        if let record { return record.uniqueIdentifier }
        return URLKey(url).string
    }

    /// Whether an address is one of the page's own: its URL, its canonical URL, or its `og:url`.
    func isAddress(_ other: WebURL) -> Bool {
        let own = [url, facts.metadata.canonical, facts.openGraph?.url].compactMap { $0 }
        return own.contains { Self.comparable($0) == Self.comparable(other) }
    }

    /// An address without the parts in which two spellings of it may differ. Campaigns stand in addresses of an app's own
    /// scheme as well, so these are read as paths of the web.
    static func comparable(_ url: WebURL) -> String {
        guard url.isHTTP else {
            let rest = url.href.dropFirst(url.scheme.utf8.count + 1).drop { $0 == "/" }
            guard let path = WebURL("https://app.invalid/\(rest)") else { return url.href }
            return "\(url.scheme):\(comparable(path).dropFirst("app.invalid".utf8.count))"
        }
        var text = URLKey(url).string
        if let scheme = text.range(of: "://") { text = String(text[scheme.upperBound...]) }
        for start in ["www.", "m.", "mobile."] where text.hasPrefix(start) {
            text = String(text.dropFirst(start.count))
        }
        while text.last == "/" { text.removeLast() }
        return text
    }

    /// Whether it is known where the page is published. A page that was read from a file may not say.
    var hasAddress: Bool { !UnknownAddress.isHost(of: url) }

    /// A page without a known address counts as the home page, since it may be one.
    var isHomePage: Bool { Self.isHomePage(url) }

    private static func isHomePage(_ url: WebURL) -> Bool {
        UnknownAddress.isHost(of: url) || url.path == "/" && (url.query ?? "").isEmpty
    }

    var now: Date { facts.source.fetchedAt }

    // MARK: Apps

    /// How the page writes days.
    var dayStyle: DayStyle { record?.dayStyle(on: url) ?? .unknown }

    var deepLinks: [DeepLinkRecord.DeepLink] { record?.deepLinks.filter { $0.platform != .web } ?? [] }

    /// Deep links that the page itself names, not only its host's association files.
    var markupLinks: [DeepLinkRecord.DeepLink] { deepLinks.filter { $0.sources != [.association] } }

    /// The app to look for in association files: the one in the options, or else the one in the markup, as far as it is
    /// known.
    var associationApp: AssociationCoverage.App {
        if let appID = options.appIdentifier { return .identifier(appID) }
        let known = markupLinks.first {
            $0.platform.isApple && $0.bundleIdentifier != nil
                && $0.bundleIdentifier != $0.appClipBundleIdentifier
        }
        return known?.bundleIdentifier.map { .bundle($0) } ?? .any
    }

    var namesAppleApp: Bool {
        options.appIdentifier != nil || options.appStoreIdentifier != nil || facts.smartAppBanner != nil
            || deepLinks.contains { $0.platform.isApple }
    }

    /// What Apple's files say about a URL. Uses the trace of the verification if there is one.
    func coverage(of url: WebURL, _ app: AssociationCoverage.App) -> AssociationCoverage {
        AssociationCoverage(url, app, in: evidence.association.value?.files ?? SiteAssociations()) { file in
            verification?.traces[url] ?? file.decision(for: url, tracing: true)
        }
    }

    /// How Apple's files were matched with the page's address and with each https deep link.
    var traces: [ReportCard.Trace] {
        guard evidence.association.value != nil else { return [] }
        var urls: [WebURL] = []
        if hasAddress, let own = WebURL(universalLink) { urls.append(own) }
        for link in deepLinks where link.platform.isApple {
            if let url = link.url.flatMap({ WebURL($0) }), url.isHTTP, !urls.contains(url) { urls.append(url) }
        }
        return urls.compactMap { url in
            let coverage = coverage(of: url, associationApp)
            guard let trace = coverage.trace, let file = coverage.file else { return nil }
            return ReportCard.Trace(file: file, matching: trace, outcome: coverage.outcome)
        }
    }

    /// The App Store ID for markup in remedies; nil if nothing names one.
    var storeIdentifier: String? {
        options.appStoreIdentifier ?? facts.smartAppBanner?.appID
            ?? deepLinks.first { $0.platform.isApple && $0.storeIdentifier != nil }?
            .storeIdentifier
    }

    /// Whether the markup or the options name an app.
    var namesAnApp: Bool {
        options.appIdentifier != nil || options.appStoreIdentifier != nil || facts.smartAppBanner != nil
            || !deepLinks.isEmpty
            || facts.appClaims.contains { [.twitterCard, .appLinks].contains($0.source) && $0.platform != .web }
    }

    /// The apps that the association file of the page's host names.
    var siteApps: [String] { evidence.association.value?.files[url]?.apps ?? [] }

    /// Why it is not known whether the association files of the page's host open it, as a clause; nil if they were seen.
    var unseenAssociationFile: String? {
        guard evidence.association.value != nil else {
            return evidence.association.reason ?? "association files were not looked at"
        }
        guard let own = WebURL(universalLink), case .unseen(let sentence) = coverage(of: own, .any).state else {
            return nil
        }
        return sentence.last == "." ? String(sentence.dropLast()) : sentence
    }

    /// Whether neither the page nor its host's association file names an app.
    var knowsNoApp: Bool { refusal == nil && !namesAnApp && siteApps.isEmpty }

    /// The address as a universal link, with https.
    var universalLink: String {
        address.hasPrefix("http:") ? "https" + address.dropFirst(4) : address
    }

    /// The markup of the banner that this page should have.
    var bannerMarkup: String {
        Markup.meta(
            name: "apple-itunes-app",
            content: "app-id=\(storeIdentifier ?? "YOUR-APP-STORE-ID"), app-argument=\(universalLink)")
    }

    /// The name of the site, unless it was read out of the title.
    var statedSite: String? {
        guard let record else { return nil }
        return record.provenance.contains { $0.field == "containerTitle" && $0.source == .htmlTitle }
            ? nil : record.containerTitle
    }

    /// The description that the page states, where the record's may be the main text in its place.
    var statedDescription: String? {
        guard let record else { return nil }
        let isMainText = record.provenance.contains { $0.field == "contentDescription" && $0.source == .mainText }
        return isMainText
            ? facts.metadata.description ?? facts.openGraph?.description ?? facts.twitterCard?.description
                ?? record.contentDescription
            : record.contentDescription
    }

    /// The page's visible text in lower case, up to 400,000 bytes.
    var shownText: String {
        String(decoding: facts.visibleText.bytes.prefix(400_000), as: UTF8.self).lowercased()
    }

    // MARK: Places

    func place(ofMeta name: String) -> Finding.Place? {
        meta.tags.first { $0.name == name }.map { tag in
            // The content where there is one, else the tag.
            let place = facts.document.place(ofValue: .content, on: tag.element) ?? tag.place
            return .markup("meta \(name)", line: place.line, column: place.column)
        }
    }

    func place(ofElement name: HTMLName) -> Finding.Place? {
        guard let index = facts.document.elements(named: name).first else { return nil }
        let place = facts.document.place(of: index)
        return .markup(name.spelling, line: place.line, column: place.column)
    }

    func place(of item: StructuredItem) -> Finding.Place {
        let type = item.types.first.map { " \($0)" } ?? ""
        return .markup(item.syntax.label + type, line: item.line, column: item.column)
    }

    var bannerPlace: Finding.Place? {
        facts.smartAppBanner.map { .markup("meta apple-itunes-app", line: $0.line, column: $0.column) }
    }

    // MARK: Values

    func text(_ item: StructuredItem, _ name: String) -> String? { structured.text(item, name) }

    func literal(_ item: StructuredItem, _ name: String) -> StructuredItem.Literal? { structured.literal(item, name) }

    /// Items of a type or one of its subtypes, up to a limit.
    func items(_ kinds: String...) -> [StructuredItem] {
        var found: [StructuredItem] = []
        for item in structured.items where found.count < 200 {
            guard item.types.contains(where: { type in kinds.contains { SchemaOrg.isKind(type, of: $0) } }) else {
                continue
            }
            found.append(item)
        }
        return found
    }
}
