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
