/// The `android-app:` and `ios-app:` addresses that a page names as its alternates.
public struct AppAlternates: Sendable {
    /// The well-formed alternates, in page order.
    public fileprivate(set) var alternates: [AppAlternate] = []
    /// Leniencies used and limits reached while reading.
    public fileprivate(set) var notes: [ParseNote] = []
}

/// An app and the address to open in it: `android-app://com.example.app/https/example.com/gizmos`.
public struct AppAlternate: Sendable, Hashable {
    /// `android` or `iOS`.
    public let platform: Platform
    /// Package name, or App Store ID.
    public let identifier: String
    /// Scheme of the launch URL; nil if the address names only the app.
    public let scheme: String?
    /// The part after scheme and slash, as written.
    let hostAndPath: String?
    /// The address as written.
    public let href: String
    /// Whether it is in a header of the response, not in the page.
    public fileprivate(set) var isFromHeader = false
    /// The line in the page, 1-based; nil if unknown.
    public fileprivate(set) var line: Int?
    /// The column in the page, 1-based; nil if unknown.
    public fileprivate(set) var column: Int?

    /// The URL that opens the app; nil without a scheme.
    public var launchURL: String? {
        scheme.map { "\($0)://\(hostAndPath ?? "")" }
    }
}

extension AppAlternates {
    /// The limit of alternates per page; one per app is usual.
    private static let maximumAlternates = 100

    /// Reads the alternates among a page's links. Malformed ones leave notes.
    public init(_ links: LinkTags) {
        var seen: Set<String> = []
        for tag in links.tags where AppAlternate.isAppAddress(Array(tag.href.utf8)[...]) {
            guard alternates.count < Self.maximumAlternates else {
                notes.append(
                    tag.note(.appAlternate(.tooMany), "Only \(Self.maximumAlternates) app alternates are read."))
                break
            }
            if !tag.relations.contains(.alternate) {
                notes.append(
                    tag.note(.appAlternate(.rel), "The link to “\(tag.href.prefix(200))” is not rel=alternate."))
            }
            guard seen.insert(tag.href).inserted else { continue }
            switch AppAlternate.reading(tag.href) {
            case .success(var alternate, let leniencies):
                alternate.isFromHeader = tag.isFromHeader
                alternate.line = tag.line
                alternate.column = tag.column
                alternates.append(alternate)
                notes += leniencies.map { tag.note($0.code, $0.message) }
            case .failure(let reason):
                notes.append(tag.note(.appAlternate(.malformed), "“\(tag.href.prefix(200))”: \(reason)"))
            }
        }
    }
}

extension AppAlternate {
    enum Reading {
        case success(AppAlternate, [(code: ParseNote.Code, message: String)])
        case failure(String)
    }

    /// Whether an address begins with `android-app:` or `ios-app:`.
    static func isAppAddress(_ href: ArraySlice<UInt8>) -> Bool {
        guard let first = href.first, first.asciiLowercased == 0x61 || first.asciiLowercased == 0x69 else {
            return false
        }
        return href.prefix(12).equalsIgnoringCase("android-app:") || href.prefix(8).equalsIgnoringCase("ios-app:")
    }

    /// Reads an address in structured data; nil if it is malformed.
    public init?(_ href: String) {
        guard Self.isAppAddress(Array(href.utf8.prefix(12))[...]), case .success(let alternate, _) = Self.reading(href)
        else { return nil }
        self = alternate
    }

    /// Reads `{platform}-app://{identifier}[/{scheme}[/{host and path}]]`. A failure carries the clause for the note.
    static func reading(_ href: String) -> Reading {
        let platform: Platform = String(href.prefix(12)).asciiLowercased == "android-app:" ? .android : .iOS
        guard let colon = href.firstIndex(of: ":") else { return .failure("it has no scheme.") }
        var rest = href[href.index(after: colon)...]
        guard rest.hasPrefix("//") else { return .failure("two slashes are missing after the scheme.") }
        rest = rest.dropFirst(2)
        let end = rest.utf8.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
        var leniencies: [(code: ParseNote.Code, message: String)] = []
        guard let identifier = identifier(String(rest[..<end]), platform, &leniencies) else {
            return .failure(platform == .android ? "it names no package." : "it names no App Store ID.")
        }
        rest = rest[end...]
        if rest.first == "/" { rest = rest.dropFirst() }
        guard !rest.isEmpty else {
            return .success(
                AppAlternate(platform: platform, identifier: identifier, scheme: nil, hostAndPath: nil, href: href),
                leniencies)
        }
        let schemeEnd = rest.utf8.firstIndex(of: 0x2F) ?? rest.endIndex
        var scheme = String(rest[..<schemeEnd]).asciiLowercased
        rest = schemeEnd == rest.endIndex ? "" : rest[schemeEnd...].dropFirst()
        if scheme.utf8.last == 0x3A {
            scheme.removeLast()
            if rest.first == "/" { rest = rest.dropFirst() }
            leniencies.append((.appAlternate(.fullURL), "The scheme is followed by a slash only, not by “://”."))
        }
        guard let first = scheme.utf8.first, first.isASCIILetter,
            scheme.utf8.allSatisfy({
                $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
            })
        else { return .failure("what follows the app is not a scheme.") }
        return .success(
            AppAlternate(
                platform: platform, identifier: identifier, scheme: scheme,
                hostAndPath: rest.isEmpty ? nil : String(rest),
                href: href), leniencies)
    }

    private static func identifier(
        _ text: String, _ platform: Platform, _ leniencies: inout [(code: ParseNote.Code, message: String)]
    ) -> String? {
        if platform == .android {
            guard let reading = AndroidPackage.reading(text) else { return nil }
            if !reading.wasPlain {
                leniencies.append(
                    (.appAlternate(.idPrefix), "The package is “\(text)”; \(reading.name) is meant."))
            }
            return reading.name
        }
        guard let reading = AppStoreID.reading(text) else { return nil }
        if !reading.wasPlain {
            leniencies.append((.appAlternate(.idPrefix), "The App Store ID is “\(text)”; the number alone is meant."))
        }
        return reading.id
    }
}

extension AppAlternate {
    /// The alternate as a claim about an app.
    ///
    /// - Parameters:
    ///   - key: the claim's key, as in `AppClaim`; nil means the address's scheme.
    func appClaim(
        _ source: AppClaim.Source = .alternate, key: String? = nil, line: Int? = nil
    ) -> AppClaim {
        var claim = AppClaim(
            platform, source, key ?? (platform == .android ? "android-app" : "ios-app"), line: line ?? self.line,
            column: column)
        if platform == .android { claim.packageName = identifier } else { claim.storeIdentifier = identifier }
        claim.address = launchURL == nil ? nil : href
        return claim
    }
}

extension AppAlternates {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0["alternates"] = .array(alternates.map(\.json))
            $0.put(notes)
        }
    }
}

extension AppAlternate {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("platform", platform.rawValue)
            $0.put("identifier", identifier)
            $0.put("launchURL", launchURL)
            $0.put("href", href)
            $0.putFlag("isFromHeader", isFromHeader)
            $0.put("line", line)
        }
    }
}
