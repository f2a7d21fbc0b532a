/// How the fetch of an association file ended. Redirects are not followed: devices do not.
public enum AssociationFetch: Sendable {
    /// Status 200, with the type that the server states (`HTTPHeaders.mediaType`).
    case fetched(bytes: [UInt8], mediaType: String?)
    case redirected(to: String)
    /// Any other status.
    case status(Int)
    /// Our own robots rules; devices would have asked.
    case disallowed(String)
    /// No valid TLS.
    case insecure(String)
    /// No answer.
    case unreachable(String)
    case tooLarge(limit: Int)
    /// Not tried; with half a sentence that says why.
    case notTried(String)

    /// No page needed the file.
    public static let notAsked = AssociationFetch.notTried("it was not asked for")
}

/// What becomes of a fetch: whether devices would use the file, would do without it, or it cannot be said.
public struct AssociationJudgement: Sendable, Hashable {
    public enum Standing: String, Sendable {
        /// In force, as far as the fetch goes.
        case usable
        /// Devices have no file: the host vouches for no app.
        case refused
        /// It may be there.
        case unknown
    }

    public let standing: Standing
    /// Stable code; nil when usable.
    public let remark: AssociationRemark?
    public let sentence: String?

    init(_ fetch: AssociationFetch, contentTypes: Set<String>, notes: inout [ParseNote]) {
        func judge(_ standing: Standing, _ remark: AssociationRemark?, _ sentence: String?) -> AssociationJudgement {
            AssociationJudgement(standing: standing, remark: remark, sentence: sentence)
        }
        switch fetch {
        case .fetched(_, let mediaType):
            self = judge(.usable, nil, nil)
            if !contentTypes.contains(mediaType ?? "") {
                notes.append(
                    ParseNote(
                        .contentType,
                        "The file is served as \((mediaType ?? "nothing").quotedBriefly), not as \(contentTypes.sorted().joined(separator: " or "))."
                    ))
            }
        case .redirected(to: ""):
            self = judge(.refused, .redirected, "the server redirects without saying where to")
        case .redirected(let target):
            self = judge(
                .refused, .redirected, "the server redirects to \(target.quotedBriefly), which devices do not follow")
        case .status(let status) where StatusMeaning(status) == .gone:
            self = judge(.refused, .missing, "the server has no such file (status \(status))")
        case .status(let status) where StatusMeaning(status).isTrouble:
            self = judge(.unknown, .serverTrouble, "the server answers with status \(status)")
        case .status(let status): self = judge(.refused, .refused, "the server answers with status \(status)")
        case .disallowed(let sentence):
            let rule = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
            self = judge(.unknown, .disallowed, "robots.txt does not allow it: \(rule)")
        case .insecure(let reason): self = judge(.refused, .notSecure, "there is no valid TLS: \(reason)")
        case .unreachable(let reason): self = judge(.unknown, .unreachableHost, "it cannot be fetched: \(reason)")
        case .tooLarge(let limit): self = judge(.refused, .tooLarge, "the file has more than \(limit) bytes")
        case .notTried(let reason): self = judge(.unknown, nil, reason)
        }
        if let remark, let sentence { notes.append(ParseNote(remark, "Not in force: \(sentence).")) }
    }

    private init(standing: Standing, remark: AssociationRemark?, sentence: String?) {
        self.standing = standing
        self.remark = remark
        self.sentence = sentence
    }

    /// Its sentence without the full stop that it may end with.
    public var clause: String {
        let text = sentence ?? "it was not seen"
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// What the fetch of a file that is not usable means.
    ///
    /// - Parameter name: as `assetlinks.json of shop.example`.
    public func sentence(of name: String) -> String {
        standing == .unknown ? "The \(name) was not seen: \(clause)." : "Devices have no \(name): \(clause)."
    }
}

/// An `apple-app-site-association` as it was found in one place.
public struct AppleAssociationOutcome: Sendable {
    public let url: WebURL
    public let file: AppleAppSiteAssociation?
    /// As served.
    public let bytes: [UInt8]?
    public let judgement: AssociationJudgement
    /// Of the fetch and of the file.
    public let notes: [ParseNote]

    public var isUsable: Bool { judgement.standing == .usable && file?.trouble == nil }

    public init(_ fetch: AssociationFetch, at url: WebURL, limits: ReadingLimits = .standard) {
        self.url = url
        var file: AppleAppSiteAssociation?
        if case .fetched(let served, _) = fetch {
            file = AppleAppSiteAssociation(bytes: served, limits: limits)
            bytes = served
        } else {
            bytes = nil
        }
        var notes: [ParseNote] = []
        judgement = AssociationJudgement(
            fetch,
            contentTypes: file?.isEnveloped == true
                ? ["application/pkcs7-mime", "application/x-pkcs7-mime"] : ["application/json"], notes: &notes)
        self.file = file
        self.notes = notes + (file?.notes ?? [])
    }

    /// Where the files of a host may be, in the order in which they are tried.
    public static func locations(of url: WebURL) -> [WebURL] {
        ["/.well-known/apple-app-site-association", "/apple-app-site-association"].compactMap { WebURL($0, base: url) }
    }

    /// Where Apple's CDN keeps the file of a host for devices; nil for what it does not ask: addresses, and ports of their own.
    public static func locationAtApple(of url: WebURL) -> WebURL? {
        guard let site = SiteAssociations.site(of: url), site.port == nil, let host = site.host,
            SiteIdentity.registeredDomain(of: host) != nil
        else { return nil }
        return WebURL("https://app-site-association.cdn-apple.com/a/v1/\(host)")
    }

    /// Where people put a file whose name has an extension; devices never ask there.
    public static func misnamedLocations(of url: WebURL) -> [WebURL] {
        locations(of: url).compactMap { WebURL($0.path + ".json", base: url) }
    }
}

extension AppleAppSiteAssociation {
    /// Whether it is, or is meant to be, signed.
    fileprivate var isEnveloped: Bool {
        switch trouble {
        case .badEnvelope, .wrongEnvelopeForm: true
        default: envelope != nil
        }
    }
}

/// An `assetlinks.json` as it was found.
public struct AssetLinksOutcome: Sendable {
    public let url: WebURL
    public let links: AssetLinks?
    public let judgement: AssociationJudgement
    public let notes: [ParseNote]

    public var isUsable: Bool { judgement.standing == .usable && links?.trouble == nil }

    public init(_ fetch: AssociationFetch, at url: WebURL, limits: ReadingLimits = .standard) {
        self.url = url
        var notes: [ParseNote] = []
        judgement = AssociationJudgement(fetch, contentTypes: ["application/json"], notes: &notes)
        if case .fetched(let bytes, _) = fetch {
            links = AssetLinks(bytes: bytes, source: url, limits: limits)
        } else {
            links = nil
        }
        self.notes = notes + (links?.notes ?? [])
    }

    public static func location(of url: WebURL) -> WebURL? { WebURL("/.well-known/assetlinks.json", base: url) }
}
