// Universal links: what Apple's file of the link's host says of the app that the markup names.

extension AssociationVerification {
    /// The name that sentences give Apple's file.
    private static let fileName = "apple-app-site-association"

    mutating func apple(_ link: DeepLinkRecord.DeepLink, _ url: WebURL) -> Result {
        let bundle = link.bundleIdentifier
        let coverage = AssociationCoverage(url, bundle.map { .bundle($0) } ?? .any, in: associations) { file in
            trace(url, in: file)
        }
        let name = "The \(Self.fileName) of \(coverage.host)"
        func result(
            _ status: DeepLinkRecord.Verification.Status, _ reason: String,
            _ verdict: AssociationTrace.AppVerdict? = nil
        ) -> Result {
            // An app that is kept from the address is the link's only where the link's app is known.
            let isTheLinks = status == .verified || bundle != nil
            return Result(
                link,
                DeepLinkRecord.Verification(
                    status: status, applicationIdentifier: isTheLinks ? verdict?.appID : nil, pattern: verdict?.pattern,
                    reason: (verdict?.remarks ?? []).reduce(reason) { "\($0) \($1)" }),
                host: coverage.host, file: coverage.file, trace: coverage.trace, verdict: verdict,
                candidates: bundle == nil ? coverage.matchingApps : [])
        }
        switch coverage.state {
        case .unseen(let reason): return result(.unchecked, reason)
        case .uncompared(let reason): return result(.unchecked, "\(name) could not be compared. \(reason)")
        case .noFile(let reason): return result(.notCovered, reason)
        case .matched(let match) where bundle != nil:
            return result(.verified, "\(name) opens it in \(match.appID).", match)
        case .matched(let match):
            // Where the markup names no app at all, the file's app is the one that opens the address; where it has an
            // App Store ID, which app that is stays open.
            guard let store = link.storeIdentifier else {
                return result(
                    .verified,
                    "The markup does not say which app; \(name.lowercasingFirst) opens it in \(match.appID).", match)
            }
            return result(
                .unverifiable,
                "\(name) opens it in \(Wording.list(coverage.matchingApps)), but it is not known whether that is the app with the App Store ID \(store)."
            )
        case .blocked(let block):
            let others = bundle == nil ? " opens it in no app and" : ""
            return result(.blocked, "\(name)\(others) keeps \(block.appID) from it.", block)
        case .uncovered(let appID?): return result(.notCovered, "\(name) names \(appID), but no pattern covers it.")
        case .uncovered(nil), .unnamed:
            guard let bundle else { return result(.notCovered, "\(name) opens it in no app.") }
            let named = coverage.association?.appLinkIdentifiers ?? []
            return result(
                .notCovered,
                named.isEmpty
                    ? "\(name) names no app that opens links."
                    : "\(name) does not name the app \(bundle); it names \(Wording.list(named)).")
        }
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
            let appID = file.appClip(clip)
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

    /// The App Clip with a bundle identifier, as the file lists it.
    public func appClip(_ bundle: String) -> String? {
        appClips?.first { ApplicationIdentifier($0)?.bundleIdentifier == bundle }
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
