/// The App Links of a page (`al:` properties, applinks.org): the apps that open it, per platform, best first.
public struct AppLinks: Sendable {
    /// The kinds of device that a target can be for.
    public enum Kind: String, Sendable, CaseIterable {
        case iOS = "ios"
        case iPhone = "iphone"
        case iPad = "ipad"
        case android
        case windowsPhone = "windows_phone"
        case windows
        case windowsUniversal = "windows_universal"

        /// The platform of the devices.
        public var platform: Platform {
            switch self {
            case .iOS, .iPhone: .iOS
            case .iPad: .iPadOS
            case .android: .android
            case .windowsPhone, .windows, .windowsUniversal: .windows
            }
        }
    }

    /// An app that opens the page on one platform.
    public struct Target: Sendable {
        /// The kind of device.
        public let kind: Kind
        /// The deep link, as written.
        public fileprivate(set) var url: String?
        /// `app_name`, white space collapsed.
        public fileprivate(set) var appName: String?
        /// `app_store_id` of the Apple platforms.
        public fileprivate(set) var appStoreID: String?
        /// `package` of Android.
        public fileprivate(set) var packageName: String?
        /// `class` of Android.
        fileprivate(set) var className: String?
        /// `app_id` of the Windows platforms.
        public fileprivate(set) var appID: String?
        /// The line in the page, 1-based; nil if unknown.
        public fileprivate(set) var line: Int?
        /// The column in the page, 1-based; nil if unknown.
        public fileprivate(set) var column: Int?
    }

    /// Platforms in page order; within a platform, the preferred target first.
    public fileprivate(set) var targets: [Target] = []
    /// `al:web:url`, resolved; nil means the page itself.
    public fileprivate(set) var webURL: WebURL?
    /// Whether the web page may be used if no app is installed.
    fileprivate(set) var allowsWebFallback = true
    /// Leniencies used and limits reached while reading.
    public fileprivate(set) var notes: [ParseNote] = []
}

extension AppLinks {
    /// Nil if the page has no `al:` property.
    ///
    /// Properties are grouped as in the reference resolver, in page order: a bare `al:ios` begins a new group of its platform,
    /// and `al:ios:url` adds to a list of the last group. In a group, the first `url`, `app_store_id` and `app_name` belong to
    /// the first target, the second ones to the second.
    public init?(_ document: HTMLDocument, meta: MetaTags, baseURL: WebURL) {
        var tags = meta.tags(withPrefix: "al:")
        tags.removeAll { $0.content == nil && $0.name.utf8.filter { $0 == 0x3A }.count > 1 }
        guard !tags.isEmpty else { return nil }
        self.init()
        if let tag = tags.first(where: { !$0.carriers.contains(.property) }) {
            notes.append(tag.note(.appLinks(.attribute), "\(tag.name) is named by another attribute than property."))
        }
        if let tag = tags.first(where: \.usesValueAttribute) {
            notes.append(
                tag.note(.appLinks(.valueAttribute), "The content of \(tag.name) stands in a value attribute."))
        }
        var tree = AppLinkTree()
        for tag in tags { tree.insert(tag, into: &notes) }
        takeWeb(tree.web, baseURL: baseURL)
        for kind in tree.kinds {
            for group in kind.groups { takeTargets(group, of: kind.kind) }
        }
    }

    /// Reads `al:web`: only the first group, and only the first value of each list.
    private mutating func takeWeb(_ groups: [AppLinkTree.Group], baseURL: WebURL) {
        guard let web = groups.first else { return }
        if let tag = web.lists["url"]?.first, let text = tag.address(.appLinks(.urlWrapped), &notes) {
            webURL = WebURL(text, base: baseURL)
            if webURL == nil {
                notes.append(tag.note(.appLinks(.urlMalformed), "“\(text.prefix(200))” is not a URL."))
            }
        }
        if let text = web.lists["should_fallback"]?.first?.text {
            allowsWebFallback = !["no", "false", "0"].contains(text.asciiLowercased)
        }
    }

    private mutating func takeTargets(_ group: AppLinkTree.Group, of kind: Kind) {
        let lists = group.lists
        let count = lists.values.map(\.count).max() ?? 0
        if let url = lists["url"], url.count > 1, lists.values.contains(where: { $0.count < url.count }) {
            notes.append(
                url[0].note(
                    .appLinks(.uneven),
                    "The \(kind.rawValue) targets lack values, so that some may belong to another target; a bare al:\(kind.rawValue) begins a target."
                ))
        }
        for i in 0..<count {
            func tag(_ leaf: String) -> MetaTag? {
                guard let list = lists[leaf], i < list.count else { return nil }
                return list[i]
            }
            let all = AppLinkTree.leaves(of: kind).compactMap(tag)
            let first = all.min { ($0.line, $0.column) < ($1.line, $1.column) }
            var target = Target(kind: kind, line: first?.line, column: first?.column)
            target.url = tag("url")?.address(.appLinks(.urlWrapped), &notes)
            target.appName = tag("app_name")?.text?.collapsingHTMLSpace()
            target.className = tag("class")?.text
            target.appID = tag("app_id")?.text
            target.packageName = tag("package").flatMap { package($0) }
            target.appStoreID = tag("app_store_id").flatMap { appStoreID($0) }
            check(target, all)
            targets.append(target)
        }
    }

    private mutating func appStoreID(_ tag: MetaTag) -> String? {
        guard let text = tag.text else { return nil }
        guard let reading = AppStoreID.reading(text) else {
            notes.append(
                tag.note(.appLinks(.idMalformed), "\(tag.name) is not the App Store's number: “\(text.prefix(200))”."))
            return nil
        }
        if !reading.wasPlain {
            notes.append(
                tag.note(.appLinks(.idPrefix), "\(tag.name) is “\(text.prefix(200))”; the number alone is meant."))
        }
        return reading.id
    }

    private mutating func package(_ tag: MetaTag) -> String? {
        guard let text = tag.text else { return nil }
        guard let reading = AndroidPackage.reading(text) else {
            notes.append(
                tag.note(.appLinks(.idMalformed), "\(tag.name) is not a package name: “\(text.prefix(200))”."))
            return nil
        }
        if !reading.wasPlain {
            notes.append(
                tag.note(
                    .appLinks(.idPrefix),
                    "\(tag.name) is “\(text.prefix(200))”; the package name \(reading.name) is meant."))
        }
        return reading.name
    }

    private mutating func check(_ target: Target, _ tags: [MetaTag]) {
        guard let tag = tags.first else { return }
        let name = target.kind.rawValue
        switch target.kind {
        case .android:
            if target.packageName == nil, !tags.contains(where: { $0.name == "al:android:package" }) {
                notes.append(tag.note(.appLinks(.packageMissing), "An android target has no al:android:package."))
            }
        case .iOS, .iPhone, .iPad, .windowsPhone:
            if target.url == nil, !tags.contains(where: { $0.name == "al:\(name):url" }) {
                notes.append(tag.note(.appLinks(.urlMissing), "A target has no al:\(name):url."))
            }
        case .windows, .windowsUniversal: break
        }
        guard let url = target.url else { return }
        if ASCIIText.hasTemplateMark(url) {
            notes.append(tag.note(.appLinks(.placeholder), "al:\(name):url is a placeholder: “\(url.prefix(200))”."))
        } else if ASCIIText.isBareScheme(url) {
            notes.append(
                tag.note(.appLinks(.bareScheme), "al:\(name):url opens the app but no content: “\(url.prefix(200))”."))
        } else if ASCIIText.scheme(of: url.utf8) == nil {
            notes.append(
                tag.note(.appLinks(.urlMalformed), "al:\(name):url is no absolute URL: “\(url.prefix(200))”."))
        }
    }
}

/// The properties of a page as a tree: kinds, groups, lists.
private struct AppLinkTree {
    struct Group {
        var lists: [String: [MetaTag]] = [:]
    }

    struct KindGroups {
        let kind: AppLinks.Kind
        var groups: [Group] = []
    }

    /// The platforms in page order.
    private(set) var kinds: [KindGroups] = []
    private(set) var web: [Group] = []
    private var count = 0
    /// The limit of values per page. A page with targets for all platforms has about 30.
    private static let maximumValues = 500

    static func leaves(of kind: AppLinks.Kind) -> [String] {
        switch kind {
        case .iOS, .iPhone, .iPad: ["url", "app_store_id", "app_name"]
        case .android: ["url", "package", "class", "app_name"]
        case .windowsPhone, .windows, .windowsUniversal: ["url", "app_id", "app_name"]
        }
    }

    mutating func insert(_ tag: MetaTag, into notes: inout [ParseNote]) {
        let words = tag.name.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let leaf = words.count == 3 ? words[2] : nil
        let kind = words.count > 1 ? AppLinks.Kind(rawValue: words[1]) : nil
        let isWeb = words.count > 1 && words[1] == "web"
        let known = kind.map(Self.leaves) ?? ["url", "should_fallback"]
        guard words.count == 2 || words.count == 3, isWeb || kind != nil, leaf.map(known.contains) ?? true else {
            return notes.append(
                tag.note(.appLinks(.unknown), "\(tag.name.prefix(100)) is not a property of App Links."))
        }
        count += 1
        guard count <= Self.maximumValues else {
            if count == Self.maximumValues + 1 {
                notes.append(tag.note(.appLinks(.tooMany), "Only \(Self.maximumValues) al: properties are read."))
            }
            return
        }
        if leaf != nil && tag.text == nil { notes.append(tag.note(.appLinks(.empty), "\(tag.name) is empty.")) }
        guard let kind else { return Self.insert(tag, leaf, into: &web) }
        let index = kinds.firstIndex { $0.kind == kind } ?? kinds.count
        if index == kinds.count { kinds.append(KindGroups(kind: kind)) }
        Self.insert(tag, leaf, into: &kinds[index].groups)
    }

    private static func insert(_ tag: MetaTag, _ leaf: String?, into groups: inout [Group]) {
        guard let leaf else { return groups.append(Group()) }
        if groups.isEmpty { groups.append(Group()) }
        groups[groups.count - 1].lists[leaf, default: []].append(tag)
    }
}

extension AppLinks {
    /// The targets as claims, in page order, then the web address.
    var appClaims: [AppClaim] {
        var claims = targets.prefix(AppClaim.maximumOfSource).map { target in
            let platform = target.kind.platform
            var claim = AppClaim(platform, .appLinks, target.kind.rawValue, line: target.line, column: target.column)
            claim.storeIdentifier = platform == .windows ? target.appID : target.appStoreID
            claim.packageName = target.packageName
            claim.appName = target.appName
            claim.address = target.url
            return claim
        }
        if allowsWebFallback, let webURL, webURL.isHTTP {
            var claim = AppClaim(.web, .appLinks, "web")
            claim.address = webURL.href
            claims.append(claim)
        }
        return claims
    }
}

extension AppLinks {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("targets", targets) { $0.json }
            $0.put("webURL", webURL)
            $0["allowsWebFallback"] = .bool(allowsWebFallback)
            $0.put(notes)
        }
    }
}

extension AppLinks.Target {
    var json: JSONValue {
        JSONObject.with {
            $0.put("platform", kind.rawValue)
            $0.put("url", url)
            $0.put("appStoreID", appStoreID)
            $0.put("packageName", packageName)
            $0.put("className", className)
            $0.put("appID", appID)
            $0.put("appName", appName)
            $0.put("line", line)
        }
    }
}
