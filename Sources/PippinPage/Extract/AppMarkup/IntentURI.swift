/// An Android intent in a link: `intent://host/path#Intent;scheme=app;package=com.example;end`.
public struct IntentURI: Sendable, Hashable {
    /// A typed extra of the intent.
    public struct Extra: Sendable, Hashable {
        /// The name without the type letter.
        public let key: String
        /// The value, decoded.
        public let value: String
    }

    /// The part between `intent:` and the fragment, as written: `//host/path`.
    public fileprivate(set) var data = ""
    /// The scheme of the URL that opens the app, in lower case.
    public fileprivate(set) var scheme: String?
    /// The Android package that should handle the intent.
    public fileprivate(set) var packageName: String?
    /// The intent's action, such as `android.intent.action.VIEW`.
    public fileprivate(set) var action: String?
    fileprivate(set) var categories: [String] = []
    /// The component, `package/class`.
    public fileprivate(set) var component: String?
    /// `S.browser_fallback_url`, decoded.
    fileprivate(set) var fallbackURL: String?
    /// Typed extras (`S.key`, `i.key`, …), decoded, in order.
    public fileprivate(set) var extras: [Extra] = []

    /// The URL that opens the app; nil without a scheme.
    public var launchURL: String? { scheme.map { "\($0):\(data)" } }
}

extension IntentURI {
    /// The limit of extras; a link has a handful.
    private static let maximumExtras = 100

    /// Nil if the address does not begin with `intent:`, or has no `#Intent;` part.
    public init?(_ href: String) {
        guard String(href.prefix(7)).asciiLowercased == "intent:", let mark = Self.mark(in: href) else {
            return nil
        }
        data = String(href[href.index(href.startIndex, offsetBy: 7)..<mark])
        for part in href[mark...].dropFirst(8).split(separator: ";") {
            if part == "end" { break }
            guard let equals = part.firstIndex(of: "=") else { continue }
            take(String(part[..<equals]), part[part.index(after: equals)...].percentDecoded)
        }
    }

    /// The start of the last `#Intent;`: the data may contain another URL with a fragment.
    private static func mark(in href: String) -> String.Index? {
        let bytes = href.utf8
        let pattern = Array("#Intent;".utf8)
        var i = bytes.endIndex
        while let hash = bytes[..<i].lastIndex(of: 0x23) {
            if bytes[hash...].starts(with: pattern) { return hash }
            i = hash
        }
        return nil
    }

    private mutating func take(_ key: String, _ value: String) {
        switch key {
        case "scheme": scheme = value.isEmpty ? nil : value.asciiLowercased
        case "package": packageName = value.isEmpty ? nil : value
        case "action": action = value
        case "category": if categories.count < Self.maximumExtras { categories.append(value) }
        case "component": component = value
        case "S.browser_fallback_url": fallbackURL = value
        default:
            // The key is one letter for the type, a dot, and the name.
            guard key.utf8.count > 2, key.dropFirst().first == ".", extras.count < Self.maximumExtras else { return }
            extras.append(Extra(key: String(key.dropFirst(2)), value: value))
        }
    }
}
