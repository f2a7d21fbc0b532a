import PippinPage

/// What Apple's file of a URL's host says of the URL, for one app or for any: the question behind the checks of the
/// association file.
struct AssociationCoverage {
    /// Which app is asked about.
    enum App: Hashable {
        case identifier(String)
        /// Under any prefix.
        case bundle(String)
        case any

        /// How sentences call it.
        var name: String {
            switch self {
            case .identifier(let text), .bundle(let text): text
            case .any: "an app"
            }
        }

        func isMeant(_ appID: String) -> Bool {
            switch self {
            case .identifier(let wanted): appID == wanted
            case .bundle(let bundle): ApplicationIdentifier(appID)?.bundleIdentifier == bundle
            case .any: true
            }
        }
    }

    enum State {
        case matched(AssociationTrace.AppVerdict)
        case blocked(AssociationTrace.AppVerdict)
        /// The file names the app, by this ID where one app is asked about.
        case uncovered(appID: String?)
        /// The file names others only.
        case unnamed
        /// There is none, as far as devices go; a sentence.
        case noFile(String)
        case unseen(String)
    }

    /// A pattern that fails by little, with what the trace says of it.
    struct NearMiss {
        let appIDs: [String]
        let pattern: String
        let path: String?
        let place: TextPlace
        let remark: String
        /// What makes it match: letter case, or decoding.
        let differsInCase: Bool
        let differsInEncoding: Bool
    }

    let url: WebURL
    let app: App
    let host: String
    let file: WebURL?
    let association: AppleAppSiteAssociation?
    let trace: AssociationTrace?
    let state: State

    /// - Parameter known: what verifying the record matched already.
    init(_ url: WebURL, _ app: App, in files: SiteAssociations, known: AppLinkVerification?) {
        self.url = url
        self.app = app
        host = AppLinkVerification.hostName(of: url)
        switch AppLinkVerification.appleFile(of: files[url], host: host) {
        case .unseen(let sentence):
            (file, association, trace, state) = (nil, nil, nil, .unseen(sentence))
        case .none(let sentence, let place):
            (file, association, trace, state) = (place, nil, nil, .noFile(sentence))
        case .inForce(let outcome, let content):
            let trace = known?.traces[url] ?? content.decision(for: url, tracing: true)
            (file, association, self.trace) = (outcome.url, content, trace)
            let verdicts = trace.apps.filter { app.isMeant($0.appID) }
            if let match = verdicts.first(where: { $0.outcome == .match }) {
                state = .matched(match)
            } else if let block = verdicts.first {
                state = .blocked(block)
            } else if content.appLinks != nil, let reason = trace.reason {
                state = .unseen(reason)
            } else {
                let own = content.appLinkIdentifiers.first(where: app.isMeant)
                state = own == nil ? .unnamed : .uncovered(appID: app == .any ? nil : own)
            }
        }
    }

    /// For the app that was asked about.
    var outcome: AssociationTrace.Outcome {
        switch state {
        case .matched: .match
        case .blocked: .block
        case .uncovered, .unnamed, .noFile, .unseen: .unset
        }
    }

    /// Apps of the file that open the URL.
    var matchingApps: [String] { trace?.apps.filter { $0.outcome == .match }.map(\.appID) ?? [] }

    func place(_ place: TextPlace? = nil) -> Finding.Place? {
        file.map { Finding.Place(.file, $0.href, line: place?.line, column: place?.column) }
    }

    /// The first pattern of the app that fails by something the trace can name, and by nothing else.
    var nearMiss: NearMiss? {
        guard let trace, let association else { return nil }
        for (index, entry) in trace.entries.enumerated() where entry.appIDs.contains(where: app.isMeant) {
            for (number, component) in entry.components.enumerated() where component.outcome == .notMatched {
                let failed = component.parts.filter { !$0.isMatched }
                guard let remark = failed.first?.remark, failed.allSatisfy({ $0.remark != nil }) else { continue }
                let entries = association.appLinks?.entries ?? []
                let written = entries.indices.contains(index) ? entries[index].components : []
                guard written.indices.contains(number), !written[number].excludes else { continue }
                return NearMiss(
                    appIDs: entry.appIDs, pattern: component.pattern, path: written[number].path,
                    place: component.place, remark: remark,
                    differsInCase: failed.contains { $0.remark == AssociationTrace.Part.caseRemark },
                    differsInEncoding: failed.contains { $0.remark == AssociationTrace.Part.encodingRemark })
            }
        }
        return nil
    }

    /// The near miss as the end of a message.
    var hint: String {
        nearMiss.map { " \(Wording.quoted($0.pattern)) at line \($0.place.line) comes near: \($0.remark)" } ?? ""
    }
}
