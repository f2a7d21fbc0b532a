/// The association files of the hosts that a page's deep links lead to, as far as they were asked for.
///
/// Kept by the host's origin over https, `https://shop.example`, since devices ask for the files over https whatever the
/// scheme of the link.
public struct SiteAssociations: Sendable {
    /// Files that somebody needs of one host.
    public struct Want: Sendable, Hashable {
        /// The root of the host over https; `AppleAssociationOutcome.locations` and `AssetLinksOutcome.location` say where the
        /// files lie.
        public let site: WebURL
        public internal(set) var apple: Bool
        public internal(set) var android: Bool
    }

    private var found: [String: HostAssociations] = [:]
    /// Origins in the order in which they came.
    private var order: [String] = []

    public init() {}

    /// What is known of the host of a URL; nil where its files were not asked for.
    public subscript(url: WebURL) -> HostAssociations? {
        get { Self.site(of: url)?.origin.flatMap { found[$0] } }
        set {
            guard let origin = Self.site(of: url)?.origin else { return }
            if found[origin] == nil { order.append(origin) }
            found[origin] = newValue
            if newValue == nil { order.removeAll { $0 == origin } }
        }
    }

    public var isEmpty: Bool { order.isEmpty }

    /// In the order in which they came.
    public var hosts: [HostAssociations] { order.compactMap { found[$0] } }

    /// Whose files speak of a URL: its host over https. nil for other schemes, and for http with a port of its own, where
    /// no https server can be looked for.
    public static func site(of url: WebURL) -> WebURL? {
        guard url.isHTTP, let host = url.host else { return nil }
        if url.scheme == "http" { return url.port == nil ? WebURL("https://\(host)/") : nil }
        return url.origin.flatMap { WebURL($0 + "/") }
    }

    /// The other one of the two hosts that people take for one, `www.shop.example` and `shop.example`; nil where there is none,
    /// as for `blog.shop.example`.
    public static func sibling(of url: WebURL) -> WebURL? {
        guard let site = site(of: url), let host = site.host else { return nil }
        let port = site.port.map { ":\($0)" } ?? ""
        let bare = SiteIdentity.withoutWWW(host)
        if bare != host { return WebURL("https://\(bare)\(port)/") }
        return SiteIdentity.registeredDomain(of: host) == host ? WebURL("https://www.\(host)\(port)/") : nil
    }
}

// MARK: The file that counts

/// An association file of a host, as devices have it.
enum FileInForce<Content> {
    case inForce(Content, at: WebURL)
    /// Devices have none; a sentence.
    case none(String, at: WebURL)
    /// It was not seen; a sentence.
    case unseen(String)

    /// Of a file that is not in force.
    ///
    /// - Parameter name: as `assetlinks.json of shop.example`.
    fileprivate init(
        _ name: String, at url: WebURL, _ judgement: AssociationJudgement, _ trouble: AssociationTrouble?
    ) {
        switch judgement.standing {
        case .usable: self = .none("Devices do not use the \(name). \(trouble?.sentence ?? "")", at: url)
        case .refused: self = .none(judgement.sentence(of: name), at: url)
        case .unknown: self = .unseen(judgement.sentence(of: name))
        }
    }
}

extension SiteAssociations {
    /// How sentences name the file that speaks of a URL.
    static func appleFileName(for url: WebURL) -> String {
        "apple-app-site-association of \(AssociationVerification.hostName(of: url))"
    }

    static func assetLinksName(for url: WebURL) -> String {
        "assetlinks.json of \(AssociationVerification.hostName(of: url))"
    }

    /// Apple's file of a URL's host.
    func appleFile(for url: WebURL) -> FileInForce<AppleAppSiteAssociation> {
        let name = Self.appleFileName(for: url)
        guard let found = self[url] else { return .unseen("The \(name) was not asked for.") }
        if let outcome = found.apple, let file = outcome.file { return .inForce(file, at: outcome.url) }
        let (first, copy) = (found.wellKnown, found.rootCopy.judgement)
        // The older place may still have it.
        if first.judgement.standing == .refused, copy.standing == .unknown {
            return .unseen("The \(name) was not seen: its copy at the root is unknown, \(copy.clause).")
        }
        return FileInForce(name, at: first.url, first.judgement, first.file?.trouble)
    }

    /// The assetlinks.json of a URL's host.
    func assetLinks(for url: WebURL) -> FileInForce<AssetLinks> {
        let name = Self.assetLinksName(for: url)
        guard let found = self[url] else { return .unseen("The \(name) was not asked for.") }
        let outcome = found.assetLinks
        if let links = found.android { return .inForce(links, at: outcome.url) }
        return FileInForce(name, at: outcome.url, outcome.judgement, outcome.links?.trouble)
    }
}

// MARK: One host

/// All association files of one host, as they were found, and which of them count.
public struct HostAssociations: Sendable {
    /// `/.well-known/apple-app-site-association`
    public let wellKnown: AppleAssociationOutcome
    /// `/apple-app-site-association`, the copy that older systems ask for.
    public let rootCopy: AppleAssociationOutcome
    public let assetLinks: AssetLinksOutcome
    /// Where Apple's file is, when it is only there with `.json` at the end of its name.
    public let misnamed: WebURL?
    /// Of the asset links with what they include.
    public let statements: [AssetLinks.Statement]
    /// What is to be said beyond each file's own notes.
    public let notes: [ParseNote]

    /// - Parameters:
    ///   - misnamed: what was found with `.json` at the end of its name, where neither of Apple's places has a file.
    ///   - included: the asset links' includes; nil when the file is not usable.
    public init(
        wellKnown: AppleAssociationOutcome, rootCopy: AppleAssociationOutcome, assetLinks: AssetLinksOutcome,
        misnamed: [AppleAssociationOutcome] = [], included: AssetLinksGathering? = nil
    ) {
        self.wellKnown = wellKnown
        self.rootCopy = rootCopy
        self.assetLinks = assetLinks
        statements = included?.statements ?? []
        var notes: [ParseNote] = []
        if wellKnown.isUsable, let first = wellKnown.bytes, let second = rootCopy.bytes, first != second {
            notes.append(
                ParseNote(
                    .rootCopyDiffers,
                    "\(rootCopy.url.href.quotedBriefly) differs from the file under /.well-known/, which comes first."))
        }
        if wellKnown.judgement.standing == .refused, rootCopy.isUsable {
            notes.append(
                ParseNote(
                    .rootOnly,
                    "The file is at \(rootCopy.url.href.quotedBriefly) only; Apple names no place but /.well-known/ today."
                ))
        }
        // Some servers answer any address with some JSON.
        self.misnamed = misnamed.first { $0.isUsable && $0.file?.namesApps == true }?.url
        if let misnamed = self.misnamed {
            notes.append(
                ParseNote(
                    .misnamed,
                    "The association file is at \(misnamed.href.quotedBriefly) only. Devices ask for “apple-app-site-association” without “.json”, so they have no file."
                ))
        }
        self.notes = notes + (included?.notes ?? [])
    }

    /// Apple's file in force: the copy at the root only where the other place has none.
    public var apple: AppleAssociationOutcome? {
        if wellKnown.isUsable { return wellKnown }
        return wellKnown.judgement.standing == .refused && rootCopy.isUsable ? rootCopy : nil
    }

    /// Asset links in force, with their includes.
    public var android: AssetLinks? {
        guard assetLinks.isUsable, let links = assetLinks.links else { return nil }
        return links.with(statements: statements)
    }

    /// The notes that count for each file. That a file is missing is left out where the host gets on without it: of Apple's
    /// places one will do, and a host may have apps for one platform.
    public var findings: [(url: WebURL, notes: [ParseNote])] {
        let hasAny = apple != nil || assetLinks.isUsable
        func counting(_ notes: [ParseNote], _ judgement: AssociationJudgement) -> [ParseNote] {
            judgement.remark == .missing && hasAny
                ? notes.filter { $0.code != .association(.missing) } : notes
        }
        return [
            (wellKnown.url, counting(wellKnown.notes, wellKnown.judgement)),
            (rootCopy.url, counting(rootCopy.notes, rootCopy.judgement)),
            (assetLinks.url, counting(assetLinks.notes, assetLinks.judgement)),
        ]
    }
}

extension HostAssociations {
    /// The files as they were understood, each with its place and standing.
    public var json: JSONValue {
        func file(_ url: WebURL, _ judgement: AssociationJudgement, _ isUsable: Bool, _ content: JSONValue?)
            -> JSONValue
        {
            var object = JSONObject()
            object.put("url", url)
            object.put("standing", judgement.standing.rawValue)
            object["inForce"] = .bool(isUsable)
            object.put("reason", judgement.sentence)
            object["file"] = content
            object.put("notes", findings.first { $0.url == url }?.notes ?? []) { $0.associationJSON }
            return .object(object)
        }
        return JSONObject.with {
            $0["files"] = .array([
                file(wellKnown.url, wellKnown.judgement, apple?.url == wellKnown.url, wellKnown.file?.json),
                file(rootCopy.url, rootCopy.judgement, apple?.url == rootCopy.url, rootCopy.file?.json),
                file(assetLinks.url, assetLinks.judgement, assetLinks.isUsable, (android ?? assetLinks.links)?.json),
            ])
            $0.put("notes", notes) { $0.associationJSON }
        }
    }
}

/// An `assetlinks.json` with the files that it includes, while they are being fetched.
///
/// The caller fetches what `wanted` names and hands each answer to `take`; the limits are those of Android's own verifier.
public struct AssetLinksGathering: Sendable {
    /// Files that an included file includes are left out.
    public static let maximumDepth = 1
    /// Files, the first one not counted, that are fetched for one host.
    public static let maximumFetches = 10

    /// Includes not fetched yet.
    public private(set) var wanted: [AssetLinks.Include] = []
    /// Of all files that could be read, the root's first.
    public private(set) var statements: [AssetLinks.Statement]
    /// What is to be said beyond each file's own notes; places are those of the root.
    public private(set) var notes: [ParseNote] = []
    private var seen: Set<WebURL> = []

    public init(_ root: AssetLinks, at url: WebURL) {
        statements = root.statements
        seen.insert(url)
        for include in root.includes where seen.insert(include.url).inserted {
            if wanted.count < Self.maximumFetches {
                wanted.append(include)
            } else {
                notes.append(
                    ParseNote(
                        .includeNotFollowed,
                        "\(include.url.href.quotedBriefly) is left out: more than \(Self.maximumFetches) includes.",
                        at: include.place))
            }
        }
    }

    /// Takes the answer for one of `wanted`; an included file that is missing, redirected or malformed voids itself only.
    public mutating func take(_ fetch: AssociationFetch, for include: AssetLinks.Include) {
        take(AssetLinksOutcome(fetch, at: include.url), for: include)
    }

    /// The same for a file that was read already, as several hosts may include it.
    public mutating func take(_ outcome: AssetLinksOutcome, for include: AssetLinks.Include) {
        guard let index = wanted.firstIndex(of: include) else { return }
        wanted.remove(at: index)
        guard outcome.isUsable, let links = outcome.links else {
            let reason =
                outcome.links?.trouble?.sentence ?? "It is not there: \(outcome.judgement.sentence ?? "not asked for")."
            notes.append(
                ParseNote(
                    .includeFailed, "\(include.url.href.quotedBriefly) is left out. \(reason)", at: include.place))
            return
        }
        statements += links.statements
        for inner in links.includes {
            notes.append(
                ParseNote(
                    .includeNotFollowed,
                    "\(include.url.href.quotedBriefly) includes \(inner.url.href.quotedBriefly), which is left out: includes go one level deep.",
                    at: include.place))
        }
    }
}
