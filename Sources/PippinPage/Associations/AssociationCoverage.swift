/// What Apple's file of a URL's host says of the URL, for one app or for any. Decided and worded here once, for the record's
/// verification and for the checks of the report.
public struct AssociationCoverage {
    /// Which app is asked about.
    public enum App: Hashable {
        case identifier(String)
        /// Under any prefix.
        case bundle(String)
        case any

        /// How sentences call it.
        public var name: String {
            switch self {
            case .identifier(let text), .bundle(let text): text
            case .any: "an app"
            }
        }

        public func isMeant(_ appID: String) -> Bool {
            switch self {
            case .identifier(let wanted): appID == wanted
            case .bundle(let bundle): ApplicationIdentifier(appID)?.bundleIdentifier == bundle
            case .any: true
            }
        }
    }

    public enum State {
        case matched(AssociationTrace.AppVerdict)
        case blocked(AssociationTrace.AppVerdict)
        /// The file names the app, by this ID where one app is asked about.
        case uncovered(appID: String?)
        /// The file names others only.
        case unnamed
        /// There is none, as far as devices go; a sentence.
        case noFile(String)
        /// The file was not seen; a sentence.
        case unseen(String)
        /// Not all of it could be compared; a sentence that says why.
        case uncompared(String)
    }

    /// A pattern that fails by little, with what the trace says of it.
    public struct NearMiss {
        public let pattern: String
        public let path: String?
        public let place: TextPlace
        public let remark: String
        /// What makes it match: letter case, or decoding.
        public let differsInCase: Bool
        public let differsInEncoding: Bool
    }

    public let url: WebURL
    public let app: App
    public let file: WebURL?
    public let association: AppleAppSiteAssociation?
    public let trace: AssociationTrace?
    public let state: State

    /// - Parameter match: matches the file with the URL.
    public init(
        _ url: WebURL, _ app: App, in files: SiteAssociations,
        matching match: (AppleAppSiteAssociation) -> AssociationTrace
    ) {
        self.url = url
        self.app = app
        switch files.appleFile(for: url) {
        case .unseen(let sentence):
            (file, association, trace, state) = (nil, nil, nil, .unseen(sentence))
        case .none(let sentence, let place):
            (file, association, trace, state) = (place, nil, nil, .noFile(sentence))
        case .inForce(let content, let place):
            let trace = match(content)
            (file, association, self.trace) = (place, content, trace)
            state = Self.state(for: app, of: content, trace)
        }
    }

    private static func state(for app: App, of file: AppleAppSiteAssociation, _ trace: AssociationTrace) -> State {
        let verdicts = trace.apps.filter { app.isMeant($0.appID) }
        if let match = verdicts.first(where: { $0.outcome == .match }) { return .matched(match) }
        let reason = file.appLinks == nil ? nil : trace.reason
        // What was left out may open it in another app.
        if app == .any, let reason { return .uncompared(reason) }
        if let block = verdicts.first { return .blocked(block) }
        if let reason { return .uncompared(reason) }
        guard let own = file.appLinkIdentifiers.first(where: app.isMeant) else { return .unnamed }
        return .uncovered(appID: app == .any ? nil : own)
    }

    /// The verdict in a sentence.
    ///
    /// - Parameters:
    ///   - address: what the sentence calls the URL.
    ///   - storeIdentifier: of the app that is meant, where its bundle identifier is not known.
    public func sentence(of address: String = "it", storeIdentifier: String? = nil) -> String {
        let name = "The \(SiteAssociations.appleFileName(for: url))"
        switch state {
        case .matched(let match):
            guard app == .any else { return "\(name) opens \(address) in \(match.appID)." }
            let doubt = storeIdentifier.map {
                ", but it is not known whether that is the app with the App Store ID \($0)"
            }
            return "\(name) opens \(address) in \(Wording.list(matchingApps))\(doubt ?? "")."
        case .blocked(let block):
            let others = app == .any ? " opens \(address) in no app and" : ""
            return "\(name)\(others) keeps \(block.appID) from \(app == .any ? "it" : address)."
        case .uncovered(let appID?): return "\(name) names \(appID), but no pattern covers \(address)."
        case .uncovered(nil): return "\(name) opens \(address) in no app."
        case .unnamed:
            let named = association?.appLinkIdentifiers ?? []
            if named.isEmpty { return "\(name) names no app that opens links." }
            if case .identifier(let wanted) = app, let bundle = ApplicationIdentifier(wanted)?.bundleIdentifier,
                let twin = named.first(where: { ApplicationIdentifier($0)?.bundleIdentifier == bundle })
            {
                return "\(name) names \(twin), not \(wanted): the app is the same, the prefix is another."
            }
            return "\(name) does not name the app \(app.name); it names \(Wording.list(named))."
        case .noFile(let sentence), .unseen(let sentence): return sentence
        case .uncompared(let reason): return "\(name) could not be compared. \(reason)"
        }
    }

    /// For the app that was asked about.
    public var outcome: AssociationTrace.Outcome {
        switch state {
        case .matched: .match
        case .blocked: .block
        case .uncovered, .unnamed, .noFile, .unseen, .uncompared: .unset
        }
    }

    /// Apps of the file that open the URL.
    private var matchingApps: [String] { trace?.apps.filter { $0.outcome == .match }.map(\.appID) ?? [] }

    /// The first pattern of the app that fails by something the trace can name, and by nothing else.
    public var nearMiss: NearMiss? {
        guard let trace, let association else { return nil }
        for (index, entry) in trace.entries.enumerated() where entry.appIDs.contains(where: app.isMeant) {
            for (number, component) in entry.components.enumerated() where component.outcome == .notMatched {
                let failed = component.parts.filter { !$0.isMatched }
                guard let remark = failed.first?.remark, failed.allSatisfy({ $0.remark != nil }) else { continue }
                let entries = association.appLinks?.entries ?? []
                let written = entries.indices.contains(index) ? entries[index].components : []
                guard written.indices.contains(number), !written[number].excludes else { continue }
                return NearMiss(
                    pattern: component.pattern, path: written[number].path,
                    place: component.place, remark: remark,
                    differsInCase: failed.contains { $0.remark == AssociationTrace.Part.caseRemark },
                    differsInEncoding: failed.contains { $0.remark == AssociationTrace.Part.encodingRemark })
            }
        }
        return nil
    }
}

/// Whether Apple's file of a page's host lists an App Clip.
public struct AppClipCoverage {
    public enum State {
        case listed(appID: String)
        /// The file lists these clips.
        case unlisted([String])
        /// There is none, as far as devices go; a sentence.
        case noFile(String)
        /// The file was not seen; a sentence.
        case unseen(String)
    }

    public let file: WebURL?
    public let state: State
    private let page: WebURL
    private let clip: String

    /// - Parameter clip: its bundle identifier.
    public init(_ page: WebURL, _ clip: String, in files: SiteAssociations) {
        self.page = page
        self.clip = clip
        switch files.appleFile(for: page) {
        case .unseen(let sentence): (file, state) = (nil, .unseen(sentence))
        case .none(let sentence, let place): (file, state) = (place, .noFile(sentence))
        case .inForce(let content, let place):
            file = place
            let clips = content.appClips ?? []
            let own = clips.first { ApplicationIdentifier($0)?.bundleIdentifier == clip }
            state = own.map { .listed(appID: $0) } ?? .unlisted(clips)
        }
    }

    /// The verdict in a sentence.
    public var sentence: String {
        let name = "The \(SiteAssociations.appleFileName(for: page))"
        switch state {
        case .listed(let appID): return "\(name) lists the App Clip \(appID)."
        case .unlisted(let others):
            let listed = others.isEmpty ? "" : "; it lists \(Wording.list(others))"
            return "\(name) does not list the App Clip \(clip) under “appclips”\(listed)."
        case .noFile(let sentence), .unseen(let sentence): return sentence
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

// MARK: Asset links

/// What the assetlinks.json of a URL's host says of the URL, for one app or for any. Decided and worded here once, for the
/// record's verification and for the checks of the report.
public struct AssetLinksCoverage {
    public enum State {
        /// By a rule, or with the whole host.
        case opened(package: String, AssetLinks.Decision)
        case blocked(package: String, AssetLinks.Decision)
        /// The file does not name the app; where any is meant, it opens the URL in none.
        case uncovered
        /// There is none, as far as devices go; a sentence.
        case noFile(String)
        /// The file was not seen; a sentence.
        case unseen(String)
        /// Not all of it could be compared; a sentence that says why.
        case uncompared(String)
    }

    public let file: WebURL?
    public let state: State
    private let url: WebURL
    private let package: String?
    /// The apps that the file names.
    private let named: [String]

    /// - Parameters:
    ///   - package: nil asks about any app.
    ///   - decide: what the file says of the URL and a package.
    public init(
        _ url: WebURL, package: String?, in files: SiteAssociations,
        deciding decide: (AssetLinks, String) -> AssetLinks.Decision
    ) {
        self.url = url
        self.package = package
        switch files.assetLinks(for: url) {
        case .unseen(let sentence): (file, named, state) = (nil, [], .unseen(sentence))
        case .none(let sentence, let place): (file, named, state) = (place, [], .noFile(sentence))
        case .inForce(let content, let place):
            file = place
            named = content.appLinkPackages
            guard let package else {
                for package in named.prefix(AssociationVerification.maximumPackagesTried) {
                    let decision = decide(content, package)
                    guard decision.isOpen else { continue }
                    state = .opened(package: package, decision)
                    return
                }
                state = .uncovered
                return
            }
            state = Self.state(of: package, decide(content, package))
        }
    }

    private static func state(of package: String, _ decision: AssetLinks.Decision) -> State {
        switch decision.outcome {
        case .vouched, .match: return .opened(package: package, decision)
        case .block:
            if decision.pattern == nil, let reason = decision.reason { return .uncompared(reason) }
            return .blocked(package: package, decision)
        case .unset: return .uncovered
        }
    }

    /// The verdict in a sentence.
    ///
    /// - Parameter address: what the sentence calls the URL.
    public func sentence(of address: String? = nil) -> String {
        let name = "The \(SiteAssociations.assetLinksName(for: url))"
        let it = address ?? "it"
        switch state {
        case .opened(let package, let decision):
            return decision.outcome == .match
                ? "\(name) opens \(it) in \(package), by a rule of Android 15 and later."
                : "\(name) vouches for \(package) on the whole host; which of its addresses the app opens is written in the app's manifest."
        case .blocked(let package, let decision):
            return decision.pattern == nil
                ? "\(name) has rules for \(package), and none lets it open \(address ?? "the address")."
                : "\(name) keeps \(package) from \(it)."
        case .uncovered:
            guard let package else { return "\(name) opens \(it) in no app." }
            return named.isEmpty
                ? "\(name) names no app that opens links."
                : "\(name) does not name the app \(package); it names \(Wording.list(named))."
        case .noFile(let sentence), .unseen(let sentence): return sentence
        case .uncompared(let reason): return "\(name) could not be compared. \(reason)"
        }
    }
}

extension AssetLinks.Decision {
    /// Whether the app may open the URL, as far as the file goes.
    var isOpen: Bool { outcome == .match || outcome == .vouched }
}
