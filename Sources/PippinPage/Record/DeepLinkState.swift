/// What a history keeps of a deep link: which app it is of, what opens it, and how it was verified.
public struct DeepLinkState: Sendable, Hashable {
    public let platform: Platform
    public let storeIdentifier: String?
    public let bundleIdentifier: String?
    public let appClipBundleIdentifier: String?
    public let packageName: String?
    public let appName: String?
    public let url: String?
    public let status: DeepLinkRecord.Verification.Status
    public let reason: String?

    public init(
        platform: Platform, storeIdentifier: String? = nil, bundleIdentifier: String? = nil,
        appClipBundleIdentifier: String? = nil, packageName: String? = nil, appName: String? = nil, url: String?,
        status: DeepLinkRecord.Verification.Status, reason: String? = nil
    ) {
        self.platform = platform
        self.storeIdentifier = storeIdentifier
        self.bundleIdentifier = bundleIdentifier
        self.appClipBundleIdentifier = appClipBundleIdentifier
        self.packageName = packageName
        self.appName = appName
        self.url = url
        self.status = status
        self.reason = reason
    }

    public init(_ link: DeepLinkRecord.DeepLink) {
        self.init(
            platform: link.platform, storeIdentifier: link.storeIdentifier, bundleIdentifier: link.bundleIdentifier,
            appClipBundleIdentifier: link.appClipBundleIdentifier, packageName: link.packageName,
            appName: link.appName, url: link.url, status: link.verification.status, reason: link.verification.reason)
    }

    /// A deep link in the JSON of a record; nil for other JSON.
    public init?(json: JSONValue) {
        guard let platform = json["platform"]?.string.flatMap(Platform.init),
            let status = json["verification"]?["status"]?.string.flatMap(DeepLinkRecord.Verification.Status.init)
        else { return nil }
        self.init(
            platform: platform, storeIdentifier: json["storeIdentifier"]?.string,
            bundleIdentifier: json["bundleIdentifier"]?.string,
            appClipBundleIdentifier: json["appClipBundleIdentifier"]?.string, packageName: json["packageName"]?.string,
            appName: json["appName"]?.string, url: json["url"]?.string, status: status,
            reason: json["verification"]?["reason"]?.string)
    }

    /// Whether this is the same deep link as one of another visit, which may open with another address now.
    ///
    /// Identifiers decide where both have one of a kind. Without, it is the same address, name or custom scheme, or an address of
    /// the same host.
    public func isSameLink(as other: DeepLinkState) -> Bool {
        guard platform == other.platform else { return false }
        for identifier in [\DeepLinkState.storeIdentifier, \.packageName, \.bundleIdentifier] {
            if let a = self[keyPath: identifier], let b = other[keyPath: identifier] { return a == b }
        }
        if let a = url, a == other.url { return true }
        guard !namesApp, !other.namesApp else {
            return appClipBundleIdentifier != nil && appClipBundleIdentifier == other.appClipBundleIdentifier
        }
        if let a = appName, let b = other.appName { return a == b }
        guard let a = url.flatMap({ WebURL($0) }), let b = other.url.flatMap({ WebURL($0) }), a.scheme == b.scheme
        else { return false }
        return !a.isHTTP || a.host == b.host
    }

    private var namesApp: Bool {
        storeIdentifier != nil || packageName != nil || bundleIdentifier != nil || appClipBundleIdentifier != nil
    }
}
