/// A web application manifest (W3C Web Application Manifest, with its app-information supplement): the site as an app, and its apps
/// in stores.
public struct WebAppManifest: Sendable {
    /// An app that is related to the site: a member of `related_applications`.
    struct RelatedApplication: Sendable {
        /// The fingerprint of an app's certificate, such as Android's `sha256_cert`.
        struct Fingerprint: Sendable, Hashable {
            let type: String
            let value: String
        }

        /// In lower case: `play`, `itunes`, `windows`, `webapp`, `f-droid`, `amazon`, …
        let platform: String
        /// Resolved against the manifest's address; usually a store page.
        fileprivate(set) var url: WebURL?
        /// The identifier as written.
        fileprivate(set) var id: String?
        fileprivate(set) var minimumVersion: String?
        fileprivate(set) var fingerprints: [Fingerprint] = []

        /// App Store ID of an `itunes` app, from its `id` or its store address.
        fileprivate(set) var appStoreID: String?
        /// The country in the store address, two lower-case letters, if any.
        fileprivate(set) var storeCountry: String?
        /// Android package of a `play`, `chromeos_play`, `f-droid` or `amazon` app.
        fileprivate(set) var packageName: String?
        /// Microsoft Store's product ID of a `windows` app.
        fileprivate(set) var microsoftStoreID: String?

        init(platform: String) { self.platform = platform }
    }

    /// An icon of the site as an app: a member of `icons`.
    struct Icon: Sendable {
        let url: WebURL
        /// Of its largest size, in pixels; 0 without one.
        let side: Int
    }

    /// The manifest's address, the base of its relative addresses.
    public let url: WebURL
    /// The app's name.
    public fileprivate(set) var name: String?
    fileprivate(set) var shortName: String?
    /// The `id` member as written.
    public fileprivate(set) var id: String?
    fileprivate(set) var startURL: WebURL?
    /// The navigation scope, resolved.
    public fileprivate(set) var scope: WebURL?
    /// In the order of the manifest; without those that are only masks.
    fileprivate(set) var icons: [Icon] = []
    /// In the order of the manifest.
    fileprivate(set) var relatedApplications: [RelatedApplication] = []
    /// Whether the site asks that users install one of these apps instead of the site itself.
    fileprivate(set) var prefersRelatedApplications = false
    /// Notes; lines and columns are positions in the manifest, not in the page.
    public fileprivate(set) var notes: [ParseNote] = []
}

// A manifest is JSON; broken JSON is repaired as in JSON-LD. Invalid members are left out, as in the standard ("processing a
// manifest"), and noted.

extension WebAppManifest {
    /// The limit of related apps; a site has two or three.
    private static let maximumApplications = 50
    private static let maximumFingerprints = 20
    /// The limit of icons; a site has five to ten.
    private static let maximumIcons = 50
    /// The limit of a name, identifier or version, in bytes.
    private static let maximumTextBytes = 1_000

    /// Reads the manifest at `url`. It never fails: an invalid manifest is empty and has a note.
    public init(bytes: [UInt8], url: WebURL, limits: ReadingLimits = .standard) {
        self.url = url
        let reader = ManifestText(bytes, limits: limits)
        notes = reader.notes
        guard let value = reader.value else { return }
        guard let object = value.object else {
            notes.append(ParseNote(.manifest(.notObject), "The manifest is not a JSON object.", line: 1, column: 1))
            return
        }
        name = text(object, "name", reader)
        shortName = text(object, "short_name", reader)
        id = text(object, "id", reader)
        startURL = address(object, "start_url", reader)
        scope = address(object, "scope", reader)
        if let scope, let startURL, !Self.isWithin(startURL, scope) {
            note(.manifest(.startOutsideScope), "start_url is not within scope.", reader, "start_url")
        }
        switch object["prefer_related_applications"]?.content {
        case nil, .null: break
        case .bool(let value): prefersRelatedApplications = value
        case .string(let text) where text.asciiLowercased == "true" || text.asciiLowercased == "false":
            prefersRelatedApplications = text.asciiLowercased == "true"
            note(
                .manifest(.preferText), "prefer_related_applications is a text; true or false is meant.", reader,
                "prefer_related_applications")
        default:
            note(
                .manifest(.preferMalformed), "prefer_related_applications is neither true nor false.", reader,
                "prefer_related_applications")
        }
        takeIcons(object["icons"])
        takeApplications(object["related_applications"], reader)
        var bounded = BoundedNotes(maximum: limits.maximumNotes)
        bounded.add(notes)
        notes = bounded.finished()
    }

    private mutating func note(_ code: ParseNote.Code, _ message: String, _ reader: ManifestText, _ member: String) {
        let place = reader.place(of: member)
        notes.append(ParseNote(code, message, line: place?.line, column: place?.column))
    }

    private mutating func text(_ object: JSONObject, _ member: String, _ reader: ManifestText) -> String? {
        guard let value = object[member], !value.isNull else { return nil }
        guard let text = value.string else {
            note(.manifest(.memberMalformed), "\(member) is not a text.", reader, member)
            return nil
        }
        let trimmed = text.prefix(Self.maximumTextBytes).description.collapsingHTMLSpace()
        return trimmed.isEmpty ? nil : trimmed
    }

    private mutating func address(_ object: JSONObject, _ member: String, _ reader: ManifestText) -> WebURL? {
        guard let written = text(object, member, reader) else { return nil }
        guard let address = WebURL(written, base: url), address.isHTTP else {
            note(
                .manifest(.urlMalformed), "\(member) is no web address: “\(written.prefix(200))”.", reader, member)
            return nil
        }
        return address
    }

    /// The standard's "within scope": same origin, and the path begins with the scope's.
    private static func isWithin(_ url: WebURL, _ scope: WebURL) -> Bool {
        url.origin == scope.origin && url.path.utf8.starts(with: scope.path.utf8)
    }

    // MARK: Icons

    /// The largest icon, the first of equals; nil without one.
    var largestIcon: Icon? {
        icons.enumerated().max { ($0.element.side, -$0.offset) < ($1.element.side, -$1.offset) }?.element
    }

    /// `purpose`: `monochrome` icons are silhouettes, `maskable` ones have a margin that is meant to be cut off.
    private mutating func takeIcons(_ value: JSONValue?) {
        for value in (value?.array ?? []).prefix(Self.maximumIcons) {
            guard let written = value["src"]?.string, written.utf8.count <= WrittenAddress.maximumBytes,
                let address = WebURL(written: written, base: url), address.isHTTP
            else { continue }
            let purposes = (value["purpose"]?.string ?? "any").asciiLowercased.split(separator: " ").prefix(8)
            guard purposes.isEmpty || purposes.contains("any") else { continue }
            let sizes = HTMLMetadata.Icon.Size.read(value["sizes"]?.string.map { String($0.prefix(400)) } ?? "")
            icons.append(Icon(url: address, side: HTMLMetadata.Icon.Size.side(of: sizes.sizes, isAny: sizes.isAny)))
        }
    }

    // MARK: Related applications

    private mutating func takeApplications(_ value: JSONValue?, _ reader: ManifestText) {
        guard let value, !value.isNull else { return }
        let list: [JSONValue]
        switch value.content {
        case .array(let values): list = values
        case .object:
            note(
                .manifest(.relatedNotArray), "related_applications is one app; a list is meant.", reader,
                "related_applications")
            list = [value]
        default:
            note(
                .manifest(.relatedMalformed), "related_applications is not a list of apps.", reader,
                "related_applications")
            return
        }
        if list.count > Self.maximumApplications {
            note(
                .manifest(.tooManyRelated), "Only \(Self.maximumApplications) related applications are read.", reader,
                "related_applications")
        }
        for (index, value) in list.prefix(Self.maximumApplications).enumerated() {
            guard let object = value.object, let platform = object["platform"]?.string?.trimmingHTMLSpace(),
                !platform.isEmpty
            else {
                note(
                    .manifest(.relatedNoPlatform), "Related application \(index + 1) names no platform.", reader,
                    "related_applications")
                continue
            }
            take(object, platform: platform.asciiLowercased, number: index + 1, reader)
        }
    }

    private mutating func take(_ object: JSONObject, platform: String, number: Int, _ reader: ManifestText) {
        var app = RelatedApplication(platform: String(platform.prefix(100)))
        func noted(_ code: ParseNote.Code, _ message: String) {
            note(code, "Related application \(number) (\(app.platform)) \(message)", reader, "related_applications")
        }
        if let written = object["url"]?.string?.trimmingHTMLSpace(), !written.isEmpty {
            app.url = WebURL(written, base: url)
            if app.url == nil { noted(.manifest(.urlMalformed), "has no address as url: “\(written.prefix(200))”.") }
        }
        switch object["id"]?.content {
        case .string(let text): app.id = String(text.trimmingHTMLSpace().prefix(Self.maximumTextBytes))
        case .number(let text):
            app.id = text
            noted(.manifest(.relatedIDNumber), "has a number as id; a text is meant.")
        default: break
        }
        if app.id?.isEmpty == true { app.id = nil }
        guard app.url != nil || app.id != nil else {
            return noted(.manifest(.relatedEmpty), "has neither url nor id.")
        }
        if let version = object["min_version"]?.string?.trimmingHTMLSpace(), !version.isEmpty {
            app.minimumVersion = String(version.prefix(100))
        }
        for value in (object["fingerprints"]?.array ?? []).prefix(Self.maximumFingerprints) {
            guard let type = value["type"]?.string, let text = value["value"]?.string else { continue }
            app.fingerprints.append(
                RelatedApplication.Fingerprint(type: String(type.prefix(100)), value: String(text.prefix(200))))
        }
        if let message = app.identify() { noted(.manifest(.relatedIDMalformed), message) }
        relatedApplications.append(app)
    }
}

extension WebAppManifest.RelatedApplication {
    private static let knownPlatforms: Set<String> = [
        "chrome_web_store", "play", "chromeos_play", "webapp", "windows", "f-droid", "amazon", "itunes",
    ]

    /// Finds the app in `id` or `url`. Returns a sentence for a note if neither names one.
    fileprivate mutating func identify() -> String? {
        let store = url.flatMap { StoreLink($0) }
        switch platform {
        case "itunes":
            let reading = id.flatMap { AppStoreID.reading($0) }
            appStoreID = reading?.id ?? (store?.store == .appStore ? store?.identifier : nil)
            storeCountry = store?.store == .appStore ? store?.country : nil
            return appStoreID == nil ? "names no App Store ID." : nil
        case "play", "chromeos_play":
            packageName = package(id) ?? (store?.store == .googlePlay ? store?.identifier : nil)
            return packageName == nil ? "names no package." : nil
        case "f-droid":
            packageName = package(id) ?? url.flatMap { package(pathOf: $0, after: "packages") }
            return packageName == nil ? "names no package." : nil
        case "amazon":
            // The store also has ASINs, which are not package names.
            packageName = package(id) ?? url.flatMap { package(StoreLink.queryValue("p", of: $0)) }
            return nil
        case "windows":
            microsoftStoreID = id.flatMap(Self.microsoftStoreID) ?? url.flatMap(Self.microsoftStoreID(in:))
            return microsoftStoreID == nil ? "names no product of the Microsoft Store." : nil
        default:
            return Self.knownPlatforms.contains(platform) ? nil : "is of a platform that is not known."
        }
    }

    private func package(_ text: String?) -> String? {
        text.flatMap { AndroidPackage.reading($0)?.name }
    }

    /// `https://f-droid.org/en/packages/org.example.app/`
    private func package(pathOf url: WebURL, after word: Substring) -> String? {
        let segments = url.path.split(separator: "/").prefix(32)
        guard let index = segments.firstIndex(of: word), index + 1 < segments.count else { return nil }
        return package(String(segments[index + 1]))
    }

    /// Product IDs have twelve letters and digits and begin with 9. Returned in upper case; nil for other text.
    static func microsoftStoreID(_ text: String) -> String? {
        let bytes = text.utf8
        guard bytes.count == 12, bytes.first == UInt8(ascii: "9"),
            bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit })
        else { return nil }
        return text.uppercased()
    }

    /// `https://apps.microsoft.com/detail/9nblggh4nns1`, the older `https://www.microsoft.com/store/apps/…` and
    /// `ms-windows-store://pdp/?productid=…`.
    static func microsoftStoreID(in url: WebURL) -> String? {
        let isStore =
            url.scheme == "ms-windows-store" || url.host == "apps.microsoft.com"
            || url.host.map { $0 == "microsoft.com" || $0 == "www.microsoft.com" } == true
                && url.path.has("/store")
            || url.host == "www.windowsphone.com"
        guard isStore else { return nil }
        let inQuery = StoreLink.queryValue("productid", of: url) ?? StoreLink.queryValue("ProductId", of: url)
        return inQuery.flatMap(microsoftStoreID)
            ?? url.path.split(separator: "/").prefix(32).lazy.compactMap { microsoftStoreID(String($0)) }.first
    }
}

extension WebAppManifest {
    /// Related apps as claims. `webapp` entries are left out because they are other sites, and identifiers of Chrome and Amazon
    /// because no platform in the record can open them.
    var appClaims: [AppClaim] {
        relatedApplications.compactMap { app in
            var claim: AppClaim
            if let id = app.appStoreID {
                claim = AppClaim(.iOS, .webManifest, app.platform)
                claim.storeIdentifier = id
                claim.storeCountry = app.storeCountry
            } else if let package = app.packageName {
                claim = AppClaim(.android, .webManifest, app.platform)
                claim.packageName = package
            } else if let id = app.microsoftStoreID {
                claim = AppClaim(.windows, .webManifest, app.platform)
                claim.storeIdentifier = id
            } else {
                return nil
            }
            claim.minimumVersion = app.minimumVersion
            return claim
        }
    }
}

/// A manifest's text, parsed as one JSON value, with the repairs.
private struct ManifestText {
    let value: JSONValue?
    let notes: [ParseNote]
    private let bytes: ArraySlice<UInt8>

    init(_ whole: [UInt8], limits: ReadingLimits) {
        var bytes = whole[...].prefix(limits.maximumBodyBytes)
        var notes: [ParseNote] = []
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes = bytes.dropFirst(3)
            notes.append(ParseNote(.manifest(.bom), "The manifest begins with a byte order mark.", line: 1, column: 1))
        }
        self.bytes = bytes
        let first = bytes.first { !$0.isHTMLSpace }
        guard let first, first != UInt8(ascii: "<") else {
            value = nil
            let message = first == nil ? "The manifest is empty." : "Instead of a manifest there is an HTML page."
            self.notes = notes + [ParseNote(.manifest(.notJSON), message, line: 1, column: 1)]
            return
        }
        let reading = JSONParser.parseRepairing(bytes, limits: limits)
        if case .success(let values) = reading.values, let first = values.first {
            value = first
            if let fault = reading.fault {
                notes.append(
                    ParseNote(
                        .manifest(.invalid), "The manifest is not JSON: \(fault.message).", line: fault.line,
                        column: fault.column))
                notes += reading.repairs.notes(in: bytes)
            }
            self.notes = notes + reading.oddities
        } else {
            value = nil
            var failure = reading.fault
            if case .failure(let error) = reading.values { failure = error }
            let note = ParseNote(
                .manifest(.rejected), "The manifest could not be read: \(failure?.message ?? "it holds no value").",
                line: failure?.line ?? 1, column: failure?.column ?? 1)
            self.notes = notes + [note]
        }
    }

    /// Line and column of a member's name.
    func place(of member: String) -> (line: Int, column: Int)? {
        guard let offset = value?.object?.member(member)?.keyOffset else { return nil }
        var lines = LineCounter()
        return bytes.withUnsafeBufferPointer { lines.place(of: offset, in: $0) }
    }
}

extension WebAppManifest {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("name", name)
            $0.put("shortName", shortName)
            $0.put("id", id)
            $0.put("startURL", startURL)
            $0.put("scope", scope)
            $0.put("relatedApplications", relatedApplications) { $0.json }
            $0.putFlag("prefersRelatedApplications", prefersRelatedApplications)
            $0.put(notes)
        }
    }
}

extension WebAppManifest.RelatedApplication {
    var json: JSONValue {
        JSONObject.with {
            $0.put("platform", platform)
            $0.put("url", url)
            $0.put("id", id)
            $0.put("appStoreID", appStoreID)
            $0.put("storeCountry", storeCountry)
            $0.put("packageName", packageName)
            $0.put("microsoftStoreID", microsoftStoreID)
            $0.put("minimumVersion", minimumVersion)
            $0.put("fingerprints", fingerprints) { print in
                JSONObject.with {
                    $0.put("type", print.type)
                    $0.put("value", print.value)
                }
            }
        }
    }
}
