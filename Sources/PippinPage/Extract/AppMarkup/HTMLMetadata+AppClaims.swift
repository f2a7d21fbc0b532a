// Meta tags that name an app: `google-play-app`, `msApplication-…` and `branch:deeplink:…`.

extension HTMLMetadata {
    /// The claims of meta tags, in this order: Google Play, Windows, Branch.
    ///
    /// - Parameter notes: receives the faults of tags that give no claim.
    func appClaims(notes: inout [ParseNote]) -> [AppClaim] {
        var claims: [AppClaim] = []
        if let googlePlayPackage {
            var claim = AppClaim(.android, .appMeta, "google-play-app")
            claim.packageName = googlePlayPackage
            claims.append(claim)
        }
        if let claim = windowsApp?.appClaim { claims.append(claim) }
        for parameter in branchParameters { claims += parameter.appClaims(notes: &notes) }
        return claims
    }
}

extension HTMLMetadata.WindowsApp {
    /// The package family name identifies the app. An `ID` alone counts only if it is a product ID of the Microsoft Store.
    fileprivate var appClaim: AppClaim? {
        guard optOut?.asciiLowercased != "both" else { return nil }
        var claim = AppClaim(.windows, .appMeta, "msapplication", line: line, column: column)
        claim.packageName = packageFamilyName.flatMap { $0.trimmingHTMLSpace().isEmpty ? nil : $0 }
        claim.storeIdentifier = id.flatMap(Self.storeIdentifier) ?? phonePackageURL.flatMap(Self.phoneStoreIdentifier)
        guard claim.packageName != nil || claim.storeIdentifier != nil else { return nil }
        claim.launchArguments = arguments
        claim.minimumVersion = minimumVersion
        claim.address = arguments.flatMap { $0.utf8.contains(0x3A) ? $0 : nil }
        return claim
    }

    private static func storeIdentifier(_ text: String) -> String? {
        let trimmed = text.trimmingHTMLSpace()
        return WebAppManifest.RelatedApplication.microsoftStoreID(trimmed) ?? uniqueIdentifier(trimmed)
    }

    /// Reads `app-id=GUID`, a GUID alone, or a store address that ends in one.
    private static func phoneStoreIdentifier(_ text: String) -> String? {
        let trimmed = text.trimmingHTMLSpace()
        if let url = WebURL(trimmed), let id = WebAppManifest.RelatedApplication.microsoftStoreID(in: url) { return id }
        let end = trimmed.utf8.lastIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "/") }
        return storeIdentifier(end.map { String(trimmed[trimmed.utf8.index(after: $0)...]) } ?? trimmed)
    }

    /// A GUID in lower case; nil for other text.
    private static func uniqueIdentifier(_ text: String) -> String? {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12], groups.joined().allSatisfy({ $0.hexDigitValue != nil }) else {
            return nil
        }
        return text.asciiLowercased
    }
}

extension HTMLMetadata.BranchParameter {
    /// Reads Branch's keys. Their values are addresses, or paths that need the app's scheme before them. A bare path opens
    /// nothing, so it gives a note and no claim.
    fileprivate func appClaims(notes: inout [ParseNote]) -> [AppClaim] {
        let platforms: [Platform]
        switch key.asciiLowercased {
        case "$ios_deeplink_path": platforms = [.iOS]
        case "$android_deeplink_path": platforms = [.android]
        case "$deeplink_path": platforms = [.iOS, .android]
        default: return []
        }
        guard ASCIIText.scheme(of: value.utf8) != nil else {
            notes.append(
                ParseNote(
                    .deepLink(.branchPathWithoutScheme),
                    "Branch's \(key) is a path, “\(value.prefix(200))”; without the app's scheme it is no deep link.",
                    line: line, column: column))
            return []
        }
        return platforms.map { platform in
            var claim = AppClaim(platform, .appMeta, key, line: line, column: column)
            claim.address = value
            return claim
        }
    }
}
