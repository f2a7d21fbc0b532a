// Universal links: what Apple's file of the link's host says of the app that the markup names.

extension AppLinkVerification {
    /// The name that sentences give Apple's file.
    private static let fileName = "apple-app-site-association"

    mutating func apple(_ link: DeepLinkRecord.DeepLink, _ url: WebURL) -> Result {
        let host = Self.hostName(of: url)
        func result(
            _ status: DeepLinkRecord.Verification.Status, _ reason: String, file: WebURL? = nil,
            trace: AssociationTrace? = nil, verdict: AssociationTrace.AppVerdict? = nil, candidates: [String] = []
        ) -> Result {
            let decides = status == .verified || status == .blocked
            // An app that is kept from the address is the link's only where the link's app is known.
            let isTheLinks = status == .verified || link.bundleIdentifier != nil
            return Result(
                link,
                DeepLinkRecord.Verification(
                    status: status, applicationIdentifier: decides && isTheLinks ? verdict?.appID : nil,
                    pattern: decides ? verdict?.pattern : nil,
                    reason: (verdict?.remarks ?? []).reduce(reason) { "\($0) \($1)" }),
                host: host, file: file, trace: trace, verdict: verdict, candidates: candidates)
        }
        let outcome: AppleAssociationOutcome
        let file: AppleAppSiteAssociation
        switch Self.appleFile(of: associations[url], host: host) {
        case .unseen(let reason): return result(.unchecked, reason)
        case .none(let reason, let place): return result(.notCovered, reason, file: place)
        case .inForce(let found, let content): (outcome, file) = (found, content)
        }
        let trace = trace(url, in: file)
        let name = "The \(Self.fileName) of \(host)"
        func answer(
            _ status: DeepLinkRecord.Verification.Status, _ reason: String,
            _ verdict: AssociationTrace.AppVerdict? = nil, candidates: [String] = []
        ) -> Result {
            result(status, reason, file: outcome.url, trace: trace, verdict: verdict, candidates: candidates)
        }
        let isCutShort = file.appLinks != nil && trace.reason != nil
        guard let bundle = link.bundleIdentifier else {
            return unnamed(link, trace, name, isCutShort: isCutShort, answer)
        }
        let verdicts = trace.apps.filter { ApplicationIdentifier($0.appID)?.bundleIdentifier == bundle }
        if let match = verdicts.first(where: { $0.outcome == .match }) {
            return answer(.verified, "\(name) opens it in \(match.appID).", match)
        }
        if let block = verdicts.first {
            return answer(.blocked, "\(name) keeps \(block.appID) from it.", block)
        }
        if isCutShort { return answer(.unchecked, "\(name) could not be compared. \(trace.reason ?? "")") }
        let named = file.appLinkIdentifiers
        let own = named.filter { ApplicationIdentifier($0)?.bundleIdentifier == bundle }
        if let appID = own.first { return answer(.notCovered, "\(name) names \(appID), but no pattern covers it.") }
        if named.isEmpty { return answer(.notCovered, "\(name) names no app that opens links.") }
        return answer(
            .notCovered, "\(name) does not name the app \(bundle); it names \(Wording.list(named)).")
    }

    /// The markup has no bundle identifier. Where it names no app at all, the file's app is the one that opens the address;
    /// where it has an App Store ID, which app that is stays open.
    private func unnamed(
        _ link: DeepLinkRecord.DeepLink, _ trace: AssociationTrace, _ name: String, isCutShort: Bool,
        _ answer: (DeepLinkRecord.Verification.Status, String, AssociationTrace.AppVerdict?, [String]) -> Result
    ) -> Result {
        let matches = trace.apps.filter { $0.outcome == .match }
        guard let first = matches.first else {
            if isCutShort { return answer(.unchecked, "\(name) could not be compared. \(trace.reason ?? "")", nil, []) }
            if let block = trace.apps.first {
                return answer(.blocked, "\(name) opens it in no app and keeps \(block.appID) from it.", block, [])
            }
            return answer(.notCovered, "\(name) opens it in no app.", nil, [])
        }
        let candidates = matches.map(\.appID)
        guard let store = link.storeIdentifier else {
            return answer(
                .verified, "The markup does not say which app; \(name.lowercasingFirst) opens it in \(first.appID).",
                first, candidates)
        }
        return answer(
            .unverifiable,
            "\(name) opens it in \(Wording.list(candidates)), but it is not known whether that is the app with the App Store ID \(store).",
            nil, candidates)
    }

    /// A clip that is named without an app: the file of the page's host lists clips that it lets people open.
    func appClip(_ link: DeepLinkRecord.DeepLink, _ clip: String, _ page: WebURL) -> Result {
        let host = Self.hostName(of: page)
        switch Self.appleFile(of: associations[page], host: host) {
        case .unseen(let reason):
            return Result(link, DeepLinkRecord.Verification(status: .unchecked, reason: reason), host: host)
        case .none(let reason, let place):
            return Result(
                link, DeepLinkRecord.Verification(status: .notCovered, reason: reason), host: host, file: place)
        case .inForce(let outcome, let file):
            let appID = file.appClips?.first { ApplicationIdentifier($0)?.bundleIdentifier == clip }
            let verification = DeepLinkRecord.Verification(
                status: appID == nil ? .notCovered : .verified, applicationIdentifier: appID,
                reason: appID.map { "The \(Self.fileName) of \(host) lists the App Clip \($0)." }
                    ?? "The \(Self.fileName) of \(host) does not list the App Clip \(clip) under “appclips”.")
            return Result(link, verification, host: host, file: outcome.url)
        }
    }

    /// Apple's file of a host: in force, none as far as devices go (a sentence), or not seen (a sentence).
    public enum AppleFile: Sendable {
        case inForce(AppleAssociationOutcome, AppleAppSiteAssociation)
        case none(String, at: WebURL)
        case unseen(String)
    }

    /// What is known of Apple's file of a host.
    public static func appleFile(of found: HostAssociations?, host: String) -> AppleFile {
        guard let found else { return .unseen("The \(fileName) of \(host) was not asked for.") }
        if let outcome = found.apple, let file = outcome.file { return .inForce(outcome, file) }
        let first = found.wellKnown
        switch first.judgement.standing {
        case .usable:
            return .none(
                "Devices do not use the \(fileName) of \(host). \(first.file?.trouble?.sentence ?? "")", at: first.url)
        case .unknown:
            return .unseen("The \(fileName) of \(host) was not seen: \(first.judgement.clause).")
        case .refused:
            // The older place may still have it.
            if found.rootCopy.judgement.standing == .unknown {
                return .unseen(
                    "The \(fileName) of \(host) was not seen: its copy at the root is unknown, \(found.rootCopy.judgement.clause)."
                )
            }
            return .none(
                "Devices have no \(fileName) of \(host): \(first.judgement.clause).", at: first.url)
        }
    }
}

extension AppleAppSiteAssociation {
    /// App IDs of all entries, each once, in their order.
    public var appLinkIdentifiers: [String] {
        var seen: Set<String> = []
        return (appLinks?.entries ?? []).flatMap(\.appIDs).filter { seen.insert($0).inserted }
    }
}

extension AssociationJudgement {
    /// Its sentence without the full stop that it may end with.
    public var clause: String {
        let text = sentence ?? "it was not seen"
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

extension String {
    /// For a sentence that goes on.
    var lowercasingFirst: String { prefix(1).lowercased() + dropFirst() }
}
