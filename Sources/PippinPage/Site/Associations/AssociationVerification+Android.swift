// Android App Links: what the asset links of the link's host say of the package that the markup names.

extension AssociationVerification {
    mutating func android(_ link: DeepLinkRecord.DeepLink, _ url: WebURL) -> Result {
        let host = Self.hostName(of: url)
        func result(
            _ status: DeepLinkRecord.Verification.Status, _ reason: String, package: String? = nil,
            file: WebURL? = nil, decision: AssetLinks.Decision? = nil, candidates: [String] = []
        ) -> Result {
            Result(
                link,
                DeepLinkRecord.Verification(
                    status: status, applicationIdentifier: package, pattern: package == nil ? nil : decision?.pattern,
                    reason: reason),
                host: host, file: file, android: decision, candidates: candidates)
        }
        let place: WebURL
        let links: AssetLinks
        switch Self.assetLinks(of: associations[url], host: host) {
        case .unseen(let reason): return result(.unchecked, reason)
        case .none(let reason, let url): return result(.notCovered, reason, file: url)
        case .inForce(let url, let found): (place, links) = (url, found)
        }
        let name = "The assetlinks.json of \(host)"
        guard let package = link.packageName else {
            var open: [(package: String, decision: AssetLinks.Decision)] = []
            for package in links.appLinkPackages.prefix(Self.maximumPackagesTried) {
                let decision = links.decision(for: url, packageName: package, budget: &budget)
                if decision.isOpen { open.append((package, decision)) }
            }
            guard let first = open.first else { return result(.notCovered, "\(name) opens it in no app.", file: place) }
            return result(
                .verified,
                "The markup does not say which app; \(name.lowercasingFirst) \(Self.words(first.decision, first.package))",
                package: first.package, file: place, decision: first.decision, candidates: open.map(\.package))
        }
        let decision = links.decision(for: url, packageName: package, budget: &budget)
        switch decision.outcome {
        case .vouched, .match:
            return result(
                .verified, "\(name) \(Self.words(decision, package))", package: package, file: place,
                decision: decision)
        case .block where decision.reason != nil && decision.pattern == nil:
            return result(
                .unchecked, "\(name) could not be compared. \(decision.reason ?? "")", file: place, decision: decision)
        case .block where decision.pattern == nil:
            return result(
                .blocked, "\(name) has rules for \(package), and none lets it open the address.", package: package,
                file: place, decision: decision)
        case .block:
            return result(
                .blocked, "\(name) keeps \(package) from it.", package: package, file: place, decision: decision)
        case .unset:
            let named = links.appLinkPackages
            let reason =
                named.isEmpty
                ? "\(name) names no app that opens links."
                : "\(name) does not name the app \(package); it names \(Wording.list(named))."
            return result(.notCovered, reason, file: place, decision: decision)
        }
    }

    /// The rest of a sentence about a package that may open an address.
    private static func words(_ decision: AssetLinks.Decision, _ package: String) -> String {
        decision.outcome == .match
            ? "opens it in \(package), by a rule of Android 15 and later."
            : "vouches for \(package) on the whole host; which of its addresses the app opens is written in the app's manifest."
    }

    /// The assetlinks.json of a host: in force, none as far as devices go (a sentence), or not seen (a sentence).
    public enum AndroidFile: Sendable {
        case inForce(WebURL, AssetLinks)
        case none(String, at: WebURL)
        case unseen(String)
    }

    /// What is known of the assetlinks.json of a host.
    public static func assetLinks(of found: HostAssociations?, host: String) -> AndroidFile {
        guard let found else { return .unseen("The assetlinks.json of \(host) was not asked for.") }
        let outcome = found.assetLinks
        if let links = found.android { return .inForce(outcome.url, links) }
        switch outcome.judgement.standing {
        case .usable:
            return .none(
                "Devices do not use the assetlinks.json of \(host). \(outcome.links?.trouble?.sentence ?? "")",
                at: outcome.url)
        case .unknown:
            return .unseen("The assetlinks.json of \(host) was not seen: \(outcome.judgement.clause).")
        case .refused:
            return .none(
                "Devices have no assetlinks.json of \(host): \(outcome.judgement.clause).", at: outcome.url)
        }
    }
}

extension AssetLinks.Decision {
    /// Whether the app may open the URL, as far as the file goes.
    var isOpen: Bool { outcome == .match || outcome == .vouched }
}
