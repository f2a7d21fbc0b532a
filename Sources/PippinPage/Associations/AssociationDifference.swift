/// What two copies of a host's `apple-app-site-association` say differently. How they are written does not count.
public struct AssociationDifference: Sendable, Hashable {
    /// App IDs for universal links that the copy lacks, and those that only the copy has.
    let missingApps: [String]
    let addedApps: [String]
    /// Apps in both whose patterns differ.
    let changedApps: [String]

    /// - Returns: nil if both copies say the same.
    public init?(of copy: AppleAppSiteAssociation, from original: AppleAppSiteAssociation) {
        let (theirs, ours) = (Self.rules(copy), Self.rules(original))
        missingApps = original.appLinkIdentifiers.filter { theirs[$0] == nil }
        addedApps = copy.appLinkIdentifiers.filter { ours[$0] == nil }
        changedApps = original.appLinkIdentifiers.filter { theirs[$0] != nil && theirs[$0] != ours[$0] }
        let isSame =
            theirs == ours && Self.others(copy) == Self.others(original)
            && (copy.trouble == nil) == (original.trouble == nil)
        if isSame { return nil }
    }

    /// What of it is to be told, without a full stop: `it lacks A.b, and has other patterns for A.c`.
    public var clause: String {
        var parts: [String] = []
        if !missingApps.isEmpty { parts.append("lacks \(Wording.list(missingApps))") }
        if !addedApps.isEmpty { parts.append("names \(Wording.list(addedApps)), which the site's does not") }
        if !changedApps.isEmpty { parts.append("has other patterns for \(Wording.list(changedApps))") }
        return parts.isEmpty ? "it differs in what is not for links" : "it " + Wording.list(parts)
    }

    /// Hashes of the patterns of each app, in the order in which they are tried. A file may give thousands of apps thousands of
    /// patterns.
    private static func rules(_ file: AppleAppSiteAssociation) -> [String: [Int]] {
        var rules: [String: [Int]] = [:]
        let variables = file.appLinks?.substitutionVariables.map { [$0.name] + $0.values } ?? []
        for entry in file.appLinks?.entries ?? [] {
            var hasher = Hasher()
            hasher.combine(variables)
            for pattern in entry.components {
                hasher.combine(pattern.text)
                hasher.combine(pattern.caseSensitive)
                hasher.combine(pattern.percentEncoded)
                hasher.combine(pattern.defect)
            }
            let hash = hasher.finalize()
            for app in entry.appIDs { rules[app, default: []].append(hash) }
        }
        return rules
    }

    /// What the file says beside universal links.
    private static func others(_ file: AppleAppSiteAssociation) -> [[String]] {
        [file.webCredentials, file.activityContinuation, file.appClips].map { ($0 ?? []).sorted() }
    }
}
